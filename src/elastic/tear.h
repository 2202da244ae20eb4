// SPDX-License-Identifier: MIT
// Sheets that tear. Where an edge is stretched beyond the tear strain, the vertex at its end parts across the direction in which
// its edges are stretched most:
//   S_v = sum_e rest_e e_e d_e d_e^T,     e_e = |x_a - x_b| / rest_e - 1,  d_e the direction of the edge
//   L_v = sum_e rest_e d_e d_e^T
// The greatest eigenvector n of S_v is the normal of the cut, if the mean strain along it, n . S_v n / n . L_v n, is a share of the
// tear strain too: one edge that a drop hits is no load that tears. Triangles whose middles are on different sides of the plane
// through the vertex part there, along two edges of a vertex within the sheet. The tear runs on in the same plane over vertices
// that are stretched across it by that share, and as far as sound gets within the step.
//
// A tear takes the load off what is around it, but not faster than sound: in each step a vertex begins to tear only if none that is
// stretched more begins within the way of sound. So a sheet that is stretched evenly gets few tears, however long the step is.
// Points that pins hold do not tear.
#ifndef ELASTIC_TEAR_H
#define ELASTIC_TEAR_H

#include "elastic/constraints.h"

// After a step, with the sheet's constraints. `*out_opened` is the number of edges that opened. False: out of memory.
bool tear_run(ElasticSet* set, Body* body, const Constraints* constraints, size_t* out_opened);

#endif
