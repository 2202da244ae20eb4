// SPDX-License-Identifier: MIT
// From definitions to a world that can step: boundary particles, fluid particles carved away from solids, and everything
// that a scene left open derived from its own size, so that a scene scaled up or down behaves the same.
#include "world/world_parts.h"

#include "base/error.h"
#include "fluid/seed.h"
#include "fluid/tension/tension.h"
#include <stdlib.h>
#include <string.h>

// How far fluid can fall, and how fast it starts: sets the speeds to expect.
static double expected_speed(const mn_World* world)
{
    Vec3d gravity = world_strongest_gravity(world), up = vec3d_scale(vec3d_normalise(gravity), -1);
    double top = -INFINITY, bottom = INFINITY, speed = 0;
    const Fluid* fluid = &world->sph.fluid;
    for (size_t i = 0; i < fluid->set.count; i++) {
        Vec4 x = fluid->position[i], v = fluid->velocity[i];
        double level = vec3d_dot(up, vec3d((double)x.x, (double)x.y, (double)x.z));
        top = fmax(top, level);
        bottom = fmin(bottom, level);
        speed = fmax(speed, sqrt((double)(v.x * v.x + v.y * v.y + v.z * v.z)));
    }
    for (size_t k = 0; k < world->emitter_count; k++) {
        double level = vec3d_dot(up, world->emitter[k].def.position);
        top = fmax(top, level);
        bottom = fmin(bottom, level);
        speed = fmax(speed, world->emitter[k].def.speed);
    }
    for (size_t s = 0; s < world->solid_count; s++) {
        const Solid* solid = &world->solid[s];
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
        for (size_t k = 1; k < solid->motion_count; k++) {
            double dt = solid->motion[k].time - solid->motion[k - 1].time;
            speed = fmax(speed, vec3d_distance(solid->motion[k].pose.position, solid->motion[k - 1].pose.position) / dt);
        }
        if (solid->type == MN_SOLID_KINEMATIC) {
            double reach = vec3d_length(solid->bound_centre) + solid->bound_radius;
            speed = fmax(speed, reach * vec3d_length(world->solid_def[s].angular_velocity));
        }
    }
    double height = top > bottom ? top - bottom : 2 * world->def.particle_radius;
    return sqrt(speed * speed + 2 * vec3d_length(gravity) * height);
}

double world_density_contrast(const mn_World* world)
{
    const Sph* sph = &world->sph;
    float least = sph->material[0].density, most = least;
    for (int k = 1; k < sph->material_count; k++) {
        if (sph->material[k].unused)
            continue;
        least = fminf(least, sph->material[k].density);
        most = fmaxf(most, sph->material[k].density);
    }
    return sph->material_count ? (double)(least / most) : 1;
}

static void find_unused(mn_World* world)
{
    bool used[FLUIDS_MOST] = {false};
    for (size_t i = 0; i < world->sph.fluid.set.count; i++)
        used[(int)world->sph.fluid.velocity[i].w] = true;
    for (size_t k = 0; k < world->emitter_count; k++)
        used[world->emitter[k].kind] = true;
    for (int k = 0; k < world->sph.material_count; k++)
        world->sph.material[k].unused = !used[k];
}

static void derive_limits(mn_World* world)
{
    find_unused(world);
    Sph* sph = &world->sph;
    // what tension pulls a surface with sets motion going as gravity does
    double d = 2 * world->def.particle_radius, pull = tension_pull(sph);
    double g = vec3d_length(world_strongest_gravity(world)) + pull;
    double speed = sqrt(pow(expected_speed(world), 2) + 2 * pull * d);
    if (!(speed > 0))
        speed = 1;
    if (!(sph->solver.speed_of_sound > 0))
        sph->solver.speed_of_sound = 10 * speed; // density varies by about 1 % then (Monaghan 1994)
    // at rest nothing else limits the step: a share of the time gravity needs for a spacing; a heavy fluid accelerates a light
    // one by more than gravity
    double rest_dt = 0.14 * sqrt(d / (g > 0 ? g : speed * speed / d)) * sqrt(world_density_contrast(world));
    world->most_dt = sph->solver.max_time_step;
    if (!(world->most_dt > 0)) {
        world->most_dt = rest_dt;
    }
    world->least_dt = sph->solver.min_time_step > 0 ? sph->solver.min_time_step : 1e-4 * fmin(world->most_dt, d / speed);
    world->expected_speed = speed;
    // pressures are not known yet: begin with what the fall through the scene would allow
    world->state.dt_control = fmin(world->most_dt, sph->solver.cfl * d / speed);
    sph->relax_time = 10 * rest_dt;
    pressure_begin(sph);
    world_fade_skins(world, 4 * rest_dt);
}

