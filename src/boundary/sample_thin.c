// SPDX-License-Identifier: MIT
// Number density of the particles chosen so far, kept at every candidate: choosing one adds its kernel to all candidates
// around it, so that asking for the density costs nothing however often it is asked.
//   delta(x) = sum_k W(x - x_k, h),   W / W(0) = 2 (1 - q)+^3 - 8 (1/2 - q)+^3,   W(0) = 8 / (pi h^3)      (cubic spline)
// Particles of a nearby wall that faces the other way count only if the wall is thinner than about half a spacing: both
// sides of a thin plate are sampled, and a plate without thickness is not sampled twice.
#include "base/simd.h"
#include "boundary/sample_parts.h"

#include <string.h>

static const float FACING = -0.5f;                          // cosine of normals that belong to the two sides of a plate
static const float PLATE_THIN = 0.1f, PLATE_THICK = 0.225f; // [h] thinner: one wall; thicker: two

// The candidates of a cell come in blocks.
struct SampleBlock {
    float x[LANES], y[LANES], z[LANES];    // [h] free lanes are far away
    float nx[LANES], ny[LANES], nz[LANES]; // [1]
};

// --- cells

enum { AXIS_BITS = 21 };
static const uint64_t AXIS_MASK = ((uint64_t)1 << AXIS_BITS) - 1;

// Coordinates start at 1, so that the cells around have keys, too; beyond 2^21 they wrap around: cells that then share a key
// are not near each other.
static uint64_t cell_key(int64_t i, int64_t j, int64_t k)
{
    return ((uint64_t)(k + 1) & AXIS_MASK) << (2 * AXIS_BITS) | ((uint64_t)(j + 1) & AXIS_MASK) << AXIS_BITS |
           ((uint64_t)(i + 1) & AXIS_MASK);
}

static size_t cell_slot(const SampleThin* thin, uint64_t key)
{
    return (size_t)(((key ^ (key >> 29)) * 0x9e3779b97f4a7c15u) >> 32) & thin->table_mask;
}

// SAMPLE_NONE if nothing is there
static uint32_t cell_find(const SampleThin* thin, uint64_t key)
{
    for (size_t slot = cell_slot(thin, key);; slot = (slot + 1) & thin->table_mask) {
        uint32_t found = thin->table[slot];
        if (!found)
            return SAMPLE_NONE;
        if (thin->key[found - 1] == key)
            return found - 1;
    }
}

static bool table_resize(SampleThin* thin, size_t size, Memory* memory)
{
    uint32_t* table = memory_take(memory, size * sizeof *table);
    if (!table)
        return false;
    memory_give(memory, thin->table);
    memset(table, 0, size * sizeof *table);
    thin->table = table;
    thin->table_mask = size - 1;
    for (size_t cell = 0; cell < thin->cell_count; cell++) {
        size_t slot = cell_slot(thin, thin->key[cell]);
        while (table[slot])
            slot = (slot + 1) & thin->table_mask;
        table[slot] = (uint32_t)cell + 1;
    }
    return true;
}

// SAMPLE_NONE: out of memory
static uint32_t cell_add(SampleThin* thin, uint64_t key, Memory* memory)
{
    uint32_t cell = (uint32_t)thin->cell_count;
    if (!memory_reserve(memory, &thin->key, &thin->key_capacity, cell, (size_t)cell + 1, sizeof *thin->key))
        return SAMPLE_NONE;
    thin->key[thin->cell_count++] = key;
    if (3 * thin->cell_count > thin->table_mask)
        return table_resize(thin, 4 * (thin->table_mask + 1), memory) ? cell : SAMPLE_NONE;
    size_t slot = cell_slot(thin, key);
    while (thin->table[slot])
        slot = (slot + 1) & thin->table_mask;
    thin->table[slot] = cell + 1;
    return cell;
}

static uint64_t key_of(Vec3 x)
{
    return cell_key((int64_t)floorf(x.x), (int64_t)floorf(x.y), (int64_t)floorf(x.z));
}

