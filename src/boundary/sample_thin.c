// SPDX-License-Identifier: MIT
// Number density of the particles chosen so far, kept at every candidate: choosing one adds its kernel to all candidates
// around it, so that asking for the density costs nothing however often it is asked.
//   delta(x) = sum_k W(x - x_k, h),   W / W(0) = 2 (1 - q)+^3 - 8 (1/2 - q)+^3,   W(0) = 8 / (pi h^3)      (cubic spline)
// Particles of a nearby wall that faces the other way count only if the wall is thinner than about half a spacing: both
// sides of a thin plate are sampled, and a plate without thickness is not sampled twice.
#include "base/simd.h"
#include "boundary/sample_parts.h"

#include <string.h>

static const float COUNTING[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
static const float FACING = -0.5f;                          // cosine of normals that belong to the two sides of a plate
static const float PLATE_THIN = 0.1f, PLATE_THICK = 0.225f; // [h] thinner: one wall; thicker: two

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

static bool thin_allocate_slots(SampleThin* thin, Memory* memory)
{
    float** array[] = {&thin->x, &thin->y, &thin->z, &thin->nx, &thin->ny, &thin->nz, &thin->density};
    // vectors read, and write back unchanged, up to a vector beyond the end
    size_t size = thin->count + LANES;
    for (size_t k = 0; k < sizeof array / sizeof *array; k++) {
        *array[k] = memory_take(memory, size * sizeof(float));
        if (!*array[k])
            return false;
        memset(*array[k] + thin->count, 0, LANES * sizeof(float));
    }
    thin->cell_of = memory_take(memory, size * sizeof *thin->cell_of);
    thin->chosen = memory_take(memory, size);
    if (!thin->cell_of || !thin->chosen)
        return false;
    memset(thin->density, 0, size * sizeof *thin->density);
    memset(thin->chosen, 0, size);
    return true;
}

// `at` (cell_count) is scratch
static void thin_fill_slots(SampleThin* thin, const SampleCandidates* c, const uint32_t* cell_of, uint32_t* at)
{
    memset(at, 0, thin->cell_count * sizeof *at);
    for (size_t i = 0; i < thin->count; i++)
        at[cell_of[i]]++;
    uint32_t sum = 0;
    for (size_t cell = 0; cell < thin->cell_count; cell++) {
        thin->cell_begin[cell] = sum;
        sum += at[cell];
        at[cell] = thin->cell_begin[cell];
    }
    thin->cell_begin[thin->cell_count] = sum;
    for (size_t k = 0; k < thin->count; k++) {
        const SampleCandidate* item = &c->item[thin->order[k]];
        uint32_t cell = cell_of[thin->order[k]], slot = at[cell]++;
        thin->slot[k] = slot;
        thin->cell_of[slot] = cell;
        thin->x[slot] = item->x.x, thin->y[slot] = item->x.y, thin->z[slot] = item->x.z;
        thin->nx[slot] = item->normal.x, thin->ny[slot] = item->normal.y, thin->nz[slot] = item->normal.z;
    }
}

// A walk through the sorted keys: nine places move along with the cell, one for each row of three cells around it.
static bool thin_find_rows(SampleThin* thin, Memory* memory)
{
    thin->row = memory_take(memory, 9 * thin->cell_count * sizeof *thin->row);
    if (!thin->row)
        return false;
    size_t n = thin->cell_count, at[9] = {0};
    const uint64_t* key = thin->key;
    uint32_t used = 0;
    for (size_t cell = 0; cell < n; cell++) {
        thin->row_begin[cell] = used;
        for (int row = 0; row < 9; row++) {
            uint64_t first =
                key[cell] - 1 + (((uint64_t)(row / 3) - 1) << (2 * AXIS_BITS)) + (((uint64_t)(row % 3) - 1) << AXIS_BITS);
            size_t p = at[row];
            while (p < n && key[p] < first)
                p++;
            at[row] = p;
            size_t end = p;
            while (end < n && key[end] < first + 3)
                end++;
            if (end > p)
                thin->row[used++] = (SampleRow){thin->cell_begin[p], thin->cell_begin[end]};
        }
    }
    thin->row_begin[n] = used;
    return true;
}

// --- life

static bool thin_build(SampleThin* thin, const SampleCandidates* c, uint32_t* cell_of, Memory* memory)
{
    if (!thin_find_cells(thin, c, cell_of, memory) || !thin_sort_cells(thin, cell_of, memory))
        return false;
    // row_begin is scratch until it is filled
    thin->cell_begin = memory_take(memory, (thin->cell_count + 1) * sizeof *thin->cell_begin);
    thin->row_begin = memory_take(memory, (thin->cell_count + 1) * sizeof *thin->row_begin);
    if (!thin->cell_begin || !thin->row_begin || !thin_allocate_slots(thin, memory))
        return false;
    thin_sort(thin, c, cell_of, thin->row_begin);
    thin_fill_slots(thin, c, cell_of, thin->row_begin);
    return thin_find_rows(thin, memory);
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
    void* array[] = {thin->order,     thin->slot, thin->x,       thin->y,      thin->z,       thin->nx,
                     thin->ny,        thin->nz,   thin->density, thin->chosen, thin->cell_of, thin->cell_begin,
                     thin->row_begin, thin->row,  thin->key,     thin->table};
    for (size_t k = 0; k < sizeof array / sizeof *array; k++)
        memory_give(memory, array[k]);
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

// Adds the kernel around (x, n) to the slots begin .. begin + count - 1 of at most one vector.
static void lanes_add(SampleThin* thin, size_t begin, uint32_t count, Vec3 x, Vec3 n)
{
    F8 dx = f8_sub(f8_set(x.x), f8_load(thin->x + begin)), dy = f8_sub(f8_set(x.y), f8_load(thin->y + begin)),
       dz = f8_sub(f8_set(x.z), f8_load(thin->z + begin));
    F8 square = f8_mad(dx, dx, f8_mad(dy, dy, f8_mul(dz, dz)));
    F8 inside = f8_and(f8_less(square, f8_set(1)), f8_less(f8_load(COUNTING), f8_set((float)count)));
    F8 q = f8_sqrt(square);
    F8 outer = f8_max(f8_sub(f8_set(1), q), f8_zero()), inner = f8_max(f8_sub(f8_set(0.5f), q), f8_zero());
    F8 w = f8_mul(f8_mul(outer, outer), f8_add(outer, outer));
    w = f8_nmad(f8_mul(f8_mul(inner, inner), inner), f8_set(8), w);
    F8 facing = f8_mad(f8_set(n.x), f8_load(thin->nx + begin),
                       f8_mad(f8_set(n.y), f8_load(thin->ny + begin), f8_mul(f8_set(n.z), f8_load(thin->nz + begin))));
    F8 opposite = f8_less(facing, f8_set(FACING));
    if (f8_mask(f8_and(opposite, inside)))
        w = f8_pick(opposite, f8_mul(w, plate_share(dx, dy, dz, n)), w);
    f8_store(thin->density + begin, f8_add(f8_load(thin->density + begin), f8_and(w, inside)));
}

void sample_thin_add(SampleThin* thin, uint32_t slot)
{
    Vec3 x = {thin->x[slot], thin->y[slot], thin->z[slot]}, n = {thin->nx[slot], thin->ny[slot], thin->nz[slot]};
    uint32_t cell = thin->cell_of[slot];
    thin->chosen[slot] = 1;
    for (uint32_t k = thin->row_begin[cell]; k < thin->row_begin[cell + 1]; k++)
        for (uint32_t i = thin->row[k].begin; i < thin->row[k].end; i += LANES)
            lanes_add(thin, i, thin->row[k].end - i, x, n);
}

static float slot_distance(const SampleThin* thin, uint32_t a, uint32_t b)
{
    float dx = thin->x[a] - thin->x[b], dy = thin->y[a] - thin->y[b], dz = thin->z[a] - thin->z[b];
    return sqrtf(dx * dx + dy * dy + dz * dz);
}

uint32_t sample_thin_nearest(const SampleThin* thin, uint32_t slot, float apart)
{
    uint32_t cell = thin->cell_of[slot], best = SAMPLE_NONE;
    float best_distance = 0.5f;
    for (uint32_t k = thin->row_begin[cell]; k < thin->row_begin[cell + 1]; k++)
        for (uint32_t i = thin->row[k].begin; i < thin->row[k].end; i++) {
            float distance = thin->chosen[i] ? 1 : slot_distance(thin, slot, i);
            if (distance >= apart && distance < best_distance) {
                best = i;
                best_distance = distance;
            }
        }
    return best;
}
