// SPDX-License-Identifier: MIT
// Solids that move as one, as bodies that respond (response_body.h): their masses and motions go in, forces and torques come out.
//   F_body = sum_b F_b,    torque = sum_b (x_b - x_cm) x F_b,    F_b = -(what b does to the fluid)    (Akinci 2014, section 3.2.4)
// What contacts, joints and gravity will do to them in a step is known before it (SolidKind.other_acceleration).
#ifndef COUPLING_BODY_SOLIDS_H
#define COUPLING_BODY_SOLIDS_H

#include "coupling/response_body.h"
#include "fluid/wall_force.h"
#include "solid/solid.h"

typedef struct BodySolids {
    Memory* memory;
    Solid* solid;
    size_t solid_count;
    BodyResponse response;
    Vec3d* centre;  // [m] (solids) of mass, or of its frame
    bool* is_body;  // (solids) it moves as one and is free to
    bool ignored;   // none of them feels the fluid
    Wrench* wrench; // (solids) scratch
} BodySolids;

// `bodies` must be zero. Without solids that move as one nothing responds. False: out of memory.
bool body_solids_create(BodySolids* bodies, Memory* memory, Sph* sph, Solid* solid, size_t solid_count, bool strong);
void body_solids_ignore(BodySolids* bodies); // from now on they do not feel the fluid
void body_solids_destroy(BodySolids* bodies);

void body_solids_place(BodySolids* bodies);
void body_solids_begin(BodySolids* bodies);                          // a try at a step
bool body_solids_forces(BodySolids* bodies, double dt);              // adhesion and friction. False: out of memory
double body_solids_speed_after(const BodySolids* bodies, double dt); // [m/s] of the fastest point
void body_solids_finish(BodySolids* bodies, double dt);              // the step is accepted

#endif
