// SPDX-License-Identifier: MIT
// Predictive-corrective incompressible SPH (Solenthaler and Pajarola 2009; Akinci 2014, algorithm 2.2): positions are
// predicted with the present pressures, densities computed there, pressures raised by delta times the compression:
//   P_i <- max(0, P_i + omega rho0 / (dt^2 A) (s*_i - 1))
//   A = V0^2 (|sum_j grad W_ij|^2 + sum_j |grad W_ij|^2) of a prototype particle with a full neighbourhood
// The paper's delta is omega = 1/2. Particles in corners have a larger A of their own, which is used: delta makes them jump.
// Deviations: the iteration is driven as for iisph (jacobi.c: momentum, two-sided error, warm start); kernel gradients are
// those of the current, not of the predicted positions, so that pair forces stay exactly symmetric and lists need no update.
#include "fluid/pressure/method.h"

#include "fluid/responder.h"

// A of a cubic lattice with the fluid's spacing.
static double prototype_diagonal(const Sph* sph)
{
    double d = 2 * sph->radius, h = (double)sph->kernel.h, square = 0;
    int n = (int)ceil(h / d), nz = sph->kernel.dimension == 3 ? n : 0;
    for (int z = -nz; z <= nz; z++)
        for (int y = -n; y <= n; y++)
            for (int x = -n; x <= n; x++) {
                double r = d * sqrt((double)(x * x + y * y + z * z));
                double slope = r > 0 ? kernel_slope(&sph->kernel, r) : 0;
                square += slope * slope;
            }
    return (double)sph->volume * (double)sph->volume * square; // the gradients of a full neighbourhood cancel
}

typedef struct Job {
    Sph* sph;
    float dt;
} Job;

static void predict_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Fluid* fluid = &job->sph->fluid;
    float dt = job->dt;
    for (size_t i = begin; i < end; i++) {
        Vec4 x = fluid->position[i], v = fluid->velocity[i], a = fluid->acceleration[i];
        job->sph->scratch.predicted[i] =
            (Vec4){x.x + dt * (v.x + dt * a.x), x.y + dt * (v.y + dt * a.y), x.z + dt * (v.z + dt * a.z), 0};
    }
}

static void predict(Sph* sph, float dt)
{
    Job job = {sph, dt};
    parallel_for(sph->pool, sph->fluid.set.count, PARTICLE_GRAIN, predict_block, &job);
    predicted_density(sph, sph->scratch.predicted, dt, sph->fluid.source);
}

static void pcisph_solve(Sph* sph, float dt, PressureReport* report)
{
    PressureGoal goal = pressure_goal(sph);
    double most = sph->solver.max_density_error;
    if (pressure_is_checked(sph)) // room for what the predicted densities did not see lately
        goal.tolerance = fmax(fmin(goal.tolerance, 0.8 * most - 2 * sph->control.unseen), 0.2 * most);
    pressure_predict_compression(sph, dt);
    if (!sph->solver.warm_start)
        pressure_scale(sph, 0);
    report->iterations = pressure_correct(sph, dt, (float)prototype_diagonal(sph), predict, &goal, &report->density_error);
    sph->control.foreseen = report->density_error;
    responders_close(sph, dt);
    report->converged = report->density_error <= most;
}

const PressureMethod pressure_pcisph = {
    .name = "pcisph", .type = MN_PRESSURE_PCISPH, .iterates = true, .reserve_predicted = true, .solve = pcisph_solve};
