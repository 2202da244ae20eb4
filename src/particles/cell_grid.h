// SPDX-License-Identifier: MIT
// A sparse grid of cells that keeps particles sorted, so that neighbours in space are neighbours in memory.
//
// Cells are h wide in y and z and h/4 in x. A row of cells runs along x; 64 consecutive cells of a row are a segment, and
// only segments that hold a particle exist: memory grows with particles, wherever they are. Segments are ordered by the
// Morton code of their row (y, z), then by x; particles by segment, then cell. All particles of a row between two x are
// therefore one contiguous run, and the neighbours of a point lie in nine runs.
#ifndef PARTICLES_CELL_GRID_H
#define PARTICLES_CELL_GRID_H

#include "base/cell_key.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "particles/period.h"

enum { SEGMENT_CELLS = 64, GRID_FAR = 1 << 30 };
#define NO_SEGMENT 0xffffffffu

typedef CellKey SegmentKey; // x in segments, y and z in cells

// The segments of a row whose numbers x agree but for the last six bits. They follow each other.
typedef struct RowPart {
    int32_t x, y, z; // x in parts
    uint32_t first;  // number of its first segment
    uint64_t there;  // bit k: segment 64 x + k exists; 0: no such part
} RowPart;

typedef struct CellGrid {
    Memory* memory;
    double cell;    // [m] a hair more than h, so that rounding never hides a pair
    double inverse; // [1/m] 1 / cell
    int dimension;
    Period period; // of the particles that it sorts; their positions are within the domain

    // built by grid_build
    size_t count; // particles
    size_t segment_count;
    SegmentKey* segment;  // (segment_count) in order
    SegmentKey low, high; // the least and the largest numbers of segments in each direction, but for far ones
    uint32_t* cell_start; // (64 segment_count + 1) first particle of each cell
    uint32_t* order;      // (count) order[new] = old; where the caller wanted it, or own_order
    size_t far_count;     // particles beyond the range of cell numbers or not finite: put in the last cells, never found

    // hash table of parts of rows, open addressing: neighbours along x are found at once
    RowPart* part;
    size_t part_slots; // power of two; 0: no particles

    // scratch: a hash table of segments while they are collected, values are segment numbers
    uint32_t* table;
    size_t table_size; // power of two
    // scratch: the first two borrowed from the caller during a build, the others kept
    SegmentKey* found; // keys seen by each block of particles
    uint32_t* cell_of; // (count) cell of each particle, old order
    uint32_t* found_count;
    uint32_t* own_order; // kept if callers lend no room for it
    uint32_t* histogram; // (threads x cells), then totals of blocks of cells
    size_t segment_capacity, start_capacity, order_capacity, part_capacity, table_capacity, histogram_capacity,
        found_count_capacity;
    void* sort_scratch;
    size_t sort_capacity;
} CellGrid;

void grid_init(CellGrid* grid, Memory* memory, double h, int dimension);
void grid_free(CellGrid* grid);
void grid_drop_order(CellGrid* grid); // what only sorting needs, of a grid that will not be built again soon

// Sorts `count` positions into cells and fills everything above. Stable: particles of one cell keep their order.
// `scratch` has room for `count` records and is free again afterwards. False: out of memory.
bool grid_build(CellGrid* grid, Pool* pool, const Vec4* position, size_t count, Vec4* scratch);
// The same; the order is put where the caller says, which has room for `count` numbers. NULL: the grid keeps room of its own.
bool grid_build_order(CellGrid* grid, Pool* pool, const Vec4* position, size_t count, Vec4* scratch, uint32_t* order);

// Segment number or NO_SEGMENT.
uint32_t grid_find(const CellGrid* grid, SegmentKey key);

// Cell numbers of a coordinate. Beyond +-2^29 cells a particle is "far".
static inline int32_t grid_row(const CellGrid* grid, float y)
{
    return (int32_t)floor((double)y * grid->inverse);
}
static inline int32_t grid_column(const CellGrid* grid, double x)
{
    return (int32_t)floor(x * (4 * grid->inverse));
}

// Numbers of the segments around `key` in `grid`: [3 * row + (dx + 1)], rows 3 (dz + 1) + (dy + 1). Returns whether any exists.
bool grid_around(const CellGrid* grid, SegmentKey key, uint32_t out[27]);

// The run of particles in cells x_low..x_high (columns) of row `row` (0..8) around `key`. x_low and x_high must lie within
// one segment of `key`.
static inline void grid_run(const CellGrid* grid, SegmentKey key, const uint32_t around[27], int row, int32_t x_low, int32_t x_high,
                            uint32_t* out_begin, uint32_t* out_end)
{
    uint32_t begin = 0, end = 0;
    bool any = false;
    int32_t first = (x_low >> 6) - key.x, last = (x_high >> 6) - key.x;
    for (int32_t dx = first; dx <= last; dx++) {
        uint32_t segment = around[3 * row + dx + 1];
        if (segment == NO_SEGMENT)
            continue;
        const uint32_t* start = grid->cell_start + (size_t)segment * SEGMENT_CELLS;
        if (!any)
            begin = start[dx == first ? x_low & 63 : 0];
        end = start[dx == last ? (x_high & 63) + 1 : SEGMENT_CELLS];
        any = true;
    }
    *out_begin = begin;
    *out_end = end;
}

#endif
