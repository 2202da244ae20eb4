// SPDX-License-Identifier: MIT
// The central form of laplace viscosity (viscosity.c), with the velocities u at the end of the step (as Weiler et al. 2018):
//   u = v* + dt A u,   (A u)_i = 2 (d + 2) / rho_i [ sum_j V_j mu_ij (u_ij . x_ij) / r^2 grad W_ij + walls ]
// v* has got all forces but pressure. Pairs act along their line, so M (1 - dt A) is symmetric and positive: conjugate gradients in
// the product that masses make, preconditioned by the 3 x 3 blocks of the particles. Walls move as they do; their friction is
// part of the matrix, so that a thin layer on a wall stops without limiting the step.
// In the end v = v* + dt A u is computed from u once more: pair by pair what one particle gets the other loses, and momentum is
// kept to rounding whatever the solve has left. The rest r = v - u is below 1 % of what viscosity changes.
#include "fluid/viscosity/implicit.h"

#include "base/reduce.h"
#include "fluid/viscosity/viscosity.h"
#include <string.h>

enum { MOST_ITERATIONS = 200 };
static const float PAIR_EPSILON = 1e-4f; // [h^2] 0.01, as for laplace, takes 4 % (h = 2 spacings) to 8 % (3) of the viscosity away
static const double TOLERANCE = 0.01;    // [1] of the change by viscosity, root mean square
static const double NEGLIGIBLE = 1e-6;   // [1] of the velocities
enum { BLOCKS = 2, VECTORS = 4 + BLOCKS }; // see Sph.viscous

typedef struct Job {
    Sph* sph;
    Vec4 *u, *r, *p, *q, *block[BLOCKS];
    const Vec4* in; // of a product
    bool walls_move;
    float dt, alpha, beta;
    float mu[FLUIDS_MOST];      // [Pa s] times 2 (d + 2); 0: not implicit
    float wall[FLUIDS_MOST];    // [m2/s] see WallFriction
    float density[FLUIDS_MOST]; // [kg/m3]
} Job;

bool implicit_is_used(const Sph* sph)
{
    for (int k = 0; k < sph->material_count; k++)
        if (sph->material[k].viscosity_method == MN_VISCOSITY_IMPLICIT && sph->material[k].viscosity > 0)
            return sph->responder_count == 0;
    return false;
}

// Records per vector.
static size_t room_of(const Sph* sph)
{
    return (sph->fluid.set.capacity + 31) / 16 * 16;
}

bool implicit_reserve(Sph* sph)
{
    return !implicit_is_used(sph) ||
           memory_reserve(sph->memory, &sph->viscous, &sph->viscous_capacity, 0, VECTORS * room_of(sph), sizeof *sph->viscous);
}

const Vec4* implicit_velocity(const Sph* sph)
{
    return implicit_is_used(sph) ? sph->viscous : sph->fluid.before;
}

static Job job_create(Sph* sph, float dt)
{
    size_t room = room_of(sph);
    Vec4* v = sph->viscous;
    Job job = {.sph = sph, .u = v, .r = v + room, .p = v + 2 * room, .q = v + 3 * room, .dt = dt};
    for (int k = 0; k < BLOCKS; k++)
        job.block[k] = v + (size_t)(4 + k) * room;
    for (int k = 0; k < FLUIDS_MOST; k++)
        job.density[k] = 1;
    for (int k = 0; k < sph->material_count; k++) {
        const FluidMaterial* m = &sph->material[k];
        job.density[k] = m->density;
        if (m->viscosity_method != MN_VISCOSITY_IMPLICIT)
            continue;
        job.mu[k] = 2 * ((float)sph->kernel.dimension + 2) * m->viscosity;
        job.wall[k] = viscosity_at_wall(sph, k).all;
    }
    return job;
}

// --- the matrix

// [m2/s] mu_ij / rho_i times 2 (d + 2)
static inline F8 pair_viscosity(const Job* job, F8 mu_i, F8 rho_i, F8 kind_j)
{
    if (job->sph->material_count == 1)
        return f8_div(mu_i, rho_i);
    F8 mu_j = sph_lookup(job->mu, kind_j);
    F8 mean = f8_div(f8_mul(f8_mul(f8_set(2), mu_i), mu_j), f8_add(f8_add(mu_i, mu_j), f8_set(1e-30f)));
    return f8_div(mean, rho_i);
}

// What pairs of eight particles need of these.
typedef struct Own {
    F8 x, y, z, kind, mu, rho, wall;
} Own;

