// SPDX-License-Identifier: MIT
// mn_Scene to mn_World.
#include <meniscus/scene.h>

#include "base/error.h"
#include "scene/document.h"
#include "world/lint.h"

#include <stdio.h>
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

static void say(const mn_Scene* scene, const char* list, size_t index, double time)
{
    char text[160];
    snprintf(text, sizeof text, "%s.%zu is never used: it is for t = %g s, and the run ends at %g s", list, index, time,
             scene->duration);
    if (scene->world.log)
        scene->world.log(scene->world.log_user, MN_LOG_WARNING, text);
}

// What would happen only after the end, often by a wrong unit.
static void warn_of_late(const mn_Scene* scene)
{
    char list[48];
    for (size_t k = 0; k < scene->event_count; k++)
        if (scene->events[k].time > scene->duration)
            say(scene, "events", k, scene->events[k].time);
    for (size_t k = 0; k < scene->drain_count; k++)
        if (scene->drains[k].start > scene->duration)
            say(scene, "drains", k, scene->drains[k].start);
    for (size_t f = 0; f < scene->fluid_count; f++)
        for (size_t k = 0; k < scene->fluids[f].emitter_count; k++)
            if (scene->fluids[f].emitters[k].start > scene->duration) {
                snprintf(list, sizeof list, "fluids.%zu.emitters", f);
                say(scene, list, k, scene->fluids[f].emitters[k].start);
            }
    for (size_t s = 0; s < scene->solid_count; s++) {
        const mn_SolidDef* solid = &scene->solids[s];
        if (solid->motion_count > 1 && solid->motion[0].time > scene->duration) {
            snprintf(list, sizeof list, "solids.%zu.motion", s);
            say(scene, list, 0, solid->motion[0].time);
        }
    }
}

mn_World* mn_scene_build(const mn_Scene* scene, mn_Error* error)
{
    mn_World* world = mn_world_create(&scene->world, scene->folder, error);
    if (world && add_all(world, scene, error) && mn_world_prepare(world, error) == MN_OK) {
        warn_of_late(scene);
        world_warn_of_squeezes(world, scene->duration);
        return world;
    }
    mn_world_destroy(world);
    if (scene->document)
        document_place_key(scene->document, error);
    return NULL;
}
