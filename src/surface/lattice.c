// SPDX-License-Identifier: MIT
#include "surface/lattice.h"

#include <stdlib.h>
#include <string.h>

enum { GRAIN = 4096 };

// --- blocks in reach of particles

typedef struct KeyList {
    BlockKey* key;
    size_t count, capacity;
    bool failed;
} KeyList;

typedef struct FindJob {
    const Lattice* lattice;
    KeyList* list; // (blocks of work)
} FindJob;

static int32_t block_of(int32_t node)
{
    int32_t n = node >= 0 ? node : node - (BLOCK_CELLS - 1);
    return n / BLOCK_CELLS;
}

static int compare_keys(const void* a, const void* b)
{
    return block_order(*(const BlockKey*)a, *(const BlockKey*)b);
}

static void sort_unique(KeyList* list)
{
    if (!list->count)
        return;
    qsort(list->key, list->count, sizeof *list->key, compare_keys);
    size_t kept = 1;
    for (size_t k = 1; k < list->count; k++)
        if (block_order(list->key[k], list->key[kept - 1]))
            list->key[kept++] = list->key[k];
    list->count = kept;
}

// Neighbours in memory mostly touch the same blocks: the last few keys catch nearly all repetitions.
static void add_key(KeyList* list, Memory* memory, BlockKey key)
{
    size_t first = list->count > 24 ? list->count - 24 : 0;
    for (size_t k = list->count; k-- > first;)
        if (!block_order(list->key[k], key))
            return;
    if (!memory_reserve(memory, &list->key, &list->capacity, list->count, list->count + 1, sizeof *list->key)) {
        list->failed = true;
        return;
    }
    list->key[list->count++] = key;
}

// A block sees nodes 15 b .. 15 b + 15; the last layer is also the first of the next block.
static void find_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const FindJob* job = context;
    const Lattice* l = job->lattice;
    KeyList* list = &job->list[block];
    int32_t reach = (int32_t)ceil(l->reach);
    for (size_t i = begin; i < end && !list->failed; i++) {
        const int32_t* c = l->cell[i];
        BlockKey low = {block_of(c[0] - reach - 1), block_of(c[1] - reach - 1), block_of(c[2] - reach - 1)};
        BlockKey high = {block_of(c[0] + reach + 1), block_of(c[1] + reach + 1), block_of(c[2] + reach + 1)};
        for (int32_t z = low.z; z <= high.z; z++)
            for (int32_t y = low.y; y <= high.y; y++)
                for (int32_t x = low.x; x <= high.x; x++)
                    add_key(list, l->memory, (BlockKey){x, y, z});
    }
    sort_unique(list);
}

static bool join_keys(Lattice* l, const KeyList* list, size_t parts)
{
    size_t total = 0;
    for (size_t k = 0; k < parts; k++) {
        if (list[k].failed)
            return false;
        total += list[k].count;
    }
    KeyList all = {.key = memory_take(l->memory, (total + 1) * sizeof *all.key)};
    if (!all.key)
        return false;
    for (size_t k = 0; k < parts; k++) {
        if (list[k].count)
            memcpy(all.key + all.count, list[k].key, list[k].count * sizeof *all.key);
        all.count += list[k].count;
    }
    sort_unique(&all);
    l->block = all.key;
    l->block_count = all.count;
    return true;
}

static bool find_blocks(Lattice* l, Pool* pool)
{
    size_t parts = block_count(l->count, GRAIN);
    KeyList* list = calloc(parts + 1, sizeof *list);
    if (!list)
        return false;
    FindJob job = {l, list};
    parallel_for(pool, l->count, GRAIN, find_work, &job);
    bool ok = join_keys(l, list, parts);
    for (size_t k = 0; k < parts; k++)
        memory_give(l->memory, list[k].key);
    free(list);
    return ok;
}

// --- particles

// Keeps what blocks can be numbered for; a droplet that flew off must not stop the rest.
static bool take_particles(Lattice* l, const float* position, size_t stride, size_t count, Vec4* out)
{
    double limit = ((double)BLOCK_LIMIT * BLOCK_CELLS - 2 * l->reach - 2) * l->spacing;
    for (size_t i = 0; i < count; i++) {
        const float* p = position + i * stride;
        if (fabs((double)p[0]) > limit || fabs((double)p[1]) > limit || fabs((double)p[2]) > limit) {
            l->far_count++;
            continue;
        }
        union {
            uint32_t u;
            float f;
        } tag = {.u = (uint32_t)i};
        out[l->count++] = (Vec4){p[0], p[1], p[2], tag.f};
    }
    return true;
}

typedef struct PlaceJob {
    Lattice* lattice;
    const Vec4* from;
} PlaceJob;

static void place_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const PlaceJob* job = context;
    Lattice* l = job->lattice;
    double inverse = 1 / l->spacing;
    for (size_t i = begin; i < end; i++) {
        Vec4 p = job->from[l->grid.order[i]];
        const double x[3] = {(double)p.x * inverse, (double)p.y * inverse, (double)p.z * inverse};
        for (int k = 0; k < 3; k++) {
            double cell = floor(x[k]);
            l->cell[i][k] = (int32_t)cell;
            l->fraction[i][k] = (float)(x[k] - cell);
        }
        l->position[i] = p;
    }
}

