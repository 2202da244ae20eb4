// SPDX-License-Identifier: MIT
// Marching cubes over one block. The 256 cases are not typed in but derived from one rule per face of a cube, which both cubes
// at the face share: seen from outside the cube and walking around the face, the surface runs from where the walk enters the
// fluid to where it leaves it next. So faces always agree, loops close, and triangles are oriented. Loops are cut into
// triangles without a diagonal in a face of the cube, where the next cube might have the same one; there is such a cut for
// every case. Hence the mesh is manifold: every edge has exactly two triangles.
#ifndef SURFACE_CUBES_H
#define SURFACE_CUBES_H

#include "surface/lattice.h"

enum { CUBE_EDGES = 12, CUBE_TRIANGLES = 5 };

// Corner c of a cube is at (c & 1, c >> 1 & 1, c >> 2). Edge 4 a + k is the k-th along axis a.
typedef struct CubeCase {
    uint8_t count;                       // triangles
    uint8_t triangle[CUBE_TRIANGLES][3]; // numbers of edges
} CubeCase;

typedef struct CubeTable {
    CubeCase part[256];                 // bit c set: corner c is in the fluid
    uint8_t edge_corner[CUBE_EDGES][2]; // the first is the base
    uint8_t edge_axis[CUBE_EDGES];
} CubeTable;

void cube_table_build(CubeTable* table);

// What a block adds to the mesh. Vertices are on edges that start at its own nodes (15^3); their code is
// 4 node + axis, ascending, with node = (z 16 + y) 16 + x.
typedef struct BlockMesh {
    BlockKey key;
    uint32_t vertex_count, cell_count, triangle_count;
    uint16_t* code;   // (vertex_count)
    Vec3* position;   // (vertex_count) [m]
    uint16_t* cell;   // (cell_count) node of each cube that the surface crosses
    uint8_t* corners; // (cell_count) its case
} BlockMesh;

// `inside` has the signs of phi: bit x of [16 z + y] is set where it is negative.
bool block_mesh_build(BlockMesh* mesh, const CubeTable* table, BlockKey key, double spacing, const float* phi,
                      const uint16_t* inside, Memory* memory);
void block_mesh_free(BlockMesh* mesh, Memory* memory);

// Triangles of block `number` with vertices numbered from first_vertex[block] on; writes to `out` (triangle_count).
// `map` is scratch of 4 x 16^3 numbers.
void block_mesh_triangles(const BlockMesh* blocks, size_t count, size_t number, const CubeTable* table,
                          const uint32_t* first_vertex, uint32_t* map, uint32_t (*out)[3]);

#endif
