// SPDX-License-Identifier: MIT
// Viscosity. Each fluid chooses one of
//   artificial  a_i = -sum_j m_j Pi_ij grad W_ij, Pi_ij = -nu min(v_ij . x_ij, 0) / (r^2 + 0.01 h^2),
//               nu = 2 alpha h c_s / (rho_i + rho_j)                                       (Akinci 2014, eqs. 2.29-2.31)
//   laplace     a_i = 2 (d + 2) / rho_i sum_j V_j mu_ij v_ij . x_ij / (r^2 + 0.01 h^2) grad W_ij   (Monaghan 2005)
//   xsph        dv_i = eps sum_j 2 m_j / (rho_i + rho_j) (v_j - v_i) W_ij                  (Monaghan 1989)
// With solver.accuracy accurate every fluid has an artificial viscosity that leaves linear velocity fields alone and damps what
// particles do beside the flow, whether they approach or part: min(v_ij . x_ij, 0) is replaced by
//   v_ij . x_ij - x_ij . (S_i + S_j) x_ij / 2                                                  (strain.h; as in Frontiere 2017)
// The pair forces stay central, so momentum and angular momentum are kept.
// All three are one loop with three coefficients per fluid, so that fluids with different methods meet symmetrically.
// laplace is the central form: unlike (2.28) it needs no second derivative and conserves angular momentum.
// Where tension keeps normals, pairs are corrected by K_ij = 2 / (s_i + s_j) (Akinci 2014, eq. 5.4 and section 5.3).
// Where both records of a neighbour are at hand anyway, the divergence of the velocity costs one product more: it is left in
// fluid.divergence, for methods that look at it.
// At boundaries fluids feel friction (eqs. 3.9, 3.10), laplace fluids their own viscosity times the solid's wall_viscosity,
// scaled so that one layer of wall particles drags like layers of fluid at rest behind the surface (boundary_drag()).
#include "fluid/viscosity/viscosity.h"

#include "fluid/mirror.h"
#include "fluid/viscosity/implicit.h"
#include "fluid/viscosity/strain.h"

// What particles do beside the flow is damped at least so much by an accurate solver, and by a tension found from the shape of
// surfaces: that is not the derivative of an energy, and feeds what is not damped (0.03 is too little at 20 spacings of radius).
static float least_alpha(const Sph* sph)
{
    return sph->band ? 0.1f : 0.01f;
}

// What the sum over pairs of fluid particles has to look at.
typedef struct Terms {
    bool artificial, laplace, xsph, corrected;
    bool accurate; // artificial viscosity leaves linear fields alone
    bool fluids;   // their densities differ
    bool periodic;
} Terms;

typedef struct Job {
    Sph* sph;
    Terms terms;
    float density[FLUIDS_MOST];
    float alpha[FLUIDS_MOST];                      // [m2/s] alpha h c_s
    float mu[FLUIDS_MOST];                         // [Pa s] times 2 (d + 2)
    float epsilon[FLUIDS_MOST];                    // [1/s] eps / dt
    float bare[FLUIDS_MOST];                       // [1] 1: not corrected by K_ij
    float approach[FLUIDS_MOST], all[FLUIDS_MOST]; // see WallFriction
} Job;

WallFriction viscosity_at_wall(const Sph* sph, int kind)
{
    const FluidMaterial* m = &sph->material[kind];
    WallFriction f = {0, 0};
    if (viscosity_is_physical(m->viscosity_method))
        f.all = 2 * ((float)sph->kernel.dimension + 2) * m->viscosity / m->density *
                (m->viscosity_method == MN_VISCOSITY_IMPLICIT && implicit_is_used(sph) ? sph->walls.grip : sph->walls.drag);
    else
        f.approach = sph->kernel.h * (float)sph->solver.speed_of_sound / 2;
    return f;
}

