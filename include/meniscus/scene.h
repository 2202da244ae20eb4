// SPDX-License-Identifier: MIT
// Scene files: JSON to mn_Scene to mn_World, and back. docs/scene-reference.md lists the keys.
#ifndef MENISCUS_SCENE_H
#define MENISCUS_SCENE_H

#include <meniscus/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads and validates. `sets` are "dotted.path=value" overrides. NULL on failure, with `error` filled.
MN_API mn_Scene* mn_scene_load(const char* path, const char* const* sets, size_t set_count, mn_Error* error);
// The same from memory. `name` (may be NULL) stands for the file in messages and gives a scene without a name its own;
// `folder` (may be NULL: current folder) is where relative mesh paths start.
MN_API mn_Scene* mn_scene_parse(const char* text, size_t size, const char* name, const char* folder, const char* const* sets,
                                size_t set_count, mn_Error* error);
MN_API void mn_scene_free(mn_Scene* scene);

// The scene as JSON with every default filled in; free with free(). Loading it again gives the same scene.
MN_API char* mn_scene_to_json(const mn_Scene* scene);

// A world with everything of the scene in it, prepared. NULL on failure.
MN_API mn_World* mn_scene_build(const mn_Scene* scene, mn_Error* error);

#ifdef __cplusplus
}
#endif

#endif