static Own own_load(const Job* job, size_t chunk)
{
    Own i;
    F8 unused;
    f8_load4(job->sph->fluid.position + LANES * chunk, &i.x, &i.y, &i.z, &unused);
    f8_load4(job->sph->fluid.velocity + LANES * chunk, &unused, &unused, &unused, &i.kind);
    i.mu = sph_lookup(job->mu, i.kind);
    i.rho = sph_lookup(job->density, i.kind);
    i.wall = sph_lookup(job->wall, i.kind);
    return i;
}

// Adds f x_ij for pairs with particles, f = nu c (u_ij . x_ij) / r^2
static void add_particles(const Job* job, const ChunkList* list, const Own* i, const F8 u[3], F8 sum[3])
{
    const Sph* sph = job->sph;
    const F8 epsilon = f8_set(PAIR_EPSILON * sph->kernel.h * sph->kernel.h);
    const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
    for (uint32_t s = 0; s < list->slots; s++) {
        const uint32_t* twice = list->twice + LANES * s;
        F8 xj, yj, zj, uj, vj, wj, kj, unused;
        list_prefetch(list->twice, s);
        f8_gather4_twice(sph->fluid.position, twice, &xj, &yj, &zj, &unused);
        f8_gather4_twice(job->in, twice, &uj, &vj, &wj, &kj);
        F8 dx = f8_sub(i->x, xj), dy = f8_sub(i->y, yj), dz = f8_sub(i->z, zj);
        if (sph->grid.period.any)
            period_nearest(&sph->grid.period, &dx, &dy, &dz);
        F8 r2 = f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)));
        F8 dot = f8_mad(f8_sub(u[2], wj), dz, f8_mad(f8_sub(u[1], vj), dy, f8_mul(f8_sub(u[0], uj), dx)));
        F8 f = f8_mul(f8_mul(pair_viscosity(job, i->mu, i->rho, kj), dot), f8_load_half(coefficient + LANES * s));
        f = f8_div(f, f8_add(r2, epsilon));
        sum[0] = f8_mad(f, dx, sum[0]);
        sum[1] = f8_mad(f, dy, sum[1]);
        sum[2] = f8_mad(f, dz, sum[2]);
    }
    for (int k = 0; k < 3; k++)
        sum[k] = f8_mul(sum[k], f8_set(sph->volume));
}

// The same for walls, with the velocities that they have, or as if they were at rest.
static void add_walls(const Job* job, const NearBoundary* near, const Own* i, const F8 u[3], F8 sum[3])
{
    const Sph* sph = job->sph;
    const F8 epsilon = f8_set(0.01f * sph->kernel.h * sph->kernel.h), x[3] = {i->x, i->y, i->z};
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    for (uint32_t s = 0; s < near->slots; s++) {
        WallPair w = wall_pair(sph, near->index + LANES * s, x, u);
        if (!job->walls_move)
            w.dot = f8_mad(u[2], w.dz, f8_mad(u[1], w.dy, f8_mul(u[0], w.dx)));
        F8 f = f8_mul(f8_mul(f8_mul(i->wall, w.wall), w.dot), f8_mul(w.volume, f8_load_half(coefficient + LANES * s)));
        f = f8_div(f, f8_add(w.r2, epsilon));
        sum[0] = f8_mad(f, w.dx, sum[0]);
        sum[1] = f8_mad(f, w.dy, sum[1]);
        sum[2] = f8_mad(f, w.dz, sum[2]);
    }
}

// q = dt A in
static void product_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Sph* sph = job->sph;
    const F8 scale = f8_set(job->dt * sph->kernel.gradient);
    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        Own i = own_load(job, c);
        F8 u[3], unused, sum[3] = {f8_zero(), f8_zero(), f8_zero()};
        f8_load4(job->in + LANES * c, &u[0], &u[1], &u[2], &unused);
        add_particles(job, list, &i, u, sum);
        if (list->near)
            add_walls(job, list->near, &i, u, sum);
        f8_store4(job->q + LANES * c, f8_mul(sum[0], scale), f8_mul(sum[1], scale), f8_mul(sum[2], scale), i.kind);
    }
}

static void product(Job* job, const Vec4* in, bool walls_move)
{
    job->in = in;
    job->walls_move = walls_move;
    parallel_for(job->sph->pool, block_count(job->sph->fluid.set.count, LANES), CHUNK_GRAIN, product_block, job);
}

// --- its blocks

