// SPDX-License-Identifier: MIT
// The fluid as foam sees it, and the runs of fluid particles that may be within the support radius of a point. Fluid particles are
// sorted by the grid, and eight records beyond the last can be read.
#ifndef FOAM_AROUND_H
#define FOAM_AROUND_H

#include "base/simd.h"
#include "particles/cell_grid.h"

typedef struct FoamFluid {
    size_t count;
    const Vec4* position; // [m] w: anything
    const Vec4* velocity; // [m/s] w: anything
    const uint32_t* id;
    const CellGrid* grid;
    const float* rate; // [1/s] of births, if somebody knows them already; else NULL
} FoamFluid;

// Segments around the one that was asked for last: points that follow each other mostly share it.
typedef struct FoamAround {
    SegmentKey key;
    bool known, any;
    uint32_t around[27];
    uint32_t begin[9], end[9]; // runs of the point that was asked for last
    int runs;
} FoamAround;

// False: nothing is near, or the point is beyond all cells.
static inline bool foam_runs(FoamAround* a, const FoamFluid* fluid, Vec4 x)
{
    const CellGrid* grid = fluid->grid;
    double reach = 0x1p28 * grid->cell;
    a->runs = 0;
    if (!(fabs((double)x.x) < reach && fabs((double)x.y) < reach && fabs((double)x.z) < reach) || !grid->segment_count)
        return false;
    SegmentKey key = {grid_column(grid, (double)x.x) >> 6, grid_row(grid, x.y), grid_row(grid, x.z)};
    if (!a->known || key.x != a->key.x || key.y != a->key.y || key.z != a->key.z) {
        a->known = true;
        a->key = key;
        a->any = grid_around(grid, key, a->around);
    }
    if (!a->any)
        return false;
    int32_t low = grid_column(grid, (double)x.x - grid->cell), high = grid_column(grid, (double)x.x + grid->cell);
    for (int row = 0; row < 9; row++) {
        grid_run(grid, key, a->around, row, low, high, &a->begin[a->runs], &a->end[a->runs]);
        a->runs += a->begin[a->runs] < a->end[a->runs];
    }
    return a->runs > 0;
}

// Of the eight records from `first` on: where they are seen from x, and all bits set where one is closer than h and before `end`.
// A particle at x itself, or on top of it, does not count.
typedef struct FoamPairs {
    F8 dx, dy, dz; // [m] from the record to x
    F8 r2;         // [m2]
    F8 near;       // mask
    unsigned bits; // of the mask
} FoamPairs;

static inline FoamPairs foam_pairs(const FoamFluid* fluid, Vec4 x, float h2, uint32_t first, uint32_t end)
{
    F8 px, py, pz, unused;
    f8_load4(fluid->position + first, &px, &py, &pz, &unused);
    FoamPairs p;
    p.dx = f8_sub(f8_set(x.x), px);
    p.dy = f8_sub(f8_set(x.y), py);
    p.dz = f8_sub(f8_set(x.z), pz);
    p.r2 = f8_mad(p.dz, p.dz, f8_mad(p.dy, p.dy, f8_mul(p.dx, p.dx)));
    p.near = f8_and(f8_less(p.r2, f8_set(h2)), f8_not_zero(p.r2));
    if (end - first < LANES)
        p.near = f8_and(p.near, f8_less(f8_ramp(), f8_set((float)(end - first))));
    p.bits = f8_mask(p.near);
    return p;
}

#endif
