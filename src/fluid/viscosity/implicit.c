// SPDX-License-Identifier: MIT
// Physical viscosity with the velocities u at the end of the step (as Weiler et al. 2018, with another matrix):
//   u = v* + dt A u
// M A is minus the derivative of half the energy that viscosity takes per time,
//   sum_i V 2 mu S_i : S_i  +  sum over pairs of k_ij e_ij^2,   e_ij = u_ij . x_ij - x_ij . (S_i + S_j) x_ij / 2
// S_i is the rate of strain of the linear field that fits best what the neighbours do (strain.c), which is exact for linear fields,
// however particles lie, at surfaces too: the central pair forces of laplace have 0.65 of the viscosity on a lattice. The second
// sum damps what no linear field explains and S_i does not see; k_ij is a share THETA of that of the central form, all of it
// where the neighbours do not span the space (a thread, a drop). With w = -c_ij, M_i = sum_j w x_ij x_ij^T, g_ij <= 0 so that pair
// forces are V g e x_ij:
//   rho_i (A u)_i = sum_j g_ij e_ij x_ij - sum_j w (T_i + T_j) x_ij,   T_i = (2 mu_i S_i + sum_j g_ij e_ij x_ij x_ij^T / 2) M_i^-1
// Beside walls part of a particle's volume is left out of the first sum: friction accounts for it (boundary_grip()).
// Momentum is kept, and angular momentum, since rigid motion takes no energy.
// v* has got all forces but pressure. M (1 - dt A) is symmetric and positive: conjugate gradients in the product that masses make,
// preconditioned by the 3 x 3 blocks of the particles. Walls move as they do; their friction is part of the matrix, so that a thin
// layer on a wall stops without limiting the step. In the end v = v* + dt A u is computed from u once more: pair by pair what one
// particle gets the other loses, and momentum is kept to rounding whatever the solve has left. The rest r = v - u is below 1 % of
// what viscosity changes.
#include "fluid/viscosity/implicit.h"

#include "base/reduce.h"
#include "fluid/viscosity/strain.h"
#include "fluid/viscosity/viscosity.h"
#include <string.h>

enum { MOST_ITERATIONS = 200 };
static const float PAIR_EPSILON = 1e-4f; // [h^2] 0.01, as for laplace, takes 4 % (h = 2 spacings) to 8 % (3) of the viscosity away
static const double TOLERANCE = 0.01;    // [1] of the change by viscosity, root mean square
static const double NEGLIGIBLE = 1e-6;   // [1] of the velocities
enum { BLOCKS = 2, FITS = 2, RATES = 2, STRESSES = 3, VECTORS = 4 + BLOCKS + FITS + RATES + STRESSES }; // see Sph.viscous

typedef struct Job {
    Sph* sph;
    Vec4 *u, *r, *p, *q, *block[BLOCKS];
    Vec4* fit[FITS];        // [1/m2] M^-1: xx, yy, zz, xy; yz, zx, 1 if there is one, [1] share of the volume that counts
    Vec4* rate[RATES];      // [1/s] S: xx, yy, zz, xy; yz, zx
    Vec4* stress[STRESSES]; // rows of T
    const Vec4* in;         // of a product
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
            return sph->responders.count == 0;
    return false;
}

// Records per vector.
static size_t room_of(const Sph* sph)
{
    return (sph->fluid.set.capacity + 31) / 16 * 16;
}

bool implicit_reserve(Sph* sph)
{
    return !implicit_is_used(sph) || memory_reserve(sph->memory, &sph->scratch.viscous, &sph->scratch.viscous_capacity, 0,
                                                    VECTORS * room_of(sph), sizeof *sph->scratch.viscous);
}

const Vec4* implicit_velocity(const Sph* sph)
{
    return implicit_is_used(sph) ? sph->scratch.viscous : sph->fluid.before;
}

