// SPDX-License-Identifier: MIT
#include "world/recipe.h"

#include "base/error.h"
#include "defs/copy.h"
#include "world/world_parts.h"
#include <stdlib.h>
#include <string.h>

void world_drop_recipe(mn_Scene* recipe)
{
    if (!recipe)
        return;
    def_free(&scene_section, recipe);
    memory_free_string(recipe->folder);
    free(recipe);
}

// A scene without what it was read from.
static mn_Scene* copy_recipe(const mn_Scene* scene)
{
    mn_Scene* copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    if (!def_copy(&scene_section, copy, scene)) {
        free(copy);
        return NULL;
    }
    copy->document = NULL;
    copy->folder = scene->folder ? strdup(scene->folder) : NULL;
    if (!scene->folder || copy->folder)
        return copy;
    world_drop_recipe(copy);
    return NULL;
}

mn_Scene* world_copy_recipe(const mn_World* world)
{
    return copy_recipe(world->recipe);
}

bool world_begin_recipe(mn_World* world)
{
    mn_Scene scene = mn_default_scene();
    scene.world = world->def;
    scene.folder = world->folder;
    world->recipe = copy_recipe(&scene);
    return world->recipe != NULL;
}

void world_free_recipe(mn_World* world)
{
    world_drop_recipe(world->recipe);
    world->recipe = NULL;
}

bool world_keep_def(mn_World* world, const Section* section, const void* def)
{
    mn_Scene* r = world->recipe;
    const struct {
        const Section* section;
        void* list;
        size_t* count;
    } LISTS[] = {{&fluid_section, &r->fluids, &r->fluid_count}, {&solid_section, &r->solids, &r->solid_count},
                 {&drain_section, &r->drains, &r->drain_count}, {&sponge_section, &r->sponges, &r->sponge_count},
                 {&joint_section, &r->joints, &r->joint_count}, {&probe_section, &r->probes, &r->probe_count}};
    for (size_t k = 0; k < sizeof LISTS / sizeof *LISTS; k++)
        if (LISTS[k].section == section)
            return def_append(section, LISTS[k].list, LISTS[k].count, def);
    return true;
}

bool world_keep_scene(mn_World* world, const mn_Scene* scene)
{
    mn_Scene* copy = copy_recipe(scene);
    if (!copy)
        return false;
    for (size_t k = 0; k < copy->event_count; k++)
        def_free(&event_section, &copy->events[k]);
    free(copy->events);
    copy->events = NULL;
    copy->event_count = 0;
    world_drop_recipe(world->recipe);
    world->recipe = copy;
    return true;
}

const mn_Scene* world_recipe(const mn_World* world)
{
    return world->recipe;
}

mn_Scene* world_scene_of_now(const mn_World* world)
{
    mn_Scene* scene = copy_recipe(world->recipe);
    bool ok = scene != NULL;
    for (size_t e = 0; ok && e < world->events.count && e < world->state.events_done; e++)
        for (size_t k = 0; ok && k < world->events.event[e].def.solid_count; k++)
            ok = def_append(&solid_section, &scene->solids, &scene->solid_count, &world->events.event[e].def.solids[k]);
    for (size_t k = 0; ok && k < scene->solid_count && k < world->solids.count; k++)
        scene->solids[k].visible &= !world->solids.solid[k].removed;
    if (ok) {
        scene->world.gravity = world->def.gravity;
        return scene;
    }
    world_drop_recipe(scene);
    return NULL;
}

mn_Scene* mn_world_scene(const mn_World* world, mn_Error* error)
{
    mn_Scene* scene = copy_recipe(world->recipe);
    bool ok = scene != NULL;
    for (size_t k = 0; ok && k < world->events.count; k++)
        ok = def_append(&event_section, &scene->events, &scene->event_count, &world->events.event[k].def);
    if (ok && !scene->name)
        ok = (scene->name = strdup("world")) != NULL;
    if (ok) {
        // it was there for so long at least
        scene->duration = fmax(scene->duration, world->state.time);
        return scene;
    }
    world_drop_recipe(scene);
    error_set(error, MN_OUT_OF_MEMORY, "no memory for a scene");
    return NULL;
}

// --- making it again

static mn_Result add_all(mn_World* world, const mn_Scene* recipe, mn_Error* error)
{
    bool ok = true;
    for (size_t k = 0; ok && k < recipe->solid_count; k++)
        ok = mn_world_add_solid(world, &recipe->solids[k], error) != 0;
    for (size_t k = 0; ok && k < recipe->fluid_count; k++)
        ok = mn_world_add_fluid(world, &recipe->fluids[k], error) != 0;
    for (size_t k = 0; ok && k < recipe->drain_count; k++)
        ok = mn_world_add_drain(world, &recipe->drains[k], error) == MN_OK;
    for (size_t k = 0; ok && k < recipe->sponge_count; k++)
        ok = mn_world_add_sponge(world, &recipe->sponges[k], error) == MN_OK;
    for (size_t k = 0; ok && k < recipe->joint_count; k++)
        ok = mn_world_add_joint(world, &recipe->joints[k], error) != 0;
    for (size_t k = 0; ok && k < recipe->probe_count; k++)
        ok = mn_world_add_probe(world, &recipe->probes[k], error) != 0;
    return ok ? MN_OK : error ? error->result : MN_BAD_INPUT;
}

mn_Result world_make_again(mn_World* world, const mn_Scene* recipe, const mn_EventDef* events, size_t count, mn_Error* error)
{
    mn_LogFn* log = world->def.log;
    world->def.log = NULL; // it was all said when the world was made first
    mn_Result result = add_all(world, recipe, error);
    for (size_t k = 0; result == MN_OK && k < count; k++)
        result = mn_world_add_event(world, &events[k], error);
    if (result == MN_OK && !world_keep_scene(world, recipe))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for a world");
    world->def.log = log;
    return result;
}
