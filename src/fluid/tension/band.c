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
    void* arrays[] = {band->gradient,  band->shape, band->spread, band->slot,   band->particle,
                      band->source,    band->at,    band->inward, band->normal, band->fitted,
                      band->curvature, band->force, band->part,   band->parts,  band->image};
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
           memory_reserve(m, &band->shape, &c[1], 0, n, sizeof *band->shape) &&
           memory_reserve(m, &band->spread, &c[2], 0, n, sizeof *band->spread) &&
           memory_reserve(m, &band->slot, &c[3], 0, n, sizeof *band->slot);
}

// Room for so many of the band, of which `kept` positions are there.
static bool reserve_members(SurfaceBand* band, size_t count, size_t kept)
{
    Memory* m = band->memory;
    size_t n = count + BEYOND, *c = band->capacity;
    return memory_reserve(m, &band->source, &c[11], 0, n, sizeof *band->source) &&
           memory_reserve(m, &band->particle, &c[12], 0, n, sizeof *band->particle) &&
           memory_reserve(m, &band->at, &c[4], kept, n, sizeof *band->at) &&
           memory_reserve(m, &band->inward, &c[5], 0, n, sizeof *band->inward) &&
           memory_reserve(m, &band->normal, &c[6], 0, n, sizeof *band->normal) &&
           memory_reserve(m, &band->fitted, &c[7], 0, n, sizeof *band->fitted) &&
           memory_reserve(m, &band->curvature, &c[8], 0, n, sizeof *band->curvature) &&
           memory_reserve(m, &band->force, &c[9], 0, n, sizeof *band->force) &&
           memory_reserve(m, &band->part, &c[10], kept, n, sizeof *band->part);
}

static float length_of(Vec4 g)
{
    return sqrtf(g.x * g.x + g.y * g.y + g.z * g.z);
}

// Notes the image of a particle near a line of contact. False: out of memory.
static bool add_image(SurfaceBand* band, const Sph* sph, uint32_t i)
{
    WallContact wall;
    BandImage image = {.particle = i};
    float counts;
    if (!sph->walls.contact || !contact_find(sph, i, &wall) ||
        !((counts = contact_image(sph, &wall, band->shape[i], &image.how)) > 0))
        return true;
    size_t n = band->image_count;
    if (!memory_reserve(band->memory, &band->image, &band->image_capacity, n, n + 1, sizeof *band->image))
        return false;
    Vec4 x = sph->fluid.position[i];
    float far = 2 * wall.distance;
    image.at = (Vec4){x.x - far * wall.normal[0], x.y - far * wall.normal[1], x.z - far * wall.normal[2], counts};
    band->image[band->image_count++] = image;
    return true;
}

// Who belongs to the band, into `at` and `part`, which lends its memory; then images, whose numbers start at that of particles.
static bool collect(SurfaceBand* band, const Sph* sph, float least, const float sigma[FLUIDS_MOST], size_t* out_count)
{
    const Vec4* x = sph->fluid.position;
    const size_t count = sph->fluid.set.count;
    size_t n = 0;
    band->image_count = 0;
    for (size_t i = 0; i < count; i++) {
        Vec4 g = band->spread[i];
        band->slot[i] = BAND_NONE;
        if (!(length_of(g) > least) || !(sigma[(int)g.w] > 0))
            continue;
        if (!reserve_members(band, n + 1, n) || !add_image(band, sph, (uint32_t)i))
            return false;
        band->at[n] = x[i];
        band->part[n++] = (uint32_t)i;
    }
    if (!reserve_members(band, n + band->image_count, n))
        return false;
    for (size_t k = 0; k < band->image_count; k++) {
        band->at[n] = band->image[k].at;
        band->part[n++] = (uint32_t)(count + k);
    }
    *out_count = n;
    return true;
}

// A member in its place, or an image.
static void place(SurfaceBand* band, const Sph* sph, uint32_t k, uint32_t number)
{
    const size_t count = sph->fluid.set.count;
    const bool is_image = number >= count;
    BandImage* image = is_image ? &band->image[number - count] : NULL;
    uint32_t i = is_image ? image->particle : number;
    Vec4 at = is_image ? image->at : sph->fluid.position[i], g = band->spread[i];
    float size = 2 * (float)sph->radius * length_of(g) * (is_image ? at.w : 1);
    if (is_image)
        image->slot = k;
    else
        band->slot[i] = k;
    band->particle[k] = i;
    band->source[k] = k;
    band->inward[k] = g;
    band->at[k] = (Vec4){at.x, at.y, at.z, size};
}

bool band_find(SurfaceBand* band, const Sph* sph, float least, const float sigma[FLUIDS_MOST])
{
    size_t n;
    if (!collect(band, sph, least, sigma, &n))
        return false;
    band->count = n;
    if (!grid_build(&band->grid, sph->pool, band->at, n, band->force))
        return false;
    for (uint32_t k = 0; k < n; k++)
        place(band, sph, k, band->part[band->grid.order[k]]);
    for (size_t k = 0; k < band->image_count; k++)
        band->source[band->image[k].slot] = band->slot[band->image[k].particle];
    for (size_t k = n; k < n + BEYOND; k++) { // read but not counted
        band->at[k] = band->inward[k] = band->normal[k] = (Vec4){0, 0, 0, 0};
        band->fitted[k] = 0;
    }
    band_reflect(band, band->inward);
    return true;
}

void band_reflect(const SurfaceBand* band, Vec4* direction)
{
    for (size_t k = 0; k < band->image_count; k++) {
        const BandImage* image = &band->image[k];
        direction[image->slot] = contact_reflect(&image->how, direction[band->source[image->slot]]);
    }
}

void band_copy(const SurfaceBand* band, float* value)
{
    for (size_t k = 0; k < band->image_count; k++)
        value[band->image[k].slot] = value[band->source[band->image[k].slot]];
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
