// SPDX-License-Identifier: MIT
// Rigid bodies of a world: from solid defs to bodies, joints between them, events that change them.
#include "world/world_parts.h"

#include "base/error.h"
#include "defs/keys.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mn_Result bad(mn_Error* error, const char* key, const char* message)
{
    error_set(error, MN_BAD_INPUT, "%s", message);
    error_key(error, "%s", key);
    return MN_BAD_INPUT;
}

static double thickness_of(const mn_World* world, const mn_SolidDef* def)
{
    return def->thickness > 0 ? def->thickness : 2 * world->def.particle_radius;
}

mn_Result world_check_body(const mn_World* world, const Solid* solid, const mn_SolidDef* def, mn_Error* error)
{
    if (def->type != MN_SOLID_RIGID)
        return MN_OK;
    if (def->inside)
        return bad(error, "inside", "a rigid body cannot be a container; give it a wall thickness in its mesh instead");
    BodyMass mass;
    return body_mass(def, &solid->mesh, solid->closed, thickness_of(world, def), &mass, error);
}

// --- from defs to bodies

static BodyDef body_def(const mn_World* world, size_t k)
{
    const Solid* s = &world->solid[k];
    const mn_SolidDef* def = &world->solid_def[k];
    BodyDef body = {.kind = s->type == MN_SOLID_RIGID       ? BODY_FREE
                            : s->type == MN_SOLID_KINEMATIC ? BODY_DRIVEN
                                                            : BODY_FIXED,
                    .held = s->type == MN_SOLID_RIGID && def->held,
                    .may_sleep = s->type == MN_SOLID_RIGID && def->sleep,
                    .contact = s->type == MN_SOLID_ELASTIC ? MN_CONTACT_NONE : def->contact,
                    .shape = &s->shape,
                    .mesh = &s->mesh,
                    .scale = def->scale,
                    .container = s->inside,
                    .thickness = thickness_of(world, def),
                    .push = def->force,
                    .friction = def->contact_friction,
                    .restitution = def->restitution};
    body.state = (BodyState){.position = s->pose.position, .rotation = s->pose.rotation};
    if (body.kind == BODY_FREE) {
        body_mass(def, &s->mesh, s->closed, body.thickness, &body.mass, NULL);
        body.state.position = solid_to_world(s, body.mass.centre);
        if (!body.held) {
            body.state.velocity = def->velocity;
            body.state.angular_velocity = def->angular_velocity;
        }
    }
    return body;
}

static Box3d bounds_in(const Solid* frame, const Solid* solid)
{
    Box3d box = {vec3d(INFINITY, INFINITY, INFINITY), vec3d(-INFINITY, -INFINITY, -INFINITY)};
    for (size_t k = 0; k < solid->mesh.vertex_count; k++) {
        Vec3d p = solid_to_local(frame, solid_to_world(solid, solid->mesh.vertex[k]));
        box.min = vec3d_min(box.min, p);
        box.max = vec3d_max(box.max, p);
    }
    return box;
}

static void warn_of_container(const mn_World* world, const Solid* container, const Solid* solid)
{
    Box3d room = bounds_in(container, container), body = bounds_in(container, solid);
    Vec3d a = vec3d_sub(room.max, room.min), b = vec3d_sub(body.max, body.min);
    size_t inside = 0;
    for (size_t k = 0; k < solid->mesh.vertex_count; k++)
        inside += inside_contains(container->test, solid_to_local(container, solid_to_world(solid, solid->mesh.vertex[k])));
    if (b.x > a.x || b.y > a.y || b.z > a.z)
        world_log(world, MN_LOG_WARNING, "solid '%s' is larger than its container '%s' and does not fit in", solid->name,
                  container->name);
    else
        world_log(world, MN_LOG_WARNING, "solid '%s' starts %soutside of container '%s'; it will be pushed in", solid->name,
                  inside ? "partly " : "", container->name);
}