static Job job_create(Sph* sph, float dt)
{
    size_t room = room_of(sph);
    Vec4* v = sph->scratch.viscous;
    Job job = {.sph = sph, .u = v, .r = v + room, .p = v + 2 * room, .q = v + 3 * room, .dt = dt};
    Vec4** const more[] = {&job.block[0], &job.block[1],  &job.fit[0],    &job.fit[1],   &job.rate[0],
                           &job.rate[1],  &job.stress[0], &job.stress[1], &job.stress[2]};
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        *more[k] = v + (4 + k) * room;
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

// Share of the central form in what no linear field explains.
static const float THETA = 0.25f;

// --- the matrix

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

// Cofactors of a symmetric matrix, and its determinant.
static inline F8 cofactors(const F8 m[6], F8 a[6])
{
    const F8 xx = m[0], yy = m[1], zz = m[2], xy = m[3], yz = m[4], zx = m[5];
    const F8 all[6] = {f8_nmad(yz, yz, f8_mul(yy, zz)), f8_nmad(zx, zx, f8_mul(xx, zz)), f8_nmad(xy, xy, f8_mul(xx, yy)),
                       f8_nmad(xy, zz, f8_mul(yz, zx)), f8_nmad(yz, xx, f8_mul(xy, zx)), f8_nmad(zx, yy, f8_mul(xy, yz))};
    memcpy(a, all, sizeof all);
    return f8_mad(zx, a[5], f8_mad(xy, a[3], f8_mul(xx, a[0])));
}

static inline void full_of(const F8 m[6], F8 out[3][3])
{
    const F8 all[3][3] = {{m[0], m[3], m[5]}, {m[3], m[1], m[4]}, {m[5], m[4], m[2]}};
    memcpy(out, all, sizeof all);
}

// out = b m
static inline void times_symmetric(F8 b[3][3], const F8 m[6], F8 out[3][3])
{
    for (int r = 0; r < 3; r++) {
        out[r][0] = f8_mad(b[r][2], m[5], f8_mad(b[r][1], m[3], f8_mul(b[r][0], m[0])));
        out[r][1] = f8_mad(b[r][2], m[4], f8_mad(b[r][1], m[1], f8_mul(b[r][0], m[3])));
        out[r][2] = f8_mad(b[r][2], m[2], f8_mad(b[r][1], m[4], f8_mul(b[r][0], m[5])));
    }
}

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

// A slot of a list: x_ij, its square, and w = -c_ij.
typedef struct Pair {
    F8 x, y, z, r2, w;
    const uint32_t* twice;
} Pair;

static inline Pair pair_of(const Job* job, const ChunkList* list, const Own* i, uint32_t s)
{
    const Sph* sph = job->sph;
    Pair p = {.twice = list->twice + LANES * s};
    F8 xj, yj, zj, unused;
    list_prefetch(list->twice, s);
    f8_gather4_twice(sph->fluid.position, p.twice, &xj, &yj, &zj, &unused);
    p.x = f8_sub(i->x, xj);
    p.y = f8_sub(i->y, yj);
    p.z = f8_sub(i->z, zj);
    if (sph->grid.period.any)
        period_nearest(&sph->grid.period, &p.x, &p.y, &p.z);
    p.r2 = f8_mad(p.z, p.z, f8_mad(p.y, p.y, f8_mul(p.x, p.x)));
    p.w = f8_sub(f8_zero(), f8_load_half(list_coefficients(list->twice, list->slots) + LANES * s));
    return p;
}

// w, but 0 between fluids that have no friction
static inline F8 common(const Job* job, const Own* i, F8 w, F8 kind_j)
{
    return job->sph->material_count == 1 ? w : f8_and(w, f8_not_zero(pair_viscosity(job, i->mu, i->rho, kind_j)));
}

static inline Strain rate_load(Vec4* const rate[RATES], size_t chunk)
{
    Strain s;
    F8 unused;
    f8_load4(rate[0] + LANES * chunk, &s.xx, &s.yy, &s.zz, &s.xy);
    f8_load4(rate[1] + LANES * chunk, &s.yz, &s.zx, &unused, &unused);
    return s;
}

// S of the field `in`.
static void rate_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const F8 zero = f8_zero(), half = f8_set(0.5f);
    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &job->sph->neighbours.chunk[c];
        Own i = own_load(job, c);
        F8 u[3], m[6], there, unused, b[3][3];
        f8_load4(job->in + LANES * c, &u[0], &u[1], &u[2], &unused);
        for (int k = 0; k < 9; k++)
            b[k / 3][k % 3] = zero;
        for (uint32_t s = 0; s < list->slots; s++) {
            Pair p = pair_of(job, list, &i, s);
            F8 uj[3], kj;
            f8_gather4_twice(job->in, p.twice, &uj[0], &uj[1], &uj[2], &kj);
            F8 w = common(job, &i, p.w, kj), x[3] = {f8_mul(w, p.x), f8_mul(w, p.y), f8_mul(w, p.z)};
            for (int k = 0; k < 9; k++)
                b[k / 3][k % 3] = f8_mad(f8_sub(u[k / 3], uj[k / 3]), x[k % 3], b[k / 3][k % 3]);
        }
        f8_load4(job->fit[0] + LANES * c, &m[0], &m[1], &m[2], &m[3]);
        f8_load4(job->fit[1] + LANES * c, &m[4], &m[5], &there, &unused);
        F8 l[3][3];
        times_symmetric(b, m, l);
        f8_store4(job->rate[0] + LANES * c, l[0][0], l[1][1], l[2][2], f8_mul(half, f8_add(l[0][1], l[1][0])));
        f8_store4(job->rate[1] + LANES * c, f8_mul(half, f8_add(l[1][2], l[2][1])), f8_mul(half, f8_add(l[2][0], l[0][2])), zero,
                  zero);
    }
}

