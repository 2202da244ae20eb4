// SPDX-License-Identifier: MIT
// mn_Scene to mn_World.
#include <meniscus/scene.h>

#include "base/error.h"
#include "scene/document.h"
#include "scene/lint.h"
#include "world/lint.h"
#include "world/recipe.h"

#include <string.h>

// The world names keys relative to the object it was given ("density"); here its place in the scene is put in front.
static bool fail_in(mn_Error* error, const char* list, size_t index)
{
    if (!error)
        return false;
    char key[sizeof error->key];
    memcpy(key, error->key, sizeof key);
    key[sizeof key - 1] = 0;
    int room = (int)sizeof error->key - 32;
    error_key(error, "%s.%zu%s%.*s", list, index, key[0] ? "." : "", room, key);
    return false;
}

static bool add_all(mn_World* world, const mn_Scene* scene, mn_Error* error)
{
    for (size_t k = 0; k < scene->solid_count; k++) {
        if (!mn_world_add_solid(world, &scene->solids[k], error))
            return fail_in(error, "solids", k);
    }
    for (size_t k = 0; k < scene->fluid_count; k++) {
        if (!mn_world_add_fluid(world, &scene->fluids[k], error))
            return fail_in(error, "fluids", k);
    }
    for (size_t k = 0; k < scene->drain_count; k++) {
        if (mn_world_add_drain(world, &scene->drains[k], error) != MN_OK)
            return fail_in(error, "drains", k);
    }
    for (size_t k = 0; k < scene->sponge_count; k++) {
        if (mn_world_add_sponge(world, &scene->sponges[k], error) != MN_OK)
            return fail_in(error, "sponges", k);
    }
    for (size_t k = 0; k < scene->joint_count; k++) {
        if (!mn_world_add_joint(world, &scene->joints[k], error))
            return fail_in(error, "joints", k);
    }
    for (size_t k = 0; k < scene->event_count; k++) {
        if (mn_world_add_event(world, &scene->events[k], error) != MN_OK)
            return fail_in(error, "events", k);
    }
    for (size_t k = 0; k < scene->probe_count; k++) {
        if (!mn_world_add_probe(world, &scene->probes[k], error))
            return fail_in(error, "probes", k);
    }
    return true;
}

mn_World* mn_scene_build(const mn_Scene* scene, mn_Error* error)
{
    scene_warn_of_meshes(scene);
    mn_World* world = mn_world_create(&scene->world, scene->folder, error);
    if (world && add_all(world, scene, error) && mn_world_prepare(world, error) == MN_OK) {
        if (!world_keep_scene(world, scene)) {
            mn_world_destroy(world);
            error_set(error, MN_OUT_OF_MEMORY, "no memory for a world");
            return NULL;
        }
        scene_warn_of_late(scene);
        world_warn_of_squeezes(world, scene->duration);
        return world;
    }
    mn_world_destroy(world);
    if (scene->document)
        document_place_key(scene->document, error);
    return NULL;
}
