// SPDX-License-Identifier: MIT
#include "particles/cell_grid.h"

#include "base/random.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, RECENT = 64, CELLS_PER_BLOCK = 16384 };

// Cell numbers stay within +-2^29, so that sums with neighbours never overflow; x columns are four times finer.
#define FAR_CELL 268435456.0

void grid_init(CellGrid* grid, Memory* memory, double h, int dimension)
{
    memset(grid, 0, sizeof *grid);
    grid->memory = memory;
    grid->cell = h * (1 + 1e-6);
    grid->inverse = 1 / grid->cell;
    grid->dimension = dimension;
}

void grid_free(CellGrid* grid)
{
    void* arrays[] = {grid->segment, grid->cell_start, grid->own_order,   grid->table,
                      grid->part,    grid->histogram,  grid->found_count, grid->sort_scratch};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(grid->memory, arrays[k]);
    grid_init(grid, grid->memory, grid->cell, grid->dimension);
}

void grid_drop_order(CellGrid* grid)
{
    memory_give(grid->memory, grid->own_order);
    memory_give(grid->memory, grid->histogram);
    grid->order = grid->own_order = grid->histogram = NULL;
    grid->order_capacity = grid->histogram_capacity = 0;
}

// --- keys

// Far particles share one segment that no query reaches.
static SegmentKey far_key(void)
{
    return (SegmentKey){GRID_FAR, GRID_FAR, GRID_FAR};
}

static bool is_far(const CellGrid* grid, Vec4 p)
{
    double limit = FAR_CELL * grid->cell / 4;
    return !(fabs((double)p.x) < limit && fabs((double)p.y) < limit && fabs((double)p.z) < limit);
}

// Where a particle belongs.
static SegmentKey key_of(const CellGrid* grid, Vec4 p, uint32_t* out_cell)
{
    if (is_far(grid, p)) {
        *out_cell = 0;
        return far_key();
    }
    int32_t column = grid_column(grid, (double)p.x);
    *out_cell = (uint32_t)(column & 63);
    return (SegmentKey){column >> 6, grid_row(grid, p.y), grid_row(grid, p.z)};
}

static uint64_t spread_bits(uint32_t v)
{
    uint64_t x = v;
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x << 2) & 0x3333333333333333u;
    return (x | x << 1) & 0x5555555555555555u;
}

static uint64_t row_code(SegmentKey k)
{
    return spread_bits((uint32_t)k.y ^ 0x80000000u) | spread_bits((uint32_t)k.z ^ 0x80000000u) << 1;
}

// --- hash table

static bool table_clear(CellGrid* grid, size_t segments)
{
    size_t size = 64;
    while (size < 2 * segments)
        size *= 2;
    if (!memory_reserve(grid->memory, &grid->table, &grid->table_capacity, 0, size, sizeof *grid->table))
        return false;
    grid->table_size = size;
    memset(grid->table, 0xff, size * sizeof *grid->table);
    return true;
}

// Slot of the key, or the empty slot where it belongs.
static size_t table_slot(const CellGrid* grid, SegmentKey key)
{
    return cell_key_slot(grid->table, grid->table_size, NO_SEGMENT, grid->segment, sizeof *grid->segment, key);
}

// --- parts of rows

static size_t part_slot(const CellGrid* grid, int32_t x, int32_t y, int32_t z)
{
    size_t mask = grid->part_slots - 1, slot = cell_key_hash((SegmentKey){x, y, z}) & mask;
    for (; grid->part[slot].there; slot = (slot + 1) & mask) {
        const RowPart* part = &grid->part[slot];
        if (part->x == x && part->y == y && part->z == z)
            break;
    }
    return slot;
}

static bool same_part(SegmentKey a, SegmentKey b)
{
    return a.x >> 6 == b.x >> 6 && a.y == b.y && a.z == b.z;
}

static void find_range(CellGrid* grid)
{
    grid->low = (SegmentKey){GRID_FAR, GRID_FAR, GRID_FAR};
    grid->high = (SegmentKey){-GRID_FAR, -GRID_FAR, -GRID_FAR};
    for (size_t s = 0; s < grid->segment_count; s++) {
        SegmentKey k = grid->segment[s];
        if (k.x == GRID_FAR)
            continue;
        grid->low = (SegmentKey){k.x < grid->low.x ? k.x : grid->low.x, k.y < grid->low.y ? k.y : grid->low.y,
                                 k.z < grid->low.z ? k.z : grid->low.z};
        grid->high = (SegmentKey){k.x > grid->high.x ? k.x : grid->high.x, k.y > grid->high.y ? k.y : grid->high.y,
                                  k.z > grid->high.z ? k.z : grid->high.z};
    }
}

