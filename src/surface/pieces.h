// SPDX-License-Identifier: MIT
// The connected pieces of a closed mesh, and what is done piece by piece: smoothing that keeps each one's volume, and small ones
// turned into spheres or left out.
#ifndef SURFACE_PIECES_H
#define SURFACE_PIECES_H

#include "surface/surface.h"

typedef struct Piece {
    double volume; // [m3] negative: a hole in the fluid
    double area;   // [m2]
    Vec3d centre;  // [m] mean of its vertices
    size_t vertices;
} Piece;

typedef struct Pieces {
    size_t count;
    uint32_t* of_vertex; // numbered by first vertex
    Piece* piece;
} Pieces;

bool pieces_find(Pieces* pieces, const SurfaceMesh* mesh);    // false: out of memory
void pieces_measure(Pieces* pieces, const SurfaceMesh* mesh); // after vertices have moved
void pieces_free(Pieces* pieces);

// Rounds of weighted Laplacian smoothing; `weight` in 0..1 per vertex holds droplets in shape. Each piece keeps its volume. False:
// out of memory.
bool surface_smooth(SurfaceMesh* mesh, Pieces* pieces, Pool* pool, const float* weight, int rounds);

// Pieces with less than `volume` [m3] are left out or become spheres. False: out of memory.
bool surface_settle_blobs(SurfaceMesh* mesh, SurfaceBlobs blobs, double volume);

// Area-weighted normals of the triangles around each vertex. False: out of memory.
bool surface_normals(SurfaceMesh* mesh, Pool* pool);

// Triangles around vertices as lists: those of vertex v are at [start[v], start[v + 1]); half edge 3 t + k starts at corner k
// of triangle t. One list of each vertex's outgoing half edges is also the list of its neighbours, because the mesh is closed.
typedef struct HalfEdges {
    uint32_t* start; // (vertices + 1)
    uint32_t* edge;  // (3 triangles)
} HalfEdges;
bool half_edges_build(HalfEdges* edges, const SurfaceMesh* mesh);
void half_edges_free(HalfEdges* edges, const SurfaceMesh* mesh);

#endif