static bool thin_find_cells(SampleThin* thin, const SampleCandidates* c, uint32_t* cell_of, Memory* memory)
{
    if (!table_resize(thin, 4096, memory))
        return false;
    uint64_t last_key = UINT64_MAX;
    uint32_t last = 0;
    for (size_t i = 0; i < c->count; i++) {
        uint64_t key = key_of(c->item[i].x);
        if (key != last_key) {
            last_key = key;
            last = cell_find(thin, key);
            if (last == SAMPLE_NONE)
                last = cell_add(thin, key, memory);
            if (last == SAMPLE_NONE)
                return false;
        }
        cell_of[i] = last;
    }
    return true;
}

// One pass of a radix sort of cells by eight bits of their keys.
static void sort_pass(const uint64_t* key, const uint32_t* from, uint32_t* to, size_t n, int shift)
{
    size_t at[257] = {0};
    for (size_t i = 0; i < n; i++)
        at[(key[from[i]] >> shift & 255) + 1]++;
    for (int k = 0; k < 256; k++)
        at[k + 1] += at[k];
    for (size_t i = 0; i < n; i++)
        to[at[key[from[i]] >> shift & 255]++] = from[i];
}

// Cells in the order of their keys, which does not depend on the order of the mesh.
static bool thin_sort_cells(SampleThin* thin, uint32_t* cell_of, Memory* memory)
{
    size_t n = thin->cell_count;
    uint32_t* scratch = memory_take(memory, 2 * n * sizeof *scratch);
    uint64_t* sorted = memory_take(memory, n * sizeof *sorted);
    if (scratch && sorted) {
        uint32_t *from = scratch, *to = scratch + n;
        uint64_t varies = 0;
        for (size_t i = 0; i < n; i++) {
            from[i] = (uint32_t)i;
            varies |= thin->key[i] ^ thin->key[0];
        }
        for (int shift = 0; shift < 64; shift += 8) {
            if (!(varies >> shift & 255))
                continue;
            sort_pass(thin->key, from, to, n, shift);
            uint32_t* swap = from;
            from = to;
            to = swap;
        }
        for (size_t i = 0; i < n; i++) {
            sorted[i] = thin->key[from[i]];
            to[from[i]] = (uint32_t)i;
        }
        for (size_t i = 0; i < thin->count; i++)
            cell_of[i] = to[cell_of[i]];
        memcpy(thin->key, sorted, n * sizeof *sorted);
    }
    bool ok = scratch && sorted;
    memory_give(memory, scratch);
    memory_give(memory, sorted);
    return ok;
}

// Counting sort of each class by cell; `at` (cell_count) is scratch.
static void thin_sort(SampleThin* thin, const SampleCandidates* c, const uint32_t* cell_of, uint32_t* at)
{
    for (int k = 0; k < SAMPLE_CLASSES; k++) {
        size_t begin = c->begin[k], end = c->begin[k + 1];
        if (begin == end)
            continue;
        memset(at, 0, thin->cell_count * sizeof *at);
        for (size_t i = begin; i < end; i++)
            at[cell_of[i]]++;
        uint32_t sum = (uint32_t)begin;
        for (size_t cell = 0; cell < thin->cell_count; cell++) {
            uint32_t n = at[cell];
            at[cell] = sum;
            sum += n;
        }
        for (size_t i = begin; i < end; i++)
            thin->order[at[cell_of[i]]++] = (uint32_t)i;
    }
}

// Room for the candidates of each cell in whole blocks; `used` (cell_count) is left at zero.
static bool thin_make_blocks(SampleThin* thin, const uint32_t* cell_of, uint32_t* used, Memory* memory)
{
    memset(used, 0, thin->cell_count * sizeof *used);
    for (size_t i = 0; i < thin->count; i++)
        used[cell_of[i]]++;
    uint32_t blocks = 0;
    for (size_t cell = 0; cell < thin->cell_count; cell++) {
        thin->block_begin[cell] = blocks;
        blocks += (used[cell] + LANES - 1) / LANES;
        used[cell] = 0;
    }
    thin->block_begin[thin->cell_count] = blocks;
    thin->block = memory_take(memory, blocks * sizeof *thin->block);
    thin->density = memory_take(memory, (size_t)blocks * LANES * sizeof *thin->density);
    thin->cell_of = memory_take(memory, blocks * sizeof *thin->cell_of);
    thin->chosen = memory_take(memory, (size_t)blocks * LANES);
    if (!thin->block || !thin->density || !thin->cell_of || !thin->chosen)
        return false;
    memset(thin->chosen, 1, (size_t)blocks * LANES);
    memset(thin->density, 0, (size_t)blocks * LANES * sizeof *thin->density);
    return true;
}