// beta of a solid for a fluid: given, by its contact angle, or the fluid's own gamma.
static double solid_beta(const mn_World* world, const Solid* solid, int kind)
{
    const FluidMaterial* m = &world->sph.material[kind];
    double beta = solid->contact_angle >= 0 ? (double)m->gamma * tension_wetting(&world->sph, solid->contact_angle)
                  : solid->adhesion >= 0    ? solid->adhesion
                                            : (double)m->gamma;
    return beta * (double)m->adhesion;
}

// False: out of memory.
static bool find_wetting(mn_World* world)
{
    world->wetting = memory_take(&world->memory, (world->solid_count + 1) * sizeof *world->wetting);
    if (!world->wetting)
        return false;
    bool any = false;
    memset(world->wetting, 0, (world->solid_count + 1) * sizeof *world->wetting);
    for (size_t s = 0; s < world->solid_count; s++)
        for (int k = 0; k < world->sph.material_count; k++) {
            double beta = solid_beta(world, &world->solid[s], k);
            wetting_set(&world->wetting[s], &world->sph.kernel, k, beta, (double)world->sph.material[k].gamma);
            any |= beta > 0;
        }
    world->sph.wetting = any ? world->wetting : NULL;
    return true;
}

static mn_Result reserve_scratch(mn_World* world, mn_Error* error)
{
    Sph* sph = &world->sph;
    size_t n = world->solid_count + 1;
    world->solid_samples = memory_take(&world->memory, n * sizeof *world->solid_samples);
    if (!world->solid_samples || !find_wetting(world))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for solids");
    if (!world_reserve_predicted(world))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", sph->fluid.set.count);
    return MN_OK;
}

mn_Result world_prepare_fluid(mn_World* world, mn_Error* error)
{
    SeedPlan plan = {.dimension = world->def.dimension,
                     .spacing = 2 * world->def.particle_radius,
                     .gravity = world->def.gravity,
                     .folder = world->folder,
                     .next_id = &world->state.next_id};
    for (size_t k = 0; k < world->fluid_count; k++) {
        mn_Result result = seed_fluid(&world->sph.fluid, &world->pending[k], (int)k, &plan, error);
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
    // before joints are tied: key frames may start elsewhere than the solid's own position
    for (size_t k = 0; k < world->solid_count; k++)
        solid_move(&world->solid[k], 0, world->most_dt > 0 ? world->most_dt : 1e-3);
    mn_Result result = world_prepare_systems(world, error);
    if (result != MN_OK)
        return result;
    world_events(world);
    world_place_systems(world);
    for (size_t k = 0; k < world->solid_count && !coupling_method(world->def.coupling.method)->has_friction; k++)
        world->solid[k].friction = world->solid[k].wall_viscosity = 0;
    return world_add_skins(world, error);
}

mn_Result mn_world_prepare(mn_World* world, mn_Error* error)
{
    if (world->prepared)
        return MN_OK;
    mn_Result result = world->fluid->seed(world, error);
    if (result == MN_OK)
        result = reserve_scratch(world, error);
    if (result == MN_OK)
        result = prepare_solids(world, error);
    if (result == MN_OK)
        result = boundary_build(&world->boundary, world->pool, &world->sph.kernel, 2 * world->def.particle_radius, world->solid,
                                world->solid_count, world->solid_samples, error);
    if (result == MN_OK)
        result = world_couple(world, error);
    if (result == MN_OK)
        result = world_create_guard(world, error);
    if (result != MN_OK)
        return result;
    world->sph.most_friction = world->boundary.most_friction;
    size_t carved = 0, overlapping = 0, dense = 0;
    if (!guard_carve(&world->guard, &carved))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", world->sph.fluid.set.count);
    world->state.carved = carved;
    if (world->state.carved)
        world_log(world, MN_LOG_INFO,
                  "%llu fluid particles that started in or too close to solids, or outside all containers, carved away",
                  (unsigned long long)world->state.carved);
    if (!guard_thin_overlaps(&world->guard, &overlapping))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", world->sph.fluid.set.count);
    if (overlapping)
        world_log(world, MN_LOG_WARNING, "%zu fluid particles that started on top of others were left out", overlapping);
    world->state.carved += overlapping;
    world_events(world);
    derive_limits(world);
    world_warn(world);
    world->prepared = true;
    if (!world_register(world))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a world");
    if (!world->fluid->sources(world) || !world->fluid->search(world) || !guard_thin_dense(&world->guard, &dense) ||
        (dense && !world->fluid->search(world)))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", world->sph.fluid.set.count);
    if (dense)
        world_log(world, MN_LOG_INFO, "%zu fluid particles beside sheets, where it would start compressed, were left out", dense);
    world->state.carved += dense;
    return world_shown(world, MN_OK);
}
