// SPDX-License-Identifier: MIT
// Snapshots: the state of a world in memory, with the record of what was done to it. What a world has become cannot always be taken
// back in place: things that came apart do not grow together. Then it is made again from its recipe.
#include "world/state.h"
#include "world/world_parts.h"

#include "base/error.h"
#include "defs/copy.h"
#include <stdlib.h>
#include <string.h>

typedef struct Part {
    char* name;
    void* data;
    size_t bytes;
} Part;

struct mn_Snapshot {
    double time;
    size_t bytes;
    Part* part;
    size_t part_count;
    mn_EventDef* event; // all, also those to come
    size_t event_count;
    uint64_t done;
    mn_Scene* recipe; // of the world
};

// --- saving

static bool keep_part(void* user, const char* name, const void* data, size_t bytes)
{
    mn_Snapshot* s = user;
    Part* larger = realloc(s->part, (s->part_count + 1) * sizeof *larger);
    if (!larger)
        return false;
    s->part = larger;
    Part part = {strdup(name), memory_take(NULL, bytes + 8), bytes};
    if (!part.name || !part.data) {
        free(part.name);
        memory_give(NULL, part.data);
        return false;
    }
    if (bytes)
        memcpy(part.data, data, bytes);
    s->part[s->part_count++] = part;
    s->bytes += bytes;
    return true;
}

void mn_snapshot_free(mn_Snapshot* s)
{
    if (!s)
        return;
    for (size_t k = 0; k < s->part_count; k++) {
        free(s->part[k].name);
        memory_give(NULL, s->part[k].data);
    }
    for (size_t k = 0; k < s->event_count; k++)
        def_free(&event_section, &s->event[k]);
    free(s->part);
    free(s->event);
    world_drop_recipe(s->recipe);
    free(s);
}

mn_Snapshot* mn_world_save(const mn_World* world, mn_Error* error)
{
    if (!world->phase.prepared || world->phase.broken || world->phase.busy) {
        error_set(error, MN_BAD_INPUT, "only a world that was prepared can be saved, between steps");
        return NULL;
    }
    mn_Snapshot* s = calloc(1, sizeof *s);
    bool ok = s && (s->recipe = world_copy_recipe(world)) && world_save_state(world, keep_part, s);
    for (size_t k = 0; ok && k < world->events.count; k++)
        ok = def_append(&event_section, &s->event, &s->event_count, &world->events.event[k].def);
    if (!ok) {
        mn_snapshot_free(s);
        error_set(error, MN_OUT_OF_MEMORY, "no memory for a snapshot");
        return NULL;
    }
    s->time = world->state.time;
    s->done = world->state.events_done;
    return s;
}

double mn_snapshot_time(const mn_Snapshot* s)
{
    return s->time;
}

size_t mn_snapshot_bytes(const mn_Snapshot* s)
{
    return sizeof *s + s->bytes;
}

// --- loading

static const void* give_part(void* user, const char* name, size_t* bytes)
{
    const mn_Snapshot* s = user;
    for (size_t k = 0; k < s->part_count; k++)
        if (!strcmp(s->part[k].name, name)) {
            *bytes = s->part[k].bytes;
            return s->part[k].data;
        }
    return NULL;
}

// Whether what the world is made of now is what the snapshot is made of: the same solids and joints came and went.
static bool is_alike(const mn_World* world, const mn_Snapshot* s)
{
    for (size_t k = 0; k < world->events.count; k++)
        if (world->events.event[k].is_built && k >= s->done)
            return false;
    for (size_t k = 0; k < s->done && k < s->event_count; k++)
        if (def_event_builds(&s->event[k]) && !(k < world->events.count && world->events.event[k].is_built))
            return false;
    return true;
}

// The list of events becomes that of the snapshot. What is built of it stays so.
static bool take_events(mn_World* world, const mn_Snapshot* s)
{
    size_t built = 0;
    for (size_t k = 0; k < world->events.count; k++)
        built = world->events.event[k].is_built ? k + 1 : built;
    world_cut_events(world, built);
    for (size_t k = built; k < s->event_count; k++)
        if (!world_append_event(world, &s->event[k]))
            return false;
    return true;
}

static mn_Result start_again(mn_World* world, const mn_Snapshot* s, mn_Error* error)
{
    mn_WorldDef def = world->def;
    def.gravity = s->recipe->world.gravity;
    WorldObserver observer = world->observer;
    bool advancing = world->phase.advancing;
    char* folder = world->folder ? strdup(world->folder) : NULL;
    mn_Result result = MN_OK;
    if (world->folder && !folder)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a world");
    world_clear(world);
    if (!world_init(world, &def, folder))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for a world");
    free(folder);
    if (result == MN_OK)
        result = world_make_again(world, s->recipe, s->event, s->event_count, error);
    world->observer = observer;
    world->phase.advancing = advancing;
    return result;
}

mn_Result mn_world_load(mn_World* world, const mn_Snapshot* s, mn_Error* error)
{
    if (world->phase.busy)
        return error_set(error, MN_BAD_INPUT, "a world cannot be changed in the middle of a step");
    mn_Result result = MN_INVALID;
    mn_LogFn* log = world->def.log;
    if (!world->phase.broken && world->phase.prepared && is_alike(world, s) && take_events(world, s))
        result = world_load_state(world, give_part, (void*)(uintptr_t)s, NULL);
    if (result == MN_OK)
        return MN_OK;
    result = start_again(world, s, error);
    world->def.log = NULL;
    if (result == MN_OK)
        result = world_load_state(world, give_part, (void*)(uintptr_t)s, error);
    world->def.log = log;
    world->phase.broken = result != MN_OK;
    return result;
}

mn_World* mn_world_copy(const mn_World* world, mn_Error* error)
{
    mn_Snapshot* s = mn_world_save(world, error);
    if (!s)
        return NULL;
    mn_World* copy = calloc(1, sizeof *copy);
    mn_WorldDef def = world->def;
    def.gravity = s->recipe->world.gravity;
    mn_Result result =
        copy && world_init(copy, &def, world->folder) ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for a world");
    if (result == MN_OK)
        result = world_make_again(copy, s->recipe, s->event, s->event_count, error);
    if (result == MN_OK)
        copy->def.log = NULL;
    if (result == MN_OK)
        result = world_load_state(copy, give_part, s, error);
    if (result == MN_OK)
        copy->def.log = world->def.log;
    mn_snapshot_free(s);
    if (result == MN_OK)
        return copy;
    mn_world_destroy(copy);
    return NULL;
}
