// SPDX-License-Identifier: MIT
// A point and a triangle that both move, each corner on a straight line over the time 0 to 1: when does the point pass through?
// With q the vector from the first corner to the point and n = e1 x e2, it lies in the plane where the cubic
//   f(t) = q(t) . n(t) = 0,
// and it passes if it is then between the corners. Neighbours of a mesh agree about the times at their common edge, so a point
// that changes sides of a closed or endless surface passes through some triangle of it, however the surface deforms.
// Two edges that move pass through each other where the same holds for q from one edge's beginning to the other's, and n the
// product of their directions. Surfaces that do not cross at first, and none of whose points and edges pass a face or an edge,
// never do.
#ifndef MESH_CROSSING_H
#define MESH_CROSSING_H

#include "base/vec.h"

typedef struct Crossing {
    double time;      // [1] 0 to 1
    double weight[3]; // [1] of the corners, where it passes
    int direction;    // +1: along the triangle's normal, -1: against it
} Crossing;

// How many of at most three passages there are; in order of time.
int crossing_find(const Vec3d from[3], const Vec3d to[3], Vec3d x0, Vec3d x1, Crossing out[3]);

typedef struct EdgeCrossing {
    double time;     // [1] 0 to 1
    double along[2]; // [1] 0 to 1: where on the edges
    Vec3d normal;    // a x b, a unit
    int direction;   // +1: edge b passes a along the normal, -1: against it
} EdgeCrossing;

// The edge a goes from a0 to a1, the edge b from b0 to b1. How many of at most three passages there are; in order of time.
int crossing_find_edges(const Vec3d a0[2], const Vec3d a1[2], const Vec3d b0[2], const Vec3d b1[2], EdgeCrossing out[3]);

#endif
