// SPDX-License-Identifier: MIT
// Diffuse particles on the screen, as a list of splats for each tile. A splat is written where it is drawn from, once for each tile
// that it touches, so that whoever draws a tile reads long runs of memory: looking particles up by number takes longer than
// drawing them.
#ifndef RENDER_FOAM_BINS_H
#define RENDER_FOAM_BINS_H

#include "base/simd.h"
#include "render/tiles.h"

// [pixels] the smallest radius that is drawn. A smaller particle is drawn as large as that and adds less, as its area does: the
// paper draws at least one pixel, and far foam would be the brighter the farther it is.
#define FOAM_LEAST_RADIUS 0.75f

enum { FOAM_KIND_NUMBERS = 3, FOAM_SIZES = 5 };

typedef struct FoamSource {
    size_t count;
    const float* position; // [m] x, y, z (stride 3)
    const uint32_t* id;
    const uint8_t* kind; // 0 spray, 1 foam, 2 bubble
    const float* life;   // [1] left, from 1 to 0
    float radius;        // [m]
} FoamSource;

// Splats of one thread, in no order that matters.
typedef struct FoamArena {
    Vec4* splat;
    size_t count, capacity;
    bool failed; // out of memory
} FoamArena;

// Where the splats of a block of particles are: in the arena of the thread that found them, tile by tile.
typedef struct FoamBlock {
    uint32_t arena;
    size_t first;
} FoamBlock;

// A splat is sixteen bytes: x and y [pixels] of the centre, z [m] its depth, and w = 5 kind + (id mod 5) + fade, where the fade by
// age is from 0 to just below 1. Radius and weight follow from these (foam_shapes()).
typedef struct FoamBins {
    FoamArena* arena;   // one per thread
    FoamBlock* block;   // in the order of particles
    uint32_t* start;    // block by block, tiles + 1 of each: where a tile's splats start after the block's first
    struct Desk** desk; // scratch, one per thread
    size_t arenas, blocks;
    int tiles_x, tiles_y;
    size_t block_capacity, start_capacity;
} FoamBins;

// What foam is seen through and how large it is.
typedef struct FoamLens {
    const Camera* camera;
    const CutAway* cut; // may be NULL
    float radius;       // [m] of the largest particles
} FoamLens;

// False: out of memory.
bool foam_bins_build(FoamBins* bins, Pool* pool, const FoamLens* lens, const FoamSource* source);
void foam_bins_free(FoamBins* bins);

// The splats of a tile from one block of particles.
typedef struct FoamRun {
    const Vec4* splat;
    size_t count;
} FoamRun;

static inline FoamRun foam_bins_run(const FoamBins* bins, size_t tile, size_t block)
{
    size_t tiles = (size_t)bins->tiles_x * (size_t)bins->tiles_y;
    const uint32_t* start = bins->start + block * (tiles + 1) + tile;
    const FoamBlock* b = &bins->block[block];
    return (FoamRun){bins->arena[b->arena].splat + b->first + start[0], start[1] - start[0]};
}

// Eight splats as they are drawn.
typedef struct FoamShapes {
    F8 x, y, z;           // [pixels], [pixels], [m] of centres
    F8 radius, drawn;     // [m], [pixels]
    F8 weight;            // [1] of what they add
    F8 is_spray, is_foam; // masks; others are bubbles
} FoamShapes;

static inline FoamShapes foam_shapes_of(const FoamLens* lens, F8 x, F8 y, F8 z, F8 w)
{
    const Camera* c = lens->camera;
    FoamShapes s = {.x = x, .y = y, .z = z};
    F8 one = f8_set(1);
    F8 code = f8_floor(w);
    s.is_spray = f8_less(code, f8_set(FOAM_SIZES));
    F8 is_bubble = f8_less(f8_set(2 * FOAM_SIZES - 0.5f), code);
    F8 kind = f8_pick(s.is_spray, f8_zero(), f8_pick(is_bubble, f8_set(2), one));
    s.is_foam = f8_and(f8_less(f8_set(0.5f), kind), f8_less(kind, f8_set(1.5f)));
    F8 share = f8_div(f8_pick(is_bubble, f8_set(0.5f), one), f8_add(f8_nmad(kind, f8_set(FOAM_SIZES), code), one));
    F8 scale = c->orthographic ? f8_set((float)c->focal) : f8_div(f8_set((float)c->focal), s.z);
    F8 radius = f8_mul(f8_set(lens->radius), share), drawn = f8_mul(radius, scale);
    F8 is_small = f8_less(drawn, f8_set(FOAM_LEAST_RADIUS)), part = f8_mul(drawn, f8_set(1 / FOAM_LEAST_RADIUS));
    s.weight = f8_mul(f8_sub(w, code), f8_pick(is_small, f8_mul(part, part), one));
    s.drawn = f8_pick(is_small, f8_set(FOAM_LEAST_RADIUS), drawn);
    s.radius = f8_pick(is_small, f8_div(s.drawn, scale), radius);
    return s;
}

static inline FoamShapes foam_shapes(const FoamLens* lens, const Vec4* splat)
{
    F8 x, y, z, w;
    f8_load4(splat, &x, &y, &z, &w);
    return foam_shapes_of(lens, x, y, z, w);
}

#endif
