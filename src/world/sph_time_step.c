// SPDX-License-Identifier: MIT
// How long the next step may be (Monaghan 1992; Ihmsen 2010):
//   velocity   dt <= cfl 2r / v,       v over fluid and boundary, plus what gravity adds in a step; sesph: plus c_s. Vertices of
//              elastic solids that no fluid is near count less: they may go half a support radius
//   pressure   dt <= cfl 2r / sqrt(1.5 p / rho), p the root mean square of the pressure where it is highest. Implicit methods
//              have no sound to resolve, but particles are moved explicitly: beyond about twice this step the disorder of
//              particles under pressure grows from step to step (water 40 spacings deep explodes, measured).
//   force      dt <= 0.25 sqrt(h / a), a of all forces but pressure
//   viscosity  dt <= 0.016 h^2 / nu; the explicit pair form is stable below 0.038 on a lattice, less at walls and in disorder
// tension    dt <= 0.4 sqrt(rho d^3 / (2 pi sigma)), the time of the shortest waves that surface tension drives (Brackbill 1992)
// elastic    dt <= the time that sound takes across a volume of mass points that is wet
// The step grows by at most a quarter from one to the next. What pressure does in a sudden impact cannot be known before the
// solve; such steps are taken back (step.c).
#include "world/sph_parts.h"

#include "fluid/tension/tension.h"
#include "fluid/viscosity/viscosity.h"

// Limits that need only a speed.
static double limit_by_speed(const mn_World* world, double speed)
{
    const Sph* sph = world_sph(world);
    double d = 2 * world->def.particle_radius, h = (double)sph->kernel.h, dt = world->limits.most_dt, nu = viscosity_limit(sph);
    if (pressure_method(sph->solver.method)->resolves_sound)
        dt = fmin(dt, sph->solver.cfl * h / (sph->solver.speed_of_sound + speed));
    if (speed > 0)
        dt = fmin(dt, sph->solver.cfl * d / speed);
    if (nu > 0)
        dt = fmin(dt, 0.016 * h * h / nu);
    return fmin(dt, tension_limit(sph));
}

double sph_expected_step(const mn_World* world, double speed)
{
    const mn_SolverDef* solver = &world_sph(world)->solver;
    return solver->time_step > 0 ? solver->time_step : fmax(limit_by_speed(world, speed), world->limits.least_dt);
}

double sph_longest_step(mn_World* world)
{
    Sph* sph = world_sph(world);
    double d = 2 * world->def.particle_radius, h = (double)sph->kernel.h;
    double pressure;
    fluid_speeds(sph, &world->measured.max_speed, &pressure);
    if (sph->solver.time_step > 0)
        return sph->solver.time_step;
    double solids = fmax(world_solid_speed(world), world->coupling.method->speed(world->coupling.data, sph->solver.cfl * d));
    double speed = fmax(world->measured.max_speed, solids) + world->state.dt_control * vec3d_length(world->def.gravity);
    double dt = fmin(limit_by_speed(world, speed), 1.25 * world->state.dt_control);
    if (pressure > 0 && !pressure_method(sph->solver.method)->resolves_sound)
        dt = fmin(dt, sph->solver.cfl * d / sqrt(1.5 * pressure));
    if (world->state.force_limit > 0)
        dt = fmin(dt, 0.25 * sqrt(h / world->state.force_limit));
    dt = fmin(dt, world_longest_step_of_systems(world));
    if (world->coupling.method->longest_step)
        dt = fmin(dt, world->coupling.method->longest_step(world->coupling.data));
    return fmax(dt, world->limits.least_dt);
}
