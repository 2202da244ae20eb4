// SPDX-License-Identifier: MIT
// Events: at a given time gravity is another, something is released, a solid is changed, things come and go. Some happen within the
// step that ends at their time, before boundary particles follow solids. All that the calls of meniscus/live.h can do happens
// between steps, and so does everything that is recorded of those calls: there a run that repeats it finds the world as it was.
//
// The list of events that are done is the record of what was done to a world.
#include "world/world_parts.h"

#include "base/error.h"
#include "defs/copy.h"
#include <stdlib.h>
#include <string.h>

// --- what names stand for

typedef struct Found {
    int solid, release, cut; // numbers of solids, or -1
    int hold[SYSTEMS_MOST];  // (systems) joint or pin that is released, or -1
} Found;

static bool changes_body(const mn_EventDef* def)
{
    return def->density != MN_AUTO || def->has_velocity || def->has_angular_velocity;
}

static bool releases(const Found* found)
{
    bool any = found->release >= 0;
    for (size_t k = 0; k < SYSTEMS_MOST; k++)
        any |= found->hold[k] >= 0;
    return any;
}

// What of that name is released: joints and pins, or else a solid.
static Found find(const mn_World* world, const mn_EventDef* def)
{
    const char* name = def->release;
    size_t count = world->solids.count;
    Found found = {solid_find(world->solids.solid, count, def->solid), -1, solid_find(world->solids.solid, count, def->cut), {0}};
    for (size_t k = 0; k < SYSTEMS_MOST; k++) {
        const WorldSystem* s = &world->systems.system[k];
        bool asked = name && s->self && s->kind->find_hold;
        found.hold[k] = asked ? s->kind->find_hold(s->self, name) : -1;
    }
    int solid = solid_find(world->solids.solid, count, name);
    if (!releases(&found) && solid >= 0 && world->solids.solid[solid].releasable)
        found.release = solid;
    return found;
}

// Whether an event that is still to come brings a solid or joint of that name.
static bool is_announced(const mn_World* world, const char* name)
{
    for (size_t k = 0; name && k < world->events.count; k++) {
        const mn_EventDef* def = &world->events.event[k].def;
        for (size_t s = 0; s < def->solid_count; s++)
            if (def->solids[s].name && !strcmp(def->solids[s].name, name))
                return true;
        for (size_t j = 0; j < def->joint_count; j++)
            if (def->joints[j].name && !strcmp(def->joints[j].name, name))
                return true;
    }
    return false;
}

static mn_Result check_event(const mn_World* world, const mn_EventDef* def, bool later, mn_Error* error)
{
    Found found = find(world, def);
    bool will_be = later && is_announced(world, def->solid);
    if (def->release && !releases(&found) && !(later && is_announced(world, def->release))) {
        error_set(error, MN_BAD_INPUT, "there is no joint, no pin and no held or pinned solid named '%s'", def->release);
        error_key(error, "release");
        return MN_BAD_INPUT;
    }
    if (def->solid && found.solid < 0 && !will_be)
        return solid_not_found(world->solids.solid, world->solids.count, "solid", def->solid, error);
    if (found.solid >= 0 && !world->solids.solid[found.solid].kind->change)
        return error_bad(error, "solid", "only rigid solids can be changed by events");
    if (def->solid && !changes_body(def))
        return error_bad(error, "solid", "nothing is said to change: density, velocity or angular_velocity is needed");
    if (def->cut && found.cut < 0)
        return solid_not_found(world->solids.solid, world->solids.count, "cut", def->cut, error);
    if (found.cut >= 0 && !world->solids.solid[found.cut].is_divisible)
        return error_bad(error, "cut",
                         "only sheets, and elastic volumes of fem or mass_points that are boxes or tetrahedral meshes, can be cut");
    if (!def->solid && changes_body(def))
        return error_bad(error, "", "density, velocity and angular_velocity need \"solid\": which one changes");
    return world_check_live(world, def, later, error);
}

// --- the list

