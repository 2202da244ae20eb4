// SPDX-License-Identifier: MIT
// The loop that methods with one force along the line between two particles share.
#ifndef FLUID_TENSION_CENTRAL_H
#define FLUID_TENSION_CENTRAL_H

#include "fluid/tension/cohesion.h"
#include "fluid/tension/tension.h"

typedef struct CentralJob {
    Sph* sph;
    const float* gamma;
    float scale; // [kg/m3] 1000 (2r)^d scale / h^d
} CentralJob;

static inline CentralJob central_job(Sph* sph, const float* gamma, ShapeFn* shape)
{
    const Kernel* k = &sph->kernel;
    double share = (double)sph->mass_volume / pow((double)k->h, k->dimension);
    return (CentralJob){sph, gamma, (float)(TENSION_DENSITY * share * cohesion_scale(shape, k->type, k->dimension))};
}

// a_i -= gamma scale sum_j c(q) x_ij / r
static inline void central_chunk(const CentralJob* job, size_t c, ShapeFn* shape)
{
    Sph* sph = job->sph;
    const Vec4 *x = sph->fluid.position, *v = sph->fluid.velocity;
    const bool many = sph->material_count > 1;
    const F8 inverse_h = f8_set(1 / sph->kernel.h), least = f8_set(1e-12f * sph->kernel.h * sph->kernel.h);
    const ChunkList* list = &sph->neighbours.chunk[c];
    F8 xi, yi, zi, ax, ay, az, w, pj, u0, u1, u2, kind, kj;
    f8_load4(x + LANES * c, &xi, &yi, &zi, &pj);
    f8_load4(v + LANES * c, &u0, &u1, &u2, &kind);
    f8_load4(sph->fluid.acceleration + LANES * c, &ax, &ay, &az, &w);
    const F8 strength = f8_mul(sph_lookup(job->gamma, kind), f8_set(job->scale));
    F8 sx = f8_zero(), sy = f8_zero(), sz = f8_zero(), sw = f8_zero();
    for (uint32_t s = 0; s < list->slots; s++) {
        const uint32_t* twice = list->twice + LANES * s;
        list_prefetch(list->twice, s);
        F8 xj, yj, zj;
        f8_gather4_twice(x, twice, &xj, &yj, &zj, &pj);
        F8 dx = f8_sub(xi, xj), dy = f8_sub(yi, yj), dz = f8_sub(zi, zj);
        if (sph->grid.period.any)
            period_nearest(&sph->grid.period, &dx, &dy, &dz);
        F8 r2 = f8_max(f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx))), least), r = f8_sqrt(r2);
        F8 f = f8_div(shape(sph->kernel.type, f8_mul(r, inverse_h)), r);
        if (many) {
            f8_gather4_twice(v, twice, &u0, &u1, &u2, &kj);
            f = f8_pick(f8_not_zero(f8_sub(kind, kj)), f8_zero(), f);
        }
        sx = f8_mad(f, dx, sx);
        sy = f8_mad(f, dy, sy);
        sz = f8_mad(f, dz, sz);
        sw = f8_mad(f, f8_and(r2, f8_less(least, r2)), sw); // padding is the particle itself
    }
    f8_store4(sph->fluid.acceleration + LANES * c, f8_nmad(strength, sx, ax), f8_nmad(strength, sy, ay), f8_nmad(strength, sz, az),
              f8_nmad(strength, sw, w));
}

#endif
