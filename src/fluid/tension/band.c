// SPDX-License-Identifier: MIT
#include "fluid/tension/band.h"

#include <string.h>

enum { ROWS = 9, BEYOND = 16 }; // records beyond the last that loops over eight lanes may read

SurfaceBand* band_create(Memory* memory, double reach, int dimension)
{
    SurfaceBand* band = memory_take(memory, sizeof *band);
    if (!band)
        return NULL;
    memset(band, 0, sizeof *band);
    band->memory = memory;
    grid_init(&band->grid, memory, reach, dimension);
    return band;
}

void band_destroy(SurfaceBand* band)
{
    if (!band)
        return;
    Memory* memory = band->memory;
    void* arrays[] = {band->gradient, band->spread, band->slot,      band->particle, band->at,   band->inward,
                      band->normal,   band->fitted, band->curvature, band->force,    band->part, band->parts};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(memory, arrays[k]);
    grid_free(&band->grid);
    memory_give(memory, band);
}

bool band_reserve(SurfaceBand* band, size_t particles)
{
    Memory* m = band->memory;
    size_t n = particles + BEYOND, *c = band->capacity;
    return memory_reserve(m, &band->gradient, &c[0], 0, n, sizeof *band->gradient) &&
           memory_reserve(m, &band->spread, &c[1], 0, n, sizeof *band->spread) &&
           memory_reserve(m, &band->slot, &c[2], 0, n, sizeof *band->slot) &&
           memory_reserve(m, &band->particle, &c[3], 0, n, sizeof *band->particle) &&
           memory_reserve(m, &band->at, &c[4], 0, n, sizeof *band->at) &&
           memory_reserve(m, &band->inward, &c[5], 0, n, sizeof *band->inward) &&
           memory_reserve(m, &band->normal, &c[6], 0, n, sizeof *band->normal) &&
           memory_reserve(m, &band->fitted, &c[7], 0, n, sizeof *band->fitted) &&
           memory_reserve(m, &band->curvature, &c[8], 0, n, sizeof *band->curvature) &&
           memory_reserve(m, &band->force, &c[9], 0, n, sizeof *band->force) &&
           memory_reserve(m, &band->part, &c[10], 0, n, sizeof *band->part);
}

static float length_of(Vec4 g)
{
    return sqrtf(g.x * g.x + g.y * g.y + g.z * g.z);
}

bool band_find(SurfaceBand* band, const Sph* sph, float least, const float sigma[FLUIDS_MOST])
{
    const Vec4* x = sph->fluid.position;
    size_t n = 0, count = sph->fluid.set.count;
    for (size_t i = 0; i < count; i++) {
        Vec4 g = band->spread[i];
        band->slot[i] = BAND_NONE;
        if (!(length_of(g) > least) || !(sigma[(int)g.w] > 0))
            continue;
        band->at[n] = x[i];
        band->part[n++] = (uint32_t)i; // lends its memory
    }
    band->count = n;
    if (!grid_build(&band->grid, sph->pool, band->at, n, band->force))
        return false;
    for (size_t k = 0; k < n; k++) {
        uint32_t i = band->part[band->grid.order[k]];
        band->particle[k] = i;
        band->slot[i] = (uint32_t)k;
    }
    for (size_t k = 0; k < n; k++) {
        Vec4 at = x[band->particle[k]], g = band->spread[band->particle[k]];
        band->inward[k] = g;
        band->at[k] = (Vec4){at.x, at.y, at.z, 2 * (float)sph->radius * length_of(g)};
    }
    for (size_t k = n; k < n + BEYOND; k++) { // read but not counted
        band->at[k] = band->inward[k] = band->normal[k] = (Vec4){0, 0, 0, 0};
        band->fitted[k] = 0;
    }
    return true;
}

static void around_image(const SurfaceBand* band, Vec4 p, BandRunFn* run, void* sums)
{
    const CellGrid* grid = &band->grid;
    SegmentKey key = {grid_column(grid, (double)p.x) >> 6, grid_row(grid, p.y), grid_row(grid, p.z)};
    uint32_t around[27];
    if (!grid_around(grid, key, around))
        return;
    int32_t low = grid_column(grid, (double)p.x - grid->cell), high = grid_column(grid, (double)p.x + grid->cell);
    for (int row = 0; row < ROWS; row++) {
        uint32_t begin, end;
        grid_run(grid, key, around, row, low, high, &begin, &end);
        if (begin < end)
            run(band, p, begin, end, sums);
    }
}

// Whether the image of a coordinate one period on (`side` -1 or 1) comes within reach of the domain.
static bool image_matters(const SurfaceBand* band, const Period* period, int axis, int side, float x)
{
    double at = (double)x + side * period->length[axis], low = period->min[axis], reach = band->grid.cell;
    return side == 0 || (at > low - reach && at < low + period->length[axis] + reach);
}

void band_around(const SurfaceBand* band, const Period* period, Vec4 p, BandRunFn* run, void* sums)
{
    const int most[3] = {period->axis[0], period->axis[1], period->axis[2]};
    for (int i = -most[0]; i <= most[0]; i++)
        for (int j = -most[1]; j <= most[1]; j++)
            for (int k = -most[2]; k <= most[2]; k++)
                if (image_matters(band, period, 0, i, p.x) && image_matters(band, period, 1, j, p.y) &&
                    image_matters(band, period, 2, k, p.z))
                    around_image(band,
                                 (Vec4){p.x + (float)i * period->full[0], p.y + (float)j * period->full[1],
                                        p.z + (float)k * period->full[2], p.w},
                                 run, sums);
}
