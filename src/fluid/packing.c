// SPDX-License-Identifier: MIT
#include "fluid/packing.h"

// What a surface explains, see packing.h: 0.17 to 0.18 on lattices of both dimensions with the kernels in use, and room for
// disorder.
static const float SURFACE = 0.35f;
// A tenth of the time that compression is taken back over.
static const double FORGETTING = 0.1;

typedef struct Job {
    Fluid* fluid;
    float h;     // [m] support radius
    float share; // [1] of a lack of density that is forgotten now
    float most;  // [1] excess that is taken for sampling at the start
} Job;

static void begin_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fluid* fluid = ((const Job*)context)->fluid;
    float most = ((const Job*)context)->most;
    for (size_t i = begin; i < end; i++)
        fluid->packed[i] = fminf(fmaxf(fluid->density[i] - 1, 0), most);
}

static void apply_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fluid* fluid = ((const Job*)context)->fluid;
    for (size_t i = begin; i < end; i++) {
        float packed = fminf(fluid->packed[i], fmaxf(fluid->density[i] - 1, 0));
        fluid->packed[i] = packed;
        fluid->density[i] -= packed;
    }
}

// The most that sums lack where their gradient is `gradient`.
static inline float explained(const Job* job, float gradient)
{
    float g = job->h * gradient;
    return SURFACE * g * sqrtf(g);
}

static void surface_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Fluid* fluid = job->fluid;
    const float* gradient = fluid->iterate;
    for (size_t i = begin; i < end; i++) {
        float s = fluid->density[i], most = explained(job, gradient[i]);
        float packed = fminf(fmaxf(fluid->packed[i], -most), fmaxf(s - 1, 0)), lack = -fminf(fmaxf(1 - s, 0), most);
        if (packed > lack && packed <= 0)
            packed += job->share * (lack - packed);
        fluid->packed[i] = packed;
        fluid->density[i] = s - packed;
    }
}

static void run(Sph* sph, WorkFn* work, Job job)
{
    job.fluid = &sph->fluid;
    job.h = sph->kernel.h;
    parallel_for(sph->pool, sph->fluid.set.count, PARTICLE_GRAIN, work, &job);
}

float* packing_gradient(Sph* sph)
{
    return sph_is_smooth(sph) ? sph->fluid.iterate : NULL;
}

void packing_begin(Sph* sph, float most)
{
    run(sph, begin_block, (Job){.most = most});
    run(sph, sph_is_smooth(sph) ? surface_block : apply_block, (Job){.share = 1});
}

void packing_apply(Sph* sph, double dt)
{
    run(sph, sph_is_smooth(sph) ? surface_block : apply_block, (Job){.share = (float)fmin(1, FORGETTING * dt / sph->relax_time)});
}