// At place `k`. False: out of memory.
static bool insert(mn_World* world, size_t k, const mn_EventDef* def)
{
    Event event = {.time = def->time};
    if (!memory_reserve(&world->memory, &world->events.event, &world->events.capacity, world->events.count, world->events.count + 1,
                        sizeof *world->events.event) ||
        !def_copy(&event_section, &event.def, def))
        return false;
    // what was not given is written so, when the record becomes a scene
    static const Vec3d KEPT = {(double)NAN, (double)NAN, (double)NAN};
    if (!def->has_velocity)
        event.def.velocity = KEPT;
    if (!def->has_angular_velocity)
        event.def.angular_velocity = KEPT;
    if (!def->has_gravity)
        event.def.gravity = KEPT;
    memmove(world->events.event + k + 1, world->events.event + k, (world->events.count - k) * sizeof event);
    world->events.event[k] = event;
    world->events.count++;
    return true;
}

static void take_out(mn_World* world, size_t k)
{
    def_free(&event_section, &world->events.event[k].def);
    free(world->events.event[k].frame);
    world->events.count--;
    memmove(world->events.event + k, world->events.event + k + 1, (world->events.count - k) * sizeof *world->events.event);
}

void world_cut_events(mn_World* world, size_t count)
{
    while (world->events.count > count)
        take_out(world, world->events.count - 1);
}

bool world_append_event(mn_World* world, const mn_EventDef* def)
{
    return insert(world, world->events.count, def);
}

void world_free_events(mn_World* world)
{
    world_cut_events(world, 0);
    memory_give(&world->memory, world->events.event);
    world->events.event = NULL;
}

mn_Result mn_world_add_event(mn_World* world, const mn_EventDef* def, mn_Error* error)
{
    mn_Result result = world_check_def(world, &event_section, world->events.count, def, error);
    if (result == MN_OK)
        result = check_event(world, def, true, error);
    if (result == MN_OK && def->time < world->state.time)
        result = def_bad(error, "time", "got %g, but it is %g s already", def->time, world->state.time);
    if (result != MN_OK)
        return result;
    size_t k = world->events.count;
    while (k > world->state.events_done && world->events.event[k - 1].time > def->time)
        k--;
    return insert(world, k, def) ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for an event");
}

// --- gravity

static void set_gravity(mn_World* world, Vec3d gravity)
{
    world->def.gravity = gravity;
    world->fluid->set_gravity(world, gravity);
    for (size_t k = 0; k < world->systems.count; k++) {
        const WorldSystem* s = &world->systems.system[k];
        if (s->self && s->kind->set_gravity)
            s->kind->set_gravity(s->self, gravity);
    }
}

bool world_restore_settings(mn_World* world, const WorldState* saved)
{
    bool borders = world->events.materials_changed, any = false;
    size_t known = world->recipe->solid_count;
    set_gravity(world, world->recipe->world.gravity);
    if (!world_reset_materials(world))
        return false;
    for (size_t k = 0; k < world->events.count && k < saved->events_done; k++) {
        const mn_EventDef* def = &world->events.event[k].def;
        if (def->has_gravity)
            set_gravity(world, def->gravity);
        for (size_t p = 0; p < def->pour_count; p++)
            world->fluids.unused[world_fluid_of(world, def->pours[p].fluid)] = false;
        known += def->solid_count;
        if (!world_change_materials(world, def, known, &any))
            return false;
        borders |= any;
    }
    world->state.expected_speed = saved->expected_speed;
    if (world->fluid->use)
        world->fluid->use(world);
    if (world->fluid->expect)
        world->fluid->expect(world);
    return !borders || world_renew_borders(world);
}

Vec3d world_strongest_gravity(const mn_World* world)
{
    Vec3d most = world->def.gravity;
    for (size_t k = 0; k < world->events.count; k++)
        if (world->events.event[k].def.has_gravity && vec3d_length(world->events.event[k].def.gravity) > vec3d_length(most))
            most = world->events.event[k].def.gravity;
    return most;
}

static void change_gravity(mn_World* world, Vec3d gravity)
{
    world_log(world, MN_LOG_INFO, "gravity is (%g, %g, %g) m/s2 from t = %.6g s", gravity.x, gravity.y, gravity.z,
              world->state.time);
    set_gravity(world, gravity);
    for (size_t k = 0; k < world->systems.count; k++)
        if (world->systems.system[k].self && world->systems.system[k].kind->wake)
            world->systems.system[k].kind->wake(world->systems.system[k].self);
}

// --- what happens

static void release(mn_World* world, const Found* found)
{
    for (size_t k = 0; k < world->systems.count; k++)
        if (found->hold[k] >= 0)
            world->systems.system[k].kind->release_hold(world->systems.system[k].self, found->hold[k], world->state.time);
    if (found->release < 0)
        return;
    Solid* solid = &world->solids.solid[found->release];
    world_log(world, MN_LOG_INFO, "solid '%s' is let go at t = %.6g s", solid->name, world->state.time);
    solid->kind->release(solid);
}