static void thin_fill_blocks(SampleThin* thin, const SampleCandidates* c, const uint32_t* cell_of, uint32_t* used)
{
    for (size_t k = 0; k < c->count; k++) {
        const SampleCandidate* item = &c->item[thin->order[k]];
        uint32_t cell = cell_of[thin->order[k]], place = used[cell]++, lane = place % LANES;
        uint32_t at = thin->block_begin[cell] + place / LANES;
        SampleBlock* b = &thin->block[at];
        if (lane == 0) {
            memset(b, 0, sizeof *b);
            for (int i = 0; i < LANES; i++)
                b->x[i] = 1e18f;
            thin->cell_of[at] = cell;
        }
        b->x[lane] = item->x.x, b->y[lane] = item->x.y, b->z[lane] = item->x.z;
        b->nx[lane] = item->normal.x, b->ny[lane] = item->normal.y, b->nz[lane] = item->normal.z;
        thin->slot[k] = at * LANES + lane;
        thin->chosen[thin->slot[k]] = 0;
    }
}

// A walk through the sorted keys: nine places move along with the cell, one for each row of three cells around it.
static bool thin_find_near(SampleThin* thin, Memory* memory)
{
    thin->near_cell = memory_take(memory, 27 * thin->cell_count * sizeof *thin->near_cell);
    if (!thin->near_cell)
        return false;
    size_t n = thin->cell_count, at[9] = {0};
    const uint64_t* key = thin->key;
    uint32_t used = 0;
    for (size_t cell = 0; cell < n; cell++) {
        thin->near_begin[cell] = used;
        for (int row = 0; row < 9; row++) {
            uint64_t first =
                key[cell] - 1 + (((uint64_t)(row / 3) - 1) << (2 * AXIS_BITS)) + (((uint64_t)(row % 3) - 1) << AXIS_BITS);
            size_t p = at[row];
            while (p < n && key[p] < first)
                p++;
            at[row] = p;
            for (; p < n && key[p] < first + 3; p++)
                thin->near_cell[used++] = (uint32_t)p;
        }
    }
    thin->near_begin[n] = used;
    return true;
}

// --- life

static bool thin_build(SampleThin* thin, const SampleCandidates* c, uint32_t* cell_of, Memory* memory)
{
    if (!thin_find_cells(thin, c, cell_of, memory) || !thin_sort_cells(thin, cell_of, memory))
        return false;
    // near_begin is scratch until it is filled
    thin->block_begin = memory_take(memory, (thin->cell_count + 1) * sizeof *thin->block_begin);
    thin->near_begin = memory_take(memory, (thin->cell_count + 1) * sizeof *thin->near_begin);
    if (!thin->block_begin || !thin->near_begin)
        return false;
    thin_sort(thin, c, cell_of, thin->near_begin);
    if (!thin_make_blocks(thin, cell_of, thin->near_begin, memory))
        return false;
    thin_fill_blocks(thin, c, cell_of, thin->near_begin);
    return thin_find_near(thin, memory);
}

bool sample_thin_build(SampleThin* thin, const SampleCandidates* candidates, Memory* memory)
{
    *thin = (SampleThin){.count = candidates->count};
    thin->order = memory_take(memory, thin->count * sizeof *thin->order);
    thin->slot = memory_take(memory, thin->count * sizeof *thin->slot);
    uint32_t* cell_of = memory_take(memory, thin->count * sizeof *cell_of);
    bool ok = thin->order && thin->slot && cell_of && thin_build(thin, candidates, cell_of, memory);
    memory_give(memory, cell_of);
    return ok;
}

void sample_thin_free(SampleThin* thin, Memory* memory)
{
    memory_give(memory, thin->order);
    memory_give(memory, thin->slot);
    memory_give(memory, thin->density);
    memory_give(memory, thin->chosen);
    memory_give(memory, thin->block);
    memory_give(memory, thin->cell_of);
    memory_give(memory, thin->block_begin);
    memory_give(memory, thin->near_begin);
    memory_give(memory, thin->near_cell);
    memory_give(memory, thin->key);
    memory_give(memory, thin->table);
    *thin = (SampleThin){0};
}

