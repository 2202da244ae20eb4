// SPDX-License-Identifier: MIT
// The blocks of cells where the fluid is, and their arrays.
#include "flip/flip.h"

#include "flip/transfer.h"
#include <string.h>

enum { FLOATS_PER_CELL = 14, BYTES_PER_CELL = 1 };

bool flip_create(Flip* flip, const FlipDef* def)
{
    *flip = (Flip){.def = *def, .dx = def->cell_size};
    for (int k = 0; k < def->fluid_count; k++)
        flip->lightest = def->density[k] > flip->lightest ? def->density[k] : flip->lightest;
    if (!(flip->lightest > 0))
        flip->lightest = 1000;
    flip->column = flip->lightest;
    blocks_init(&flip->blocks, def->memory);
    poisson_init(&flip->poisson, def->memory, def->pool, def->dimension);
    walls_init(&flip->walls, def->memory, def->pool, def->dimension, def->cell_size);
    return blocks_clear(&flip->blocks);
}

static void give_cells(Flip* flip)
{
    Memory* m = flip->def.memory;
    for (int a = 0; a < 3; a++) {
        void* arrays[] = {flip->velocity[a], flip->old[a], flip->mass[a]};
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
            memory_give(m, arrays[k]);
        flip->velocity[a] = flip->old[a] = flip->mass[a] = NULL;
    }
    void* arrays[] = {flip->run, flip->slot, flip->fill,   flip->lightness[0], flip->lightness[1], flip->lightness[2],
                      flip->q,   flip->b,    flip->wanted, flip->known,        flip->fresh};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(m, arrays[k]);
    flip->lightness[0] = flip->lightness[1] = flip->lightness[2] = NULL;
    flip->fill = flip->q = flip->b = flip->wanted = NULL;
    flip->run = NULL;
    flip->known = flip->fresh = NULL;
    flip->slot = NULL;
    flip->block_capacity = 0;
}

void flip_free(Flip* flip)
{
    if (!flip->def.memory && !flip->blocks.key)
        return;
    give_cells(flip);
    memory_give(flip->def.memory, flip->table);
    memory_give(flip->def.memory, flip->near);
    inside_free(&flip->inside, flip->def.memory);
    walls_free(&flip->walls);
    poisson_free(&flip->poisson);
    blocks_free(&flip->blocks);
    memset(flip, 0, sizeof *flip);
}

static bool take(Memory* memory, void* array, size_t bytes)
{
    void* taken = memory_take(memory, bytes);
    if (taken)
        memset(taken, 0, bytes);
    memcpy(array, &taken, sizeof taken);
    return taken != NULL;
}

// Arrays per cell are not kept from step to step.
static bool reserve_cells(Flip* flip, size_t blocks)
{
    if (blocks <= flip->block_capacity)
        return true;
    give_cells(flip);
    size_t n = blocks + blocks / 4, bytes = n * CELLS * sizeof(float);
    Memory* m = flip->def.memory;
    bool ok = take(m, &flip->run, n * sizeof *flip->run) && take(m, &flip->slot, n * sizeof *flip->slot) &&
              take(m, &flip->known, n * sizeof *flip->known) && take(m, &flip->fresh, n * sizeof *flip->fresh) &&
              take(m, &flip->fill, bytes) && take(m, &flip->q, bytes) && take(m, &flip->b, bytes) && take(m, &flip->wanted, bytes);
    for (int a = 0; a < 3 && ok && flip_is_mix(flip); a++)
        ok = take(m, &flip->lightness[a], bytes);
    for (int a = 0; a < 3 && ok; a++)
        ok = take(m, &flip->velocity[a], bytes) && take(m, &flip->old[a], bytes) && take(m, &flip->mass[a], bytes);
    flip->block_capacity = ok ? n : 0;
    return ok;
}

size_t flip_bytes_per_cell(void)
{
    return FLOATS_PER_CELL * sizeof(float) + BYTES_PER_CELL + (COEFS + 5) * sizeof(float);
}

// --- blocks

// The same along an axis.
static int near_axis(int low, int high, int reach)
{
    return (low < reach) | 2 | (high >= EDGE - reach) << 2;
}

uint32_t flip_near_blocks(const int low[3], const int high[3], int reach, int dimension)
{
    int nx = near_axis(low[0], high[0], reach), ny = near_axis(low[1], high[1], reach);
    int nz = dimension == 3 ? near_axis(low[2], high[2], reach) : 2;
    uint32_t bits = 0;
    for (int k = 0; k < AROUND; k++)
        if (nx >> k % 3 & 1 && ny >> k / 3 % 3 & 1 && nz >> k / 9 & 1)
            bits |= 1u << k;
    return bits;
}