static void warn_of_overlaps(mn_World* world)
{
    enum { SAID = 4, FOUND = 64 };
    int pairs[FOUND][2];
    size_t count = rigid_overlaps(world->rigid, 0.25 * world->def.particle_radius, pairs, FOUND);
    for (size_t k = 0; k < count && k < SAID; k++) {
        const Solid *a = &world->solid[pairs[k][0]], *b = &world->solid[pairs[k][1]];
        if (a->inside || b->inside)
            warn_of_container(world, a->inside ? a : b, a->inside ? b : a);
        else
            world_log(world, MN_LOG_WARNING, "solids '%s' and '%s' start overlapping; they will be pushed apart", a->name, b->name);
    }
    if (count > SAID)
        world_log(world, MN_LOG_WARNING, "%zu%s more pairs of solids start overlapping", count - SAID, count == FOUND ? " or" : "");
}

static bool add_bodies(mn_World* world)
{
    for (size_t k = 0; k < world->solid_count; k++) {
        BodyDef def = body_def(world, k);
        if (rigid_add_body(world->rigid, &def) < 0)
            return false;
    }
    for (size_t k = 0; k < world->joint_count; k++)
        if (rigid_add_joint(world->rigid, &world->joint[k].def, world->joint[k].solid, world->joint[k].other) < 0)
            return false;
    return true;
}

mn_Result world_create_bodies(mn_World* world, mn_Error* error)
{
    bool any = false;
    for (size_t k = 0; k < world->solid_count; k++)
        any |= world->solid[k].type == MN_SOLID_RIGID;
    if (!any)
        return MN_OK;
    RigidDef def = {world->def.dimension, world->def.gravity, world->def.particle_radius, world->def.seed, 0, 0};
    for (size_t k = 0; k < world->solid_count; k++) {
        BodyDef body = body_def(world, k);
        rigid_expect(&def, &body);
    }
    world->rigid = rigid_create(&def);
    if (!world->rigid || !(world->bodies = rigid_system_create(&world->memory, world->rigid, world->solid, world->solid_count)) ||
        !add_bodies(world))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu bodies", world->solid_count);
    warn_of_overlaps(world);
    world_events(world);
    rigid_system.place(world->bodies);
    return MN_OK;
}

void world_free_bodies(mn_World* world)
{
    if (world->bodies)
        rigid_system.destroy(world->bodies);
    else
        rigid_destroy(world->rigid);
    for (size_t k = 0; k < world->joint_count; k++) {
        free(world->joint[k].name);
        free(world->joint[k].def.drive);
    }
    memory_give(&world->memory, world->joint);
    memory_give(&world->memory, world->event);
}

// --- joints

static int find_solid(const mn_World* world, const char* name)
{
    for (size_t k = 0; name && k < world->solid_count; k++)
        if (!strcmp(world->solid[k].name, name))
            return (int)k;
    return -1;
}

static int find_joint(const mn_World* world, const char* name)
{
    for (size_t k = 0; name && k < world->joint_count; k++)
        if (!strcmp(world->joint[k].name, name))
            return (int)k;
    return -1;
}