static void change_solid(mn_World* world, Solid* solid, const mn_EventDef* def)
{
    world_log(world, MN_LOG_INFO, "solid '%s' has another %s from t = %.6g s", solid->name,
              def->density > 0 ? "density" : "velocity", world->state.time);
    solid->kind->change(solid, def);
}

static bool cut_solid(mn_World* world, Solid* solid, const mn_EventDef* def)
{
    size_t opened;
    if (!solid->kind->cut(solid, def->point, def->normal, &opened))
        return false;
    if (opened)
        world_log(world, MN_LOG_INFO, "solid '%s' is cut along %zu faces at t = %.6g s", solid->name, opened, world->state.time);
    else
        world_log(world, MN_LOG_WARNING, "the plane that should cut solid '%s' at t = %.6g s does not meet it", solid->name,
                  world->state.time);
    return true;
}

// All that may happen within a step. What is not there any more is passed over. False: out of memory.
static bool happen(mn_World* world, const mn_EventDef* def)
{
    Found found = find(world, def);
    if (def->has_gravity)
        change_gravity(world, def->gravity);
    release(world, &found);
    if (found.solid >= 0 && world->solids.solid[found.solid].kind->change)
        change_solid(world, &world->solids.solid[found.solid], def);
    return found.cut < 0 || cut_solid(world, &world->solids.solid[found.cut], def);
}

static Event* next(const mn_World* world)
{
    return world->state.events_done < world->events.count ? &world->events.event[world->state.events_done] : NULL;
}

static bool waits_for_the_end(const mn_EventDef* def)
{
    return !def->cuts_step || def_event_is_live(def);
}

bool world_events(mn_World* world)
{
    bool ok = true;
    for (Event* e = next(world); ok && e && e->time <= world->state.time && !waits_for_the_end(&e->def); e = next(world)) {
        ok = happen(world, &e->def);
        world->state.events_done++;
    }
    return ok;
}

// One event between steps: what may happen within a step, then the rest; the next one finds the world settled.
static mn_Result happen_between(mn_World* world, Event* event, mn_Error* error)
{
    bool changed;
    if (!happen(world, &event->def) || !world_follow_surfaces(world, &changed))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for an event");
    mn_Result result = world_do_live(world, event, error);
    if (result == MN_OK && !world_settle(world))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for an event");
    return result;
}

mn_Result world_events_between(mn_World* world, mn_Error* error)
{
    mn_Result result = MN_OK;
    for (Event* e = next(world); result == MN_OK && e && e->time <= world->state.time; e = next(world)) {
        result = happen_between(world, e, error);
        world->state.events_done++;
    }
    return result;
}

double world_next_event(const mn_World* world)
{
    for (size_t k = (size_t)world->state.events_done; k < world->events.count; k++)
        if (world->events.event[k].def.cuts_step)
            return world->events.event[k].time;
    return (double)INFINITY;
}

// --- now

mn_Result world_do(mn_World* world, const mn_EventDef* def, mn_Error* error)
{
    mn_EventDef now = *def;
    mn_Result result = MN_OK;
    if (world->phase.broken)
        result = error_set(error, MN_INVALID, "this world is lost; it can only be destroyed");
    else if (world->phase.busy)
        result = error_set(error, MN_BAD_INPUT, "a world cannot be changed in the middle of a step");
    else
        result = mn_world_prepare(world, error);
    now.time = world->state.time;
    now.cuts_step = false;
    if (result == MN_OK)
        result = world_check_def(world, &event_section, world->events.count, &now, error);
    if (result == MN_OK && !def_event_does(&now))
        result = def_bad(error, "", "an event needs something that happens");
    if (result == MN_OK)
        result = check_event(world, &now, false, error);
    if (result != MN_OK)
        return result;
    size_t k = (size_t)world->state.events_done;
    if (!insert(world, k, &now))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for an event");
    if (world->fluid->hide)
        world->fluid->hide(world);
    result = happen_between(world, &world->events.event[k], error);
    if (result == MN_OK)
        world->state.events_done++;
    else
        take_out(world, k);
    return world_shown(world, result);
}

mn_Result mn_world_do(mn_World* world, const mn_EventDef* event, mn_Error* error)
{
    return world_do(world, event, error);
}
