// SPDX-License-Identifier: MIT
// Loops over neighbour lists, eight particles at a time. Boundary terms need no lists here: the search left their kernel
// sums with the chunk (NearBoundary), which is all that a fixed or driven wall contributes.
#include "fluid/operators.h"

#include "fluid/mirror.h"
#include "fluid/origin.h"
#include "fluid/responder.h"

typedef struct Job {
    Sph* sph;
    const Vec4* u;
    bool moving_walls;
    bool of_pressure; // u is what acceleration_block left
    const ProductHooks* hooks;
    float dt;
    float* out;
    float inverse_density[FLUIDS_MOST]; // [m3/kg] 1 / rho0
    float density[FLUIDS_MOST];
} Job;

static Job job_create(Sph* sph)
{
    Job job = {.sph = sph};
    for (int k = 0; k < FLUIDS_MOST; k++) {
        job.density[k] = k < sph->material_count ? sph->material[k].density : 1;
        job.inverse_density[k] = 1 / job.density[k];
    }
    return job;
}

static inline F8 inverse_density(const Job* job, size_t chunk)
{
    if (job->sph->material_count == 1)
        return f8_set(job->inverse_density[0]);
    F8 unused, kind;
    f8_load4(job->sph->fluid.velocity + LANES * chunk, &unused, &unused, &unused, &kind);
    return sph_lookup(job->inverse_density, kind);
}

static void for_chunks(Job* job, WorkFn* work)
{
    parallel_for(job->sph->pool, block_count(job->sph->fluid.set.count, LANES), CHUNK_GRAIN, work, job);
}

// --- the pressure operator

// What P = 1 everywhere does: 2 V0 sum_j grad W_ij + sum_b V_b grad W_ib, from sums c x_ij.
static void leave_constant(const Sph* sph, size_t c, const F8 x[3], F8 sum[3], Vec4* out)
{
    const ChunkList* list = &sph->neighbours.chunk[c];
    if (mirror_any(sph))
        mirror_gradient(sph, list, x, sum);
    for (int d = 0; d < 3; d++) {
        sum[d] = f8_mul(sum[d], f8_set(2 * sph->volume * sph->kernel.gradient));
        if (list->near)
            sum[d] = f8_add(sum[d], f8_load(list->near->gradient[d]));
    }
    f8_store4(out + LANES * c, sum[0], sum[1], sum[2], f8_zero());
}

// A divergence sums c_ij (a_i - a_j) . x_ij, written as
//   a_i . sum_j c_ij x_ij  -  (x_i - o) . sum_j c_ij a_j  +  sum_j c_ij a_j . (x_j - o)
// (origin.h): the acceleration pass has the first sum at hand and leaves a_j . (x_j - o_j) beside a_j.

