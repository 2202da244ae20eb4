// SPDX-License-Identifier: MIT
// A block with a layer of its neighbours' cells around it, so that stencils run over plain rows.
#ifndef FLIP_PAD_H
#define FLIP_PAD_H

#include "base/simd.h"
#include "flip/blocks.h"

enum { PAD_ROW = 12, PAD_PLANE = PAD_ROW * (EDGE + 2), PAD_CELLS = PAD_PLANE * (EDGE + 2) };

typedef struct Pad {
    float v[PAD_CELLS];
} Pad;

// Cell (x, y, z), each from -1 to 8.
static inline size_t pad_at(int x, int y, int z)
{
    return (size_t)((z + 1) * PAD_PLANE + (y + 1) * PAD_ROW + x + 1);
}

// Fills the pad from a field. Cells around that lie across a face are copied; edges and corners are not touched. With a parity of 0
// or 1 only cells around with that (x + y + z) mod 2 are read: the others may be written by their owner meanwhile. `depth` is 8, or
// 1 in 2D, where what lies above and below reads as zero.
static inline void pad_gather(Pad* pad, const float* field, const uint32_t around[AROUND], int depth, int parity)
{
    const float* own = field + (size_t)around[AROUND_SELF] * CELLS;
    const float *x0 = field + (size_t)around[AROUND_SELF - 1] * CELLS, *x1 = field + (size_t)around[AROUND_SELF + 1] * CELLS;
    const float *y0 = field + (size_t)around[AROUND_SELF - 3] * CELLS, *y1 = field + (size_t)around[AROUND_SELF + 3] * CELLS;
    const float *z0 = field + (size_t)around[AROUND_SELF - 9] * CELLS, *z1 = field + (size_t)around[AROUND_SELF + 9] * CELLS;
    int step = parity < 0 ? 1 : 2;
    for (int z = 0; z < depth; z++) {
        for (int y = 0; y < EDGE; y++) {
            const float* row = own + z * ROWS + y * EDGE;
            float* to = pad->v + pad_at(0, y, z);
            f8_store(to, f8_load(row));
            if (parity < 0 || ((7 + y + z) & 1) == parity)
                to[-1] = x0[z * ROWS + y * EDGE + 7];
            if (parity < 0 || ((y + z) & 1) == parity)
                to[EDGE] = x1[z * ROWS + y * EDGE];
        }
        for (int x = parity < 0 ? 0 : (parity + 7 + z) & 1; x < EDGE; x += step)
            pad->v[pad_at(x, -1, z)] = y0[z * ROWS + 7 * EDGE + x];
        for (int x = parity < 0 ? 0 : (parity + z) & 1; x < EDGE; x += step)
            pad->v[pad_at(x, EDGE, z)] = y1[z * ROWS + x];
    }
    for (int y = 0; y < EDGE; y++) {
        float *low = pad->v + pad_at(0, y, -1), *high = pad->v + pad_at(0, y, depth);
        if (depth == 1) {
            f8_store(low, f8_zero());
            f8_store(high, f8_zero());
            continue;
        }
        for (int x = parity < 0 ? 0 : (parity + y + 7) & 1; x < EDGE; x += step)
            low[x] = z0[7 * ROWS + y * EDGE + x];
        for (int x = parity < 0 ? 0 : (parity + y) & 1; x < EDGE; x += step)
            high[x] = z1[y * EDGE + x];
    }
}

#endif
