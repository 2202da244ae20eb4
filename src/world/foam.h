// SPDX-License-Identifier: MIT
// What a world lends to those who make foam from its frames: the scale of its motion, and its solids.
#ifndef WORLD_FOAM_H
#define WORLD_FOAM_H

#include "foam/rules.h"
#include "foam/sides.h"
#include <meniscus/world.h>

FoamScale world_foam_scale(const mn_World* world); // of a prepared world
// [m] that diffuse particles keep from walls.
double world_foam_margin(const mn_World* world);
// `sides` must be zero; the world must outlive it. False: out of memory.
bool world_foam_sides(const mn_World* world, Memory* memory, FoamSides* sides);
// Where a solid that moves as told is at `time` [s]. False: another kind of solid.
bool world_foam_told_pose(const mn_World* world, size_t solid, double time, mn_Pose* out);

#endif
