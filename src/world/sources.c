// SPDX-License-Identifier: MIT
// Particles that come and go: emitters, drains, and those that left the world of finite numbers.
#include "world/world_parts.h"

#include "base/error.h"
#include "base/reduce.h"
#include "mesh/mass.h"

#include <string.h>

// --- places that move with solids

mn_Result world_ride(const mn_World* world, const char* name, const mn_Pose* pose, int* out_solid, mn_Pose* out_ride,
                     mn_Error* error)
{
    *out_solid = name ? solid_find(world->solids.solid, world->solids.count, name) : -1;
    if (!name)
        return MN_OK;
    if (*out_solid < 0)
        return solid_not_found(world->solids.solid, world->solids.count, "solid", name, error);
    const Solid* solid = &world->solids.solid[*out_solid];
    if (solid->kind->deforms) {
        error_set(error, MN_BAD_INPUT, "solid '%.64s' is elastic; expected a static, kinematic or rigid one", name);
        error_key(error, "solid");
        return MN_BAD_INPUT;
    }
    // where it starts: key frames may say otherwise than its position
    mn_Pose start = solid->type == MN_SOLID_KINEMATIC ? solid_pose_at(solid, 0) : solid->pose;
    *out_ride = (mn_Pose){pose_to_local(&start, pose->position), quat_mul(quat_conjugate(start.rotation), pose->rotation)};
    return MN_OK;
}

mn_Result world_prepare_emitters(mn_World* world, mn_Error* error)
{
    for (size_t k = 0; k < world->sources.emitter_count; k++) {
        Emitter* e = &world->sources.emitter[k];
        if (world_ride(world, e->solid_name, &e->pose, &e->solid, &e->ride, error) != MN_OK) {
            error_key(error, "fluids.%d.emitters.%d.solid", e->kind, e->number);
            return MN_BAD_INPUT;
        }
    }
    return MN_OK;
}

void world_place_sources(mn_World* world)
{
    for (size_t k = 0; k < world->sources.emitter_count; k++)
        emitter_place(&world->sources.emitter[k], world->solids.solid, world->state.time, world->state.dt_control);
    for (size_t k = 0; k < world->sources.drain_count; k++) {
        Drain* drain = &world->sources.drain[k];
        if (drain->solid < 0)
            continue;
        const Solid* s = &world->solids.solid[drain->solid];
        drain->pose = (mn_Pose){solid_to_world(s, drain->ride.position), quat_mul(s->pose.rotation, drain->ride.rotation)};
    }
}

// --- drains

static double depth_of(const mn_World* world, const Drain* drain)
{
    return drain->def.depth > 0 ? drain->def.depth : 4 * world->def.particle_radius;
}

static bool is_active(const mn_World* world, const Drain* drain)
{
    return world->state.time >= drain->def.start && world->state.time < drain->def.end;
}

// [m] how far behind a disc a point is; negative: not behind it.
static double behind_disc(const mn_World* world, const Drain* drain, Vec4 at)
{
    Vec3d local = pose_to_local(&drain->pose, vec3d((double)at.x, (double)at.y, (double)at.z));
    double z = world->def.dimension == 3 ? local.z : 0, r = drain->def.radius;
    return local.x * local.x + z * z <= r * r ? local.y : -1;
}

static bool in_box(const mn_World* world, const Drain* drain, Vec4 at)
{
    const mn_Drain* def = &drain->def;
    Vec3d p = {(double)at.x, (double)at.y, (double)at.z};
    bool flat = world->def.dimension == 2;
    if (drain->solid < 0) // exactly as given
        return p.x >= def->min.x && p.x <= def->max.x && p.y >= def->min.y && p.y <= def->max.y &&
               (flat || (p.z >= def->min.z && p.z <= def->max.z));
    Vec3d local = pose_to_local(&drain->pose, p), half = vec3d_scale(vec3d_sub(def->max, def->min), 0.5);
    return fabs(local.x) <= half.x && fabs(local.y) <= half.y && (flat || fabs(local.z) <= half.z);
}

// A disc that keeps a pressure takes fluid away when it has passed the stretch that resists it (resist).
static bool in_drain(const mn_World* world, const Drain* drain, Vec4 at)
{
    if (drain->def.type == MN_DRAIN_BOX)
        return in_box(world, drain, at);
    double behind = behind_disc(world, drain, at), depth = depth_of(world, drain);
    return drain->def.pressure > 0 ? behind > depth && behind <= depth + 4 * world->def.particle_radius
                                   : behind >= 0 && behind <= depth;
}

static bool is_lost(const mn_World* world, Vec4 p)
{
    double limit = 1e7 * world->scale.support;
    return !(fabs((double)p.x) < limit && fabs((double)p.y) < limit && fabs((double)p.z) < limit);
}

static bool is_drained(const mn_World* world, Vec4 p)
{
    for (size_t k = 0; k < world->sources.drain_count; k++)
        if (is_active(world, &world->sources.drain[k]) && in_drain(world, &world->sources.drain[k], p))
            return true;
    return false;
}

// gone: 1 drained, 2 lost; returns how many
static void gone_block(void* context, size_t begin, size_t end, double out[])
{
    mn_World* world = context;
    size_t n = 0;
    for (size_t i = begin; i < end; i++) {
        Vec4 p = (*world->particles.position)[i];
        world->scratch.gone[i] = is_lost(world, p) ? 2 : is_drained(world, p) ? 1 : 0;
        n += world->scratch.gone[i] != 0;
    }
    out[0] = (double)n;
}

