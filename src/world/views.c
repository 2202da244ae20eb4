// SPDX-License-Identifier: MIT
// What a world shows: particles, solids, statistics.
#include "world/state.h"
#include "world/world_parts.h"

#include <stdlib.h>

double mn_world_time(const mn_World* world)
{
    return world->state.time;
}

double mn_world_expected_step(const mn_World* world)
{
    return world->fluid->expected_step(world, world->state.expected_speed);
}

const Register* world_state_register(const mn_World* world)
{
    return world->reg;
}

mn_Result world_shown(mn_World* world, mn_Result result)
{
    if (world->phase.prepared && result != MN_OUT_OF_MEMORY) // without memory there may be no lists of neighbours
        world->fluid->show(world);
    return result;
}

mn_ParticleView mn_world_particles(const mn_World* world)
{
    mn_ParticleView view = world->fluid->view(world);
    if (!world->phase.prepared)
        view.count = 0;
    return view;
}

mn_BoundaryView mn_world_boundary(const mn_World* world)
{
    return (mn_BoundaryView){world->boundary.count, (const float*)world->boundary.position, world->boundary.solid};
}

size_t mn_world_solid_count(const mn_World* world)
{
    return world->solids.count;
}

mn_SolidView mn_world_solid(const mn_World* world, mn_SolidId id)
{
    if (id == 0 || id > world->solids.count || world->solids.solid[id - 1].removed)
        return (mn_SolidView){.name = "", .pose = {.rotation = {1, 0, 0, 0}}};
    const Solid* s = &world->solids.solid[id - 1];
    SolidBulk bulk = s->kind->bulk ? s->kind->bulk(s) : (SolidBulk){.velocity = s->velocity};
    return (mn_SolidView){.name = s->name,
                          .vertex_count = s->mesh.vertex_count,
                          .triangle_count = s->mesh.triangle_count,
                          .segment_count = s->mesh.segment_count,
                          .vertex = s->mesh.vertex,
                          .triangle = (const uint32_t(*)[3])s->mesh.triangle,
                          .segment = (const uint32_t(*)[2])s->mesh.segment,
                          .pose = s->pose,
                          .velocity = bulk.velocity,
                          .angular_velocity = s->angular_velocity,
                          .force = s->force,
                          .torque = s->torque,
                          .mass = bulk.mass,
                          .centre = bulk.centre,
                          .inertia = bulk.moments,
                          .type = s->type,
                          .inside = s->inside,
                          .visible = s->visible,
                          .asleep = bulk.asleep,
                          .colour = s->colour,
                          .divisible = s->is_divisible,
                          .inner_count = s->mesh.inner_count};
}

// --- statistics

static void add_solids(const mn_World* world, mn_Stats* s)
{
    SolidTotals t = {s->kinetic_energy, s->potential_energy, s->momentum, s->angular_momentum, 0};
    world_add_totals_of_systems(world, &t);
    s->kinetic_energy = t.kinetic;
    s->potential_energy = t.potential;
    s->momentum = t.momentum;
    s->angular_momentum = t.angular_momentum;
    s->broken_faces = t.broken_faces;
}

static void add_fluids(const mn_World* world, mn_Stats* s)
{
    const Vec4 *position = *world->particles.position, *velocity = *world->particles.velocity;
    double fastest = 0;
    for (size_t i = 0; i < s->fluid_particles; i++) {
        Vec3d x = {(double)position[i].x, (double)position[i].y, (double)position[i].z};
        Vec3d v = {(double)velocity[i].x, (double)velocity[i].y, (double)velocity[i].z};
        double m = world->scale.particle_volume * world_density(world, (int)velocity[i].w);
        s->kinetic_energy += 0.5 * m * vec3d_dot(v, v);
        s->potential_energy -= m * vec3d_dot(world->def.gravity, x);
        s->momentum = vec3d_mad(s->momentum, m, v);
        s->angular_momentum = vec3d_mad(s->angular_momentum, m, vec3d_cross(x, v));
        fastest = fmax(fastest, vec3d_dot(v, v));
    }
    s->max_speed = sqrt(fastest);
}

mn_Stats mn_world_stats(const mn_World* world)
{
    mn_Stats s = {.time = world->state.time,
                  .dt = world->state.last_dt,
                  .steps = world->state.steps,
                  .fluid_particles = moving_count(&world->particles),
                  .boundary_particles = world->boundary.count,
                  .density_error_mean = world->measured.density_error_mean,
                  .density_error_max = world->measured.density_error_max,
                  .iterations = world->state.iterations,
                  .divergence_iterations = world->state.divergence_iterations,
                  .iterations_total = world->state.iterations_total,
                  .divergence_iterations_total = world->state.divergence_iterations_total,
                  .not_converged = world->state.not_converged,
                  .repeated_steps = world->state.repeated_steps,
                  .emitted = world->state.emitted,
                  .drained = world->state.drained,
                  .carved = world->state.carved,
                  .lost_particles = world->state.lost,
                  .expelled_particles = world->state.expelled,
                  .leaked_particles = guard_count_leaks(&world->guard),
                  .diffuse_particles = mn_world_foam(world).count,
                  .memory_bytes = world->memory.bytes,
                  .allocations = world->memory.allocations,
                  .residual_divergence = world->measured.residual_divergence};
    add_fluids(world, &s);
    add_solids(world, &s);
    return s;
}

size_t mn_world_timing(const mn_World* world, const mn_StageTime** out_stages)
{
    *out_stages = world->timing.stage;
    return world->timing.count;
}
