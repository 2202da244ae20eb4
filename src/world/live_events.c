// SPDX-License-Identifier: MIT
// What events do to a world between steps. Names are known by now (live_check.c); what an earlier event took away since is passed
// over.
#include "world/world_parts.h"

#include "base/error.h"
#include "fluid/seed.h"
#include <string.h>

static Solid* solid_named(const mn_World* world, const char* name)
{
    int number = solid_find(world->solids.solid, world->solids.count, name);
    return number >= 0 ? &world->solids.solid[number] : NULL;
}

// --- fluid goes and comes

static bool remove_marked(mn_World* world, uint64_t* counter)
{
    ParticleSet* set = world->particles.set;
    for (size_t i = 0; i < set->count; i++)
        *counter += world->scratch.gone[i];
    guard_note_removed(&world->guard, world->scratch.gone);
    particle_set_remove(set, world->scratch.gone);
    return world->fluid->reserve(world);
}

static bool reserve_marks(mn_World* world)
{
    return memory_reserve(&world->memory, &world->scratch.gone, &world->scratch.gone_capacity, 0,
                          world->particles.set->capacity + 1, 1);
}

static bool is_scooped(const mn_ScoopDef* s, bool flat, Vec4 p)
{
    Vec3d x = {(double)p.x, (double)p.y, (double)p.z};
    if (s->radius > 0)
        return vec3d_distance(x, s->centre) <= s->radius;
    return x.x >= s->min.x && x.x <= s->max.x && x.y >= s->min.y && x.y <= s->max.y &&
           (flat || (x.z >= s->min.z && x.z <= s->max.z));
}

static bool scoop(mn_World* world, const mn_EventDef* def)
{
    const ParticleSet* set = world->particles.set;
    if (!reserve_marks(world))
        return false;
    for (size_t i = 0; i < set->count; i++) {
        world->scratch.gone[i] = 0;
        for (size_t k = 0; k < def->scoop_count && !world->scratch.gone[i]; k++)
            world->scratch.gone[i] = is_scooped(&def->scoops[k], world->def.dimension == 2, (*world->particles.position)[i]);
    }
    return remove_marked(world, &world->state.drained);
}

static mn_Result seed_pour(mn_World* world, const mn_PourDef* pour, mn_Error* error)
{
    int kind = world_fluid_of(world, pour->fluid);
    SeedPlan plan = {.dimension = world->def.dimension,
                     .spacing = 2 * world->def.particle_radius,
                     .gravity = world->def.gravity,
                     .folder = world->folder,
                     .solid = world->solids.solid,
                     .solid_count = world->solids.count,
                     .next_id = &world->state.next_id};
    mn_FluidDef def = {.blocks = pour->blocks,
                       .block_count = pour->block_count,
                       .balls = pour->balls,
                       .ball_count = pour->ball_count,
                       .fills = pour->fills,
                       .fill_count = pour->fill_count,
                       .shapes = pour->shapes,
                       .shape_count = pour->shape_count};
    mn_Result result = seed_fluid(&world->particles, &def, kind, &plan, error);
    for (size_t k = 0; result == MN_OK && k < pour->particle_count; k++) {
        const mn_FluidParticle* p = &pour->particles[k];
        if (!moving_append(&world->particles, p->position, p->velocity, kind, (uint32_t)world->state.next_id++))
            result = error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", pour->particle_count);
    }
    return result;
}

// [m] as near to solids fluid may come into being.
static double least_distance(const mn_World* world)
{
    const CouplingMethod* method = world->coupling.method;
    return fmax(0.5 * world->def.particle_radius, method && method->distance ? method->distance(&world->def) : 0);
}

// New particles without room go again: in solids, outside of containers, in other fluid, or on top of each other.
static bool leave_out(mn_World* world, size_t known, uint32_t first_id)
{
    const ParticleSet* set = world->particles.set;
    const Vec4* position = *world->particles.position;
    double near = least_distance(world);
    uint64_t in_solids = 0;
    size_t in_fluid;
    if (!reserve_marks(world))
        return false;
    memset(world->scratch.gone, 0, set->count);
    for (size_t i = known; i < set->count; i++) {
        Vec3d p = {(double)position[i].x, (double)position[i].y, (double)position[i].z};
        world->scratch.gone[i] = !guard_is_open(&world->guard, p, near, false);
    }
    return remove_marked(world, &in_solids) && guard_thin_overlaps(&world->guard, first_id, &in_fluid);
}

static mn_Result pour(mn_World* world, const mn_EventDef* def, mn_Error* error)
{
    ParticleSet* set = world->particles.set;
    size_t known = set->count;
    uint64_t next_id = world->state.next_id;
    mn_Result result = MN_OK;
    for (size_t k = 0; k < def->pour_count && result == MN_OK; k++)
        result = seed_pour(world, &def->pours[k], error);
    if (result != MN_OK) {
        set->count = known;
        world->state.next_id = next_id;
        particle_set_clear_padding(set);
        return result;
    }
    size_t asked = set->count - known;
    if (!leave_out(world, known, (uint32_t)next_id))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", set->count);
    for (size_t k = 0; k < def->pour_count; k++)
        world->fluids.unused[world_fluid_of(world, def->pours[k].fluid)] = false;
    if (world->fluid->use)
        world->fluid->use(world);
    world->state.emitted += set->count - known;
    world_log(world, MN_LOG_INFO, "%zu fluid particles are poured in at t = %.6g s, %zu that had no room are left out",
              set->count - known, world->state.time, asked - (set->count - known));
    return MN_OK;
}

