// SPDX-License-Identifier: MIT
// Warnings about a scene.
#ifndef WORLD_LINT_H
#define WORLD_LINT_H

#include <meniscus/world.h>

// Says which kinematic solids close a gap to the wall of another solid within [0, until] [s]. Of a prepared world.
void world_warn_of_squeezes(const mn_World* world, double until);

#endif
