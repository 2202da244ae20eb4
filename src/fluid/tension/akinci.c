// SPDX-License-Identifier: MIT
// Cohesion and minimisation of the surface (Akinci et al. 2013; Akinci 2014, section 5.2.1):
//   F_ij = -gamma K_ij m_i [ m_j C(r) x_ij / r + (n_i - n_j) ],   K_ij = 2 rho0 / (rho_i + rho_j)      (eqs. 5.1, 5.3-5.5)
//   n_i = h sum_j m_j / rho_j grad W_ij
// Deviations: m_j counts as if the fluid were water (tension.h). The second term is a sum over neighbours without any weight, so
// it would grow with their number: it gets the factor 8 (2r)^3 / h^3 (2D: 32/3 (2r)^2 / h^2), which is 1 for the paper's h = 4r
// in 3D; by it a particle above a flat layer is pushed alike in 2D and 3D.
#include "fluid/tension/cohesion.h"
#include "fluid/tension/tension.h"

typedef struct Job {
    Sph* sph;
    const float* gamma;
    float cohesion, curvature; // factors of the two terms
} Job;

typedef struct Pull {
    F8 x, y, z;
    F8 virial; // sum of pull . x_ij
} Pull;

static Pull chunk_pull(const Job* job, const ChunkList* list, size_t c)
{
    const Sph* sph = job->sph;
    const Vec4 *x = sph->fluid.position, *n = sph->scratch.normal, *v = sph->fluid.velocity;
    const bool many = sph->material_count > 1;
    const F8 inverse_h = f8_set(1 / sph->kernel.h), least = f8_set(1e-12f * sph->kernel.h * sph->kernel.h);
    const F8 cohesion = f8_set(job->cohesion), curvature = f8_set(job->curvature), two = f8_set(2);
    F8 xi, yi, zi, ni, oi, pi, si, w, u0, u1, u2, kind, kj;
    f8_load4(x + LANES * c, &xi, &yi, &zi, &w);
    f8_load4(n + LANES * c, &ni, &oi, &pi, &si);
    f8_load4(v + LANES * c, &u0, &u1, &u2, &kind);
    Pull sum = {f8_zero(), f8_zero(), f8_zero(), f8_zero()};
    for (uint32_t s = 0; s < list->slots; s++) {
        const uint32_t* twice = list->twice + LANES * s;
        list_prefetch(list->twice, s);
        F8 xj, yj, zj, nj, oj, pj, sj;
        f8_gather4_twice(x, twice, &xj, &yj, &zj, &w);
        f8_gather4_twice(n, twice, &nj, &oj, &pj, &sj);
        F8 dx = f8_sub(xi, xj), dy = f8_sub(yi, yj), dz = f8_sub(zi, zj);
        if (sph->grid.period.any)
            period_nearest(&sph->grid.period, &dx, &dy, &dz);
        F8 r = f8_sqrt(f8_max(f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx))), least));
        F8 f = f8_div(f8_mul(cohesion, cohesion8_akinci(sph->kernel.type, f8_mul(r, inverse_h))), r);
        F8 k = f8_div(two, f8_add(si, sj));
        if (many) {
            f8_gather4_twice(v, twice, &u0, &u1, &u2, &kj);
            k = f8_pick(f8_not_zero(f8_sub(kind, kj)), f8_zero(), k);
        }
        F8 px = f8_mul(k, f8_mad(f, dx, f8_mul(curvature, f8_sub(ni, nj))));
        F8 py = f8_mul(k, f8_mad(f, dy, f8_mul(curvature, f8_sub(oi, oj))));
        F8 pz = f8_mul(k, f8_mad(f, dz, f8_mul(curvature, f8_sub(pi, pj))));
        sum.x = f8_add(sum.x, px);
        sum.y = f8_add(sum.y, py);
        sum.z = f8_add(sum.z, pz);
        sum.virial = f8_mad(pz, dz, f8_mad(py, dy, f8_mad(px, dx, sum.virial)));
    }
    F8 gamma = sph_lookup(job->gamma, kind);
    return (Pull){f8_mul(gamma, sum.x), f8_mul(gamma, sum.y), f8_mul(gamma, sum.z), f8_mul(gamma, sum.virial)};
}

static void akinci_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Vec4* a = job->sph->fluid.acceleration;
    for (size_t c = begin; c < end; c++) {
        Pull pull = chunk_pull(job, &job->sph->neighbours.chunk[c], c);
        F8 ax, ay, az, w;
        f8_load4(a + LANES * c, &ax, &ay, &az, &w);
        f8_store4(a + LANES * c, f8_sub(ax, pull.x), f8_sub(ay, pull.y), f8_sub(az, pull.z), f8_sub(w, pull.virial));
    }
}

static bool akinci_add(Sph* sph, const float gamma[FLUIDS_MOST])
{
    bool flat = sph->kernel.dimension == 2;
    double share = (double)sph->mass_volume / pow((double)sph->kernel.h, sph->kernel.dimension);
    Job job = {.sph = sph,
               .gamma = gamma,
               .cohesion = (float)(TENSION_DENSITY * share * (flat ? COHESION_SCALE_2D : COHESION_SCALE_3D)),
               .curvature = (float)(share * (flat ? 32.0 / 3 : 8))};
    parallel_for(sph->pool, block_count(sph->fluid.set.count, LANES), CHUNK_GRAIN, akinci_block, &job);
    return true;
}

const TensionMethod tension_akinci = {.name = "akinci", .normals = true, .strength = {10, 5.7}, .add = akinci_add};
