// SPDX-License-Identifier: MIT
// Cells around a closed surface. All points of a cell in which there is no piece of the surface are on the same side, and so are
// all of its neighbours of that kind: one look at the surface decides for many points.
#ifndef MESH_INSIDE_CELLS_H
#define MESH_INSIDE_CELLS_H

#include "base/memory.h"
#include "base/vec.h"

typedef enum InsideCell { CELL_EMPTY, CELL_SURFACE, CELL_OUTSIDE, CELL_INSIDE } InsideCell;

typedef struct InsideCells {
    Vec3d low;      // [m] corner of the first cell
    double inverse; // [1/m] cells per length
    size_t n[3];    // x runs fastest
    uint8_t* cell;  // (n[0] n[1] n[2]) an InsideCell each
    size_t capacity;
} InsideCells;

bool inside_cells_create(InsideCells* cells, size_t capacity, Memory* memory); // false: out of memory
void inside_cells_destroy(InsideCells* cells, Memory* memory);

// Lays cells over a box, all of them empty; then each piece of the surface is marked by a box around it; then the sides of all
// cells without a piece are found, `contains` being asked for one point of each region. `bounds` holds all boxes. Several threads
// may mark.
void inside_cells_begin(InsideCells* cells, Box3d bounds);
void inside_cells_mark(InsideCells* cells, Box3d piece);
void inside_cells_fill(InsideCells* cells, bool (*contains)(const void* context, Vec3d point), const void* context);

// A number along an axis, cut off at its ends. Not smaller for a larger coordinate, so that who is in a piece's box is in its
// cells.
static inline size_t inside_cells_at(const InsideCells* cells, int axis, double x, double low)
{
    double at = (x - low) * cells->inverse;
    size_t last = cells->n[axis] - 1;
    return at <= 0 ? 0 : at >= (double)last ? last : (size_t)at;
}

// What is around a point within the bounds.
static inline InsideCell inside_cells_look(const InsideCells* cells, Vec3d p)
{
    size_t x = inside_cells_at(cells, 0, p.x, cells->low.x), y = inside_cells_at(cells, 1, p.y, cells->low.y),
           z = inside_cells_at(cells, 2, p.z, cells->low.z);
    return (InsideCell)cells->cell[(z * cells->n[1] + y) * cells->n[0] + x];
}

#endif
