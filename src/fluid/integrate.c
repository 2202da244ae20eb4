// SPDX-License-Identifier: MIT
#include "fluid/integrate.h"

#include "base/reduce.h"

typedef struct Job {
    Sph* sph;
    float dt;
    Vec3 gravity;
    Vec4* before;
} Job;

// The largest |a + g|^2.
static void kick_block(void* context, size_t begin, size_t end, double out[])
{
    const Job* job = context;
    Fluid* fluid = &job->sph->fluid;
    float most = 0, dt = job->dt;
    for (size_t i = begin; i < end; i++) {
        Vec4 a = fluid->acceleration[i], *v = &fluid->velocity[i];
        a.x += job->gravity.x;
        a.y += job->gravity.y;
        a.z += job->gravity.z;
        float a2 = a.x * a.x + a.y * a.y + a.z * a.z;
        most = a2 > most ? a2 : most;
        v->x += dt * a.x;
        v->y += dt * a.y;
        v->z += dt * a.z;
    }
    out[0] = (double)most;
}

double fluid_kick(Sph* sph, float dt, Vec3d gravity)
{
    Job job = {.sph = sph, .dt = dt, .gravity = {(float)gravity.x, (float)gravity.y, (float)gravity.z}};
    return sqrt(reduce_max(sph->pool, sph->fluid.set.count, PARTICLE_GRAIN, kick_block, &job));
}

// The largest |v|^2 (infinity if one is not finite) and both sums.
static void pressure_block(void* context, size_t begin, size_t end, double out[])
{
    const Job* job = context;
    Fluid* fluid = &job->sph->fluid;
    float most = 0, dt = job->dt;
    double before = 0, after = 0;
    bool finite = true;
    for (size_t i = begin; i < end; i++) {
        Vec4 a = fluid->acceleration[i], *v = &fluid->velocity[i];
        float rho = job->sph->material[(int)v->w].density;
        before += (double)(rho * (v->x * v->x + v->y * v->y + v->z * v->z));
        v->x += dt * a.x;
        v->y += dt * a.y;
        v->z += dt * a.z;
        float v2 = v->x * v->x + v->y * v->y + v->z * v->z;
        finite &= v2 < 1e30f; // false for NaN too
        most = v2 > most ? v2 : most;
        after += (double)(rho * v2);
    }
    out[0] = finite ? (double)most : (double)INFINITY;
    out[1] = before;
    out[2] = after;
}

Gain fluid_apply_pressure(Sph* sph, float dt)
{
    Job job = {.sph = sph, .dt = dt};
    const ReduceOp op[] = {REDUCE_MAX, REDUCE_SUM, REDUCE_SUM};
    double out[3];
    reduce(sph->pool, sph->fluid.set.count, PARTICLE_GRAIN, pressure_block, &job, 3, op, out);
    return (Gain){sqrt(out[0]), out[1], out[2]};
}

static void move_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Fluid* fluid = &job->sph->fluid;
    float dt = job->dt;
    for (size_t i = begin; i < end; i++) {
        Vec4 v = fluid->velocity[i], *x = &fluid->position[i];
        job->before[i] = *x;
        x->x += dt * v.x;
        x->y += dt * v.y;
        x->z += dt * v.z;
    }
}

void fluid_move(Sph* sph, float dt, Vec4* before)
{
    Job job = {.sph = sph, .dt = dt, .before = before};
    parallel_for(sph->pool, sph->fluid.set.count, PARTICLE_GRAIN, move_block, &job);
}

static void speed_block(void* context, size_t begin, size_t end, double out[])
{
    const Sph* sph = context;
    float most = 0;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        Vec4 v = sph->fluid.velocity[i];
        float v2 = v.x * v.x + v.y * v.y + v.z * v.z;
        most = v2 > most ? v2 : most;
        double p = (double)(sph->fluid.position[i].w / sph->material[(int)v.w].density);
        sum += p * p;
    }
    out[0] = (double)most;
    out[1] = sqrt(sum / (double)(end - begin));
}

void fluid_speeds(Sph* sph, double* speed, double* pressure)
{
    double out[2];
    reduce(sph->pool, sph->fluid.set.count, PARTICLE_GRAIN, speed_block, sph, 2, (const ReduceOp[]){REDUCE_MAX, REDUCE_MAX}, out);
    *speed = sqrt(out[0]);
    *pressure = out[1];
}

static void error_block(void* context, size_t begin, size_t end, double out[])
{
    const Sph* sph = context;
    for (size_t i = begin; i < end; i++) {
        double error = (double)sph->fluid.density[i] - 1;
        if (error > 0) {
            out[0] += error;
            out[1] = error > out[1] ? error : out[1];
        }
    }
}

void fluid_density_errors(Sph* sph, double* mean, double* most)
{
    double out[2];
    size_t count = sph->fluid.set.count;
    reduce(sph->pool, count, PARTICLE_GRAIN, error_block, sph, 2, (const ReduceOp[]){REDUCE_SUM, REDUCE_MAX}, out);
    *mean = count ? out[0] / (double)count : 0;
    *most = out[1];
}
