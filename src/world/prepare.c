// SPDX-License-Identifier: MIT
// From definitions to a world that can step: boundary particles, fluid particles carved away from solids, and everything
// that a scene left open derived from its own size, so that a scene scaled up or down behaves the same.
#include "world/world_parts.h"

#include "base/error.h"
#include "fluid/seed.h"
#include <stdlib.h>
#include <string.h>

// How far fluid can fall, and how fast it starts: sets the speeds to expect.
static double expected_speed(const mn_World* world)
{
    Vec3d gravity = world_strongest_gravity(world), up = vec3d_scale(vec3d_normalise(gravity), -1);
    double top = -INFINITY, bottom = INFINITY, speed = 0;
    const Vec4 *position = *world->particles.position, *velocity = *world->particles.velocity;
    for (size_t i = 0; i < moving_count(&world->particles); i++) {
        Vec4 x = position[i], v = velocity[i];
        double level = vec3d_dot(up, vec3d((double)x.x, (double)x.y, (double)x.z));
        top = fmax(top, level);
        bottom = fmin(bottom, level);
        speed = fmax(speed, sqrt((double)(v.x * v.x + v.y * v.y + v.z * v.z)));
    }
    for (size_t k = 0; k < world->sources.emitter_count; k++) {
        double level = vec3d_dot(up, world->sources.emitter[k].def.position);
        top = fmax(top, level);
        bottom = fmin(bottom, level);
        speed = fmax(speed, emitter_top_speed(&world->sources.emitter[k].def));
    }
    for (size_t s = 0; s < world->solids.count; s++) {
        const Solid* solid = &world->solids.solid[s];
        Vec3d centre = solid_to_world(solid, solid->bound_centre);
        double level = vec3d_dot(up, centre);
        if (solid_is_body(solid)) {
            top = fmax(top, level + solid->bound_radius);
            speed = fmax(speed, vec3d_length(solid->velocity) + solid->bound_radius * vec3d_length(solid->angular_velocity));
        }
        if (level < top)
            for (size_t k = 0; k < solid->mesh.vertex_count; k++)
                bottom = fmin(bottom, vec3d_dot(up, solid_to_world(solid, solid->mesh.vertex[k])));
        speed = fmax(speed, vec3d_length(solid->surface_velocity));
        speed = fmax(speed, motion_speed(solid->motion, solid->motion_count, solid->interpolation));
        if (solid->type == MN_SOLID_KINEMATIC) {
            double reach = vec3d_length(solid->bound_centre) + solid->bound_radius;
            speed = fmax(speed, motion_swing_speed(&solid->oscillation, reach));
            speed = fmax(speed, reach * vec3d_length(world->solids.def[s].angular_velocity));
        }
    }
    double height = top > bottom ? top - bottom : 2 * world->def.particle_radius;
    return sqrt(speed * speed + 2 * vec3d_length(gravity) * height);
}

// As particles have it, in single precision.
double world_density(const mn_World* world, int fluid)
{
    return (double)(float)world->fluids.def[fluid].density;
}

double world_density_contrast(const mn_World* world)
{
    float least = world->fluids.count ? (float)world_density(world, 0) : 1, most = least;
    for (int k = 1; k < (int)world->fluids.count; k++) {
        if (world->fluids.unused[k])
            continue;
        least = fminf(least, (float)world_density(world, k));
        most = fmaxf(most, (float)world_density(world, k));
    }
    return (double)(least / most);
}

static void find_unused(mn_World* world)
{
    bool used[MOST_FLUIDS] = {false};
    const Vec4* velocity = *world->particles.velocity;
    for (size_t i = 0; i < moving_count(&world->particles); i++)
        used[(int)velocity[i].w] = true;
    for (size_t k = 0; k < world->sources.emitter_count; k++)
        used[world->sources.emitter[k].kind] = true;
    for (size_t k = 0; k < world->fluids.count; k++)
        world->fluids.unused[k] = world->fluids.idle[k] = !used[k];
}