// From segments in order to parts.
static bool find_parts(CellGrid* grid)
{
    size_t count = 0, size = 64;
    for (size_t s = 0; s < grid->segment_count; s++)
        count += s == 0 || !same_part(grid->segment[s - 1], grid->segment[s]);
    while (size < 2 * count)
        size *= 2;
    if (!memory_reserve(grid->memory, &grid->part, &grid->part_capacity, 0, size, sizeof *grid->part))
        return false;
    grid->part_slots = size;
    memset(grid->part, 0, size * sizeof *grid->part);
    find_range(grid);
    RowPart* part = NULL;
    for (size_t s = 0; s < grid->segment_count; s++) {
        SegmentKey key = grid->segment[s];
        if (!part || !same_part(grid->segment[s - 1], key)) {
            part = &grid->part[part_slot(grid, key.x >> 6, key.y, key.z)];
            *part = (RowPart){key.x >> 6, key.y, key.z, (uint32_t)s, 0};
        }
        part->there |= 1ull << (key.x & 63);
    }
    return true;
}

static uint32_t segment_in(const RowPart* part, int32_t x)
{
    uint64_t bit = 1ull << (x & 63);
    return part->there & bit ? part->first + (uint32_t)__builtin_popcountll(part->there & (bit - 1)) : NO_SEGMENT;
}

uint32_t grid_find(const CellGrid* grid, SegmentKey key)
{
    return grid->part_slots ? segment_in(&grid->part[part_slot(grid, key.x >> 6, key.y, key.z)], key.x) : NO_SEGMENT;
}

// Whether the segments around a key may exist. Most of the fluid is far from what moves.
static bool is_in_range(const CellGrid* grid, SegmentKey key)
{
    SegmentKey low = grid->low, high = grid->high;
    return grid->part_slots && key.x >= low.x - 1 && key.x <= high.x + 1 && key.y >= low.y - 1 && key.y <= high.y + 1 &&
           key.z >= low.z - 1 && key.z <= high.z + 1;
}

bool grid_around(const CellGrid* grid, SegmentKey key, uint32_t out[27])
{
    bool any = false;
    if (!is_in_range(grid, key)) {
        memset(out, 0xff, 27 * sizeof *out);
        return false;
    }
    for (int row = 0; row < 9; row++) {
        int32_t y = key.y + row % 3 - 1, z = key.z + row / 3 - 1;
        bool flat = grid->dimension == 2 && z != key.z;
        const RowPart* part = NULL;
        for (int dx = -1; dx <= 1; dx++) {
            int32_t x = key.x + dx;
            if (!flat && (!part || (x & 63) == 0))
                part = &grid->part[part_slot(grid, x >> 6, y, z)];
            uint32_t s = part ? segment_in(part, x) : NO_SEGMENT;
            out[3 * row + dx + 1] = s;
            any |= s != NO_SEGMENT;
        }
    }
    return any;
}

// --- which segments exist

typedef struct FindKeys {
    CellGrid* grid;
    const Vec4* position;
} FindKeys;

// Marks a particle whose key is not that of the one before it.
#define NEW_KEY 0x80000000u

// Collects the keys of a block of particles, and notes the cell of each within its segment. A small cache of recent keys drops most
// repetitions: sorted particles stay almost sorted from step to step.
static void find_keys(void* context, size_t begin, size_t end, size_t block, int worker)
{
    FindKeys* job = context;
    CellGrid* grid = job->grid;
    SegmentKey* found = grid->found + begin;
    SegmentKey recent[RECENT], last = {0, 0, 0};
    uint64_t valid = 0;
    uint32_t n = 0;
    for (size_t i = begin; i < end; i++) {
        uint32_t cell;
        SegmentKey key = key_of(grid, job->position[i], &cell);
        bool again = i > begin && cell_key_equal(key, last);
        grid->cell_of[i] = again ? cell : cell | NEW_KEY;
        if (again)
            continue;
        last = key;
        size_t slot = cell_key_hash(key) % RECENT;
        if (valid >> slot & 1 && cell_key_equal(recent[slot], key))
            continue;
        recent[slot] = key;
        valid |= 1ull << slot;
        found[n++] = key;
    }
    grid->found_count[block] = n;
}