// q = sum g e x, and T.
static void stress_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Sph* sph = job->sph;
    const F8 zero = f8_zero(), half = f8_set(0.5f), epsilon = f8_set(PAIR_EPSILON * sph->kernel.h * sph->kernel.h);
    const F8 scale = f8_set(-sph->volume * sph->kernel.gradient), least = f8_set(THETA), rest = f8_set(0.5f * (1 - THETA));
    const float factor = 1 / ((float)sph->kernel.dimension + 2); // 2 mu of 2 (d + 2) mu
    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        Own i = own_load(job, c);
        Strain own = rate_load(job->rate, c);
        F8 u[3], m[6], there, counts, unused, f[3] = {zero, zero, zero}, e[6] = {zero, zero, zero, zero, zero, zero};
        f8_load4(job->in + LANES * c, &u[0], &u[1], &u[2], &unused);
        f8_load4(job->fit[0] + LANES * c, &m[0], &m[1], &m[2], &m[3]);
        f8_load4(job->fit[1] + LANES * c, &m[4], &m[5], &there, &counts);
        for (uint32_t s = 0; s < list->slots; s++) {
            Pair p = pair_of(job, list, &i, s);
            F8 uj[3], kj, fits;
            Strain other;
            f8_gather4_twice(job->in, p.twice, &uj[0], &uj[1], &uj[2], &kj);
            f8_gather4_twice(job->rate[0], p.twice, &other.xx, &other.yy, &other.zz, &other.xy);
            f8_gather4_twice(job->rate[1], p.twice, &other.yz, &other.zx, &unused, &unused);
            f8_gather4_twice(job->fit[1], p.twice, &unused, &unused, &fits, &unused);
            F8 dot = f8_mul(f8_sub(u[0], uj[0]), p.x);
            dot = f8_mad(f8_sub(u[1], uj[1]), p.y, dot);
            dot = f8_mad(f8_sub(u[2], uj[2]), p.z, dot);
            F8 linear = f8_add(strain_along(&own, p.x, p.y, p.z), strain_along(&other, p.x, p.y, p.z));
            F8 theta = f8_mad(f8_sub(f8_set(2), f8_add(there, fits)), rest, least);
            F8 g = f8_mul(f8_mul(f8_mul(pair_viscosity(job, i.mu, i.rho, kj), i.rho), theta), f8_mul(p.w, scale));
            g = f8_mul(f8_div(g, f8_add(p.r2, epsilon)), f8_nmad(half, linear, dot));
            f[0] = f8_mad(g, p.x, f[0]);
            f[1] = f8_mad(g, p.y, f[1]);
            f[2] = f8_mad(g, p.z, f[2]);
            add_outer(e, g, p.x, p.y, p.z);
        }
        const F8 mu = f8_mul(f8_mul(i.mu, f8_set(factor)), counts), rate[6] = {own.xx, own.yy, own.zz, own.xy, own.yz, own.zx};
        F8 sigma[6], full[3][3], t[3][3];
        for (int k = 0; k < 6; k++)
            sigma[k] = f8_mad(mu, rate[k], f8_mul(half, e[k]));
        full_of(sigma, full);
        times_symmetric(full, m, t);
        for (int k = 0; k < 3; k++)
            f8_store4(job->stress[k] + LANES * c, t[k][0], t[k][1], t[k][2], zero);
        f8_store4(job->q + LANES * c, f[0], f[1], f[2], i.kind);
    }
}

