// SPDX-License-Identifier: MIT
// Where solids that move as told run into others.
#ifndef SOLID_SQUEEZE_H
#define SOLID_SQUEEZE_H

#include "solid/solid.h"

typedef struct SqueezeDef {
    const Solid* solid;
    size_t count;
    double radius; // [m] of particles
    Vec3d gravity; // [m/s2]
    Log log;
} SqueezeDef;

// Says (as warnings) which kinematic solids close a gap to the wall of another solid within [0, until] [s].
void squeeze_warn(const SqueezeDef* def, double until);

#endif