typedef struct SortKey {
    uint64_t row;
    uint32_t x;      // biased
    uint32_t number; // before sorting
} SortKey;

static int compare_keys(const void* a, const void* b)
{
    const SortKey *p = a, *q = b;
    if (p->row != q->row)
        return p->row < q->row ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x;
}

static bool is_sorted(const SortKey* key, size_t count)
{
    for (size_t k = 1; k < count; k++)
        if (compare_keys(&key[k - 1], &key[k]) > 0)
            return false;
    return true;
}

static bool grow_segments(CellGrid* grid, size_t needed)
{
    return memory_reserve(grid->memory, &grid->segment, &grid->segment_capacity, grid->segment_count, needed,
                          sizeof *grid->segment);
}

// Puts every key seen into the table once, in order of appearance.
static bool unite_keys(CellGrid* grid, size_t count)
{
    size_t blocks = block_count(count, BLOCK), seen = 0;
    for (size_t b = 0; b < blocks; b++)
        seen += grid->found_count[b];
    grid->segment_count = 0;
    if (!table_clear(grid, seen < 64 ? seen : seen / 2 + 64) || !grow_segments(grid, 64))
        return false;
    for (size_t b = 0; b < blocks; b++)
        for (uint32_t k = 0; k < grid->found_count[b]; k++) {
            SegmentKey key = grid->found[b * BLOCK + k];
            size_t slot = table_slot(grid, key);
            if (grid->table[slot] != NO_SEGMENT)
                continue;
            if (!grow_segments(grid, grid->segment_count + 1))
                return false;
            grid->segment[grid->segment_count] = key;
            grid->table[slot] = (uint32_t)grid->segment_count++;
            if (2 * grid->segment_count > grid->table_size) { // more than guessed: start over with room for all
                size_t so_far = grid->segment_count;
                if (!table_clear(grid, 2 * so_far))
                    return false;
                for (size_t s = 0; s < so_far; s++)
                    grid->table[table_slot(grid, grid->segment[s])] = (uint32_t)s;
            }
        }
    return true;
}

// Orders the segments.
static bool sort_segments(CellGrid* grid)
{
    size_t n = grid->segment_count;
    if (!memory_reserve(grid->memory, &grid->sort_scratch, &grid->sort_capacity, 0, n, sizeof(SortKey)))
        return false;
    SortKey* key = grid->sort_scratch;
    for (size_t s = 0; s < n; s++)
        key[s] = (SortKey){row_code(grid->segment[s]), (uint32_t)grid->segment[s].x ^ 0x80000000u, (uint32_t)s};
    if (!is_sorted(key, n))
        qsort(key, n, sizeof *key, compare_keys);
    // found has room for every particle, so it can hold the old order
    memcpy(grid->found, grid->segment, n * sizeof *grid->segment);
    for (size_t s = 0; s < n; s++)
        grid->segment[s] = grid->found[key[s].number];
    return true;
}

// --- counting sort into cells

typedef struct SortJob {
    CellGrid* grid;
    const Vec4* position;
    size_t cells;
    size_t part;     // particles per thread
    size_t parts;    // so many
    uint32_t* total; // scratch: particles per block of cells
} SortJob;

static void count_cells(void* context, size_t begin, size_t end, size_t block, int worker)
{
    SortJob* job = context;
    CellGrid* grid = job->grid;
    uint32_t* histogram = grid->histogram + block * job->cells;
    memset(histogram, 0, job->cells * sizeof *histogram);
    uint32_t segment = NO_SEGMENT;
    for (size_t i = begin; i < end; i++) {
        uint32_t cell = grid->cell_of[i];
        if (i == begin || cell & NEW_KEY)
            segment = grid_find(grid, key_of(grid, job->position[i], &cell));
        grid->cell_of[i] = segment * SEGMENT_CELLS + cell;
        histogram[grid->cell_of[i]]++;
    }
}