void world_expect_speed(mn_World* world)
{
    double speed = expected_speed(world);
    if (!(speed > world->state.expected_speed))
        return;
    world->state.expected_speed = speed;
    if (world->fluid->expect)
        world->fluid->expect(world);
}

double world_derive_limits(mn_World* world, double pull)
{
    const mn_SolverDef* solver = &world->def.solver;
    // what tension pulls a surface with sets motion going as gravity does
    double d = 2 * world->def.particle_radius;
    double g = vec3d_length(world_strongest_gravity(world)) + pull;
    double speed = sqrt(pow(expected_speed(world), 2) + 2 * pull * d);
    if (!(speed > 0))
        speed = 1;
    // at rest nothing else limits the step: a share of the time gravity needs for a spacing; a heavy fluid accelerates a light
    // one by more than gravity
    double calm_dt = 0.14 * sqrt(d / (g > 0 ? g : speed * speed / d)), rest_dt = calm_dt * sqrt(world_density_contrast(world));
    world->limits.calm_dt = solver->max_time_step > 0 ? 0 : calm_dt;
    world->limits.most_dt = solver->max_time_step > 0 ? solver->max_time_step : rest_dt;
    world->limits.least_dt = solver->min_time_step > 0 ? solver->min_time_step : 1e-4 * fmin(world->limits.most_dt, d / speed);
    world->state.expected_speed = speed;
    // pressures are not known yet: begin with what the fall through the scene would allow
    world->state.dt_control = fmin(world->limits.most_dt, solver->cfl * d / speed);
    world_fade_skins(world, 4 * rest_dt);
    return rest_dt;
}

mn_Result world_seed(mn_World* world, mn_Error* error)
{
    SeedPlan plan = {.dimension = world->def.dimension,
                     .spacing = 2 * world->def.particle_radius,
                     .gravity = world->def.gravity,
                     .folder = world->folder,
                     .read_particles = world->def.read_particles,
                     .solid = world->solids.solid,
                     .solid_count = world->solids.count,
                     .next_id = &world->state.next_id};
    // what is to be filled may start elsewhere than at its own position
    for (size_t k = 0; k < world->solids.count; k++)
        solid_move(&world->solids.solid[k], 0, 1e-3);
    for (size_t k = 0; k < world->fluids.count; k++) {
        mn_Result result = seed_fluid(&world->particles, &world->fluids.def[k], (int)k, &plan, error);
        if (result != MN_OK) {
            char key[sizeof((mn_Error*)0)->key];
            if (error) {
                memcpy(key, error->key, sizeof key);
                key[sizeof key - 24] = 0;
                error_key(error, "fluids.%zu.%s", k, key);
            }
            return result;
        }
    }
    return MN_OK;
}

static mn_Result prepare_solids(mn_World* world, mn_Error* error)
{
    const CouplingMethod* method = coupling_method(world->def.coupling.method);
    world->boundary.volumes = method->volumes ? method->volumes(&world->def) : VOLUMES_ALL;
    // before joints are tied: key frames may start elsewhere than the solid's own position
    for (size_t k = 0; k < world->solids.count; k++)
        solid_move(&world->solids.solid[k], 0, world->limits.most_dt > 0 ? world->limits.most_dt : 1e-3);
    mn_Result result = world_prepare_systems(world, error);
    if (result != MN_OK)
        return result;
    if (!world_events(world))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu solids", world->solids.count);
    world_place_systems(world);
    for (size_t k = 0; k < world->solids.count && !method->has_friction; k++)
        world->solids.solid[k].friction = world->solids.solid[k].wall_viscosity = 0;
    return world_add_skins(world, error);
}

static mn_Result no_memory(const mn_World* world, mn_Error* error)
{
    return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles and %zu solids", moving_count(&world->particles),
                     world->solids.count);
}

