// SPDX-License-Identifier: MIT
// Solids and joints that come and go in a running world. Systems of solids take them in as they are; all that stands between fluid
// and solids (boundary particles, coupling, guard, sides of foam) is built anew, for all solids in the order of their numbers, so
// that it depends on what there is and not on how it came about. Numbers of solids stay: one that is removed is empty from then on.
#include "world/world_parts.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

// --- borders

static bool renew_boundary(mn_World* world, mn_Error* error)
{
    Boundary* b = &world->boundary;
    Boundary skins = {.skin = b->skin, .skin_count = b->skin_count, .skin_capacity = b->skin_capacity};
    BoundaryVolumes volumes = b->volumes;
    b->skin = NULL;
    b->skin_count = b->skin_capacity = 0;
    boundary_free(b);
    boundary_init(b, &world->memory, &world->scale.kernel, world->scale.rest_volume, 2 * world->def.particle_radius);
    b->period = world->scale.period;
    b->skin = skins.skin;
    b->skin_count = skins.skin_count;
    b->skin_capacity = skins.skin_capacity;
    b->volumes = volumes;
    memory_give(&world->memory, world->solids.samples);
    world->solids.samples = memory_take(&world->memory, (world->solids.count + 1) * sizeof *world->solids.samples);
    if (!world->solids.samples)
        return false;
    memset(world->solids.samples, 0, (world->solids.count + 1) * sizeof *world->solids.samples);
    return boundary_build(b, world->pool, &world->scale.kernel, 2 * world->def.particle_radius, world->solids.solid,
                          world->solids.count, world->solids.samples, error) == MN_OK;
}

bool world_renew_borders(mn_World* world)
{
    for (size_t k = 0; k < world->solids.count; k++) // what they carry belongs to the coupling
        if (world->solids.solid[k].kind->uncouple)
            world->solids.solid[k].kind->uncouple(&world->solids.solid[k]);
    coupling_destroy(&world->coupling);
    for (size_t k = 0; k < world->solids.count; k++)
        solid_move(&world->solids.solid[k], world->state.time, world->state.dt_control);
    world_place_systems(world);
    bool ok = renew_boundary(world, NULL) && world->fluid->prepare(world) && world->fluid->couple(world) &&
              world_renew_guard(world) && world_renew_foam(world);
    Register* reg = ok ? register_create(&world->memory) : NULL;
    if (!reg)
        return false;
    register_destroy(world->reg);
    world->reg = reg;
    if (!world_register(world) || !world_settle(world))
        return false;
    return true;
}

// --- solids

static mn_Result no_memory(mn_Error* error)
{
    return error_set(error, MN_OUT_OF_MEMORY, "no memory for a solid");
}

// Whether a solid can be made of a def: it is, and thrown away.
static mn_Result try_solid(mn_World* world, const mn_SolidDef* def, mn_Error* error)
{
    Solid solid;
    bool had[SYSTEMS_MOST];
    for (size_t k = 0; k < world->systems.count; k++)
        had[k] = world->systems.system[k].self != NULL;
    mn_Result result =
        solid_create(&solid, def, world->def.dimension, 0.05 * world->def.particle_radius, world->folder, &world->memory, error);
    if (result != MN_OK)
        return result;
    result = world_try_in_system(world, &solid, def, error);
    solid_free(&solid);
    for (size_t k = 0; k < world->systems.count; k++) // one that was made for it goes again
        if (!had[k] && world->systems.system[k].self) {
            world->systems.system[k].kind->destroy(world->systems.system[k].self);
            world->systems.system[k].self = NULL;
        }
    return result;
}

