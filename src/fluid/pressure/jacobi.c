// SPDX-License-Identifier: MIT
// The linear system of iisph and dfsph (Ihmsen 2013; Akinci 2014, eqs. 2.20-2.26), matrix free: one iteration is
//   a    = a(P)                                              operators.c
//   e_i  = source_i + dt^2 div a_i                           compression that would remain
//   P_i <- max(0, P_i + omega e_i / d_ii),  d_ii = dt^2 diagonal_i / rho0_i
// -d_ii is the exact diagonal a_ii of the system in P. Negative pressures are cut off: fluid never pulls.
#include "fluid/pressure/method.h"

static const float OMEGA = 0.5f; // the value of Ihmsen 2013; 0.7 diverges on sharp impacts

typedef struct Job {
    Sph* sph;
    float dt;
    float factor;
    float density[FLUIDS_MOST];
} Job;

static void update_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Sph* sph = job->sph;
    // outputs
    Vec4* x = sph->fluid.position;
    // inputs
    const float *source = sph->fluid.source, *divergence = sph->fluid.divergence, *diagonal = sph->fluid.diagonal;
    const Vec4* v = sph->fluid.velocity;
    const float dt2 = job->dt * job->dt;
    // a particle without neighbours has no say in its own density
    const float least = 1e-6f / (sph->kernel.h * sph->kernel.h);

    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        float error = source[i] + dt2 * divergence[i];
        sum += error > 0 ? (double)error : 0;
        float rho0 = job->density[(int)v[i].w];
        float step = diagonal[i] > least ? OMEGA * rho0 / (dt2 * diagonal[i]) : 0;
        float p = x[i].w + step * error;
        x[i].w = p > 0 && step > 0 ? p : 0;
    }
    sph->partial[block] = sum;
}

int pressure_jacobi(Sph* sph, float dt, double tolerance, int least, int most, double* error)
{
    Job job = {.sph = sph, .dt = dt};
    for (int k = 0; k < sph->material_count; k++)
        job.density[k] = sph->material[k].density;
    size_t count = sph->fluid.count;
    for (int iteration = 1;; iteration++) {
        pressure_acceleration(sph);
        vector_divergence(sph, sph->fluid.acceleration, false);
        parallel_for(sph->pool, count, PARTICLE_GRAIN, update_block, &job);
        *error = count ? sph_partial_sum(sph, block_count(count, PARTICLE_GRAIN)) / (double)count : 0;
        bool done = *error <= tolerance && iteration >= least;
        if (done || iteration >= most || !isfinite(*error))
            return iteration;
    }
}

static void compression_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Fluid* fluid = &job->sph->fluid;
    for (size_t i = begin; i < end; i++)
        fluid->source[i] = fluid->density[i] + job->dt * fluid->divergence[i] - 1;
}

void pressure_predict_compression(Sph* sph, float dt)
{
    vector_divergence(sph, sph->fluid.velocity, true);
    Job job = {.sph = sph, .dt = dt};
    parallel_for(sph->pool, sph->fluid.count, PARTICLE_GRAIN, compression_block, &job);
}

static void scale_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    for (size_t i = begin; i < end; i++)
        job->sph->fluid.position[i].w *= job->factor;
}

void pressure_scale(Sph* sph, float factor)
{
    Job job = {.sph = sph, .factor = factor};
    parallel_for(sph->pool, sph->fluid.count, PARTICLE_GRAIN, scale_block, &job);
}
