// SPDX-License-Identifier: MIT
// Where solids that move as told run into others.
#ifndef WORLD_SQUEEZE_H
#define WORLD_SQUEEZE_H

#include <meniscus/world.h>

// Says (as warnings) which kinematic solids close a gap to the wall of another solid within [0, until] [s]. Of a prepared world.
void world_warn_of_squeezes(const mn_World* world, double until);

#endif
