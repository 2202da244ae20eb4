// SPDX-License-Identifier: MIT
#include "fluid/pressure/bulk_parts.h"

#include <string.h>

#define NO_ROW UINT32_MAX

// Of the key, or where it belongs.
static size_t slot_of(const Bulk* bulk, SegmentKey key)
{
    return cell_key_slot(bulk->table, bulk->table_size, NO_ROW, &bulk->row->key, sizeof *bulk->row, key);
}

// Its number; NO_ROW: out of memory.
static uint32_t row_at(Bulk* bulk, SegmentKey key)
{
    size_t slot = slot_of(bulk, key);
    if (bulk->table[slot] == NO_ROW) {
        if (!memory_reserve(bulk->memory, &bulk->row, &bulk->row_capacity, bulk->rows, bulk->rows + 1, sizeof *bulk->row))
            return NO_ROW;
        bulk->table[slot] = (uint32_t)bulk->rows;
        bulk->row[bulk->rows++] = (BulkRow){.key = key};
    }
    return bulk->table[slot];
}

// A row has up to seven more for its corners, but neighbours share most of them: the table has room for all, rows come as needed.
static bool make_room(Bulk* bulk, size_t segments)
{
    size_t most = 8 * segments + 1;
    bulk->table_size = 64;
    while (bulk->table_size < most + most / 2)
        bulk->table_size *= 2;
    if (!memory_reserve(bulk->memory, &bulk->row, &bulk->row_capacity, 0, segments, sizeof *bulk->row) ||
        !memory_reserve(bulk->memory, &bulk->table, &bulk->table_capacity, 0, bulk->table_size, sizeof *bulk->table))
        return false;
    memset(bulk->table, 0xff, bulk->table_size * sizeof *bulk->table);
    return true;
}

// Particles that are far take no part.
static bool fill_rows(Bulk* bulk, const CellGrid* grid)
{
    for (size_t s = 0; s < grid->segment_count; s++) {
        SegmentKey k = grid->segment[s];
        if (k.x == GRID_FAR)
            continue;
        uint32_t at = row_at(bulk, (SegmentKey){k.x, k.y >> 1, k.z >> 1});
        if (at == NO_ROW)
            return false;
        BulkRow* row = &bulk->row[at];
        row->fine[row->fines++] = (uint32_t)s;
    }
    bulk->filled = bulk->rows;
    return true;
}

// The rows that have the other corners of a row's cells.
static bool add_corners(Bulk* bulk, const CellGrid* grid)
{
    int deep = grid->dimension == 3 ? 2 : 1;
    for (size_t k = 0; k < bulk->filled; k++) {
        SegmentKey key = bulk->row[k].key;
        for (int n = 1; n < 4 * deep; n++)
            if (row_at(bulk, (SegmentKey){key.x + (n & 1), key.y + (n >> 1 & 1), key.z + (n >> 2)}) == NO_ROW)
                return false;
    }
    return true;
}

static void find_around(Bulk* bulk)
{
    for (size_t k = 0; k < bulk->rows; k++) {
        BulkRow* row = &bulk->row[k];
        for (int n = 0; n < BULK_AROUND; n++) {
            SegmentKey key = {row->key.x + n % 3 - 1, row->key.y + n / 3 % 3 - 1, row->key.z + n / 9 - 1};
            uint32_t at = bulk->table[slot_of(bulk, key)];
            row->around[n] = at == NO_ROW ? (uint32_t)bulk->rows : at;
        }
    }
}

bool bulk_rows(Bulk* bulk, const CellGrid* grid)
{
    bulk->rows = bulk->filled = 0;
    if (!make_room(bulk, grid->segment_count) || !fill_rows(bulk, grid) || !add_corners(bulk, grid))
        return false;
    find_around(bulk);
    return true;
}