// --- density

// the other side of a plate: how much it counts depends on the thickness
static F8 plate_share(F8 dx, F8 dy, F8 dz, Vec3 n)
{
    F8 apart = f8_mad(dx, f8_set(n.x), f8_mad(dy, f8_set(n.y), f8_mul(dz, f8_set(n.z))));
    apart = f8_max(apart, f8_sub(f8_zero(), apart));
    F8 share = f8_mul(f8_sub(f8_set(PLATE_THICK), apart), f8_set(1 / (PLATE_THICK - PLATE_THIN)));
    return f8_max(f8_min(share, f8_set(1)), f8_zero());
}

static void block_add(const SampleBlock* b, float* density, Vec3 x, Vec3 n)
{
    F8 dx = f8_sub(f8_set(x.x), f8_load(b->x)), dy = f8_sub(f8_set(x.y), f8_load(b->y)), dz = f8_sub(f8_set(x.z), f8_load(b->z));
    F8 square = f8_mad(dx, dx, f8_mad(dy, dy, f8_mul(dz, dz)));
    unsigned near = f8_mask(f8_less(square, f8_set(1)));
    if (!near)
        return;
    F8 q = f8_sqrt(square);
    F8 outer = f8_max(f8_sub(f8_set(1), q), f8_zero()), inner = f8_max(f8_sub(f8_set(0.5f), q), f8_zero());
    F8 w = f8_mul(f8_mul(outer, outer), f8_add(outer, outer));
    w = f8_nmad(f8_mul(f8_mul(inner, inner), inner), f8_set(8), w);
    F8 facing = f8_mad(f8_set(n.x), f8_load(b->nx), f8_mad(f8_set(n.y), f8_load(b->ny), f8_mul(f8_set(n.z), f8_load(b->nz))));
    F8 opposite = f8_less(facing, f8_set(FACING));
    if (near & f8_mask(opposite))
        w = f8_pick(opposite, f8_mul(w, plate_share(dx, dy, dz, n)), w);
    f8_store(density, f8_add(f8_load(density), w));
}

void sample_thin_add(SampleThin* thin, uint32_t slot)
{
    thin->chosen[slot] = 1;
    const SampleBlock* self = &thin->block[slot / LANES];
    uint32_t lane = slot % LANES, cell = thin->cell_of[slot / LANES];
    Vec3 x = {self->x[lane], self->y[lane], self->z[lane]}, n = {self->nx[lane], self->ny[lane], self->nz[lane]};
    for (uint32_t k = thin->near_begin[cell]; k < thin->near_begin[cell + 1]; k++) {
        uint32_t other = thin->near_cell[k];
        for (uint32_t b = thin->block_begin[other]; b < thin->block_begin[other + 1]; b++)
            block_add(&thin->block[b], &thin->density[(size_t)b * LANES], x, n);
    }
}

static float slot_distance(const SampleThin* thin, uint32_t a, uint32_t b)
{
    const SampleBlock *p = &thin->block[a / LANES], *q = &thin->block[b / LANES];
    uint32_t i = a % LANES, j = b % LANES;
    float dx = p->x[i] - q->x[j], dy = p->y[i] - q->y[j], dz = p->z[i] - q->z[j];
    return sqrtf(dx * dx + dy * dy + dz * dz);
}

uint32_t sample_thin_nearest(const SampleThin* thin, uint32_t slot, float apart)
{
    uint32_t cell = thin->cell_of[slot / LANES], best = SAMPLE_NONE;
    float best_distance = 0.5f;
    for (uint32_t k = thin->near_begin[cell]; k < thin->near_begin[cell + 1]; k++) {
        uint32_t other = thin->near_cell[k];
        for (uint32_t i = thin->block_begin[other] * LANES; i < thin->block_begin[other + 1] * LANES; i++) {
            float distance = thin->chosen[i] ? 1 : slot_distance(thin, slot, i);
            if (distance >= apart && distance < best_distance) {
                best = i;
                best_distance = distance;
            }
        }
    }
    return best;
}
