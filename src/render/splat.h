// SPDX-License-Identifier: MIT
// Particles as perfect spheres: for each sample the nearest sphere that the view ray meets, and where.
#ifndef RENDER_SPLAT_H
#define RENDER_SPLAT_H

#include "render/tiles.h"

// Particles that are drawn alike.
typedef struct SphereSet {
    size_t count;
    const float* position; // [m] x, y, z every `stride` floats
    size_t stride;
    float radius; // [m]
} SphereSet;

// Samples that a sphere may touch; x1 and y1 are past the end.
typedef struct SampleRect {
    int32_t x0, y0, x1, y1;
} SampleRect;

// A sphere in a tile: what decides whether it is hidden, side by side in the order of drawing.
typedef struct TileSphere {
    uint32_t id;
    float nearest;          // [m]
    uint8_t x0, y0, x1, y1; // samples of the tile; x1 and y1 are past the end
} TileSphere;

typedef struct SphereList {
    size_t count;
    Vec4* view; // view-space centre and radius; radius 0: not drawn
    SampleRect* bounds;
    TileRect* rect;
    TileLists lists;
    TileSphere* sorted; // scratch: a tile's spheres by depth, per worker
    float* nearest;     // scratch of the sorting, as long
    size_t view_capacity, bounds_capacity, rect_capacity, sorted_capacity, nearest_capacity, sorted_per_worker;
} SphereList;

// Takes all sets one after another into view space and finds their tiles. False: out of memory or more than 2^30 particles.
bool sphere_list_build(SphereList* list, Pool* pool, const SphereSet* sets, size_t set_count, const SampleBuffer* target,
                       const CutAway* cut);
void sphere_list_free(SphereList* list);

// Draws the spheres of this tile over what is there; ids are numbers in the list.
void sphere_list_draw(const SphereList* list, const SampleBuffer* target, Tile* tile, size_t tile_index, int worker);

#endif
