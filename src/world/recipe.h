// SPDX-License-Identifier: MIT
// What a world was made of, so that it can be made again: for copies, for going back in time, and as a scene.
#ifndef WORLD_RECIPE_H
#define WORLD_RECIPE_H

#include <meniscus/world.h>

// The scene that a world was built from: its name, duration, output and pictures. False: out of memory.
bool world_keep_scene(mn_World* world, const mn_Scene* scene);

// What it is, for whoever needs names and settings; valid until the next call that changes the world.
const mn_Scene* world_recipe(const mn_World* world);
// A scene of its own with all solids that there are now, those that were removed unseen. NULL: out of memory.
mn_Scene* world_scene_of_now(const mn_World* world);

#endif