// Counts of a block of cells become places within the block, in order of cells, then parts; its total goes behind them.
static void place_cells(void* context, size_t begin, size_t end, size_t block, int worker)
{
    SortJob* job = context;
    CellGrid* grid = job->grid;
    uint32_t sum = 0;
    for (size_t c = begin; c < end; c++) {
        grid->cell_start[c] = sum;
        for (size_t p = 0; p < job->parts; p++) {
            uint32_t here = grid->histogram[p * job->cells + c];
            grid->histogram[p * job->cells + c] = sum;
            sum += here;
        }
    }
    job->total[block] = sum;
}

static void shift_cells(void* context, size_t begin, size_t end, size_t block, int worker)
{
    SortJob* job = context;
    uint32_t before = job->total[block];
    for (size_t c = begin; c < end && before; c++)
        job->grid->cell_start[c] += before;
    for (size_t p = 0; p < job->parts && before; p++)
        for (size_t c = begin; c < end; c++)
            job->grid->histogram[p * job->cells + c] += before;
}

// From counts to places.
static void find_places(SortJob* job, Pool* pool)
{
    size_t blocks = block_count(job->cells, CELLS_PER_BLOCK);
    uint32_t sum = 0;
    parallel_for(pool, job->cells, CELLS_PER_BLOCK, place_cells, job);
    for (size_t b = 0; b < blocks; b++) {
        uint32_t here = job->total[b];
        job->total[b] = sum;
        sum += here;
    }
    parallel_for(pool, job->cells, CELLS_PER_BLOCK, shift_cells, job);
    job->grid->cell_start[job->cells] = sum;
}

static void scatter(void* context, size_t begin, size_t end, size_t block, int worker)
{
    SortJob* job = context;
    CellGrid* grid = job->grid;
    uint32_t* next = grid->histogram + block * job->cells;
    for (size_t i = begin; i < end; i++)
        grid->order[next[grid->cell_of[i]]++] = (uint32_t)i;
}

static bool reserve_all(CellGrid* grid, size_t count, uint32_t* order)
{
    Memory* m = grid->memory;
    size_t blocks = block_count(count, BLOCK);
    if (!order && !memory_reserve(m, &grid->own_order, &grid->order_capacity, 0, count, sizeof *grid->own_order))
        return false;
    grid->order = order ? order : grid->own_order;
    return memory_reserve(m, &grid->found_count, &grid->found_count_capacity, 0, blocks, sizeof *grid->found_count);
}

bool grid_build(CellGrid* grid, Pool* pool, const Vec4* position, size_t count, Vec4* scratch)
{
    return grid_build_order(grid, pool, position, count, scratch, NULL);
}

bool grid_build_order(CellGrid* grid, Pool* pool, const Vec4* position, size_t count, Vec4* scratch, uint32_t* order)
{
    grid->count = count;
    grid->segment_count = 0;
    grid->far_count = 0;
    if (count == 0) {
        grid->part_slots = 0;
        return true;
    }
    if (!reserve_all(grid, count, order))
        return false;
    grid->found = (SegmentKey*)scratch;
    grid->cell_of = (uint32_t*)(grid->found + count);
    FindKeys find = {grid, position};
    parallel_for(pool, count, BLOCK, find_keys, &find);
    if (!unite_keys(grid, count) || !sort_segments(grid) || !find_parts(grid))
        return false;

    // one part per thread; the sort is stable, so the result does not depend on how many there are
    size_t parts = (size_t)pool_threads(pool);
    SortJob job = {grid, position, grid->segment_count * SEGMENT_CELLS, (count + parts - 1) / parts, 0, NULL};
    parts = job.parts = block_count(count, job.part);
    size_t blocks = block_count(job.cells, CELLS_PER_BLOCK);
    if (!memory_reserve(grid->memory, &grid->histogram, &grid->histogram_capacity, 0, parts * job.cells + blocks,
                        sizeof *grid->histogram) ||
        !memory_reserve(grid->memory, &grid->cell_start, &grid->start_capacity, 0, job.cells + 1, sizeof *grid->cell_start))
        return false;
    job.total = grid->histogram + parts * job.cells;
    parallel_for(pool, count, job.part, count_cells, &job);
    find_places(&job, pool);
    parallel_for(pool, count, job.part, scatter, &job);
    uint32_t far = grid_find(grid, far_key());
    if (far != NO_SEGMENT)
        grid->far_count =
            grid->cell_start[(size_t)far * SEGMENT_CELLS + SEGMENT_CELLS] - grid->cell_start[(size_t)far * SEGMENT_CELLS];
    return true;
}