static void acceleration_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Sph* sph = job->sph;
    // outputs
    Vec4* a = sph->fluid.acceleration;         // w: a . (x - o)
    float* divergence = sph->fluid.divergence; // the part of it that is a_i . sum_j c_ij x_ij
    // inputs
    const Vec4* x = sph->fluid.position;
    const F8 scale = f8_set(sph->volume * sph->kernel.gradient);

    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        F8 xi, yi, zi, pi;
        f8_load4(x + LANES * c, &xi, &yi, &zi, &pi);
        F8 ax = f8_zero(), ay = f8_zero(), az = f8_zero(), gx = f8_zero(), gy = f8_zero(), gz = f8_zero();
        const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
        for (uint32_t s = 0; s < list->slots; s++) {
            list_prefetch(list->twice, s);
            F8 xj, yj, zj, pj;
            f8_gather4_twice(x, list->twice + LANES * s, &xj, &yj, &zj, &pj);
            F8 co = f8_load_half(coefficient + LANES * s), f = f8_mul(co, f8_add(pi, pj));
            F8 dx = f8_sub(xi, xj), dy = f8_sub(yi, yj), dz = f8_sub(zi, zj);
            if (sph->grid.period.any)
                period_nearest(&sph->grid.period, &dx, &dy, &dz);
            ax = f8_mad(f, dx, ax);
            ay = f8_mad(f, dy, ay);
            az = f8_mad(f, dz, az);
            gx = f8_mad(co, dx, gx);
            gy = f8_mad(co, dy, gy);
            gz = f8_mad(co, dz, gz);
        }
        if (job->hooks && job->hooks->constant)
            leave_constant(sph, c, (const F8[3]){xi, yi, zi}, (F8[3]){gx, gy, gz}, job->hooks->constant);
        if (mirror_any(sph)) {
            F8 sum[3] = {ax, ay, az};
            mirror_acceleration(sph, list, (const F8[3]){xi, yi, zi}, pi, sum);
            ax = sum[0];
            ay = sum[1];
            az = sum[2];
        }
        ax = f8_mul(ax, scale);
        ay = f8_mul(ay, scale);
        az = f8_mul(az, scale);
        if (list->near) {
            ax = f8_mad(pi, f8_load(list->near->gradient[0]), ax);
            ay = f8_mad(pi, f8_load(list->near->gradient[1]), ay);
            az = f8_mad(pi, f8_load(list->near->gradient[2]), az);
        }
        F8 m = f8_sub(f8_zero(), inverse_density(job, c));
        ax = f8_mul(ax, m);
        ay = f8_mul(ay, m);
        az = f8_mul(az, m);
        F8 w = f8_mul(az, from_origin(sph, zi));
        w = f8_mad(ay, from_origin(sph, yi), w);
        w = f8_mad(ax, from_origin(sph, xi), w);
        f8_store4(a + LANES * c, ax, ay, az, w);
        f8_store(divergence + LANES * c, f8_mad(az, gz, f8_mad(ay, gy, f8_mul(ax, gx))));
    }
}

void pressure_acceleration(Sph* sph)
{
    Job job = job_create(sph);
    for_chunks(&job, acceleration_block);
}

// sum_j c_ij (u_i - u_j) . x_ij, in full
static F8 pair_divergence(const Sph* sph, const ChunkList* list, const Vec4* u, F8 xi, F8 yi, F8 zi, F8 ui, F8 vi, F8 wi)
{
    const Vec4* x = sph->fluid.position;
    F8 sum = f8_zero();
    const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
    for (uint32_t s = 0; s < list->slots; s++) {
        list_prefetch(list->twice, s);
        F8 xj, yj, zj, uj, vj, wj, unused;
        f8_gather4_twice(x, list->twice + LANES * s, &xj, &yj, &zj, &unused);
        f8_gather4_twice(u, list->twice + LANES * s, &uj, &vj, &wj, &unused);
        F8 dx = f8_sub(xi, xj), dy = f8_sub(yi, yj), dz = f8_sub(zi, zj);
        if (sph->grid.period.any)
            period_nearest(&sph->grid.period, &dx, &dy, &dz);
        F8 dot = f8_mul(dx, f8_sub(ui, uj));
        dot = f8_mad(dy, f8_sub(vi, vj), dot);
        dot = f8_mad(dz, f8_sub(wi, wj), dot);
        sum = f8_mad(f8_load_half(coefficient + LANES * s), dot, sum);
    }
    return sum;
}

// sum_j c_ij a_j . (x_j - x_i), with all origins o the same
static F8 origin_divergence(const Sph* sph, const ChunkList* list, const Vec4* a, F8 xi, F8 yi, F8 zi)
{
    R8 sums = r8_zero();
    const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
    for (uint32_t s = 0; s < list->slots; s++) {
        list_prefetch(list->twice, s);
        r8_mad_twice(&sums, f8_load_half(coefficient + LANES * s), a, list->twice + LANES * s);
    }
    F8 sx, sy, sz, sum;
    r8_columns(&sums, &sx, &sy, &sz, &sum);
    sum = f8_nmad(from_origin(sph, xi), sx, sum);
    sum = f8_nmad(from_origin(sph, yi), sy, sum);
    return f8_nmad(from_origin(sph, zi), sz, sum);
}