// --- solids

static void push(mn_World* world, const mn_PushDef* def)
{
    Solid* solid = solid_named(world, def->solid);
    if (!solid || solid->kind->is_driven)
        return;
    bool centre = isnan(def->point.x);
    if (!solid->kind->deforms) {
        solid->kind->take_wrench(solid, vec3d(0, 1e-100, 0), vec3d(0, 0, 0)); // wakes it
        Vec3d arm = centre ? vec3d(0, 0, 0) : vec3d_sub(def->point, solid->kind->body(solid).centre);
        solid->kind->take_wrench(solid, def->impulse, vec3d_add(def->angular_impulse, vec3d_cross(arm, def->impulse)));
        return;
    }
    // at a point: the face that is nearest; else all faces alike
    SolidSurface s = solid->kind->surface(solid);
    size_t best = 0;
    double nearest = INFINITY;
    for (size_t t = 0; t < s.triangle_count && !centre; t++) {
        const uint32_t* v = s.triangle[t];
        Vec3d middle = vec3d_scale(vec3d_add(s.position[v[0]], vec3d_add(s.position[v[1]], s.position[v[2]])), 1.0 / 3);
        double d = vec3d_distance(middle, def->point);
        if (d < nearest)
            nearest = d, best = t;
    }
    size_t first = centre ? 0 : best, end = centre ? s.triangle_count : best + 1;
    for (size_t t = first; t < end; t++) {
        SurfacePlace place = {(uint32_t)t, {1.0 / 3, 1.0 / 3, 1.0 / 3}, def->point};
        solid->kind->take_impulse(solid, &place, vec3d_scale(def->impulse, 1.0 / (double)(end - first)));
    }
}

static Vec3d rotation_between(Quat from, Quat to)
{
    Quat turn = quat_mul(quat_normalise(to), quat_conjugate(from));
    if (turn.w < 0)
        turn = (Quat){-turn.w, -turn.x, -turn.y, -turn.z};
    Vec3d axis = {turn.x, turn.y, turn.z};
    double s = vec3d_length(axis);
    return s > 0 ? vec3d_scale(axis, 2 * atan2(s, turn.w) / s) : axis;
}

static void move(mn_World* world, const mn_MoveDef* def)
{
    Solid* solid = solid_named(world, def->solid);
    double now = world->state.time;
    if (!solid || solid->type != MN_SOLID_KINEMATIC)
        return;
    SolidDrive drive = {.on = 1, .start = now, .end = INFINITY, .from = solid_pose_at(solid, now)};
    if (isnan(def->position.x)) {
        drive.velocity = def->velocity;
        drive.spin = def->angular_velocity;
    } else if (def->seconds > 0) {
        drive.end = now + def->seconds;
        drive.velocity = vec3d_scale(vec3d_sub(def->position, drive.from.position), 1 / def->seconds);
        drive.spin = vec3d_scale(rotation_between(drive.from.rotation, def->rotation), 1 / def->seconds);
    } else {
        drive.end = now;
        drive.from = (mn_Pose){def->position, quat_normalise(def->rotation)};
    }
    solid->drive = drive;
}

// --- materials

// A heavy fluid accelerates a light one by more than gravity, see world_derive_limits().
static void renew_longest_step(mn_World* world)
{
    if (world->limits.calm_dt > 0)
        world->limits.most_dt = world->limits.calm_dt * sqrt(world_density_contrast(world));
}

static void change_fluid(mn_World* world, const mn_FluidChange* change)
{
    int kind = world_fluid_of(world, change->fluid);
    if (kind < 0)
        return;
    mn_FluidDef* def = &world->fluids.def[kind];
    if (change->viscosity >= 0)
        def->viscosity = change->viscosity;
    if (change->surface_tension >= 0 && def->tension.sigma >= 0)
        def->tension.sigma = change->surface_tension;
    else if (change->surface_tension >= 0)
        def->tension.gamma = change->surface_tension;
    if (change->density > 0)
        def->density = change->density;
    world->fluid->change(world, (size_t)kind, def);
    renew_longest_step(world);
}

