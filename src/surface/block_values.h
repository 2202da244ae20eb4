// SPDX-License-Identifier: MIT
// Values at all vertices of a block at once: vertices of a brick of 5^3 cells share one list of particles, and eight of them are
// computed together. The same means as sampler_at, to rounding.
#ifndef SURFACE_BLOCK_VALUES_H
#define SURFACE_BLOCK_VALUES_H

#include "surface/values.h"

enum { BRICK_CELLS = 5, BRICK_SIDE = BLOCK_CELLS / BRICK_CELLS, BRICKS = BRICK_SIDE * BRICK_SIDE * BRICK_SIDE };
enum { BLOCK_VERTICES = 3 * BLOCK_CELLS * BLOCK_CELLS * BLOCK_CELLS };

// What one worker needs.
typedef struct ValueScratch {
    BlockParticles particles;
    size_t room;    // particles that the next two hold
    uint32_t* hit;  // in reach of a brick's vertices, numbers in `particles`
    float* weight;  // (room x 8) of each hit for eight vertices
    float (*at)[4]; // (BLOCK_VERTICES) [spacing] vertices from the block's first node
    uint16_t* order;
} ValueScratch;

bool value_scratch_take(ValueScratch* scratch, Memory* memory);
void value_scratch_free(ValueScratch* scratch, Memory* memory);

// Fills the mesh's values and `crowd` (sums of weights) for vertices [begin, end), which belong to block `key`. False: out of
// memory.
bool block_values(const Sampler* sampler, BlockKey key, ValueScratch* scratch, SurfaceMesh* mesh, uint32_t begin, uint32_t end,
                  float* crowd);

#endif
