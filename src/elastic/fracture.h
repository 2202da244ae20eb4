// SPDX-License-Identifier: MIT
// Finite elements that break. Stresses of edges (fem_elements.c), in the axes of the rest shape, are averaged to points:
//   s_v = sum_e V_e / 2 s_e / V_v,      s_e = R_e^T P_e
// Where the largest principal stress s1 of a point exceeds the strength, a crack opens across its direction n (Muller 2004, section
// 3.4): where cracks are to be clean points near its plane move into it (snap.h), and tetrahedra whose middles are on different
// sides of the plane through the point part there. It runs on in the same step, in the same plane, over points at which the stress
// across it, n . s_v n, is above a share of the strength: what is ahead of a crack carries more as soon as it is open. In each step
// one crack starts, or goes on from its tip, in each piece, from where the stress is highest and something parts. Nothing breaks
// under pressure alone.
#ifndef ELASTIC_FRACTURE_H
#define ELASTIC_FRACTURE_H

#include "elastic/elastic_parts.h"

// After a step, with the model's state of finite elements. `*out_opened` is the number of faces that opened. False: out of memory.
bool fracture_run(ElasticSet* set, Body* body, size_t* out_opened);

#endif
