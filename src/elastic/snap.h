// SPDX-License-Identifier: MIT
// Crack faces that lie in the plane of the crack, as far as the mesh allows it. Where an edge of tetrahedra goes through the plane,
// one of its ends moves along it into the plane, before the tetrahedra part: in the shape that was built, and in that of now by the
// same share of the edge. What a point has there is what linear elements say of that place, so that no strain and no velocity
// comes in. Ends that are nearer go first. A point stays where it is if that would change the surface, or make a tetrahedron flat,
// or if a pin or a bond (cohesion.h) holds it.
//
// Masses follow the tetrahedra; what that changes of momentum and angular momentum is given back to the tetrahedra around.
#ifndef ELASTIC_SNAP_H
#define ELASTIC_SNAP_H

#include "elastic/fem.h"

typedef struct SnapMove {
    uint32_t point, to;
    double share; // of the edge between them
    Vec3d was[5]; // what the point had: see snap.c
} SnapMove;

typedef struct Snap {
    SnapMove* move; // in their order
    size_t count, capacity;
    uint8_t* around;        // (tets) 1: one of its points moves
    uint8_t* mark;          // (4 per tet) scratch
    Vec3d momentum, moment; // [kg m/s], [kg m2/s] of all points before
} Snap;

// `height` [m] (points) above the plane in the shape as built, NAN where it is of no interest; it is 0 afterwards where points
// moved. Who is `held` (points) does not. False: out of memory. Free in any case.
bool snap_find(Snap* snap, const Body* body, const uint8_t* held, double* height);
void snap_apply(Snap* snap, Body* body);
void snap_undo(const Snap* snap, Body* body);   // nothing parts after all
void snap_settle(const Snap* snap, Body* body); // it has parted
void snap_free(Snap* snap);

#endif