static bool remove_gone(mn_World* world)
{
    ParticleSet* set = world->particles.set;
    if (set->count == 0)
        return true;
    if (!memory_reserve(&world->memory, &world->scratch.gone, &world->scratch.gone_capacity, 0, set->capacity, 1))
        return false;
    if (reduce_sum(world->pool, set->count, PARTICLE_GRAIN, gone_block, world) == 0)
        return true;
    for (size_t i = 0; i < set->count; i++) {
        world->state.drained += world->scratch.gone[i] == 1;
        world->state.lost += world->scratch.gone[i] == 2;
    }
    // emitters look particles up by their place in the last sort: they come first (world_sources)
    guard_note_removed(&world->guard, world->scratch.gone);
    particle_set_remove(set, world->scratch.gone);
    return true;
}

// --- outflow that keeps a pressure

typedef struct Resist {
    const mn_World* world;
    const Drain* drain;
    double dt;
} Resist;

static void resist_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Resist* r = context;
    const mn_World* world = r->world;
    const Vec4* position = *world->particles.position;
    Vec4* velocity = *world->particles.velocity;
    Vec3d out = quat_rotate(r->drain->pose.rotation, vec3d(0, 1, 0));
    double depth = depth_of(world, r->drain);
    for (size_t i = begin; i < end; i++) {
        double behind = behind_disc(world, r->drain, position[i]);
        if (behind < 0 || behind > depth)
            continue;
        double rho = world->fluids.def[(int)velocity[i].w].density, change = r->dt * r->drain->def.pressure / (rho * depth);
        velocity[i].x -= (float)(change * out.x);
        velocity[i].y -= (float)(change * out.y);
        velocity[i].z -= (float)(change * out.z);
    }
}

// Fluid leaves against a force that adds up to the pressure over the depth of the disc: in front of it fluid in steady flow has
// that pressure, at its end none.
static void resist(mn_World* world, double dt)
{
    enum { GRAIN = 4096 };
    for (size_t k = 0; k < world->sources.drain_count; k++) {
        Resist r = {world, &world->sources.drain[k], dt};
        if (r.drain->def.type == MN_DRAIN_DISC && r.drain->def.pressure > 0 && is_active(world, r.drain))
            parallel_for(world->pool, moving_count(&world->particles), GRAIN, resist_block, &r);
    }
}

// --- emitters

static bool is_open(const void* context, Vec3d point, bool outside)
{
    const mn_World* world = context;
    return guard_is_open(&world->guard, point, 0.5 * world->def.particle_radius, outside);
}

static double enclosed(const TriMesh* mesh, int dimension)
{
    if (dimension == 3)
        return mass_of_closed(mesh).volume;
    double area = 0;
    for (size_t k = 0; k < mesh->segment_count; k++) {
        Vec3d a = mesh->vertex[mesh->segment[k][0]], b = mesh->vertex[mesh->segment[k][1]];
        area += 0.5 * (a.x * b.y - a.y * b.x);
    }
    return fabs(area);
}

static size_t solids_there(const mn_World* world)
{
    size_t count = 0;
    for (size_t k = 0; k < world->solids.count; k++)
        count += !world->solids.solid[k].removed;
    return count;
}

static void find_room(mn_World* world)
{
    size_t containers = 0;
    world->sources.room = (double)INFINITY;
    for (size_t k = 0; k < world->solids.count; k++) {
        const Solid* solid = &world->solids.solid[k];
        if (!solid->inside || solid->removed)
            continue;
        world->sources.room = containers++ ? (double)INFINITY : enclosed(&solid->mesh, world->def.dimension);
    }
}

// Most particles that there may be. A closed tank that is full has no more room, however hard a nozzle presses: one that went on
// would press particles into each other until they fly apart. With several containers nobody knows which of them is full.
static size_t most_particles(mn_World* world)
{
    WorldSources* sources = &world->sources;
    if (!sources->emitter_count)
        return SIZE_MAX;
    size_t solids = solids_there(world);
    if (!(sources->room > 0) || sources->room_solids != solids)
        find_room(world);
    sources->room_solids = solids;
    double most = sources->room / world->scale.particle_volume * (1 + 1e-9);
    return most < 1e15 ? (size_t)most : SIZE_MAX;
}

static EmitterTarget target_of(mn_World* world)
{
    return (EmitterTarget){&world->particles, world->grid, world->def.particle_radius, world->def.dimension, most_particles(world),
                           is_open,           world};
}

// An emitter that delivers clearly less than it was asked for says so once.
static void warn_of_emitter(const mn_World* world, Emitter* e)
{
    double enough = fmax(100, 10 * (double)e->nozzle.column_count); // what comes first has to set all in motion
    if (e->warned || e->asked < enough || (double)e->emitted >= 0.9 * e->asked)
        return;
    e->warned = true;
    world_log(
        world, MN_LOG_WARNING,
        "fluids.%d.emitters.%d has delivered %lld of the %.0f particles that it was asked for, %.2g %%, by t = %.3g s: its place "
        "is taken by a solid or by fluid that has nowhere to go",
        e->kind, e->number, (long long)e->emitted, e->asked, 100 * (double)e->emitted / e->asked, world->state.time);
}

void world_drive_sources(mn_World* world, double dt)
{
    EmitterTarget to = target_of(world);
    resist(world, dt);
    world_pull_fluid(world, dt);
    world_damp_fluid(world, dt);
    for (size_t k = 0; k < world->sources.emitter_count; k++)
        emitter_drive(&world->sources.emitter[k], &to, world->state.time, world->pool);
}

bool world_sources(mn_World* world)
{
    EmitterTarget to = target_of(world);
    world_place_sources(world);
    for (size_t k = 0; k < world->sources.emitter_count; k++) {
        if (!emitter_release(&world->sources.emitter[k], &to, world->state.time, &world->state.next_id, &world->state.emitted))
            return false;
        warn_of_emitter(world, &world->sources.emitter[k]);
    }
    return remove_gone(world) && world->fluid->reserve(world);
}
