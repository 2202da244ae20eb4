// SPDX-License-Identifier: MIT
// Particles are put on the screen in blocks that stay in the cache: a block is projected, its splats are counted by tile, and then
// written tile by tile to the arena of the thread. Each particle is read once and each splat written once, next to the one before;
// one list per tile for all particles would need two passes over them and writes all over memory, which took four times as long.
#include "render/foam_bins.h"

#include <stdlib.h>
#include <string.h>

enum {
    FADES = 1024,
    GRAIN = 16384, // particles in a block: its splats fit a second-level cache
    SPAN = 1024,   // more than there are tiles in a row
    HIDDEN = 0xffffffff
};

static const float FULL = 1 - 0x1p-19f; // a fade must stay below 1

// What a thread knows of its block. Columns are filled before they are read eight at a time: reading what was just written one by
// one makes a processor wait.
typedef struct Desk {
    float x[GRAIN], y[GRAIN], z[GRAIN], code[GRAIN];
    Vec4 splat[GRAIN];
    uint32_t tile[GRAIN], span[GRAIN]; // the first tile that is touched, and SPAN rows + columns more; or HIDDEN
} Desk;

typedef struct Job {
    const FoamLens* lens;
    const FoamSource* source;
    FoamBins* bins;
    Vec3 eye, right, down, forward;
    float fade[FADES + 1];
} Job;

static float falloff(float x, float n, float m)
{
    return powf(1 - powf(x, n), m);
}

// --- columns

// f(l, 1, 2, 0.4) of the life l that has passed, from a table: a power per particle would take longer than all the rest.
static void fill_columns(const Job* job, size_t begin, size_t end, Desk* desk)
{
    const FoamSource* s = job->source;
    size_t n = end - begin;
    for (size_t k = 0; k < n; k++) {
        size_t i = begin + k;
        const float* p = s->position + 3 * i;
        uint32_t kind = s->kind[i];
        desk->x[k] = kind < FOAM_KIND_NUMBERS ? p[0] : NAN;
        desk->y[k] = p[1];
        desk->z[k] = p[2];
        float life = most(least(s->life[i], 1), 0);
        desk->code[k] = (float)(FOAM_SIZES * kind + s->id[i] % FOAM_SIZES) + job->fade[(int)(life * FADES + 0.5f)];
    }
    for (; n % LANES; n++) {
        desk->x[n] = NAN; // not seen
        desk->y[n] = desk->z[n] = desk->code[n] = 0;
    }
}

// --- eight particles

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
static F8 tiles_of(F8 centre, F8 drawn, int samples, F8* first, F8* last)
{
    F8 low = f8_sub(centre, drawn), high = f8_add(centre, drawn), end = f8_set((float)samples), inverse = f8_set(1.0f / TILE);
    F8 within = f8_and(f8_less(f8_zero(), high), f8_less(low, end)); // false for nan
    *first = f8_and(f8_floor(f8_mul(f8_max(low, f8_zero()), inverse)), within);
    *last = f8_and(f8_floor(f8_mul(f8_min(high, f8_set((float)(samples - 1))), inverse)), within);
    return within;
}

static void project(const Job* job, Desk* desk, size_t k)
{
    const Camera* c = job->lens->camera;
    F8 x = f8_load(desk->x + k), y = f8_load(desk->y + k), z = f8_load(desk->z + k), cut = is_cut(job->lens->cut, x, y, z);
    F8 dx = f8_sub(x, f8_set(job->eye.x)), dy = f8_sub(y, f8_set(job->eye.y)), dz = f8_sub(z, f8_set(job->eye.z));
    F8 depth = along(job->forward, dx, dy, dz);
    F8 scale = c->orthographic ? f8_set((float)c->focal) : f8_div(f8_set((float)c->focal), depth);
    F8 px = f8_mad(along(job->right, dx, dy, dz), scale, f8_set((float)c->centre_x));
    F8 py = f8_mad(along(job->down, dx, dy, dz), scale, f8_set((float)c->centre_y));
    F8 code = f8_load(desk->code + k), x0, x1, y0, y1;
    f8_store4(desk->splat + k, px, py, depth, code);
    FoamShapes shape = foam_shapes_of(job->lens, px, py, depth, code);
    F8 seen = f8_and(tiles_of(px, shape.drawn, c->width, &x0, &x1), tiles_of(py, shape.drawn, c->height, &y0, &y1));
    if (!c->orthographic)
        seen = f8_and(seen, f8_less(f8_add(f8_set((float)c->nearest), shape.radius), depth));
    i8_store(desk->tile + k, i8_of(f8_mad(y0, f8_set((float)job->bins->tiles_x), x0)));
    i8_store(desk->span + k, i8_of(f8_mad(f8_sub(y1, y0), f8_set(SPAN), f8_sub(x1, x0))));
    unsigned hidden = f8_mask(seen) ^ 255u;
    for (hidden |= f8_mask(cut); hidden; hidden &= hidden - 1)
        desk->span[k + (size_t)__builtin_ctz(hidden)] = HIDDEN;
}

// --- a block

