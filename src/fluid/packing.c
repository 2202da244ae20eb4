// SPDX-License-Identifier: MIT
#include "fluid/packing.h"

static void begin_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fluid* fluid = context;
    for (size_t i = begin; i < end; i++)
        fluid->packed[i] = fminf(fmaxf(fluid->density[i] - 1, 0), PACKING_MOST);
}

void packing_begin(Sph* sph)
{
    parallel_for(sph->pool, sph->fluid.set.count, PARTICLE_GRAIN, begin_block, &sph->fluid);
    packing_apply(sph);
}

static void apply_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fluid* fluid = context;
    for (size_t i = begin; i < end; i++) {
        float packed = fminf(fluid->packed[i], fmaxf(fluid->density[i] - 1, 0));
        fluid->packed[i] = packed;
        fluid->density[i] -= packed;
    }
}

void packing_apply(Sph* sph)
{
    parallel_for(sph->pool, sph->fluid.set.count, PARTICLE_GRAIN, apply_block, &sph->fluid);
}
