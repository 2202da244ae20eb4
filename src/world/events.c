// SPDX-License-Identifier: MIT
// Events: at a given time gravity is another, something is released, a solid is changed.
#include "world/world_parts.h"

#include "base/error.h"
#include "defs/keys.h"

static bool changes_body(const mn_EventDef* def)
{
    return def->density != MN_AUTO || def->has_velocity || def->has_angular_velocity;
}

static bool releases(const Event* event)
{
    bool any = event->release >= 0;
    for (size_t k = 0; k < SYSTEMS_MOST; k++)
        any |= event->hold[k] >= 0;
    return any;
}

static mn_Result check_event(const mn_World* world, const Event* event, mn_Error* error)
{
    const mn_EventDef* def = &event->def;
    if (def->release && !releases(event)) {
        error_set(error, MN_BAD_INPUT, "there is no joint, no pin and no held or pinned solid named '%s'", def->release);
        error_key(error, "release");
        return MN_BAD_INPUT;
    }
    if (def->solid && event->solid < 0)
        return solid_not_found(world->solid, world->solid_count, "solid", def->solid, error);
    if (event->solid >= 0 && !world->solid[event->solid].kind->change)
        return error_bad(error, "solid", "only rigid solids can be changed by events");
    if (event->solid >= 0 && !changes_body(def))
        return error_bad(error, "solid", "nothing is said to change: density, velocity or angular_velocity is needed");
    if (def->cut && event->cut < 0)
        return solid_not_found(world->solid, world->solid_count, "cut", def->cut, error);
    if (event->cut >= 0 && !world->solid[event->cut].is_divisible)
        return error_bad(error, "cut",
                         "only sheets, and elastic volumes of fem or mass_points that are boxes or tetrahedral meshes, can be cut");
    if (!def->solid && changes_body(def))
        return error_bad(error, "", "density, velocity and angular_velocity need \"solid\": which one changes");
    return MN_OK;
}

// What of that name is released: joints and pins, or else a solid.
static void find_released(const mn_World* world, const char* name, Event* event)
{
    event->release = -1;
    for (size_t k = 0; k < SYSTEMS_MOST; k++) {
        const WorldSystem* s = &world->system[k];
        bool asked = name && s->self && s->kind->find_hold;
        event->hold[k] = asked ? s->kind->find_hold(s->self, name) : -1;
    }
    int solid = solid_find(world->solid, world->solid_count, name);
    if (!releases(event) && solid >= 0 && world->solid[solid].releasable)
        event->release = solid;
}

mn_Result mn_world_add_event(mn_World* world, const mn_EventDef* def, mn_Error* error)
{
    mn_Result result = world_check_def(world, &event_section, world->event_count, def, error);
    if (result != MN_OK)
        return result;
    Event event = {.time = def->time, .solid = solid_find(world->solid, world->solid_count, def->solid), .def = *def};
    event.cut = solid_find(world->solid, world->solid_count, def->cut);
    find_released(world, def->release, &event);
    result = check_event(world, &event, error);
    if (result != MN_OK)
        return result;
    event.def.release = event.def.solid = event.def.cut = NULL;
    if (!memory_reserve(&world->memory, &world->event, &world->event_capacity, world->event_count, world->event_count + 1,
                        sizeof *world->event))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for an event");
    size_t k = world->event_count++;
    for (; k > 0 && world->event[k - 1].time > event.time; k--)
        world->event[k] = world->event[k - 1];
    world->event[k] = event;
    return MN_OK;
}

static void set_gravity(mn_World* world, Vec3d gravity)
{
    world->def.gravity = gravity;
    world->fluid->set_gravity(world, gravity);
    for (size_t k = 0; k < world->system_count; k++) {
        const WorldSystem* s = &world->system[k];
        if (s->self && s->kind->set_gravity)
            s->kind->set_gravity(s->self, gravity);
    }
}

void world_restore_gravity(mn_World* world)
{
    for (size_t k = world->event_count; k-- > 0;)
        if (k < world->state.events_done && world->event[k].def.has_gravity) {
            set_gravity(world, world->event[k].def.gravity);
            return;
        }
}

Vec3d world_strongest_gravity(const mn_World* world)
{
    Vec3d most = world->def.gravity;
    for (size_t k = 0; k < world->event_count; k++)
        if (world->event[k].def.has_gravity && vec3d_length(world->event[k].def.gravity) > vec3d_length(most))
            most = world->event[k].def.gravity;
    return most;
}

static void change_gravity(mn_World* world, Vec3d gravity)
{
    world_log(world, MN_LOG_INFO, "gravity is (%g, %g, %g) m/s2 from t = %.6g s", gravity.x, gravity.y, gravity.z,
              world->state.time);
    set_gravity(world, gravity);
    for (size_t k = 0; k < world->system_count; k++)
        if (world->system[k].self && world->system[k].kind->wake)
            world->system[k].kind->wake(world->system[k].self);
}

static void release(mn_World* world, const Event* event)
{
    for (size_t k = 0; k < world->system_count; k++)
        if (event->hold[k] >= 0)
            world->system[k].kind->release_hold(world->system[k].self, event->hold[k], world->state.time);
    if (event->release < 0)
        return;
    Solid* solid = &world->solid[event->release];
    world_log(world, MN_LOG_INFO, "solid '%s' is let go at t = %.6g s", solid->name, world->state.time);
    solid->kind->release(solid);
}

static void change_solid(mn_World* world, const Event* event)
{
    Solid* solid = &world->solid[event->solid];
    world_log(world, MN_LOG_INFO, "solid '%s' has another %s from t = %.6g s", solid->name,
              event->def.density > 0 ? "density" : "velocity", world->state.time);
    solid->kind->change(solid, &event->def);
}

static bool cut_solid(mn_World* world, const Event* event)
{
    Solid* solid = &world->solid[event->cut];
    size_t opened;
    if (!solid->kind->cut(solid, event->def.point, event->def.normal, &opened))
        return false;
    if (opened)
        world_log(world, MN_LOG_INFO, "solid '%s' is cut along %zu faces at t = %.6g s", solid->name, opened, world->state.time);
    else
        world_log(world, MN_LOG_WARNING, "the plane that should cut solid '%s' at t = %.6g s does not meet it", solid->name,
                  world->state.time);
    return true;
}

bool world_events(mn_World* world)
{
    uint64_t* done = &world->state.events_done;
    bool ok = true;
    for (; ok && *done < world->event_count && world->event[*done].time <= world->state.time; ++*done) {
        const Event* event = &world->event[*done];
        if (event->def.has_gravity)
            change_gravity(world, event->def.gravity);
        release(world, event);
        if (event->solid >= 0)
            change_solid(world, event);
        if (event->cut >= 0)
            ok = cut_solid(world, event);
    }
    return ok;
}

double world_next_event(const mn_World* world)
{
    return world->state.events_done < world->event_count ? world->event[world->state.events_done].time : (double)INFINITY;
}
