// SPDX-License-Identifier: MIT
// The picture is cut into square tiles; each tile knows which items touch it, in the order of the items. A tile is drawn
// by one thread, so the order of drawing, and with it every bit, does not depend on the number of threads.
#ifndef RENDER_TILES_H
#define RENDER_TILES_H

#include "base/memory.h"
#include "base/parallel.h"
#include "render/camera.h"

enum { TILE = 64 }; // samples per side

// Hides what is on one side of a plane across axis 0, 1 or 2: the side of the picture's eye.
typedef struct CutAway {
    bool on;
    int axis;
    double position; // [m]
    bool hide_above; // which side is hidden
} CutAway;

// fminf and fmaxf are calls unless the compiler may forget about NaN; these are one instruction. NaN gives b.
static inline float least(float a, float b)
{
    return a < b ? a : b;
}
static inline float most(float a, float b)
{
    return a > b ? a : b;
}

// Tiles touched, inclusive; x0 > x1: none.
typedef struct TileRect {
    uint16_t x0, y0, x1, y1;
} TileRect;

static const TileRect tile_rect_none = {1, 1, 0, 0};

typedef struct TileLists {
    size_t longest; // items in the fullest tile
    size_t* start;  // tiles + 1: where a tile's items start
    uint32_t* item;
    size_t* count; // blocks x tiles, for building
    size_t start_capacity, item_capacity, count_capacity;
} TileLists;

// False: out of memory.
bool tile_lists_build(TileLists* lists, Pool* pool, const TileRect* rect, size_t items, int tiles_x, int tiles_y);
void tile_lists_free(TileLists* lists);

// The tiles that a rectangle of samples touches, cut to the picture.
TileRect tile_rect_of(double x0, double y0, double x1, double y1, int width, int height);

// --- what the camera sees at each sample

enum {
    ID_INDEX = 0x3fffffff,  // particle or triangle number
    ID_TRIANGLE = 1u << 30, // a triangle, not a particle
    ID_NONE = ID_INDEX,     // the ground or nothing: depth tells
};
#define ID_GLASS 0x80000000u // seen through a pane

#define NOTHING 1e15f // depths from here on mean that nothing is seen; its square is still a float

typedef struct SampleBuffer {
    Camera camera;
    int tiles_x, tiles_y, stride; // stride: samples per row, whole tiles
    float* depth;                 // [m] along the view axis; INFINITY: nothing
    uint32_t* id;
    size_t capacity;
} SampleBuffer;

// False: out of memory. Contents are undefined afterwards.
bool sample_buffer_resize(SampleBuffer* buffer, const Camera* camera);
void sample_buffer_free(SampleBuffer* buffer);

// One tile while it is drawn; small enough for the first-level cache.
typedef struct Tile {
    int x, y;                                   // first sample
    float direction_x[TILE], direction_y[TILE]; // perspective: view ray (dx, dy, 1); orthographic: view-space x, y [m]
    _Alignas(64) float depth[TILE][TILE];
    _Alignas(64) uint32_t id[TILE][TILE];
} Tile;

void tile_begin(Tile* tile, const SampleBuffer* buffer, size_t index);
void tile_end(const Tile* tile, SampleBuffer* buffer); // copies it into the buffer

#endif
