// SPDX-License-Identifier: MIT
// Predictive-corrective incompressible SPH (Solenthaler and Pajarola 2009; Akinci 2014, algorithm 2.2): positions are
// predicted with the present pressures, densities computed there, pressures raised by delta times the compression:
//   P_i <- max(0, P_i + delta rho0 (s*_i - 1)),  delta rho0 = rho0 / (2 dt^2 A)
//   A = V0^2 (|sum_j grad W_ij|^2 + sum_j |grad W_ij|^2) of a prototype particle with a full neighbourhood
// The loop goes on while the error is too large or fewer than the minimum iterations were done (the paper's "and" is a slip).
// Deviations: kernel gradients are those of the current, not of the predicted positions, so that pair forces stay exactly
// symmetric and lists need no update; pressures start from half of their last values.
#include "fluid/pressure/method.h"

typedef struct Job {
    Sph* sph;
    float dt;
    float raise[FLUIDS_MOST]; // [Pa] pressure per unit of compression
} Job;

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

static void predict_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Fluid* fluid = &job->sph->fluid;
    float dt = job->dt;
    for (size_t i = begin; i < end; i++) {
        Vec4 x = fluid->position[i], v = fluid->velocity[i], a = fluid->acceleration[i];
        job->sph->predicted[i] = (Vec4){x.x + dt * (v.x + dt * a.x), x.y + dt * (v.y + dt * a.y), x.z + dt * (v.z + dt * a.z), 0};
    }
}

static void correct_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Fluid* fluid = &job->sph->fluid;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        float error = fluid->source[i] - 1;
        sum += error > 0 ? (double)error : 0;
        float p = fluid->position[i].w + job->raise[(int)fluid->velocity[i].w] * error;
        fluid->position[i].w = p > 0 ? p : 0;
    }
    job->sph->partial[block] = sum;
}

static void pcisph_solve(Sph* sph, float dt, PressureReport* report)
{
    const mn_SolverDef* def = &sph->solver;
    Job job = {.sph = sph, .dt = dt};
    for (int k = 0; k < sph->material_count; k++)
        job.raise[k] = (float)((double)sph->material[k].density / (2 * (double)dt * (double)dt * prototype_diagonal(sph)));
    size_t count = sph->fluid.count;
    pressure_scale(sph, def->warm_start ? 0.5f : 0);
    for (int iteration = 1;; iteration++) {
        pressure_acceleration(sph);
        parallel_for(sph->pool, count, PARTICLE_GRAIN, predict_block, &job);
        predicted_density(sph, sph->predicted, dt, sph->fluid.source);
        parallel_for(sph->pool, count, PARTICLE_GRAIN, correct_block, &job);
        report->density_error = count ? sph_partial_sum(sph, block_count(count, PARTICLE_GRAIN)) / (double)count : 0;
        report->iterations = iteration;
        report->converged = report->density_error <= def->max_density_error;
        if ((report->converged && iteration >= def->min_iterations) || iteration >= def->max_iterations || !isfinite(report->density_error))
            return;
    }
}

const PressureMethod pressure_pcisph = {
    .name = "pcisph", .type = MN_PRESSURE_PCISPH, .reserve_predicted = true, .solve = pcisph_solve};