static mn_Result add_solid(mn_World* world, const mn_SolidDef* def, mn_Error* error)
{
    size_t n = world->solids.count;
    if (!memory_reserve(&world->memory, &world->solids.solid, &world->solids.capacity, n, n + 1, sizeof *world->solids.solid) ||
        !memory_reserve(&world->memory, &world->solids.def, &world->solids.def_capacity, n, n + 1, sizeof *world->solids.def))
        return no_memory(error);
    Solid* solid = &world->solids.solid[n];
    mn_Result result =
        solid_create(solid, def, world->def.dimension, 0.05 * world->def.particle_radius, world->folder, &world->memory, error);
    if (result != MN_OK)
        return result;
    bool had[SYSTEMS_MOST];
    for (size_t k = 0; k < world->systems.count; k++)
        had[k] = world->systems.system[k].self != NULL;
    result = world_add_to_system(world, n, solid, def, error);
    if (result != MN_OK) {
        solid_free(solid);
        return result;
    }
    world->solids.def[n] = *def;
    world->solids.count++;
    world->limits.contained |= solid->inside;
    if (!coupling_method(world->def.coupling.method)->has_friction)
        solid->friction = solid->wall_viscosity = 0;
    if (solid->kind->deforms && world->fluid->carries_solids && !solid->kind->immerse(solid, 2 * world->def.particle_radius))
        return no_memory(error);
    solid_move(solid, world->state.time, fmax(world->state.dt_control, 1e-9));
    SolidList all = {world->solids.solid, world->solids.def, world->solids.count};
    for (size_t k = 0; k < world->systems.count && result == MN_OK; k++) {
        const WorldSystem* s = &world->systems.system[k];
        if (s->self && !had[k])
            result = s->kind->prepare(s->self, &all, error);
        else if (s->self && s->kind->extend && !s->kind->extend(s->self, &all, n))
            result = no_memory(error);
    }
    return result == MN_OK ? world_add_skin(world, n, error) : result;
}

// Fluid where the new solids are goes.
static bool carve(mn_World* world, size_t first)
{
    ParticleSet* set = world->particles.set;
    const Vec4* position = *world->particles.position;
    double near = 0.5 * world->def.particle_radius;
    if (!memory_reserve(&world->memory, &world->scratch.gone, &world->scratch.gone_capacity, 0, set->capacity + 1, 1))
        return false;
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        Vec3d p = {(double)position[i].x, (double)position[i].y, (double)position[i].z};
        world->scratch.gone[i] = 0;
        for (size_t k = first; k < world->solids.count && !world->scratch.gone[i]; k++) {
            const Solid* solid = &world->solids.solid[k];
            Vec3d local = solid_to_local(solid, p);
            if (!solid->test || vec3d_distance(local, solid->bound_centre) > solid->bound_radius + near)
                continue;
            world->scratch.gone[i] = (solid->closed && !solid->inside && inside_contains(solid->test, local)) ||
                                     inside_distance(solid->test, local, near, NULL, NULL) < near;
        }
        count += world->scratch.gone[i];
    }
    if (count == 0)
        return true;
    guard_note_removed(&world->guard, world->scratch.gone);
    particle_set_remove(set, world->scratch.gone);
    world->state.carved += count;
    world_log(world, MN_LOG_INFO, "%zu fluid particles where new solids are go at t = %.6g s", count, world->state.time);
    return true;
}

static void remove_solid(mn_World* world, size_t number)
{
    Solid* solid = &world->solids.solid[number];
    for (size_t k = 0; k < world->systems.count; k++)
        if (world->systems.system[k].self && world->systems.system[k].kind->remove)
            world->systems.system[k].kind->remove(world->systems.system[k].self, number);
    for (size_t p = 0; p < world->pulls.count; p++)
        if (world->pulls.pull[p].solid == (int64_t)number)
            memset(world->pulls.pull[p].name, 0, sizeof world->pulls.pull[p].name);
    world_remove_skin(world, number);
    inside_destroy(solid->test);
    tri_mesh_free(&solid->mesh);
    solid->test = NULL;
    solid->mesh = (TriMesh){0};
    solid->name[0] = 0;
    solid->removed = true;
    solid->closed = solid->inside = solid->visible = solid->releasable = false;
    solid->kind = &solid_static;
    solid->type = MN_SOLID_STATIC;
    solid->system = NULL;
    solid->force = solid->torque = solid->push = solid->twist = solid->velocity = solid->angular_velocity = vec3d(0, 0, 0);
    solid->surface_velocity = vec3d(0, 0, 0);
    solid->drive = (SolidDrive){0};
    solid->bound_radius = 0;
    world->limits.contained = false;
    for (size_t k = 0; k < world->solids.count; k++)
        world->limits.contained |= world->solids.solid[k].inside;
}

// --- joints

// Poses of their solids are noted when they come; when a state is loaded, they are tied as they were then.
static mn_Result add_joints(mn_World* world, Event* event, mn_Error* error)
{
    const mn_EventDef* def = &event->def;
    bool known = event->frame != NULL;
    if (!known && !(event->frame = calloc(2 * def->joint_count, sizeof *event->frame)))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a joint");
    for (size_t k = 0; k < def->joint_count; k++) {
        int number[2] = {solid_find(world->solids.solid, world->solids.count, def->joints[k].solid),
                         solid_find(world->solids.solid, world->solids.count, def->joints[k].other)};
        mn_Pose* frame = &event->frame[2 * k];
        for (int side = 0; side < 2 && !known; side++)
            frame[side] = number[side] >= 0 ? world->solids.solid[number[side]].pose : mn_default_pose();
        mn_Result result = world_tie(world, &def->joints[k], number, frame, error);
        if (result != MN_OK)
            return result;
    }
    return MN_OK;
}