double viscosity_limit(const Sph* sph)
{
    double most = 0;
    for (int k = 0; k < sph->material_count; k++) {
        const FluidMaterial* m = &sph->material[k];
        if (m->unused)
            continue;
        double nu = 0;
        if (m->viscosity_method == MN_VISCOSITY_LAPLACE || (m->viscosity_method == MN_VISCOSITY_IMPLICIT && !implicit_is_used(sph)))
            nu = (double)m->viscosity / (double)m->density * fmax((double)sph->walls.most_viscosity, 1);
        else if (m->viscosity_method == MN_VISCOSITY_ARTIFICIAL) // continuum limit of the artificial term
            nu = (double)m->viscosity * (double)sph->kernel.h * sph->solver.speed_of_sound / (2 * (sph->kernel.dimension + 2));
        if (sph_is_smooth(sph))
            nu = fmax(nu, (double)least_alpha(sph) * (double)sph->kernel.h * sph->solver.speed_of_sound /
                              (2 * (sph->kernel.dimension + 2)));
        most = fmax(most, nu);
        WallFriction wall = viscosity_at_wall(sph, k);
        most = fmax(most, (double)(wall.approach * sph->walls.most_friction) / (2 * (sph->kernel.dimension + 2)));
    }
    return most;
}

static Job job_create(Sph* sph, float dt)
{
    Job job = {.sph = sph};
    Terms* terms = &job.terms;
    *terms = (Terms){.accurate = sph_is_smooth(sph), .fluids = sph->material_count > 1, .periodic = sph->grid.period.any};
    const bool implicit = implicit_is_used(sph);
    for (int k = 0; k < FLUIDS_MOST; k++)
        job.density[k] = job.bare[k] = 1;
    for (int k = 0; k < sph->material_count; k++) {
        const FluidMaterial* m = &sph->material[k];
        job.density[k] = m->density;
        if (sph->scratch.normal && m->gamma > 0) {
            job.bare[k] = 0;
            terms->corrected = true;
        }
        switch (m->viscosity_method) {
        case MN_VISCOSITY_ARTIFICIAL:
            job.alpha[k] = m->viscosity * sph->kernel.h * (float)sph->solver.speed_of_sound;
            terms->artificial |= m->viscosity > 0;
            break;
        case MN_VISCOSITY_IMPLICIT:
            if (implicit)
                break;
            // fall through
        case MN_VISCOSITY_LAPLACE:
            job.mu[k] = 2 * ((float)sph->kernel.dimension + 2) * m->viscosity;
            terms->laplace |= m->viscosity > 0;
            break;
        case MN_VISCOSITY_XSPH:
            job.epsilon[k] = m->viscosity / dt;
            terms->xsph |= m->viscosity > 0;
            break;
        }
        if (terms->accurate) {
            job.alpha[k] = fmaxf(job.alpha[k], least_alpha(sph) * sph->kernel.h * (float)sph->solver.speed_of_sound);
            terms->artificial = true;
        }
        WallFriction f = viscosity_at_wall(sph, k);
        job.approach[k] = f.approach;
        job.all[k] = implicit && m->viscosity_method == MN_VISCOSITY_IMPLICIT ? 0 : f.all;
    }
    return job;
}

typedef struct Lane {
    F8 x, y, z, vx, vy, vz, kind;
    F8 ax, ay, az; // sum in units of kernel.gradient
    F8 sx, sy, sz; // sum in units of kernel.norm
    F8 s;          // relative density
    F8 divergence; // sum_j c_ij v_ij . x_ij
    Strain strain; // [1/s] if artificial viscosity leaves linear fields alone
} Lane;

// v_ij . x_ij less what the rates of strain at both ends explain
static inline F8 beyond_linear(const Sph* sph, const Strain* own, const uint32_t* twice, F8 dot, F8 dx, F8 dy, F8 dz)
{
    Strain other = strain_gather(sph, twice);
    F8 linear = f8_add(strain_along(own, dx, dy, dz), strain_along(&other, dx, dy, dz));
    return f8_nmad(f8_set(0.5f), linear, dot);
}