// Splats of each tile, to start[tile + 1].
static void count_tiles(const Desk* desk, size_t n, uint32_t tiles_x, uint32_t* start)
{
    for (size_t k = 0; k < n; k++) {
        uint32_t span = desk->span[k], tile = desk->tile[k];
        if (span == 0)
            start[tile + 1]++;
        else if (span != HIDDEN)
            for (uint32_t y = 0; y <= span / SPAN; y++)
                for (uint32_t x = 0; x <= span % SPAN; x++)
                    start[tile + y * tiles_x + x + 1]++;
    }
}

// Writes splats to their places; start[tile] moves on to where the next tile starts.
static void write_tiles(const Desk* desk, size_t n, uint32_t tiles_x, uint32_t* start, Vec4* out)
{
    for (size_t k = 0; k < n; k++) {
        uint32_t span = desk->span[k], tile = desk->tile[k];
        if (span == 0)
            out[start[tile]++] = desk->splat[k];
        else if (span != HIDDEN)
            for (uint32_t y = 0; y <= span / SPAN; y++)
                for (uint32_t x = 0; x <= span % SPAN; x++)
                    out[start[tile + y * tiles_x + x]++] = desk->splat[k];
    }
}

static void bin_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    FoamBins* bins = job->bins;
    FoamArena* arena = &bins->arena[worker];
    Desk* desk = bins->desk[worker];
    size_t n = end - begin, tiles = (size_t)bins->tiles_x * (size_t)bins->tiles_y;
    uint32_t *start = bins->start + block * (tiles + 1), tiles_x = (uint32_t)bins->tiles_x;
    fill_columns(job, begin, end, desk);
    for (size_t k = 0; k < n; k += LANES)
        project(job, desk, k);
    memset(start, 0, (tiles + 1) * sizeof *start);
    count_tiles(desk, n, tiles_x, start);
    for (size_t tile = 0; tile < tiles; tile++)
        start[tile + 1] += start[tile];
    size_t total = start[tiles];
    bins->block[block] = (FoamBlock){(uint32_t)worker, arena->count};
    if (arena->failed ||
        !memory_reserve(NULL, &arena->splat, &arena->capacity, arena->count, arena->count + total, sizeof *arena->splat)) {
        arena->failed = true;
        return;
    }
    write_tiles(desk, n, tiles_x, start, arena->splat + arena->count);
    memmove(start + 1, start, tiles * sizeof *start); // each has become the start of the next
    start[0] = 0;
    arena->count += total;
}

// --- all of them

static Vec3 to_float(Vec3d v)
{
    return (Vec3){(float)v.x, (float)v.y, (float)v.z};
}

// Arenas start with an even share of the room that one splat per particle takes, so that few of them grow.
static bool reserve(FoamBins* bins, size_t threads, size_t particles)
{
    size_t tiles = (size_t)bins->tiles_x * (size_t)bins->tiles_y, share = particles / threads + particles / (8 * threads) + GRAIN;
    if (bins->arenas != threads) {
        foam_bins_free(bins);
        bins->arena = calloc(threads, sizeof *bins->arena);
        bins->desk = calloc(threads, sizeof *bins->desk);
        bins->arenas = bins->arena && bins->desk ? threads : 0;
    }
    bool ok = bins->arenas > 0;
    for (size_t k = 0; k < threads && ok; k++) {
        FoamArena* arena = &bins->arena[k];
        size_t one = bins->desk[k] ? 1 : 0;
        arena->count = 0;
        arena->failed = false;
        ok = memory_reserve(NULL, &bins->desk[k], &one, 0, 1, sizeof(Desk)) &&
             memory_reserve(NULL, &arena->splat, &arena->capacity, 0, share, sizeof *arena->splat);
    }
    bins->blocks = block_count(particles, GRAIN);
    return ok && memory_reserve(NULL, &bins->block, &bins->block_capacity, 0, bins->blocks + 1, sizeof *bins->block) &&
           memory_reserve(NULL, &bins->start, &bins->start_capacity, 0, bins->blocks * (tiles + 1) + 1, sizeof *bins->start);
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
    for (int k = 1; k <= FADES; k++) // of the life that is left; nothing of none
        job.fade[k] = least(falloff(1 - (float)k / FADES, 2, 0.4f), FULL);
    size_t threads = pool ? (size_t)pool_threads(pool) : 1;
    int tiles_x = (c->width + TILE - 1) / TILE, tiles_y = (c->height + TILE - 1) / TILE;
    bins->tiles_x = tiles_x;
    bins->tiles_y = tiles_y;
    if (!reserve(bins, threads, source->count))
        return false;
    parallel_for(pool, source->count, GRAIN, bin_block, &job);
    for (size_t k = 0; k < threads; k++)
        if (bins->arena[k].failed)
            return false;
    return true;
}

void foam_bins_free(FoamBins* bins)
{
    for (size_t k = 0; k < bins->arenas; k++) {
        memory_give(NULL, bins->arena[k].splat);
        memory_give(NULL, bins->desk[k]);
    }
    free(bins->arena);
    free(bins->desk);
    memory_give(NULL, bins->block);
    memory_give(NULL, bins->start);
    *bins = (FoamBins){.tiles_x = bins->tiles_x, .tiles_y = bins->tiles_y};
}
