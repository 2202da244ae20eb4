// SPDX-License-Identifier: MIT
// Density with corrected kernels (Becker 2009, eq. 2, after Bonet and Kulasegaram 2002):
//   s_i <- sum_j V0 W_ij / sum_j V_j W_ij,     V_j = V0 / s_j
// The volumes are those of the densities summed over neighbours. The paper calls V_j constant; with equal ones the quotient would
// be 1 whatever particles do, and there would be no pressure. Boundary particles, where they stand for fluid, are at rest density.
#include "fluid/corrected.h"

// While densities are corrected, position.w holds V_j / V0, so that one load brings all that a pair needs; the pressures that
// belong there wait in fluid.source.

static void lend_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Sph* sph = context;
    for (size_t i = begin; i < end; i++) {
        float s = sph->fluid.density[i];
        sph->fluid.source[i] = sph->fluid.position[i].w;
        sph->fluid.position[i].w = 1 / (s > 1e-6f ? s : 1e-6f);
    }
}

static void give_back_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Sph* sph = context;
    for (size_t i = begin; i < end; i++)
        sph->fluid.position[i].w = sph->fluid.source[i];
}

static void correct_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Sph* sph = context;
    const Vec4* x = sph->fluid.position;
    const F8 inverse_h = f8_set(1 / sph->kernel.h), norm = f8_set(sph->kernel.norm * sph->volume);
    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
        F8 xi, yi, zi, volume, self = kernel8_w(sph->kernel.type, f8_zero());
        f8_load4(x + LANES * c, &xi, &yi, &zi, &volume);
        F8 sum = self, filled = f8_mul(self, volume);
        for (uint32_t n = 0; n < list->slots; n++) {
            F8 xj, yj, zj, vj;
            list_prefetch(list->twice, n);
            f8_gather4_twice(x, list->twice + LANES * n, &xj, &yj, &zj, &vj);
            F8 dx = f8_sub(xi, xj), dy = f8_sub(yi, yj), dz = f8_sub(zi, zj);
            if (sph->grid.period.any)
                period_nearest(&sph->grid.period, &dx, &dy, &dz);
            F8 q = f8_mul(f8_sqrt(f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)))), inverse_h);
            F8 w = f8_and(kernel8_w(sph->kernel.type, q), f8_not_zero(f8_load_half(coefficient + LANES * n)));
            sum = f8_add(sum, w);
            filled = f8_mad(w, vj, filled);
        }
        F8 s = f8_max(f8_load(sph->fluid.density + LANES * c), f8_set(1e-6f));
        F8 walls = f8_max(f8_nmad(sum, norm, s), f8_zero()); // what of s is not fluid
        f8_store(sph->fluid.density + LANES * c, f8_div(s, f8_mad(filled, norm, walls)));
    }
}

void density_correct(Sph* sph)
{
    size_t chunks = block_count(sph->fluid.set.count, LANES);
    parallel_for(sph->pool, chunks * LANES, PARTICLE_GRAIN, lend_block, sph);
    parallel_for(sph->pool, chunks, CHUNK_GRAIN, correct_block, sph);
    parallel_for(sph->pool, chunks * LANES, PARTICLE_GRAIN, give_back_block, sph);
}