// What T of both ends does.
static void add_stresses(const Job* job, const ChunkList* list, const Own* i, size_t chunk, F8 sum[3])
{
    F8 own[3][3], unused;
    for (int k = 0; k < 3; k++)
        f8_load4(job->stress[k] + LANES * chunk, &own[k][0], &own[k][1], &own[k][2], &unused);
    for (uint32_t s = 0; s < list->slots; s++) {
        Pair p = pair_of(job, list, i, s);
        F8 kj;
        f8_gather4_twice(job->in, p.twice, &unused, &unused, &unused, &kj);
        F8 w = common(job, i, p.w, kj);
        for (int k = 0; k < 3; k++) {
            F8 a, b, d;
            f8_gather4_twice(job->stress[k], p.twice, &a, &b, &d, &unused);
            F8 t = f8_mul(f8_add(own[k][0], a), p.x);
            t = f8_mad(f8_add(own[k][1], b), p.y, t);
            t = f8_mad(f8_add(own[k][2], d), p.z, t);
            sum[k] = f8_nmad(w, t, sum[k]);
        }
    }
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

// q = dt A in, given the stresses and what pairs do in q
static void product_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Sph* sph = job->sph;
    const F8 gradient = f8_set(sph->kernel.gradient), dt = f8_set(job->dt);
    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        Own i = own_load(job, c);
        F8 u[3], unused, sum[3], wall[3] = {f8_zero(), f8_zero(), f8_zero()};
        f8_load4(job->in + LANES * c, &u[0], &u[1], &u[2], &unused);
        f8_load4(job->q + LANES * c, &sum[0], &sum[1], &sum[2], &unused);
        add_stresses(job, list, &i, c, sum);
        if (list->near)
            add_walls(job, list->near, &i, u, wall);
        for (int k = 0; k < 3; k++)
            sum[k] = f8_mul(dt, f8_mad(wall[k], gradient, f8_div(sum[k], i.rho)));
        f8_store4(job->q + LANES * c, sum[0], sum[1], sum[2], i.kind);
    }
}

static void product(Job* job, const Vec4* in, bool walls_move)
{
    job->in = in;
    job->walls_move = walls_move;
    const size_t chunks = block_count(job->sph->fluid.set.count, LANES);
    parallel_for(job->sph->pool, chunks, CHUNK_GRAIN, rate_block, job);
    parallel_for(job->sph->pool, chunks, CHUNK_GRAIN, stress_block, job);
    parallel_for(job->sph->pool, chunks, CHUNK_GRAIN, product_block, job);
}

// --- its blocks

// M^-1, if the neighbours span the space; in a plane there is nothing to fit across it.
static void store_fit(const Job* job, size_t chunk, F8 m[6], F8 walls)
{
    const F8 zero = f8_zero(), one = f8_set(1);
    const F8 scale = f8_set(1 / (job->sph->kernel.h * job->sph->kernel.h)); // third powers of squares of lengths underflow
    for (int k = 0; k < 6; k++)
        m[k] = f8_mul(m[k], scale);
    if (job->sph->kernel.dimension == 2)
        m[2] = f8_mul(f8_set(0.5f), f8_add(m[0], m[1]));
    F8 a[6], determinant = cofactors(m, a), third = f8_mul(f8_set(1.0f / 3), f8_add(f8_add(m[0], m[1]), m[2]));
    F8 spans = f8_less(f8_mul(f8_set(0.05f), f8_mul(third, f8_mul(third, third))), determinant);
    F8 inverse = f8_mul(scale, f8_and(f8_div(one, f8_pick(spans, determinant, one)), spans));
    for (int k = 0; k < 6; k++)
        a[k] = f8_mul(a[k], inverse);
    if (job->sph->kernel.dimension == 2)
        a[2] = zero;
    f8_store4(job->fit[0] + LANES * chunk, a[0], a[1], a[2], a[3]);
    f8_store4(job->fit[1] + LANES * chunk, a[4], a[5], f8_and(one, spans), f8_max(f8_sub(one, walls), zero));
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
        F8 m[6] = {zero, zero, zero, zero, zero, zero}, moment[6] = {zero, zero, zero, zero, zero, zero}, out[6];
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
            add_outer(moment, common(job, &i, f8_sub(zero, f8_load_half(coefficient + LANES * s)), kj), dx, dy, dz);
        }
        F8 behind = zero;
        if (list->near) {
            const F8 x[3] = {i.x, i.y, i.z}, u[3] = {zero, zero, zero};
            coefficient = list_coefficients(list->near->index, list->near->slots);
            for (uint32_t s = 0; s < list->near->slots; s++) {
                WallPair w = wall_pair(sph, list->near->index + LANES * s, x, u);
                F8 k = f8_mul(f8_mul(i.wall, w.wall), f8_mul(w.volume, f8_load_half(coefficient + LANES * s)));
                add_outer(m, f8_div(k, f8_add(w.r2, epsilon)), w.dx, w.dy, w.dz);
                F8 kernel = f8_and(kernel8_w(sph->kernel.type, f8_mul(f8_sqrt(w.r2), f8_set(1 / sph->kernel.h))), f8_not_zero(k));
                behind = f8_mad(f8_mul(kernel, w.volume), w.wall, behind);
            }
        }
        for (int k = 0; k < 6; k++)
            m[k] = f8_mad(m[k], scale, k < 3 ? one : zero);
        store_fit(job, c, moment, f8_mul(behind, f8_set(sph->walls.share * sph->kernel.norm)));
        F8 inverse = f8_div(one, cofactors(m, out)); // at least 1: the blocks are 1 and more
        for (int k = 0; k < 6; k++)
            out[k] = f8_mul(out[k], inverse);
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