bool lattice_build(Lattice* l, Pool* pool, Memory* memory, double spacing, double reach, const float* position, size_t stride,
                   size_t count)
{
    *l = (Lattice){.memory = memory, .spacing = spacing, .reach = reach};
    grid_init(&l->grid, memory, spacing * reach, 3);
    size_t room = (count + 15) & ~(size_t)7; // eight may be read from any particle on
    Vec4* found = memory_take(memory, room * sizeof *found);
    l->position = memory_take(memory, room * sizeof *l->position);
    l->cell = memory_take(memory, room * sizeof *l->cell);
    l->fraction = memory_take(memory, room * sizeof *l->fraction);
    bool ok = found && l->position && l->cell && l->fraction && take_particles(l, position, stride, count, found) &&
              grid_build(&l->grid, pool, found, l->count, l->position);
    if (ok) {
        PlaceJob job = {l, found};
        parallel_for(pool, l->count, GRAIN, place_work, &job);
        for (size_t k = l->count; k < room; k++)
            l->position[k] = (Vec4){INFINITY, INFINITY, INFINITY, 0};
        ok = find_blocks(l, pool);
    }
    memory_give(memory, found);
    return ok;
}

void lattice_free(Lattice* l)
{
    grid_free(&l->grid);
    memory_give(l->memory, l->position);
    memory_give(l->memory, l->cell);
    memory_give(l->memory, l->fraction);
    memory_give(l->memory, l->block);
    *l = (Lattice){0};
}

// --- particles of a block

void block_particles_free(BlockParticles* p, Memory* memory)
{
    memory_give(memory, p->index);
    memory_give(memory, p->cx);
    *p = (BlockParticles){0};
}

static bool reserve_particles(BlockParticles* p, Memory* memory, size_t needed)
{
    if (needed + 8 <= p->capacity)
        return true;
    size_t capacity = (needed + needed / 2 + 64) & ~(size_t)7;
    uint32_t* index = memory_take(memory, capacity * sizeof *index);
    float* data = memory_take(memory, 6 * capacity * sizeof *data);
    if (!index || !data) {
        memory_give(memory, index);
        memory_give(memory, data);
        return false;
    }
    float* old[6] = {p->cx, p->fx, p->cy, p->fy, p->cz, p->fz};
    for (int k = 0; k < 6 && p->count; k++)
        memcpy(data + (size_t)k * capacity, old[k], p->count * sizeof *data);
    if (p->count)
        memcpy(index, p->index, p->count * sizeof *index);
    memory_give(memory, p->index);
    memory_give(memory, p->cx);
    p->capacity = capacity;
    p->index = index;
    p->cx = data;
    p->fx = data + capacity;
    p->cy = data + 2 * capacity;
    p->fy = data + 3 * capacity;
    p->cz = data + 4 * capacity;
    p->fz = data + 5 * capacity;
    return true;
}

static bool in_reach(const int32_t cell[3], const int32_t origin[3], int32_t reach)
{
    for (int k = 0; k < 3; k++)
        if (cell[k] < origin[k] - reach - 1 || cell[k] > origin[k] + BLOCK_CELLS + reach)
            return false;
    return true;
}

static bool add_run(const Lattice* l, const int32_t origin[3], uint32_t begin, uint32_t end, BlockParticles* p)
{
    int32_t reach = (int32_t)ceil(l->reach);
    if (!reserve_particles(p, l->memory, p->count + (end - begin)))
        return false;
    for (uint32_t i = begin; i < end; i++) {
        const int32_t* c = l->cell[i];
        if (!in_reach(c, origin, reach))
            continue;
        size_t n = p->count++;
        p->index[n] = i;
        p->cx[n] = (float)(c[0] - origin[0]);
        p->cy[n] = (float)(c[1] - origin[1]);
        p->cz[n] = (float)(c[2] - origin[2]);
        p->fx[n] = l->fraction[i][0];
        p->fy[n] = l->fraction[i][1];
        p->fz[n] = l->fraction[i][2];
    }
    return true;
}

// All rows along x at one z.
static bool gather_row(const Lattice* l, const int32_t origin[3], const int32_t low[3], const int32_t high[3], int32_t z,
                       BlockParticles* out)
{
    const CellGrid* g = &l->grid;
    for (int32_t y = low[1]; y <= high[1]; y++)
        for (int32_t sx = low[0] >> 6; sx <= high[0] >> 6; sx++) {
            uint32_t segment = grid_find(g, (SegmentKey){sx, y, z});
            if (segment == NO_SEGMENT)
                continue;
            const uint32_t* start = g->cell_start + (size_t)segment * SEGMENT_CELLS;
            int32_t first = low[0] > sx * SEGMENT_CELLS ? low[0] & 63 : 0;
            int32_t last = high[0] < sx * SEGMENT_CELLS + SEGMENT_CELLS - 1 ? high[0] & 63 : SEGMENT_CELLS - 1;
            if (start[first] < start[last + 1] && !add_run(l, origin, start[first], start[last + 1], out))
                return false;
        }
    return true;
}

bool lattice_gather(const Lattice* l, BlockKey key, BlockParticles* out)
{
    const CellGrid* g = &l->grid;
    const int32_t origin[3] = {key.x * BLOCK_CELLS, key.y * BLOCK_CELLS, key.z * BLOCK_CELLS};
    int32_t low[3], high[3]; // rows of the cell grid, columns for x
    for (int k = 0; k < 3; k++) {
        double inverse = k ? g->inverse : 4 * g->inverse;
        low[k] = (int32_t)floor((origin[k] - l->reach - 1) * l->spacing * inverse);
        high[k] = (int32_t)floor((origin[k] + BLOCK_CELLS + l->reach + 1) * l->spacing * inverse);
    }
    out->count = 0;
    out->row_count = 0;
    double row = g->cell / l->spacing;
    for (int32_t z = low[2]; z <= high[2]; z++) {
        if (!gather_row(l, origin, low, high, z, out))
            return false;
        int n = out->row_count++;
        out->row_end[n] = out->count;
        out->row_low[n] = (float)(z * row - origin[2]) - 0.01f;
        out->row_high[n] = (float)((z + 1) * row - origin[2]) + 0.01f;
    }
    return true;
}