static void divergence_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Sph* sph = job->sph;
    // outputs
    float* divergence = sph->fluid.divergence;
    // inputs
    const Vec4 *x = sph->fluid.position, *u = job->u;
    const F8 scale = f8_set(sph->volume * sph->kernel.gradient);

    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        F8 xi, yi, zi, ui, vi, wi, unused;
        f8_load4(x + LANES * c, &xi, &yi, &zi, &unused);
        f8_load4(u + LANES * c, &ui, &vi, &wi, &unused);
        bool one_origin =
            job->of_pressure && !sph->grid.period.any && share_origin(sph, xi) && share_origin(sph, yi) && share_origin(sph, zi);
        F8 sum = one_origin ? f8_add(origin_divergence(sph, list, u, xi, yi, zi), f8_load(divergence + LANES * c))
                            : pair_divergence(sph, list, u, xi, yi, zi, ui, vi, wi);
        if (mirror_any(sph))
            sum = f8_add(sum, mirror_divergence(sph, list, u, (const F8[3]){xi, yi, zi}, (const F8[3]){ui, vi, wi}));
        sum = f8_mul(sum, scale);
        if (list->near) {
            const NearBoundary* near = list->near;
            sum = f8_mad(ui, f8_load(near->gradient[0]), sum);
            sum = f8_mad(vi, f8_load(near->gradient[1]), sum);
            sum = f8_mad(wi, f8_load(near->gradient[2]), sum);
            if (job->moving_walls)
                sum = f8_sub(sum, f8_load(near->source));
        }
        f8_store(divergence + LANES * c, sum);
    }
}

// Through with a block's divergence: whoever wants it goes on with its particles.
static void divergence_and_after(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    size_t count = job->sph->fluid.set.count, last = LANES * end;
    divergence_block(context, begin, end, block, worker);
    if (job->hooks->after)
        job->hooks->after(job->hooks->context, LANES * begin, last < count ? last : count, block, worker);
}

static void before_acceleration(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    size_t count = job->sph->fluid.set.count, last = LANES * end;
    job->hooks->before(job->hooks->context, LANES * begin, last < count ? last : count, block, worker);
}

void pressure_product(Sph* sph, const ProductHooks* hooks)
{
    Job job = job_create(sph);
    job.u = sph->fluid.acceleration;
    job.of_pressure = true;
    job.hooks = hooks;
    SweepWork work = {hooks->before ? before_acceleration : NULL, acceleration_block,
                      hooks->only_acceleration ? NULL : divergence_and_after, &job};
    sweep_run(&sph->neighbours.sweep, sph->pool, &work);
}

void vector_divergence(Sph* sph, const Vec4* u, bool moving_walls)
{
    Job job = job_create(sph);
    job.u = u;
    job.moving_walls = moving_walls;
    for_chunks(&job, divergence_block);
    if (moving_walls)
        responders_gained(sph);
}

// sum over a list of (V_j) W, at positions moved by `dt` along `velocity` if given
static F8 kernel_sum(const Sph* sph, const uint32_t* index, uint32_t slots, F8 xi, F8 yi, F8 zi, const Vec4* other, bool walls,
                     const Vec4* velocity, F8 dt)
{
    const F8 inverse_h = f8_set(1 / sph->kernel.h);
    const uint16_t* coefficient = list_coefficients(index, slots);
    F8 sum = f8_zero();
    for (uint32_t s = 0; s < slots; s++) {
        list_prefetch(index, s);
        F8 x, y, z, v;
        if (walls)
            f8_gather4(other, index + LANES * s, &x, &y, &z, &v);
        else
            f8_gather4_twice(other, index + LANES * s, &x, &y, &z, &v);
        if (velocity) {
            F8 vx, vy, vz, unused;
            f8_gather4(velocity, index + LANES * s, &vx, &vy, &vz, &unused);
            x = f8_mad(vx, dt, x);
            y = f8_mad(vy, dt, y);
            z = f8_mad(vz, dt, z);
        }
        F8 dx = f8_sub(xi, x), dy = f8_sub(yi, y), dz = f8_sub(zi, z);
        if (!walls && sph->grid.period.any)
            period_nearest(&sph->grid.period, &dx, &dy, &dz);
        F8 q = f8_mul(f8_sqrt(f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)))), inverse_h);
        F8 w = f8_and(kernel8_w(sph->kernel.type, q), f8_not_zero(f8_load_half(coefficient + LANES * s))); // padding has c = 0
        if (walls && mirror_any(sph))
            v = f8_mul(v, mirror_counts(sph, index + LANES * s));
        sum = walls ? f8_mad(w, v, sum) : f8_add(sum, w);
    }
    return sum;
}