// m: xx, yy, zz, xy, yz, zx of sum k d d^T
static inline void add_outer(F8 m[6], F8 k, F8 dx, F8 dy, F8 dz)
{
    F8 kx = f8_mul(k, dx), ky = f8_mul(k, dy), kz = f8_mul(k, dz);
    m[0] = f8_mad(kx, dx, m[0]);
    m[1] = f8_mad(ky, dy, m[1]);
    m[2] = f8_mad(kz, dz, m[2]);
    m[3] = f8_mad(kx, dy, m[3]);
    m[4] = f8_mad(ky, dz, m[4]);
    m[5] = f8_mad(kz, dx, m[5]);
}

static void invert(const F8 m[6], F8 out[6])
{
    const F8 xx = m[0], yy = m[1], zz = m[2], xy = m[3], yz = m[4], zx = m[5];
    F8 a[6] = {f8_nmad(yz, yz, f8_mul(yy, zz)), f8_nmad(zx, zx, f8_mul(xx, zz)), f8_nmad(xy, xy, f8_mul(xx, yy)),
               f8_nmad(xy, zz, f8_mul(yz, zx)), f8_nmad(yz, xx, f8_mul(xy, zx)), f8_nmad(zx, yy, f8_mul(xy, yz))};
    F8 determinant = f8_mad(zx, a[5], f8_mad(xy, a[3], f8_mul(xx, a[0])));
    F8 inverse = f8_div(f8_set(1), determinant); // at least 1: the blocks are 1 and more
    for (int k = 0; k < 6; k++)
        out[k] = f8_mul(a[k], inverse);
}

static void diagonal_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Sph* sph = job->sph;
    const F8 epsilon = f8_set(0.01f * sph->kernel.h * sph->kernel.h), pairs = f8_set(PAIR_EPSILON * sph->kernel.h * sph->kernel.h);
    const F8 zero = f8_zero(), one = f8_set(1);
    const F8 scale = f8_set(-job->dt * sph->kernel.gradient), volume = f8_set(sph->volume); // c is negative
    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        Own i = own_load(job, c);
        F8 m[6] = {zero, zero, zero, zero, zero, zero}, out[6];
        const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
        for (uint32_t s = 0; s < list->slots; s++) {
            const uint32_t* twice = list->twice + LANES * s;
            F8 xj, yj, zj, kj, unused;
            list_prefetch(list->twice, s);
            f8_gather4_twice(sph->fluid.position, twice, &xj, &yj, &zj, &unused);
            f8_gather4_twice(job->u, twice, &unused, &unused, &unused, &kj);
            F8 dx = f8_sub(i.x, xj), dy = f8_sub(i.y, yj), dz = f8_sub(i.z, zj);
            if (sph->grid.period.any)
                period_nearest(&sph->grid.period, &dx, &dy, &dz);
            F8 r2 = f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)));
            F8 k = f8_mul(f8_mul(pair_viscosity(job, i.mu, i.rho, kj), volume), f8_load_half(coefficient + LANES * s));
            add_outer(m, f8_div(k, f8_add(r2, pairs)), dx, dy, dz);
        }
        if (list->near) {
            const F8 x[3] = {i.x, i.y, i.z}, u[3] = {zero, zero, zero};
            coefficient = list_coefficients(list->near->index, list->near->slots);
            for (uint32_t s = 0; s < list->near->slots; s++) {
                WallPair w = wall_pair(sph, list->near->index + LANES * s, x, u);
                F8 k = f8_mul(f8_mul(i.wall, w.wall), f8_mul(w.volume, f8_load_half(coefficient + LANES * s)));
                add_outer(m, f8_div(k, f8_add(w.r2, epsilon)), w.dx, w.dy, w.dz);
            }
        }
        for (int k = 0; k < 6; k++)
            m[k] = f8_mad(m[k], scale, k < 3 ? one : zero);
        invert(m, out);
        f8_store4(job->block[0] + LANES * c, out[0], out[1], out[2], out[3]);
        f8_store4(job->block[1] + LANES * c, out[4], out[5], zero, zero);
    }
}

static inline Vec4 precondition(const Job* job, size_t i)
{
    Vec4 a = job->block[0][i], b = job->block[1][i], r = job->r[i];
    return (Vec4){a.x * r.x + a.w * r.y + b.y * r.z, a.w * r.x + a.y * r.y + b.x * r.z, b.y * r.x + b.x * r.y + a.z * r.z, r.w};
}

// --- conjugate gradients