// The two blocks that half a segment of particles each lies in; a segment is 16 cells of four columns.
static BlockKey half_key(const SegmentKey* s, int half)
{
    return (BlockKey){2 * s->x + half, s->y >> 3, s->z >> 3};
}

static bool near_of_half(const uint32_t* start, const SegmentKey* s, int dimension, uint32_t* bits)
{
    int low = EDGE, high = -1;
    for (int c = 0; c < EDGE; c++)
        if (start[4 * c + 4] > start[4 * c]) {
            low = c < low ? c : low;
            high = c;
        }
    if (high < 0)
        return false;
    *bits =
        flip_near_blocks((const int[3]){low, s->y & 7, s->z & 7}, (const int[3]){high, s->y & 7, s->z & 7}, FLIP_REACH, dimension);
    return true;
}

uint32_t flip_add_block(Flip* flip, BlockKey key)
{
    uint32_t before = (uint32_t)flip->blocks.count, block = blocks_add(&flip->blocks, key);
    if (!block || !memory_reserve(flip->def.memory, &flip->near, &flip->near_capacity, flip->near ? before : 0, flip->blocks.count,
                                  sizeof *flip->near))
        return 0;
    if (block == before)
        flip->near[block] = 0;
    return block;
}

// Blocks with particles, and bits of those around them.
static bool add_occupied(Flip* flip, const CellGrid* grid)
{
    for (size_t k = 0; k < grid->segment_count; k++) {
        const SegmentKey* s = &grid->segment[k];
        if (s->x == GRID_FAR)
            continue;
        for (int half = 0; half < 2; half++) {
            uint32_t bits;
            if (!near_of_half(grid->cell_start + k * SEGMENT_CELLS + 32 * (size_t)half, s, flip->def.dimension, &bits))
                continue;
            uint32_t block = flip_add_block(flip, half_key(s, half));
            if (!block)
                return false;
            flip->near[block] |= bits;
        }
    }
    return true;
}

// Blocks around those with particles, but for what lies behind walls.
static bool add_around(Flip* flip)
{
    size_t occupied = flip->blocks.count;
    walls_look(&flip->walls);
    for (size_t k = 1; k < occupied; k++) {
        BlockKey key = flip->blocks.key[k];
        for (int n = 0; n < AROUND; n++) {
            BlockKey there = {key.x + n % 3 - 1, key.y + n / 3 % 3 - 1, key.z + n / 9 - 1};
            bool hidden = false;
            if (!(flip->near[k] >> n & 1) || blocks_find(&flip->blocks, there))
                continue;
            if (!walls_hide(&flip->walls, there, &hidden) || (!hidden && !blocks_add(&flip->blocks, there)))
                return false;
        }
    }
    return true;
}

static void find_runs(Flip* flip, const CellGrid* grid)
{
    memset(flip->run, 0, flip->blocks.count * sizeof *flip->run);
    memset(flip->slot, 0, flip->blocks.count * sizeof *flip->slot);
    flip->slots = 0;
    for (size_t k = 0; k < grid->segment_count; k++) {
        const SegmentKey* s = &grid->segment[k];
        const uint32_t* start = grid->cell_start + k * SEGMENT_CELLS;
        for (int half = 0; half < 2 && s->x != GRID_FAR; half++) {
            uint32_t begin = start[32 * half], end = start[32 * half + 32];
            if (begin == end)
                continue;
            uint32_t block = blocks_find(&flip->blocks, half_key(s, half));
            uint32_t* run = flip->run[block][(s->z & 7) * EDGE + (s->y & 7)];
            run[0] = begin;
            run[1] = end;
            if (!flip->slot[block])
                flip->slot[block] = (uint32_t)++flip->slots;
        }
    }
}

// Blocks that only solids are in have tables too.
static void add_slots(Flip* flip)
{
    const Inside* in = &flip->inside;
    for (size_t k = 1; k < flip->blocks.count; k++)
        if (in->start[k + 1] > in->start[k] && !flip->slot[k])
            flip->slot[k] = (uint32_t)++flip->slots;
}

bool flip_find(Flip* flip, const CellGrid* grid)
{
    bool carries = flip->inside.count > 0;
    flip->dx = grid->cell;
    inside_gather(flip);
    if (!blocks_clear(&flip->blocks) || !reserve_cells(flip, 1) || !add_occupied(flip, grid) || !inside_add_blocks(flip) ||
        !add_around(flip) || !blocks_finish(&flip->blocks, flip->def.pool) || !reserve_cells(flip, flip->blocks.count) ||
        (carries && !(inside_sort(flip) && inside_reserve_voxels(flip))))
        return false;
    find_runs(flip, grid);
    if (carries)
        add_slots(flip);
    return memory_reserve(flip->def.memory, &flip->table, &flip->table_capacity, 0, flip->slots * flip_table_size(flip),
                          sizeof *flip->table);
}
