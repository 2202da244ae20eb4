// SPDX-License-Identifier: MIT
// The grid of nodes on which the field is evaluated, in sparse blocks. Nodes lie at whole multiples of the spacing, so that
// frames of a run share one grid. A block owns 15^3 cells and sees their 16^3 nodes; blocks next to each other share a layer
// of nodes and must find the same bits there. Therefore a particle's place is kept as cell and fraction (offsets from nodes are
// then the same from every block), and every block visits particles in the same order: by row of the cell grid (z, y), then
// as sorted.
#ifndef SURFACE_LATTICE_H
#define SURFACE_LATTICE_H

#include "particles/cell_grid.h"

enum { BLOCK_CELLS = 15, BLOCK_NODES = 16, BLOCK_NODES3 = 16 * 16 * 16, BLOCK_LIMIT = 1 << 20, BLOCK_ROWS = 32 };

typedef struct BlockKey {
    int32_t x, y, z; // in blocks
} BlockKey;

typedef struct Lattice {
    Memory* memory;
    double spacing; // [m]
    double reach;   // [spacing] how far a particle is felt
    CellGrid grid;  // cells of `reach`
    size_t count;   // particles in reach of the blocks' numbers, sorted
    Vec4* position; // (count, padded to eight) [m] sorted; w: number in the input as bits
    int32_t (*cell)[3];
    float (*fraction)[3]; // [spacing]
    size_t block_count;
    BlockKey* block; // sorted by z, y, x
    size_t far_count;
} Lattice;

// The particles in reach of one block, in the common order.
typedef struct BlockParticles {
    size_t count, capacity;
    int row_count;                                   // rows of the cell grid along z, in order...
    size_t row_end[BLOCK_ROWS];                      // ...behind the last particle of each
    float row_low[BLOCK_ROWS], row_high[BLOCK_ROWS]; // [spacing] where it may have particles, from the block's first node
    uint32_t* index;                                 // sorted number
    float *cx, *fx, *cy, *fy, *cz, *fz;              // [spacing] cell relative to the block's first node, and fraction
} BlockParticles;

// False: out of memory.
bool lattice_build(Lattice* lattice, Pool* pool, Memory* memory, double spacing, double reach, const float* position, size_t stride,
                   size_t count);
void lattice_free(Lattice* lattice);

bool lattice_gather(const Lattice* lattice, BlockKey key, BlockParticles* out); // false: out of memory
void block_particles_free(BlockParticles* particles, Memory* memory);

static inline uint32_t vec4_tag(const Vec4* v)
{
    union {
        float f;
        uint32_t u;
    } bits = {.f = v->w};
    return bits.u;
}

static inline int block_order(BlockKey a, BlockKey b)
{
    if (a.z != b.z)
        return a.z < b.z ? -1 : 1;
    if (a.y != b.y)
        return a.y < b.y ? -1 : 1;
    return a.x < b.x ? -1 : a.x > b.x;
}

#endif
