// SPDX-License-Identifier: MIT
#include "foam/potentials.h"

#include <string.h>

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
    F8 x, y, z, weight, trapped, count;
} Sums;

// `v` are the velocities of the points, or NULL if none of them is fast enough.
static void add_pair(Sums* s, const FoamGroup* group, uint32_t j, const F8 v[3])
{
    FoamNear p = foam_near(group, j);
    F8 one = f8_set(1), r = f8_sqrt(f8_pick(p.near, p.r2, one));
    F8 inverse = f8_div(one, r), w = f8_and(f8_nmad(r, f8_set(1 / group->h), one), p.near);
    F8 c = f8_mul(w, inverse);
    s->count = f8_add(s->count, f8_and(one, p.near));
    s->x = f8_mad(c, p.dx, s->x);
    s->y = f8_mad(c, p.dy, s->y);
    s->z = f8_mad(c, p.dz, s->z);
    s->weight = f8_add(s->weight, w);
    if (!v)
        return;
    Vec4 other = group->fluid->velocity[j];
    F8 vx = f8_sub(v[0], f8_set(other.x)), vy = f8_sub(v[1], f8_set(other.y)), vz = f8_sub(v[2], f8_set(other.z));
    F8 speed = f8_sqrt(f8_mad(vz, vz, f8_mad(vy, vy, f8_mul(vx, vx))));
    F8 along = f8_mul(f8_mad(vz, p.dz, f8_mad(vy, p.dy, f8_mul(vx, p.dx))), inverse);
    s->trapped = f8_mad(f8_sub(speed, along), w, s->trapped);
}

static void first_sums(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const FoamFluid* fluid = job->fluid;
    FoamGroup group;
    foam_group_init(&group, fluid, job->h);
    for (size_t i = begin, count; i < end; i += count) {
        count = (size_t)foam_group_begin(&group, fluid->position + i, end - i);
        Sums s = {f8_zero(), f8_zero(), f8_zero(), f8_zero(), f8_zero(), f8_zero()};
        F8 v[3], unused;
        f8_load4(fluid->velocity + i, &v[0], &v[1], &v[2], &unused); // lanes beyond the group are not used
        bool moves = false;
        for (size_t k = i; k < i + count; k++)
            moves |= dot(fluid->velocity[k], fluid->velocity[k]) >= job->least_speed2;
        while (foam_group_next(&group))
            for (int k = 0; k < group.near_count; k++)
                add_pair(&s, &group, group.near[k], moves ? v : NULL);
        F8 length = f8_sqrt(f8_mad(s.z, s.z, f8_mad(s.y, s.y, f8_mul(s.x, s.x))));
        F8 at_surface = f8_less(f8_mul(f8_set(SURFACE_SHARE), s.weight), length);
        F8 factor = f8_and(f8_div(f8_set(1), length), at_surface);
        Vec4 normal[LANES];
        float trapped[LANES];
        f8_store4(normal, f8_mul(s.x, factor), f8_mul(s.y, factor), f8_mul(s.z, factor), s.count);
        f8_store(trapped, s.trapped);
        memcpy(job->out.normal + i, normal, count * sizeof *normal);
        for (size_t k = 0; k < count; k++) {
            Vec4 own = fluid->velocity[i + k];
            job->out.trapped_air[i + k] = dot(own, own) >= job->least_speed2 ? trapped[k] : 0;
        }
    }
}

// --- wave crests

static bool may_crest(const Job* job, size_t i)
{
    Vec4 v = job->fluid->velocity[i], n = job->out.normal[i];
    float speed2 = dot(v, v);
    return speed2 >= job->least_speed2 && dot(n, n) > 0 && dot(v, n) >= CREST_COSINE * sqrtf(speed2);
}

static F8 crest_of_pair(const Job* job, const FoamGroup* group, const F8 n[3], uint32_t j)
{
    FoamNear p = foam_near(group, j);
    Vec4 other = job->out.normal[j];
    if (!(dot(other, other) > 0.5f))
        return f8_zero();
    // neighbours below the tangent plane: x_ji . n < 0, so x_ij . n > 0
    F8 height = f8_mad(p.dz, n[2], f8_mad(p.dy, n[1], f8_mul(p.dx, n[0])));
    F8 near = f8_and(p.near, f8_less(f8_zero(), height));
    F8 cosine = f8_mad(n[2], f8_set(other.z), f8_mad(n[1], f8_set(other.y), f8_mul(n[0], f8_set(other.x))));
    F8 w = f8_nmad(f8_sqrt(f8_and(p.r2, near)), f8_set(1 / group->h), f8_set(1));
    return f8_and(f8_mul(f8_sub(f8_set(1), cosine), w), near);
}

static void crests(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    FoamGroup group;
    foam_group_init(&group, job->fluid, job->h);
    for (size_t i = begin; i < end; i++) {
        job->out.wave_crest[i] = 0;
        if (!may_crest(job, i))
            continue;
        Vec4 own = job->out.normal[i];
        const F8 n[3] = {f8_set(own.x), f8_set(own.y), f8_set(own.z)};
        F8 sum = f8_zero();
        float lane[LANES];
        foam_group_begin(&group, job->fluid->position + i, 1);
        while (foam_group_next(&group))
            for (int k = 0; k < group.near_count; k++)
                sum = f8_add(sum, crest_of_pair(job, &group, n, group.near[k]));
        f8_store(lane, sum);
        job->out.wave_crest[i] = lane[0];
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