static inline double dot(Vec4 a, Vec4 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static inline double weight(const Job* job, Vec4 v)
{
    return (double)job->density[(int)v.w];
}

static inline Vec4 mad(Vec4 a, float s, Vec4 b) // a + s b; the number of the fluid is that of a
{
    return (Vec4){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w};
}

// r = dt A v, p = z, q unused: out r.z, r.r, v.v
static void begin_block(void* context, size_t begin, size_t end, double out[])
{
    Job* job = context;
    for (size_t i = begin; i < end; i++) {
        Vec4 v = job->u[i];
        double m = weight(job, v);
        job->r[i] = job->q[i];
        job->p[i] = precondition(job, i);
        out[0] += m * dot(job->r[i], job->p[i]);
        out[1] += m * dot(job->r[i], job->r[i]);
        out[2] += m * dot(v, v);
    }
}

// p . (1 - dt A) p
static void curvature_block(void* context, size_t begin, size_t end, double out[])
{
    const Job* job = context;
    for (size_t i = begin; i < end; i++)
        out[0] += weight(job, job->p[i]) * (dot(job->p[i], job->p[i]) - dot(job->p[i], job->q[i]));
}

// One step along p: out r.z, r.r, and the square of what viscosity has changed
static void advance_block(void* context, size_t begin, size_t end, double out[])
{
    Job* job = context;
    for (size_t i = begin; i < end; i++) {
        Vec4 p = job->p[i];
        job->u[i] = mad(job->u[i], job->alpha, p);
        job->r[i] = mad(mad(job->r[i], -job->alpha, p), job->alpha, job->q[i]);
        Vec4 change = mad(job->u[i], -1, job->sph->fluid.velocity[i]);
        double m = weight(job, p);
        out[0] += m * dot(job->r[i], precondition(job, i));
        out[1] += m * dot(job->r[i], job->r[i]);
        out[2] += m * dot(change, change);
    }
}

static void direction_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Job* job = context;
    for (size_t i = begin; i < end; i++)
        job->p[i] = mad(precondition(job, i), job->beta, job->p[i]);
}

// Velocities; for friction of the other fluids u becomes what their friction acted on.
static void end_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Job* job = context;
    Fluid* fluid = &job->sph->fluid;
    for (size_t i = begin; i < end; i++) {
        Vec4* v = &fluid->velocity[i];
        *v = mad(*v, 1, job->q[i]);
        if (!(job->mu[(int)v->w] > 0) && fluid->before)
            job->u[i] = (Vec4){fluid->before[i].x, fluid->before[i].y, fluid->before[i].z, v->w};
    }
}

static int iterate(Job* job)
{
    static const ReduceOp sums[] = {REDUCE_SUM, REDUCE_SUM, REDUCE_SUM};
    Sph* sph = job->sph;
    size_t count = sph->fluid.set.count;
    double s[3];
    product(job, job->u, true);
    reduce(sph->pool, count, PARTICLE_GRAIN, begin_block, job, 3, sums, s);
    double least = NEGLIGIBLE * NEGLIGIBLE * s[2], rz = s[0], rest = s[1], change = 0;
    int n = 0;
    while (n < MOST_ITERATIONS && rest > least && rest > TOLERANCE * TOLERANCE * change && rz > 0) {
        product(job, job->p, false);
        double curvature = reduce_sum(sph->pool, count, PARTICLE_GRAIN, curvature_block, job);
        if (!(curvature > 0))
            break;
        job->alpha = (float)(rz / curvature);
        reduce(sph->pool, count, PARTICLE_GRAIN, advance_block, job, 3, sums, s);
        job->beta = (float)(s[0] / rz);
        rz = s[0];
        rest = s[1];
        change = s[2];
        parallel_for(sph->pool, count, PARTICLE_GRAIN, direction_block, job);
        n++;
    }
    return n;
}

int implicit_solve(Sph* sph, float dt)
{
    size_t count = sph->fluid.set.count, padded = block_count(count, LANES) * LANES;
    if (!implicit_is_used(sph) || count == 0)
        return 0;
    Job job = job_create(sph, dt);
    memcpy(job.u, sph->fluid.velocity, count * sizeof *job.u);
    for (size_t i = count; i < padded; i++)
        job.u[i] = job.r[i] = job.p[i] = job.q[i] = (Vec4){0};
    parallel_for(sph->pool, block_count(count, LANES), CHUNK_GRAIN, diagonal_block, &job);
    int iterations = iterate(&job);
    product(&job, job.u, true);
    parallel_for(sph->pool, count, PARTICLE_GRAIN, end_block, &job);
    return iterations;
}