// --- an event

static mn_Result build(mn_World* world, Event* event, mn_Error* error)
{
    const mn_EventDef* def = &event->def;
    mn_Result result = MN_OK;
    int gone = def->remove ? solid_find(world->solids.solid, world->solids.count, def->remove) : -1;
    if (gone >= 0)
        remove_solid(world, (size_t)gone);
    for (size_t k = 0; k < def->solid_count && result == MN_OK; k++)
        result = add_solid(world, &def->solids[k], error);
    if (result == MN_OK)
        world_place_systems(world);
    if (result == MN_OK && def->joint_count)
        result = add_joints(world, event, error);
    event->is_built = result == MN_OK;
    return result;
}

mn_Result world_restructure(mn_World* world, Event* event, mn_Error* error)
{
    size_t first = world->solids.count;
    if (!def_event_builds(&event->def))
        return MN_OK;
    mn_Result result = MN_OK;
    for (size_t k = 0; k < event->def.solid_count && result == MN_OK; k++)
        result = try_solid(world, &event->def.solids[k], error);
    if (result != MN_OK)
        return result;
    result = build(world, event, error);
    if (result == MN_OK && !(world_renew_borders(world) && carve(world, first) && world->fluid->search(world)))
        result = no_memory(error);
    world->phase.broken = result != MN_OK; // half of it is there
    if (result == MN_OK)
        world_log(world, MN_LOG_INFO, "%zu solids and %zu joints come%s at t = %.6g s", event->def.solid_count,
                  event->def.joint_count, event->def.remove ? ", one solid goes" : "", world->state.time);
    return result;
}

mn_Result world_build_done(mn_World* world, uint64_t done, mn_Error* error)
{
    mn_Result result = MN_OK;
    for (size_t k = 0; k < world->events.count && k < done && result == MN_OK; k++) {
        if (!def_event_builds(&world->events.event[k].def) || world->events.event[k].is_built)
            continue;
        result = build(world, &world->events.event[k], error);
        // one after the other, as it was: particles keep what they have counted, also of solids that have gone since
        if (result == MN_OK && !world_renew_borders(world))
            result = no_memory(error);
    }
    return result;
}

// --- state: where solids were when joints came

static size_t frames_bytes(const void* owner)
{
    const mn_World* world = owner;
    size_t count = 0;
    for (size_t k = 0; k < world->events.count; k++)
        count += world->events.event[k].frame && k < world->state.events_done ? 2 * world->events.event[k].def.joint_count : 0;
    return count * sizeof(mn_Pose);
}

static void frames_save(const void* owner, void* out)
{
    const mn_World* world = owner;
    mn_Pose* to = out;
    for (size_t k = 0; k < world->events.count && k < world->state.events_done; k++)
        for (size_t j = 0; world->events.event[k].frame && j < 2 * world->events.event[k].def.joint_count; j++)
            *to++ = world->events.event[k].frame[j];
}

// They were needed before anything else could be loaded, see world_take_frames().
static bool frames_load(void* owner, const void* in, size_t bytes)
{
    return bytes == frames_bytes(owner);
}

bool world_register_frames(mn_World* world)
{
    const StateGrowing frames = {"joint.frames", PER_OTHER, world, frames_bytes, frames_save, frames_load};
    return register_growing(world->reg, &frames);
}

mn_Result world_take_frames(mn_World* world, uint64_t done, const mn_Pose* frame, size_t count, mn_Error* error)
{
    for (size_t k = 0; k < world->events.count && k < done; k++) {
        Event* event = &world->events.event[k];
        size_t n = 2 * event->def.joint_count;
        if (n == 0 || event->frame)
            continue;
        if (n > count || !(event->frame = calloc(n, sizeof *event->frame)))
            return error_set(error, MN_BAD_INPUT, "the state is not one of this scene: joints that came to it are missing");
        for (size_t j = 0; j < n; j++) {
            Quat q = frame[j].rotation;
            double norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
            if (!vec3d_finite(frame[j].position) || !(fabs(norm - 1) < 1e-3))
                return error_set(error, MN_BAD_INPUT, "the state is damaged: a solid of a joint was nowhere");
            event->frame[j] = frame[j];
        }
        frame += n;
        count -= n;
    }
    return MN_OK;
}
