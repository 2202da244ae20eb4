// SPDX-License-Identifier: MIT
// A sparse set of blocks of 8 x 8 x 8 cells. Blocks exist where they are asked for and nowhere else: memory grows with the fluid,
// not with the space around it. Block 0 is the void: it has no place, its cells hold zeros, and whoever looks beyond the last block
// sees it, so that loops over neighbours need no test. In 2D only the cells with z = 0 are used.
//
// The other blocks are numbered in Z-order: neighbours in space are near in memory, and numbers do not depend on threads.
#ifndef FLIP_BLOCKS_H
#define FLIP_BLOCKS_H

#include "base/cell_key.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec.h"

enum { EDGE = 8, ROWS = EDGE * EDGE, CELLS = EDGE * ROWS };
enum { AROUND = 27, AROUND_SELF = 13 };

typedef CellKey BlockKey; // in blocks

typedef struct Blocks {
    Memory* memory;
    size_t count;               // with the void
    BlockKey* key;              // (count)
    uint32_t (*around)[AROUND]; // (count) numbers of the blocks around, 9 (dz + 1) + 3 (dy + 1) + (dx + 1); 0: none
    uint32_t* table;            // hash table of numbers, 0: free
    size_t slots;               // power of two
    size_t key_capacity, around_capacity, table_capacity, sort_capacity;
    void* sort;
} Blocks;

void blocks_init(Blocks* blocks, Memory* memory);
void blocks_free(Blocks* blocks);

// From an empty set to one that can be looked at: clear, add in any order, finish. Adding a block twice is allowed; the number that
// it returns is good until `finish`. 0 or false: out of memory.
bool blocks_clear(Blocks* blocks);
uint32_t blocks_add(Blocks* blocks, BlockKey key);
bool blocks_finish(Blocks* blocks, Pool* pool);

uint32_t blocks_find(const Blocks* blocks, BlockKey key); // 0: there is none

// The cell beside cell (x, y, z) of a block, each in -8..15.
static inline size_t blocks_cell(const Blocks* blocks, uint32_t block, int x, int y, int z)
{
    int bx = x >> 3, by = y >> 3, bz = z >> 3;
    uint32_t there = blocks->around[block][AROUND_SELF + 9 * bz + 3 * by + bx];
    return (size_t)there * CELLS + (size_t)((z & 7) * ROWS + (y & 7) * EDGE + (x & 7));
}

#endif
