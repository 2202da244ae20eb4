// SPDX-License-Identifier: MIT
// The grid of a coarse level: rows of eight cells along x, as long as a segment of the particles' grid and two of its cells high
// and deep. A row also has the eight corners of its cells at their low ends in x, y and z; rows without particles are there where
// only corners are wanted.
#ifndef FLUID_PRESSURE_BULK_PARTS_H
#define FLUID_PRESSURE_BULK_PARTS_H

#include "fluid/pressure/bulk.h"

enum { BULK_ROW = 8, BULK_CORNERS = 8, BULK_AROUND = 27, BULK_FINE = 4 };

typedef struct BulkRow {
    SegmentKey key;
    uint32_t fine[BULK_FINE];     // segments of the particles' grid
    uint32_t fines;               // 0: corners only
    uint32_t around[BULK_AROUND]; // rows at 9 (dz + 1) + 3 (dy + 1) + dx + 1, or the row of zeros that is beyond the last
} BulkRow;

// Of a corner: bit 0 is x, 1 y, 2 z.
typedef struct BulkElement {
    float a[BULK_CORNERS][BULK_CORNERS]; // A_mn of a cell's corners
    float load[BULK_CORNERS];            // sum of phi_n w e
} BulkElement;

struct Bulk {
    Memory* memory;
    BulkRow* row;
    size_t rows, filled; // those with particles come first
    uint32_t* table;     // of keys, open addressing
    size_t table_size;
    BulkElement* element; // (8 per filled row)
    float* stencil;       // (27 x 8 per row), as BulkRow.around
    float *inverse, *q, *r, *s, *as;
    Vec4* constant; // (particles) k_i
    float* error;   // (particles)
    bool starved;   // there was no memory for it, and
    bool told;      // somebody was told
    size_t row_capacity, table_capacity, element_capacity, stencil_capacity, constant_capacity, error_capacity;
    size_t inverse_capacity, q_capacity, r_capacity, s_capacity, as_capacity;
};

// The rows of the particles' grid. False: out of memory.
bool bulk_rows(Bulk* bulk, const CellGrid* grid);

#endif
