// SPDX-License-Identifier: MIT
// Whole numbers in three directions as keys of tables with open addressing: which segment, row or block of a grid.
// A table has a power of two of slots; what it holds are numbers of items, which keep their own keys.
#ifndef BASE_CELL_KEY_H
#define BASE_CELL_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CellKey {
    int32_t x, y, z;
} CellKey;

static inline bool cell_key_equal(CellKey a, CellKey b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline size_t cell_key_hash(CellKey k)
{
    uint64_t h = (uint64_t)(uint32_t)k.x * 0x9e3779b97f4a7c15u ^ (uint64_t)(uint32_t)k.y * 0xc2b2ae3d27d4eb4fu ^
                 (uint64_t)(uint32_t)k.z * 0x165667b19e3779f9u;
    return (size_t)(h ^ h >> 29 ^ h >> 43);
}

// Where a key stands, or the free slot where it belongs. Free slots hold `none`; the key of item n is n * stride bytes after first.
static inline size_t cell_key_slot(const uint32_t* table, size_t slots, uint32_t none, const CellKey* first, size_t stride,
                                   CellKey key)
{
    size_t mask = slots - 1, slot = cell_key_hash(key) & mask;
    while (table[slot] != none && !cell_key_equal(*(const CellKey*)((const char*)first + table[slot] * stride), key))
        slot = (slot + 1) & mask;
    return slot;
}

#endif
