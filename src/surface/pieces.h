// SPDX-License-Identifier: MIT
// The connected pieces of a closed mesh: which vertices belong together, and how large each piece is.
#ifndef SURFACE_PIECES_H
#define SURFACE_PIECES_H

#include "surface/surface.h"

typedef struct Piece {
    double volume; // [m3] negative: a hole in the fluid
    double area;   // [m2]
    Vec3d centre;  // [m] of its surface
} Piece;

// A stretch of the mesh whose triangles mostly have vertices of the stretch: a block of the grid.
typedef struct Stretches {
    size_t count;
    const uint32_t* first_vertex; // (count + 1)
    const size_t* first_triangle; // (count + 1)
} Stretches;

typedef struct Pieces {
    Memory* memory;
    size_t count;
    uint32_t* of_vertex; // (vertices) numbered by first vertex
    Piece* piece;        // (count)
    Vec3d* origin;       // (count) [m] a point of it: volumes measured from there keep their digits far from the world's origin
    Piece* part;         // (parts x count) scratch of pieces_measure
} Pieces;

bool pieces_find(Pieces* pieces, const SurfaceMesh* mesh, const Stretches* stretches, Pool* pool); // false: out of memory
void pieces_measure(Pieces* pieces, const SurfaceMesh* mesh, Pool* pool);                          // after vertices have moved
void pieces_free(Pieces* pieces);

#endif