static void predicted_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Sph* sph = job->sph;
    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        F8 x, y, z, unused;
        f8_load4(job->u + LANES * c, &x, &y, &z, &unused);
        F8 w = f8_add(kernel8_w(sph->kernel.type, f8_zero()),
                      kernel_sum(sph, list->twice, list->slots, x, y, z, job->u, false, NULL, f8_zero()));
        if (mirror_any(sph))
            w = f8_add(w, mirror_density(sph, list, job->u, (const F8[3]){x, y, z}));
        w = f8_mul(w, f8_set(sph->volume));
        if (list->near)
            w = f8_add(w, kernel_sum(sph, list->near->index, list->near->slots, x, y, z, sph->walls.points.position, true,
                                     sph->walls.points.velocity, f8_set(job->dt)));
        f8_store(job->out + LANES * c, f8_sub(f8_mul(w, f8_set(sph->kernel.norm)), f8_load(sph->fluid.packed + LANES * c)));
    }
}

void predicted_density(Sph* sph, const Vec4* predicted, float dt, float* out_density)
{
    Job job = job_create(sph);
    job.u = predicted;
    job.dt = dt;
    job.out = out_density;
    for_chunks(&job, predicted_block);
}

static void diagonal_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Sph* sph = job->sph;
    const Vec4 *x = sph->fluid.position, *v = sph->fluid.velocity;
    const F8 scale = f8_set(sph->volume * sph->kernel.gradient);
    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        F8 xi, yi, zi, unused, kind, u0, u1, u2;
        f8_load4(x + LANES * c, &xi, &yi, &zi, &unused);
        f8_load4(v + LANES * c, &u0, &u1, &u2, &kind);
        F8 own = sph_lookup(job->density, kind), gx = f8_zero(), gy = f8_zero(), gz = f8_zero(), square = f8_zero();
        const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
        for (uint32_t s = 0; s < list->slots; s++) {
            list_prefetch(list->twice, s);
            F8 xj, yj, zj, kj;
            f8_gather4_twice(x, list->twice + LANES * s, &xj, &yj, &zj, &unused);
            f8_gather4_twice(v, list->twice + LANES * s, &u0, &u1, &u2, &kj);
            F8 co = f8_load_half(coefficient + LANES * s);
            F8 dx = f8_sub(xi, xj), dy = f8_sub(yi, yj), dz = f8_sub(zi, zj);
            if (sph->grid.period.any)
                period_nearest(&sph->grid.period, &dx, &dy, &dz);
            dx = f8_mul(co, dx);
            dy = f8_mul(co, dy);
            dz = f8_mul(co, dz);
            gx = f8_add(gx, dx);
            gy = f8_add(gy, dy);
            gz = f8_add(gz, dz);
            F8 ratio = f8_mul(own, sph_lookup(job->inverse_density, kj));
            square = f8_mad(ratio, f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx))), square);
        }
        gx = f8_mul(gx, scale);
        gy = f8_mul(gy, scale);
        gz = f8_mul(gz, scale);
        if (list->near) {
            gx = f8_add(gx, f8_load(list->near->gradient[0]));
            gy = f8_add(gy, f8_load(list->near->gradient[1]));
            gz = f8_add(gz, f8_load(list->near->gradient[2]));
        }
        F8 all = f8_mad(gz, gz, f8_mad(gy, gy, f8_mul(gx, gx)));
        f8_store(sph->fluid.diagonal + LANES * c, f8_mad(f8_mul(scale, scale), square, all));
    }
}

void weighted_diagonal(Sph* sph)
{
    Job job = job_create(sph);
    for_chunks(&job, diagonal_block);
}