static inline __attribute__((always_inline)) void fluid_pairs(const Job* job, const Terms terms, const ChunkList* list, Lane* i)
{
    const Sph* sph = job->sph;
    const Vec4 *x = sph->fluid.position, *v = sph->fluid.velocity;
    const F8 epsilon = f8_set(0.01f * sph->kernel.h * sph->kernel.h), inverse_h = f8_set(1 / sph->kernel.h);
    const F8 rho_i = sph_lookup(job->density, i->kind), alpha_i = sph_lookup(job->alpha, i->kind);
    const F8 bare_i = sph_lookup(job->bare, i->kind);
    const F8 mu_i = sph_lookup(job->mu, i->kind), eps_i = sph_lookup(job->epsilon, i->kind);
    const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
    F8 ax = f8_zero(), ay = ax, az = ax, sx = ax, sy = ax, sz = ax, divergence = ax; // sums in registers
    for (uint32_t s = 0; s < list->slots; s++) {
        list_prefetch(list->twice, s);
        F8 xj, yj, zj, pj, vxj, vyj, vzj, kj;
        f8_gather4_twice(x, list->twice + LANES * s, &xj, &yj, &zj, &pj);
        f8_gather4_twice(v, list->twice + LANES * s, &vxj, &vyj, &vzj, &kj);
        F8 dx = f8_sub(i->x, xj), dy = f8_sub(i->y, yj), dz = f8_sub(i->z, zj);
        if (terms.periodic)
            period_nearest(&sph->grid.period, &dx, &dy, &dz);
        F8 ux = f8_sub(i->vx, vxj), uy = f8_sub(i->vy, vyj), uz = f8_sub(i->vz, vzj);
        F8 r2 = f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)));
        F8 dot = f8_mad(uz, dz, f8_mad(uy, dy, f8_mul(ux, dx)));
        F8 c = f8_load_half(coefficient + LANES * s);
        divergence = f8_mad(c, dot, divergence);
        // 2 rho_j / (rho_i + rho_j) makes forces of unequal masses symmetric
        F8 share = f8_set(0.5f);
        if (terms.fluids) {
            F8 rho_j = sph_lookup(job->density, kj);
            share = f8_div(rho_j, f8_add(rho_i, rho_j));
        }
        F8 f = f8_zero();
        if (terms.artificial)
            f = f8_mul(f8_mul(share, f8_add(alpha_i, terms.fluids ? sph_lookup(job->alpha, kj) : alpha_i)),
                       terms.accurate ? beyond_linear(sph, &i->strain, list->twice + LANES * s, dot, dx, dy, dz)
                                      : f8_min(dot, f8_zero()));
        if (terms.laplace) {
            F8 mu_j = sph_lookup(job->mu, kj);
            F8 mean = f8_div(f8_mul(f8_mul(f8_set(2), mu_i), mu_j), f8_add(f8_add(mu_i, mu_j), f8_set(1e-30f)));
            f = f8_mad(f8_div(mean, rho_i), dot, f);
        }
        if (terms.corrected) {
            F8 n0, n1, n2, sj;
            f8_gather4_twice(sph->scratch.normal, list->twice + LANES * s, &n0, &n1, &n2, &sj);
            F8 k = f8_div(f8_set(2), f8_add(i->s, sj));
            c = f8_mul(c, f8_pick(f8_not_zero(f8_add(bare_i, sph_lookup(job->bare, kj))), f8_set(1), k));
        }
        f = f8_div(f8_mul(f, c), f8_add(r2, epsilon));
        ax = f8_mad(f, dx, ax);
        ay = f8_mad(f, dy, ay);
        az = f8_mad(f, dz, az);
        if (terms.xsph) {
            F8 w = f8_and(kernel8_w(sph->kernel.type, f8_mul(f8_sqrt(r2), inverse_h)), f8_not_zero(c));
            w = f8_mul(w, f8_mul(share, f8_add(eps_i, sph_lookup(job->epsilon, kj))));
            sx = f8_nmad(w, ux, sx);
            sy = f8_nmad(w, uy, sy);
            sz = f8_nmad(w, uz, sz);
        }
    }
    const F8 volume = f8_set(sph->volume);
    i->ax = f8_mul(ax, volume);
    i->ay = f8_mul(ay, volume);
    i->az = f8_mul(az, volume);
    i->sx = sx;
    i->sy = sy;
    i->sz = sz;
    i->divergence = divergence;
}