mn_Result world_no_solid(const mn_World* world, mn_Error* error, const char* key, const char* name)
{
    enum { LISTED = 8 };
    char known[LISTED * 70] = "";
    size_t used = 0;
    for (size_t k = 0; k < world->solid_count && k < LISTED; k++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s'%.64s'", k ? ", " : "", world->solid[k].name);
    error_set(error, MN_BAD_INPUT, "there is no solid named '%.64s'; there are %.320s%s", name ? name : "", used ? known : "none",
              world->solid_count > LISTED ? ", ..." : "");
    error_key(error, "%s", key);
    return MN_BAD_INPUT;
}

static mn_Result check_joint(const mn_World* world, const mn_JointDef* def, int solid, int other, mn_Error* error)
{
    if (world_check_def(world, &joint_section, world->joint_count, def, error) != MN_OK)
        return MN_BAD_INPUT;
    if (solid < 0)
        return world_no_solid(world, error, "solid", def->solid);
    if (def->other && other < 0)
        return world_no_solid(world, error, "other", def->other);
    if (world->solid[solid].type != MN_SOLID_RIGID)
        return bad(error, "solid", "the first solid of a joint must be rigid");
    if (solid == other)
        return bad(error, "other", "a joint ties two different solids");
    return MN_OK;
}

mn_JointId mn_world_add_joint(mn_World* world, const mn_JointDef* def, mn_Error* error)
{
    int solid = find_solid(world, def->solid), other = find_solid(world, def->other);
    if (check_joint(world, def, solid, other, error) != MN_OK)
        return 0;
    PendingJoint joint = {.def = *def, .solid = solid, .other = other};
    joint.def.name = joint.def.solid = joint.def.other = NULL;
    joint.name = strdup(def->name ? def->name : "");
    joint.def.drive = def->drive_count ? malloc(def->drive_count * sizeof *def->drive) : NULL;
    if (joint.def.drive)
        memcpy(joint.def.drive, def->drive, def->drive_count * sizeof *def->drive);
    if (!joint.name || (def->drive_count && !joint.def.drive) ||
        !memory_reserve(&world->memory, &world->joint, &world->joint_capacity, world->joint_count, world->joint_count + 1,
                        sizeof *world->joint)) {
        free(joint.name);
        free(joint.def.drive);
        error_set(error, MN_OUT_OF_MEMORY, "no memory for a joint");
        return 0;
    }
    world->joint[world->joint_count++] = joint;
    return (mn_JointId)world->joint_count;
}

size_t mn_world_joint_count(const mn_World* world)
{
    return world->joint_count;
}

mn_JointView mn_world_joint(const mn_World* world, mn_JointId id)
{
    if (id == 0 || id > world->joint_count || !world->rigid)
        return (mn_JointView){.name = ""};
    JointState s = rigid_joint(world->rigid, (int)id - 1);
    return (mn_JointView){world->joint[id - 1].name, s.holds, s.gap, s.position, s.force};
}

// What a joint held is free from here on; at the end of a run nobody could tell why.
void world_note_joints(mn_World* world, bool say)
{
    for (size_t k = 0; world->rigid && k < world->joint_count; k++) {
        PendingJoint* joint = &world->joint[k];
        if (joint->is_gone || rigid_joint_holds(world->rigid, (int)k))
            continue;
        joint->is_gone = true;
        if (say)
            world_log(world, MN_LOG_INFO, "joint '%s' broke at t = %.6g s", joint->name, world->state.time);
    }
}

// --- events

static bool changes_body(const mn_EventDef* def)
{
    return def->density != MN_AUTO || def->has_velocity || def->has_angular_velocity;
}

static mn_Result check_event(const mn_World* world, const Event* event, mn_Error* error)
{
    const mn_EventDef* def = &event->def;
    if (def->release && event->joint < 0 && event->release < 0 && event->pin < 0) {
        error_set(error, MN_BAD_INPUT, "there is no joint, no pin and no held or pinned solid named '%s'", def->release);
        error_key(error, "release");
        return MN_BAD_INPUT;
    }
    if (def->solid && event->solid < 0)
        return world_no_solid(world, error, "solid", def->solid);
    if (event->solid >= 0 && world->solid[event->solid].type != MN_SOLID_RIGID)
        return bad(error, "solid", "only rigid solids can be changed by events");
    if (event->solid >= 0 && !changes_body(def))
        return bad(error, "solid", "nothing is said to change: density, velocity or angular_velocity is needed");
    if (!def->solid && changes_body(def))
        return bad(error, "", "density, velocity and angular_velocity need \"solid\": which one changes");
    return MN_OK;
}

static bool can_let_go(const mn_World* world, int solid)
{
    const mn_SolidDef* def = &world->solid_def[solid];
    return (def->type == MN_SOLID_RIGID && def->held) || (def->type == MN_SOLID_ELASTIC && def->pin_count > 0);
}

mn_Result mn_world_add_event(mn_World* world, const mn_EventDef* def, mn_Error* error)
{
    mn_Result result = world_check_def(world, &event_section, world->event_count, def, error);
    if (result != MN_OK)
        return result;
    Event event = {.time = def->time,
                   .joint = find_joint(world, def->release),
                   .release = -1,
                   .pin = world_find_pin(world, def->release),
                   .solid = find_solid(world, def->solid),
                   .def = *def};
    int let_go = find_solid(world, def->release);
    if (event.joint < 0 && event.pin < 0 && let_go >= 0 && can_let_go(world, let_go))
        event.release = let_go;
    result = check_event(world, &event, error);
    if (result != MN_OK)
        return result;
    event.def.release = event.def.solid = NULL;
    if (!memory_reserve(&world->memory, &world->event, &world->event_capacity, world->event_count, world->event_count + 1,
                        sizeof *world->event))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for an event");
    size_t k = world->event_count++;
    for (; k > 0 && world->event[k - 1].time > event.time; k--)
        world->event[k] = world->event[k - 1];
    world->event[k] = event;
    return MN_OK;
}

static void change_body(mn_World* world, const Event* event)
{
    rigid_wake(world->rigid, event->solid);
    BodyState state = rigid_state(world->rigid, event->solid);
    if (event->def.density > 0)
        rigid_set_mass(world->rigid, event->solid, event->def.density * rigid_mass(world->rigid, event->solid).volume);
    if (event->def.has_velocity)
        state.velocity = event->def.velocity;
    if (event->def.has_angular_velocity)
        state.angular_velocity = event->def.angular_velocity;
    rigid_set_state(world->rigid, event->solid, &state);
}

static void set_gravity(mn_World* world, Vec3d gravity)
{
    world->def.gravity = world->sph.gravity = gravity;
    if (world->rigid)
        rigid_set_gravity(world->rigid, gravity);
    if (world->elastic)
        elastic_set_gravity(world->elastic, gravity);
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

static void say_event(mn_World* world, const Event* event)
{
    double t = world->state.time;
    if (event->def.has_gravity)
        world_log(world, MN_LOG_INFO, "gravity is (%g, %g, %g) m/s2 from t = %.6g s", event->def.gravity.x, event->def.gravity.y,
                  event->def.gravity.z, t);
    if (event->joint >= 0 && !world->joint[event->joint].is_gone)
        world_log(world, MN_LOG_INFO, "joint '%s' is released at t = %.6g s", world->joint[event->joint].name, t);
    if (event->pin >= 0)
        world_log(world, MN_LOG_INFO, "pin '%s' is released at t = %.6g s", world->pin[event->pin].name, t);
    if (event->release >= 0)
        world_log(world, MN_LOG_INFO, "solid '%s' is let go at t = %.6g s", world->solid[event->release].name, t);
    if (event->solid >= 0)
        world_log(world, MN_LOG_INFO, "solid '%s' has another %s from t = %.6g s", world->solid[event->solid].name,
                  event->def.density > 0 ? "density" : "velocity", t);
}

void world_events(mn_World* world)
{
    for (; world->state.events_done < world->event_count && world->event[world->state.events_done].time <= world->state.time;
         world->state.events_done++) {
        const Event* event = &world->event[world->state.events_done];
        say_event(world, event);
        if (event->joint >= 0)
            world->joint[event->joint].is_gone = true;
        if (event->def.has_gravity)
            set_gravity(world, event->def.gravity);
        if (world->elastic)
            world_release_pins(world, event->pin, event->release);
        if (!world->rigid)
            continue;
        for (size_t k = 0; k < world->solid_count && event->def.has_gravity; k++)
            rigid_wake(world->rigid, (int)k);
        if (event->joint >= 0)
            rigid_remove_joint(world->rigid, event->joint);
        if (event->release >= 0 && world->solid[event->release].type == MN_SOLID_RIGID)
            rigid_release(world->rigid, event->release);
        if (event->solid >= 0)
            change_body(world, event);
    }
}

double world_next_event(const mn_World* world)
{
    return world->state.events_done < world->event_count ? world->event[world->state.events_done].time : (double)INFINITY;
}
