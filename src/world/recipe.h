// SPDX-License-Identifier: MIT
// What a world was made of, so that it can be made again: for copies, for going back in time, and as a scene.
#ifndef WORLD_RECIPE_H
#define WORLD_RECIPE_H

#include <meniscus/world.h>

// The scene that a world was built from: its name, duration, output and pictures. False: out of memory.
bool world_keep_scene(mn_World* world, const mn_Scene* scene);

#endif