static void wall_pairs(const Job* job, const NearBoundary* near, Lane* i)
{
    const Sph* sph = job->sph;
    const F8 epsilon = f8_set(0.01f * sph->kernel.h * sph->kernel.h);
    const F8 approach = sph_lookup(job->approach, i->kind), all = sph_lookup(job->all, i->kind);
    const F8 x[3] = {i->x, i->y, i->z}, v[3] = {i->vx, i->vy, i->vz};
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    for (uint32_t s = 0; s < near->slots; s++) {
        const uint32_t* index = near->index + LANES * s;
        WallPair w = wall_pair(sph, index, x, v);
        F8 f = f8_mul(f8_mul(approach, w.friction), f8_min(w.dot, f8_zero()));
        f = f8_mad(f8_mul(all, w.wall), w.dot, f);
        f = f8_div(f8_mul(f8_mul(f, w.volume), f8_load_half(coefficient + LANES * s)), f8_add(w.r2, epsilon));
        i->ax = f8_mad(f, w.dx, i->ax);
        i->ay = f8_mad(f, w.dy, i->ay);
        i->az = f8_mad(f, w.dz, i->az);
    }
}

// ds/dt of the velocities, as vector_divergence() has it
static F8 divergence_of(const Sph* sph, const ChunkList* list, const Lane* i)
{
    F8 sum = i->divergence;
    if (mirror_any(sph))
        sum = f8_add(sum, mirror_divergence(sph, list, sph->fluid.velocity, (const F8[3]){i->x, i->y, i->z},
                                            (const F8[3]){i->vx, i->vy, i->vz}));
    sum = f8_mul(sum, f8_set(sph->volume * sph->kernel.gradient));
    if (!list->near)
        return sum;
    sum = f8_mad(i->vx, f8_load(list->near->gradient[0]), sum);
    sum = f8_mad(i->vy, f8_load(list->near->gradient[1]), sum);
    sum = f8_mad(i->vz, f8_load(list->near->gradient[2]), sum);
    return f8_sub(sum, f8_load(list->near->source));
}

// The common case, one fluid that is damped where particles approach, has a loop of its own, without decisions for each pair.
static bool only_approach(const Terms* t)
{
    return t->artificial && !(t->laplace || t->xsph || t->corrected || t->accurate || t->fluids || t->periodic);
}

static void viscosity_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Sph* sph = job->sph;
    const F8 gradient = f8_set(sph->kernel.gradient), smooth = f8_set(sph->kernel.norm * sph->volume);
    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        F8 unused;
        Lane i = {.x = f8_zero()};
        f8_load4(sph->fluid.position + LANES * c, &i.x, &i.y, &i.z, &unused);
        f8_load4(sph->fluid.velocity + LANES * c, &i.vx, &i.vy, &i.vz, &i.kind);
        i.s = f8_load(sph->fluid.density + LANES * c);
        if (job->terms.accurate)
            i.strain = strain_load(sph, c);
        if (only_approach(&job->terms))
            fluid_pairs(job, (Terms){.artificial = true}, list, &i);
        else
            fluid_pairs(job, job->terms, list, &i);
        f8_store(sph->fluid.divergence + LANES * c, divergence_of(sph, list, &i));
        if (list->near)
            wall_pairs(job, list->near, &i);
        f8_store4(sph->fluid.acceleration + LANES * c, f8_mad(i.ax, gradient, f8_mul(i.sx, smooth)),
                  f8_mad(i.ay, gradient, f8_mul(i.sy, smooth)), f8_mad(i.az, gradient, f8_mul(i.sz, smooth)), f8_zero());
    }
}

void viscosity_acceleration(Sph* sph, float dt)
{
    Job job = job_create(sph, dt);
    if (job.terms.accurate)
        strain_rates(sph);
    parallel_for(sph->pool, block_count(sph->fluid.set.count, LANES), CHUNK_GRAIN, viscosity_block, &job);
}
