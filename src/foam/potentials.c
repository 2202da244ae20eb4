// SPDX-License-Identifier: MIT
#include "foam/potentials.h"

enum { GRAIN = 512 };

static const float SURFACE_SHARE = 0.25f; // of the sum of weights, see potentials.h
static const float CREST_COSINE = 0.6f;   // of velocity and normal

typedef struct Job {
    const FoamFluid* fluid;
    FoamPotentials out;
    float h, least_speed2;
} Job;

static float dot(Vec4 a, Vec4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// --- normals, neighbours and trapped air

typedef struct Sums {
    F8 x, y, z, weight, trapped;
    int count;
} Sums;

static void add_pairs(Sums* s, const Job* job, Vec4 x, Vec4 v, bool moves, uint32_t first, uint32_t end)
{
    FoamPairs p = foam_pairs(job->fluid, x, job->h * job->h, first, end);
    if (!p.bits)
        return;
    s->count += __builtin_popcount(p.bits);
    F8 r = f8_sqrt(f8_pick(p.near, p.r2, f8_set(1)));
    F8 inverse = f8_div(f8_set(1), r), w = f8_and(f8_sub(f8_set(1), f8_div(r, f8_set(job->h))), p.near);
    F8 c = f8_mul(w, inverse);
    s->x = f8_mad(c, p.dx, s->x);
    s->y = f8_mad(c, p.dy, s->y);
    s->z = f8_mad(c, p.dz, s->z);
    s->weight = f8_add(s->weight, w);
    if (!moves)
        return;
    F8 vx, vy, vz, unused;
    f8_load4(job->fluid->velocity + first, &vx, &vy, &vz, &unused);
    vx = f8_sub(f8_set(v.x), vx);
    vy = f8_sub(f8_set(v.y), vy);
    vz = f8_sub(f8_set(v.z), vz);
    F8 speed = f8_sqrt(f8_mad(vz, vz, f8_mad(vy, vy, f8_mul(vx, vx))));
    F8 along = f8_mul(f8_mad(vz, p.dz, f8_mad(vy, p.dy, f8_mul(vx, p.dx))), inverse);
    s->trapped = f8_add(s->trapped, f8_and(f8_mul(f8_sub(speed, along), w), p.near)); // what stands beyond the end may be nan
}

static void first_sums(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    FoamAround around = {.known = false};
    for (size_t i = begin; i < end; i++) {
        Vec4 x = job->fluid->position[i], v = job->fluid->velocity[i];
        Sums s = {f8_zero(), f8_zero(), f8_zero(), f8_zero(), f8_zero(), 0};
        bool moves = dot(v, v) >= job->least_speed2;
        foam_runs(&around, job->fluid, x);
        for (int r = 0; r < around.runs; r++)
            for (uint32_t k = around.begin[r]; k < around.end[r]; k += LANES)
                add_pairs(&s, job, x, v, moves, k, around.end[r]);
        Vec4 n = {f8_sum(s.x), f8_sum(s.y), f8_sum(s.z), (float)s.count};
        float length = sqrtf(dot(n, n)), factor = length > SURFACE_SHARE * f8_sum(s.weight) ? 1 / length : 0;
        job->out.normal[i] = (Vec4){n.x * factor, n.y * factor, n.z * factor, n.w};
        job->out.trapped_air[i] = f8_sum(s.trapped);
    }
}

// --- wave crests

static F8 crest_pairs(const Job* job, Vec4 x, Vec4 n, uint32_t first, uint32_t end)
{
    FoamPairs p = foam_pairs(job->fluid, x, job->h * job->h, first, end);
    // neighbours below the tangent plane: x_ji . n < 0, so x_ij . n > 0
    F8 height = f8_mad(p.dz, f8_set(n.z), f8_mad(p.dy, f8_set(n.y), f8_mul(p.dx, f8_set(n.x))));
    F8 near = f8_and(p.near, f8_less(f8_zero(), height));
    if (!f8_mask(near))
        return f8_zero();
    F8 nx, ny, nz, unused;
    f8_load4(job->out.normal + first, &nx, &ny, &nz, &unused);
    F8 length2 = f8_mad(nz, nz, f8_mad(ny, ny, f8_mul(nx, nx)));
    F8 cosine = f8_mad(nz, f8_set(n.z), f8_mad(ny, f8_set(n.y), f8_mul(nx, f8_set(n.x))));
    near = f8_and(near, f8_less(f8_set(0.5f), length2));
    F8 w = f8_sub(f8_set(1), f8_div(f8_sqrt(f8_pick(near, p.r2, f8_zero())), f8_set(job->h)));
    return f8_and(f8_mul(f8_sub(f8_set(1), cosine), w), near);
}

static void crests(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    FoamAround around = {.known = false};
    for (size_t i = begin; i < end; i++) {
        Vec4 x = job->fluid->position[i], v = job->fluid->velocity[i], n = job->out.normal[i];
        float speed2 = dot(v, v);
        job->out.wave_crest[i] = 0;
        if (!(speed2 >= job->least_speed2) || !(dot(n, n) > 0) || dot(v, n) < CREST_COSINE * sqrtf(speed2))
            continue;
        F8 sum = f8_zero();
        foam_runs(&around, job->fluid, x);
        for (int r = 0; r < around.runs; r++)
            for (uint32_t k = around.begin[r]; k < around.end[r]; k += LANES)
                sum = f8_add(sum, crest_pairs(job, x, n, k, around.end[r]));
        job->out.wave_crest[i] = f8_sum(sum);
    }
}

void foam_potentials(const FoamFluid* fluid, float h, float least_speed, Pool* pool, const FoamPotentials* out)
{
    Job job = {fluid, *out, h, least_speed * least_speed};
    parallel_for(pool, fluid->count, GRAIN, first_sums, &job);
    for (size_t k = fluid->count; k < fluid->count + LANES; k++)
        out->normal[k] = (Vec4){0, 0, 0, 0};
    parallel_for(pool, fluid->count, GRAIN, crests, &job);
}
