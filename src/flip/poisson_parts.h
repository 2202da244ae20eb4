// SPDX-License-Identifier: MIT
// What the levels and the iterations of the pressure equation share.
#ifndef FLIP_POISSON_PARTS_H
#define FLIP_POISSON_PARTS_H

#include "flip/pad.h"
#include "flip/poisson.h"

enum { BLOCK_GRAIN = 4, FEW_BLOCKS = 24 };

static inline int poisson_depth(const Poisson* poisson)
{
    return poisson->dimension == 3 ? EDGE : 1;
}

// Sum over the six faces of a_f q_n for the eight cells of a row.
static inline F8 poisson_around(const float* coef, const Pad* pad, int y, int z)
{
    const float* c = coef + z * ROWS + y * EDGE;
    const float* p = pad->v + pad_at(0, y, z);
    F8 sum = f8_mul(f8_load(c + COEF_X_LOW * CELLS), f8_load(p - 1));
    sum = f8_mad(f8_load(c + COEF_X_HIGH * CELLS), f8_load(p + 1), sum);
    sum = f8_mad(f8_load(c + COEF_Y_LOW * CELLS), f8_load(p - PAD_ROW), sum);
    sum = f8_mad(f8_load(c + COEF_Y_HIGH * CELLS), f8_load(p + PAD_ROW), sum);
    sum = f8_mad(f8_load(c + COEF_Z_LOW * CELLS), f8_load(p - PAD_PLANE), sum);
    return f8_mad(f8_load(c + COEF_Z_HIGH * CELLS), f8_load(p + PAD_PLANE), sum);
}

// Few blocks are done by who asks: waking others costs more.
static inline Pool* poisson_pool(const Poisson* poisson, const Blocks* blocks)
{
    return blocks->count > FEW_BLOCKS ? poisson->pool : NULL;
}

// levels.c: makes coarse levels. False: out of memory.
bool poisson_coarsen(Poisson* poisson);
// x of the finest level = about the solution for its b, x is not read
void poisson_cycle(Poisson* poisson);

#endif
