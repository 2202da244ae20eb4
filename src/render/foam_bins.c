// SPDX-License-Identifier: MIT
// Particles are put on the screen twice, eight at a time: once to count how many splats each tile gets, once to write them. That is
// cheaper than keeping what the first pass found.
#include "render/foam_bins.h"

#include <string.h>

enum { FADES = 256 };

static const float FULL = 1 - 0x1p-19f; // a fade must stay below 1

typedef struct Job {
    const FoamLens* lens;
    const FoamSource* source;
    FoamBins* bins;
    bool writes;
    Vec3 eye, right, down, forward;
    float fade[FADES + 2];
} Job;

static float falloff(float x, float n, float m)
{
    return powf(1 - powf(x, n), m);
}

// f(l, 1, 2, 0.4) of the life l that has passed, as a table: a power per particle would take longer than all the rest.
static float fade_of(const Job* job, float life)
{
    float at = least(most(1 - life, 0), 1) * FADES;
    int k = (int)at;
    float fade = job->fade[k] + (at - (float)k) * (job->fade[k + 1] - job->fade[k]);
    return life > 0 ? least(fade, FULL) : 0;
}

// --- eight particles

typedef struct Eight {
    Vec4 splat[LANES];
    uint32_t x0[LANES], x1[LANES], y0[LANES], y1[LANES]; // tiles that they touch
    unsigned seen;                                       // bit k: particle k is drawn
} Eight;

static F8 along(Vec3 axis, F8 dx, F8 dy, F8 dz)
{
    return f8_mad(dz, f8_set(axis.z), f8_mad(dy, f8_set(axis.y), f8_mul(dx, f8_set(axis.x))));
}

static F8 is_cut(const CutAway* cut, F8 x, F8 y, F8 z)
{
    if (!cut || !cut->on)
        return f8_zero();
    F8 p = cut->axis == 0 ? x : cut->axis == 1 ? y : z, at = f8_set((float)cut->position);
    return cut->hide_above ? f8_less(at, p) : f8_less(p, at);
}

// First and last tile in one direction, cut to `samples` [pixels] of the picture; a mask of who is within it.
static F8 tiles_of(F8 centre, F8 drawn, int samples, uint32_t* first, uint32_t* last)
{
    F8 low = f8_sub(centre, drawn), high = f8_add(centre, drawn), end = f8_set((float)samples), inverse = f8_set(1.0f / TILE);
    F8 within = f8_and(f8_less(f8_zero(), high), f8_less(low, end)); // false for nan
    i8_store(first, i8_of(f8_and(f8_floor(f8_mul(f8_max(low, f8_zero()), inverse)), within)));
    i8_store(last, i8_of(f8_and(f8_floor(f8_mul(f8_min(high, f8_set((float)(samples - 1))), inverse)), within)));
    return within;
}

static void project(const Job* job, size_t first, int count, Eight* out)
{
    const Camera* c = job->lens->camera;
    const FoamSource* s = job->source;
    float px[LANES] = {0}, py[LANES] = {0}, pz[LANES] = {0}, code[LANES] = {0};
    unsigned known = 0;
    for (int k = 0; k < count; k++) {
        const float* p = s->position + 3 * (first + (size_t)k);
        px[k] = p[0];
        py[k] = p[1];
        pz[k] = p[2];
        uint32_t kind = s->kind[first + (size_t)k];
        known |= (unsigned)(kind < FOAM_KIND_NUMBERS) << k;
        code[k] = (float)(FOAM_SIZES * kind + s->id[first + (size_t)k] % FOAM_SIZES);
        if (job->writes)
            code[k] += fade_of(job, s->life[first + (size_t)k]);
    }
    F8 x = f8_load(px), y = f8_load(py), z = f8_load(pz), cut = is_cut(job->lens->cut, x, y, z);
    F8 dx = f8_sub(x, f8_set(job->eye.x)), dy = f8_sub(y, f8_set(job->eye.y)), dz = f8_sub(z, f8_set(job->eye.z));
    F8 depth = along(job->forward, dx, dy, dz);
    F8 scale = c->orthographic ? f8_set((float)c->focal) : f8_div(f8_set((float)c->focal), depth);
    f8_store4(out->splat, f8_mad(along(job->right, dx, dy, dz), scale, f8_set((float)c->centre_x)),
              f8_mad(along(job->down, dx, dy, dz), scale, f8_set((float)c->centre_y)), depth, f8_load(code));
    FoamShapes shape = foam_shapes(job->lens, out->splat);
    F8 seen = f8_and(tiles_of(shape.x, shape.drawn, c->width, out->x0, out->x1),
                     tiles_of(shape.y, shape.drawn, c->height, out->y0, out->y1));
    if (!c->orthographic)
        seen = f8_and(seen, f8_less(f8_add(f8_set((float)c->nearest), shape.radius), depth));
    out->seen = f8_mask(seen) & ~f8_mask(cut) & known;
}

// Counts, or writes to the places that follow from the counts.
static void bin_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    FoamBins* bins = job->bins;
    size_t tiles = (size_t)bins->tiles_x * (size_t)bins->tiles_y, *count = bins->lists.count + block * tiles;
    if (!job->writes)
        memset(count, 0, tiles * sizeof *count);
    for (size_t i = begin; i < end; i += LANES) {
        Eight e;
        project(job, i, end - i < LANES ? (int)(end - i) : LANES, &e);
        for (unsigned left = e.seen; left; left &= left - 1) {
            int k = __builtin_ctz(left);
            for (uint32_t y = e.y0[k]; y <= e.y1[k]; y++)
                for (uint32_t x = e.x0[k]; x <= e.x1[k]; x++) {
                    size_t* place = &count[y * (uint32_t)bins->tiles_x + x];
                    if (job->writes)
                        bins->splat[*place] = e.splat[k];
                    ++*place;
                }
        }
    }
}

static Vec3 to_float(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

bool foam_bins_build(FoamBins* bins, Pool* pool, const FoamLens* lens, const FoamSource* source)
{
    const Camera* c = lens->camera;
    Job job = {.lens = lens,
               .source = source,
               .bins = bins,
               .eye = to_float(c->eye),
               .right = to_float(c->right),
               .down = to_float(c->down),
               .forward = to_float(c->forward)};
    for (int k = 0; k <= FADES; k++)
        job.fade[k] = falloff((float)k / FADES, 2, 0.4f);
    bins->tiles_x = (c->width + TILE - 1) / TILE;
    bins->tiles_y = (c->height + TILE - 1) / TILE;
    size_t tiles = (size_t)bins->tiles_x * (size_t)bins->tiles_y, grain = tile_lists_grain(source->count);
    if (!tile_lists_reserve(&bins->lists, tiles, source->count))
        return false;
    parallel_for(pool, source->count, grain, bin_block, &job);
    tile_lists_places(&bins->lists, tiles, source->count);
    if (!memory_reserve(NULL, &bins->splat, &bins->capacity, 0, bins->lists.start[tiles] + LANES, sizeof *bins->splat))
        return false;
    memset(bins->splat + bins->lists.start[tiles], 0, LANES * sizeof *bins->splat);
    job.writes = true;
    parallel_for(pool, source->count, grain, bin_block, &job);
    return true;
}

void foam_bins_free(FoamBins* bins)
{
    memory_give(NULL, bins->splat);
    tile_lists_free(&bins->lists);
    *bins = (FoamBins){0};
}
