// SPDX-License-Identifier: MIT
// Things at places, sorted into cubic cells through a hash table. Whoever looks for neighbours asks the cells of a box one by one.
#ifndef ELASTIC_CELLS_H
#define ELASTIC_CELLS_H

#include "base/memory.h"
#include "base/vec.h"

typedef struct CellItem {
    uint32_t body, item; // of the body
    Vec3d at;            // [m]
    uint64_t key;        // of its cell
} CellItem;

typedef struct Cells {
    Memory* memory;
    double inverse; // [1/m] of the width of a cell
    CellItem* item; // sorted by slot
    size_t count;
    uint32_t* start;           // (slots + 1) into item
    size_t slots;              // a power of two
    int shift;                 // from a hash to a slot
    uint32_t *slot_of, *order; // scratch: slots of things as they came, and their numbers as they are sorted
    size_t item_capacity, order_capacity, slot_capacity, start_capacity;
} Cells;

typedef struct CellBox {
    int32_t low[3], high[3];
} CellBox;

void cells_free(Cells* cells);
// Empty, with cells of that width [m].
void cells_begin(Cells* cells, double width);
bool cells_reserve(Cells* cells, size_t count); // room for so many things, and slots for them. False: out of memory
// Where thing number `k` of those reserved is; all of them, in any order and by any thread.
void cells_put(Cells* cells, size_t k, Vec3d at);
// Finds who comes where: thing order[k] becomes item k.
void cells_sort(Cells* cells);
// Fills in item `k`; all of them, in any order and by any thread.
void cells_fill(Cells* cells, size_t k, uint32_t body, uint32_t item, Vec3d at);

static inline int32_t cells_number(const Cells* cells, double x)
{
    double n = floor(x * cells->inverse);
    return n > 1e9 ? 1000000000 : n < -1e9 ? -1000000000 : (int32_t)n;
}

// 21 bits of each number: cells two million apart share a key, and whoever asks compares places anyway.
static inline uint64_t cells_key(int32_t x, int32_t y, int32_t z)
{
    return (uint64_t)(x & 0x1fffff) << 42 | (uint64_t)(y & 0x1fffff) << 21 | (uint64_t)(z & 0x1fffff);
}

// Blocks of 4 x 4 x 4 cells are scattered by the hash; cells of a block lie side by side, and so do the things in them.
static inline uint32_t cells_slot(const Cells* cells, uint64_t key)
{
    const uint64_t within = (uint64_t)3 << 42 | (uint64_t)3 << 21 | 3;
    uint32_t cell = (uint32_t)((key >> 38 & 0x30) | (key >> 19 & 0xc) | (key & 3));
    return (uint32_t)((key & ~within) * 0x9e3779b97f4a7c15u >> (cells->shift + 6)) << 6 | cell;
}

static inline CellBox cells_box(const Cells* cells, Vec3d low, Vec3d high)
{
    return (CellBox){{cells_number(cells, low.x), cells_number(cells, low.y), cells_number(cells, low.z)},
                     {cells_number(cells, high.x), cells_number(cells, high.y), cells_number(cells, high.z)}};
}

static inline double cells_in_box(const CellBox* box)
{
    double n = 1;
    for (int k = 0; k < 3; k++)
        n *= (double)box->high[k] - box->low[k] + 1;
    return n;
}

#endif