static bool reserve_samples(mn_World* world)
{
    world->solids.samples = memory_take(&world->memory, (world->solids.count + 1) * sizeof *world->solids.samples);
    return world->solids.samples != NULL;
}

// Boundary particles, coupling and guard: all that stands between fluid and solids.
static mn_Result prepare_borders(mn_World* world, mn_Error* error)
{
    mn_Result result = boundary_build(&world->boundary, world->pool, &world->scale.kernel, 2 * world->def.particle_radius,
                                      world->solids.solid, world->solids.count, world->solids.samples, error);
    if (result == MN_OK && !world->fluid->couple(world))
        result = no_memory(world, error);
    if (result == MN_OK)
        result = world_check_borders(world, error);
    return result == MN_OK ? world_create_guard(world, error) : result;
}

static bool starts_from_files(const mn_World* world)
{
    for (size_t k = 0; k < world->fluids.count; k++)
        if (world->fluids.def[k].particle_count)
            return true;
    return false;
}

// Fluid where there can be none goes. Particles of files were in motion and may be nearer to walls and to each other than a lattice
// is: of those only what is in a solid, or in the same place, goes.
static mn_Result carve(mn_World* world, mn_Error* error)
{
    size_t carved = 0, overlapping = 0, beyond = 0;
    double radius = world->guard.def.radius;
    if (starts_from_files(world))
        world->guard.def.radius = 0.1 * radius;
    bool ok = world_carve_domain(world, &beyond) && guard_carve(&world->guard, &carved) &&
              guard_thin_overlaps(&world->guard, 0, &overlapping);
    world->guard.def.radius = radius;
    if (!ok)
        return no_memory(world, error);
    if (carved)
        world_log(world, MN_LOG_INFO,
                  "%zu fluid particles that started in or too close to solids, or outside all containers, carved away", carved);
    if (overlapping)
        world_log(world, MN_LOG_WARNING, "%zu fluid particles that started on top of others were left out", overlapping);
    if (beyond)
        world_log(world, MN_LOG_INFO, "%zu fluid particles beyond the borders of periodic axes carved away", beyond);
    world->state.carved = carved + overlapping + beyond;
    return MN_OK;
}

// The first look at where particles are.
static mn_Result search(mn_World* world, mn_Error* error)
{
    const FluidKind* fluid = world->fluid;
    size_t dense = 0;
    if (!fluid->sources(world) || !fluid->search(world) ||
        (fluid->thin && !starts_from_files(world) && !fluid->thin(world, &dense)) || (dense && !fluid->search(world)))
        return no_memory(world, error);
    if (dense)
        world_log(world, MN_LOG_INFO, "%zu fluid particles beside sheets, where it would start compressed, were left out", dense);
    world->state.carved += dense;
    if (fluid->relax && !starts_from_files(world) && !fluid->relax(world))
        return no_memory(world, error);
    if (fluid->rest)
        fluid->rest(world);
    return MN_OK;
}

mn_Result mn_world_prepare(mn_World* world, mn_Error* error)
{
    if (world->phase.prepared)
        return MN_OK;
    mn_Result result = world->fluid->seed(world, error);
    if (result == MN_OK && (!reserve_samples(world) || !world->fluid->prepare(world)))
        result = no_memory(world, error);
    if (result == MN_OK)
        result = prepare_solids(world, error);
    if (result == MN_OK)
        result = prepare_borders(world, error);
    if (result == MN_OK)
        result = world_prepare_emitters(world, error);
    if (result == MN_OK)
        result = carve(world, error);
    if (result != MN_OK)
        return result;
    find_unused(world);
    world->fluid->begin(world);
    world_warn(world);
    result = world_create_foam(world, error);
    if (result != MN_OK)
        return result;
    world->phase.prepared = true;
    if (!world_register(world))
        return no_memory(world, error);
    result = search(world, error);
    if (result == MN_OK)
        result = world_events_between(world, error);
    return result == MN_OK ? world_shown(world, result) : result;
}