// False: out of memory.
static bool change_solid(mn_World* world, const mn_SolidChange* change)
{
    Solid* solid = solid_named(world, change->solid);
    if (!solid)
        return true;
    mn_SolidDef* def = &world->solids.def[solid - world->solids.solid];
    bool has_friction = coupling_method(world->def.coupling.method)->has_friction;
    if (change->friction >= 0)
        solid->friction = has_friction ? change->friction : 0;
    if (change->wall_viscosity >= 0)
        solid->wall_viscosity = has_friction ? change->wall_viscosity : 0;
    if (change->contact_friction >= 0)
        def->contact_friction = change->contact_friction;
    if (change->restitution >= 0)
        def->restitution = change->restitution;
    if (change->density > 0)
        def->density = change->density;
    if (change->young > 0)
        def->young = change->young;
    if (change->poisson >= 0)
        def->poisson = change->poisson;
    bool ok = true;
    for (size_t k = 0; k < world->systems.count && ok; k++) {
        const WorldSystem* s = &world->systems.system[k];
        if (s->self && s->kind->change_contact)
            s->kind->change_contact(s->self, (size_t)(solid - world->solids.solid), def);
        if (s->self && solid->kind->deforms && s->kind->change_material)
            ok = s->kind->change_material(s->self, (size_t)(solid - world->solids.solid), def);
    }
    return ok;
}

// The def that a solid came with.
static const mn_SolidDef* first_def(const mn_World* world, size_t number)
{
    size_t k = world->recipe->solid_count;
    if (number < k)
        return &world->recipe->solids[number];
    for (size_t e = 0; e < world->events.count; e++) {
        if (number < k + world->events.event[e].def.solid_count)
            return &world->events.event[e].def.solids[number - k];
        k += world->events.event[e].def.solid_count;
    }
    return NULL;
}

bool world_reset_materials(mn_World* world)
{
    bool ok = true;
    for (size_t k = 0; k < world->fluids.count; k++) {
        world->fluids.def[k].viscosity = world->recipe->fluids[k].viscosity;
        world->fluids.def[k].tension = world->recipe->fluids[k].tension;
        world->fluids.def[k].density = world->recipe->fluids[k].density;
        world->fluids.unused[k] = world->fluids.idle[k];
        world->fluid->change(world, k, &world->fluids.def[k]);
    }
    renew_longest_step(world);
    for (size_t k = 0; k < world->solids.count && world->events.materials_changed && ok; k++) {
        const mn_SolidDef* def = first_def(world, k);
        mn_SolidChange change = {world->solids.solid[k].name,
                                 def->friction,
                                 def->wall_viscosity,
                                 def->contact_friction,
                                 def->restitution,
                                 def->density,
                                 def->young,
                                 def->poisson};
        ok = change_solid(world, &change);
    }
    world->events.materials_changed = false;
    return ok;
}

bool world_change_materials(mn_World* world, const mn_EventDef* def, size_t known, bool* out_borders)
{
    bool ok = true;
    world->events.materials_changed |= def->fluid_change_count > 0 || def->solid_change_count > 0;
    for (size_t k = 0; k < def->fluid_change_count; k++)
        change_fluid(world, &def->fluid_changes[k]);
    for (size_t k = 0; k < def->solid_change_count && ok; k++) {
        const Solid* solid = solid_named(world, def->solid_changes[k].solid);
        if (solid && (size_t)(solid - world->solids.solid) < known)
            ok = change_solid(world, &def->solid_changes[k]);
    }
    *out_borders = def->fluid_change_count > 0 || def->solid_change_count > 0;
    return ok;
}

// --- all of it

static void do_small(mn_World* world, const mn_EventDef* def)
{
    for (size_t k = 0; k < def->push_count; k++)
        push(world, &def->pushes[k]);
    for (size_t k = 0; k < def->force_count; k++) {
        Solid* solid = solid_named(world, def->forces[k].solid);
        if (solid && !solid->kind->is_driven) {
            solid->push = def->forces[k].force;
            solid->twist = def->forces[k].torque;
        }
    }
    for (size_t k = 0; k < def->move_count; k++)
        move(world, &def->moves[k]);
    for (size_t k = 0; k < def->nozzle_count; k++) {
        Emitter* e = world_emitter_of(world, def->nozzles[k].fluid, def->nozzles[k].number);
        e->off = def->nozzles[k].on ? 0 : 1;
        if (def->nozzles[k].speed >= 0)
            e->told = def->nozzles[k].speed;
    }
}

mn_Result world_do_live(mn_World* world, Event* event, mn_Error* error)
{
    const mn_EventDef* def = &event->def;
    mn_Result result = world_restructure(world, event, error);
    bool borders = false, ok = true;
    if (result == MN_OK && def->scoop_count)
        ok = scoop(world, def) && world->fluid->search(world);
    if (result == MN_OK && ok && def->pour_count)
        result = pour(world, def, error);
    if (result != MN_OK)
        return result;
    do_small(world, def);
    for (size_t k = 0; k < def->pull_count && ok; k++)
        ok = world_set_pull(world, &def->pulls[k]);
    ok = ok && world_change_materials(world, def, world->solids.count, &borders);
    if (ok && borders)
        ok = world_renew_borders(world);
    if (ok && (def->solid_count || def->pour_count || def->push_count || def->move_count || def->nozzle_count || def->has_gravity))
        world_expect_speed(world);
    return ok ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for what an event does");
}
