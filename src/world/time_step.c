// SPDX-License-Identifier: MIT
// How long the next step may be (Monaghan 1992; Ihmsen 2010):
//   velocity   dt <= cfl 2r / v,       v over fluid and boundary, plus what gravity adds in a step; sesph: plus c_s
//   force      dt <= 0.25 sqrt(h / a), a of all forces but pressure
//   viscosity  dt <= 0.016 h^2 / nu; the explicit pair form is stable below 0.038 on a lattice, less at walls and in disorder
// The step grows by at most a quarter from one to the next. What pressure does in a sudden impact cannot be known before the
// solve; such steps are taken back (step.c).
#include "world/world_parts.h"

#include "fluid/viscosity/viscosity.h"

static void speed_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Sph* sph = context;
    float most = 0;
    for (size_t i = begin; i < end; i++) {
        Vec4 v = sph->fluid.velocity[i];
        float v2 = v.x * v.x + v.y * v.y + v.z * v.z;
        most = v2 > most ? v2 : most;
    }
    sph->partial[block] = (double)most;
}

static double fluid_speed(Sph* sph)
{
    parallel_for(sph->pool, sph->fluid.count, PARTICLE_GRAIN, speed_block, sph);
    return sqrt(sph_partial_max(sph, block_count(sph->fluid.count, PARTICLE_GRAIN)));
}

// Fastest point of a moving surface; belts do not carry particles through walls but drag them along.
static double solid_speed(const mn_World* world)
{
    double most = 0;
    for (size_t k = 0; k < world->solid_count; k++) {
        const Solid* s = &world->solid[k];
        double arm = vec3d_length(s->bound_centre) + s->bound_radius;
        most = fmax(most, vec3d_length(s->velocity) + arm * vec3d_length(s->angular_velocity) + vec3d_length(s->surface_velocity));
    }
    return most;
}

double world_time_step(mn_World* world)
{
    Sph* sph = &world->sph;
    double d = 2 * world->def.particle_radius, h = (double)sph->kernel.h;
    world->max_speed = fluid_speed(sph);
    if (sph->solver.time_step > 0)
        return sph->solver.time_step;
    double speed = fmax(world->max_speed, solid_speed(world)) + world->dt_control * vec3d_length(world->def.gravity);
    double dt = fmin(world->most_dt, 1.25 * world->dt_control);
    if (sph->solver.method == MN_PRESSURE_SESPH)
        dt = fmin(dt, sph->solver.cfl * h / (sph->solver.speed_of_sound + speed));
    if (speed > 0)
        dt = fmin(dt, sph->solver.cfl * d / speed);
    if (world->force_limit > 0)
        dt = fmin(dt, 0.25 * sqrt(h / world->force_limit));
    double nu = viscosity_limit(sph);
    if (nu > 0)
        dt = fmin(dt, 0.016 * h * h / nu);
    return fmax(dt, world->least_dt);
}
