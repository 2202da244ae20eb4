// SPDX-License-Identifier: MIT
// The triangles around each vertex, and what is done with them: smoothing that keeps each piece's volume, and normals.
#ifndef SURFACE_RINGS_H
#define SURFACE_RINGS_H

#include "surface/pieces.h"

// Those of vertex v are at [start[v], start[v + 1]), each as the two corners that follow v. The first of them, over all
// triangles of v, are its neighbours, because the mesh is closed.
typedef struct Rings {
    Memory* memory;
    uint32_t* start;     // (vertices + 1)
    uint32_t (*pair)[2]; // (3 triangles)
} Rings;

bool rings_build(Rings* rings, const SurfaceMesh* mesh, Pool* pool); // false: out of memory
void rings_free(Rings* rings);

// Rounds of weighted Laplacian smoothing; `weight` in 0..1 per vertex holds droplets in shape. Each piece keeps its volume. False:
// out of memory.
bool surface_smooth(SurfaceMesh* mesh, const Rings* rings, Pieces* pieces, Pool* pool, const float* weight, int rounds);

// Area-weighted normals of the triangles around each vertex.
void surface_normals(SurfaceMesh* mesh, const Rings* rings, Pool* pool);

#endif
