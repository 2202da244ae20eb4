// SPDX-License-Identifier: MIT
// What is to be seen of a grid fluid, and how long its steps may be.
#include "base/reduce.h"
#include "world/flip_parts.h"

enum { PARTICLES_GRAIN = 4096 };

// --- views

void flip_fluid_show(mn_World* world)
{
    FlipFluid* f = world_flip(world);
    if (f->flip.inside.count)
        guard_follow(&world->guard); // leaks are counted where solids are now; takes no memory
    flip_fills_at(&f->flip, f->position, f->set.count, f->density);
    for (size_t i = 0; i < f->set.count; i++) {
        f->pressure[i] = f->position[i].w;
        f->kind[i] = (uint8_t)f->velocity[i].w;
    }
}

mn_ParticleView flip_fluid_view(const mn_World* world)
{
    const FlipFluid* f = world_flip(world);
    return (mn_ParticleView){.count = f->set.count,
                             .position = (const float*)f->position,
                             .velocity = (const float*)f->velocity,
                             .density = f->density,
                             .pressure = f->pressure,
                             .id = f->id,
                             .fluid = f->kind};
}

static double hat(double distance, double width)
{
    double w = 1 - fabs(distance) / width;
    return w > 0 ? w : 0;
}

// Mean over the particles around a point, weighted as the grid weights them.
FluidSample flip_fluid_sample(const mn_World* world, Vec3d p)
{
    const FlipFluid* f = world_flip(world);
    double dx = f->grid.cell, each = world->scale.particle_volume / pow(dx, world->def.dimension);
    FluidSample t = {0};
    for (size_t i = 0; i < f->set.count; i++) {
        Vec4 x = f->position[i], v = f->velocity[i];
        double w = each * hat((double)x.x - p.x, dx) * hat((double)x.y - p.y, dx);
        if (world->def.dimension == 3)
            w *= hat((double)x.z - p.z, dx);
        t.weight += w;
        t.pressure += w * (double)x.w;
        t.velocity = vec3d_mad(t.velocity, w, vec3d((double)v.x, (double)v.y, (double)v.z));
    }
    return t;
}

// --- steps

static void speed_block(void* context, size_t begin, size_t end, double out[])
{
    const Vec4* velocity = context;
    float most = 0;
    for (size_t i = begin; i < end; i++) {
        Vec4 v = velocity[i];
        float square = v.x * v.x + v.y * v.y + v.z * v.z;
        most = square > most ? square : most;
    }
    out[0] = (double)most;
}

// The fastest particle may cross two and a half cells times solver.cfl: a whole cell, if the scene does not say otherwise.
double flip_fluid_expected_step(const mn_World* world, double speed)
{
    const mn_SolverDef* solver = &world->def.solver;
    double dt = world->limits.most_dt;
    if (solver->time_step > 0)
        return solver->time_step;
    if (speed > 0)
        dt = fmin(dt, 2.5 * solver->cfl * world_flip(world)->flip.dx / speed);
    return fmax(dt, world->limits.least_dt);
}

double flip_fluid_longest_step(mn_World* world)
{
    FlipFluid* f = world_flip(world);
    world->measured.max_speed = sqrt(reduce_max(world->pool, f->set.count, PARTICLES_GRAIN, speed_block, f->velocity));
    double speed = fmax(fmax(world->measured.max_speed, inside_speed(&f->flip)), world_solid_speed(world)) +
                   world->state.dt_control * vec3d_length(world->def.gravity);
    double dt = flip_fluid_expected_step(world, speed);
    if (world->def.solver.time_step > 0)
        return dt;
    dt = fmin(fmin(dt, 1.25 * world->state.dt_control), world_longest_step_of_systems(world));
    return fmax(dt, world->limits.least_dt);
}
