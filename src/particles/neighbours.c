// SPDX-License-Identifier: MIT
// The search: candidates of a chunk are copied once into a small buffer that stays in L1, tested for each lane with hits
// packed to the left, then turned into slots; a second sweep over the slots computes kernel, coefficient and sums.
#include "particles/neighbours.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { CHUNKS_PER_BLOCK = 64, ROWS = 9, OWN_ROW = 4 };

// Slabs are small while there are few, so that a small scene stays small, then as large as some huge pages, less what memory.c
// puts in front.
enum { PAGE_BYTES = 256 << 10, SMALL_SLAB = 1 << 20, HUGE_PAGE = 2 << 20, SLAB_FRONT = 64 };

// --- memory

bool neighbours_init(Neighbours* nb, Memory* memory, Pool* pool)
{
    memset(nb, 0, sizeof *nb);
    nb->memory = memory;
    pthread_mutex_init(&nb->page_mutex, NULL);
    nb->scratch_count = pool_threads(pool);
    nb->scratch = memory_take(memory, (size_t)nb->scratch_count * sizeof *nb->scratch);
    if (!nb->scratch)
        return false;
    memset(nb->scratch, 0, (size_t)nb->scratch_count * sizeof *nb->scratch);
    return true;
}

void neighbours_free(Neighbours* nb)
{
    for (size_t k = 0; k < nb->slab_count; k++)
        memory_give(nb->memory, nb->slab[k].data);
    for (int k = 0; nb->scratch && k < nb->scratch_count; k++) {
        memory_give(nb->memory, nb->scratch[k].lane);
        memory_give(nb->memory, nb->scratch[k].candidate[0]);
        memory_give(nb->memory, nb->scratch[k].candidate_index);
    }
    memory_give(nb->memory, nb->slab);
    memory_give(nb->memory, nb->scratch);
    memory_give(nb->memory, nb->chunk);
    memory_give(nb->memory, nb->around);
    pthread_mutex_destroy(&nb->page_mutex);
    memset(nb, 0, sizeof *nb);
}

static bool add_slab(Neighbours* nb, size_t least)
{
    size_t total = 0;
    for (size_t k = 0; k < nb->slab_count; k++)
        total += nb->slab[k].bytes;
    size_t usual = total < 2 * HUGE_PAGE ? SMALL_SLAB : (total / 16 / HUGE_PAGE + 1) * HUGE_PAGE - SLAB_FRONT;
    size_t bytes = least > usual ? least : usual;
    if (!memory_reserve(nb->memory, &nb->slab, &nb->slab_capacity, nb->slab_count, nb->slab_count + 1, sizeof *nb->slab))
        return false;
    unsigned char* data = memory_take(nb->memory, bytes);
    if (data)
        nb->slab[nb->slab_count++] = (ListSlab){data, bytes};
    return data != NULL;
}

// The next page of at least `bytes`; old slabs are used again before new ones are made.
static bool page_take(Neighbours* nb, ListScratch* scratch, size_t bytes)
{
    bool ok = true;
    pthread_mutex_lock(&nb->page_mutex);
    size_t least = bytes > PAGE_BYTES / 4 ? bytes : PAGE_BYTES / 4, wanted = bytes > PAGE_BYTES ? bytes : PAGE_BYTES;
    while (nb->slab_next < nb->slab_count && nb->slab[nb->slab_next].bytes - nb->slab_used < least) {
        nb->slab_next++;
        nb->slab_used = 0;
    }
    if (nb->slab_next == nb->slab_count)
        ok = add_slab(nb, wanted);
    if (ok) {
        ListSlab slab = nb->slab[nb->slab_next];
        size_t rest = slab.bytes - nb->slab_used, taken = rest < wanted ? rest : wanted;
        scratch->free = slab.data + nb->slab_used;
        scratch->free_end = scratch->free + taken;
        nb->slab_used += taken;
    } else {
        nb->out_of_memory = true;
    }
    pthread_mutex_unlock(&nb->page_mutex);
    return ok;
}

static void* list_take(Neighbours* nb, ListScratch* scratch, size_t bytes)
{
    bytes = (bytes + 31) / 32 * 32;
    if ((size_t)(scratch->free_end - scratch->free) < bytes && !page_take(nb, scratch, bytes))
        return NULL;
    void* taken = scratch->free;
    scratch->free += bytes;
    return taken;
}

static bool reserve_candidates(Neighbours* nb, ListScratch* s, size_t used, size_t needed)
{
    size_t room = needed + 2 * LANES;
    if (room <= s->candidate_capacity)
        return true;
    // x, y and z share one allocation; what is there moves over
    size_t capacity = room + room / 2;
    float* fresh = memory_take(nb->memory, 3 * capacity * sizeof *fresh);
    size_t index_capacity = s->candidate_capacity;
    if (!fresh || !memory_reserve(nb->memory, &s->candidate_index, &index_capacity, used, capacity, sizeof *s->candidate_index)) {
        memory_give(nb->memory, fresh);
        nb->out_of_memory = true;
        return false;
    }
    for (int d = 0; d < 3 && used; d++)
        memcpy(fresh + (size_t)d * capacity, s->candidate[d], used * sizeof *fresh);
    memory_give(nb->memory, s->candidate[0]);
    for (int d = 0; d < 3; d++)
        s->candidate[d] = fresh + (size_t)d * capacity;
    s->candidate_capacity = capacity;
    return true;
}

static bool reserve_lanes(Neighbours* nb, ListScratch* s, size_t needed)
{
    size_t room = needed + 2 * LANES;
    if (room <= s->lane_capacity)
        return true;
    size_t capacity = (room + room / 2 + 15) / 16 * 16;
    uint32_t* fresh = memory_take(nb->memory, LANES * capacity * sizeof *fresh);
    if (!fresh) {
        nb->out_of_memory = true;
        return false;
    }
    for (size_t k = 0; k < LANES && s->lane_capacity; k++)
        memcpy(fresh + k * capacity, s->lane + k * s->lane_capacity, s->lane_capacity * sizeof *fresh);
    memory_give(nb->memory, s->lane);
    s->lane = fresh;
    s->lane_capacity = capacity;
    return true;
}

// --- candidates and hits

static size_t copy_run(ListScratch* s, size_t n, const Vec4* position, uint32_t begin, uint32_t end, bool twice)
{
    // the tail of the last eight is overwritten by the next run
    for (uint32_t j = begin; j < end; j += LANES, n += LANES) {
        F8 x, y, z, w;
        f8_load4(position + j, &x, &y, &z, &w);
        f8_store(s->candidate[0] + n, x);
        f8_store(s->candidate[1] + n, y);
        f8_store(s->candidate[2] + n, z);
        i8_store(s->candidate_index + n, twice ? i8_even(2 * j) : i8_ramp(j));
    }
    return n - ((end - begin) % LANES ? LANES - (end - begin) % LANES : 0);
}

// Appends the candidates closer than h to a lane's hits. `self` is left out; it can only stand at `own` or later.
static size_t test_lane(const ListScratch* s, size_t n, size_t own, Vec4 p, uint32_t self, float h2, uint32_t* hits)
{
    const F8 x = f8_set(p.x), y = f8_set(p.y), z = f8_set(p.z), limit = f8_set(h2);
    const float *cx = s->candidate[0], *cy = s->candidate[1], *cz = s->candidate[2];
    const uint32_t* index = s->candidate_index;
    size_t count = 0, k = 0;
    for (; k + LANES <= own; k += LANES) {
        F8 dx = f8_sub(f8_load(cx + k), x), dy = f8_sub(f8_load(cy + k), y), dz = f8_sub(f8_load(cz + k), z);
        F8 r2 = f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)));
        count += i8_pack(hits + count, i8_load(index + k), f8_mask(f8_less(r2, limit)));
    }
    for (; k < n; k += LANES) {
        F8 dx = f8_sub(f8_load(cx + k), x), dy = f8_sub(f8_load(cy + k), y), dz = f8_sub(f8_load(cz + k), z);
        F8 r2 = f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)));
        I8 j = i8_load(index + k);
        count += i8_pack(hits + count, j, f8_mask(f8_less(r2, limit)) & ~i8_equal_mask(j, self));
    }
    return count;
}

typedef struct Search {
    Neighbours* nb;
    const Kernel* kernel;
    const CellGrid* grid; // of the particles whose lists are built
    const Vec4* position;
    size_t count;
    const BoundaryPoints* boundary;
    const KernelSums* sums;
} Search;

// Columns that lanes first..last of a chunk can reach.
static void lane_columns(const CellGrid* grid, const Vec4* p, int first, int last, int32_t* low, int32_t* high)
{
    float least = p[first].x, most = p[first].x;
    for (int k = first + 1; k <= last; k++) {
        least = p[k].x < least ? p[k].x : least;
        most = p[k].x > most ? p[k].x : most;
    }
    *low = grid_column(grid, (double)least - grid->cell);
    *high = grid_column(grid, (double)most + grid->cell);
}

// Gathers candidates from the rows around `key`, the chunk's own row last. Returns how many; *own is where that row starts.
// `twice`: with their indices times two.
static bool gather_candidates(Neighbours* nb, ListScratch* s, const CellGrid* grid, uint32_t base, const Vec4* position,
                              SegmentKey key, const uint32_t around[27], int32_t low, int32_t high, bool twice, size_t* n,
                              size_t* own)
{
    static const int order[ROWS] = {0, 1, 2, 3, 5, 6, 7, 8, OWN_ROW};
    for (int k = 0; k < ROWS; k++) {
        uint32_t begin, end;
        grid_run(grid, key, around, order[k], low, high, &begin, &end);
        if (order[k] == OWN_ROW)
            *own = *n;
        if (begin == end)
            continue;
        if (!reserve_candidates(nb, s, *n, *n + (end - begin)))
            return false;
        *n = copy_run(s, *n, position, base + begin, base + end, twice);
    }
    return true;
}

static void pad_candidates(ListScratch* s, size_t n)
{
    for (int d = 0; d < 3; d++)
        f8_store(s->candidate[d] + n, f8_set(1e30f)); // squares to infinity: never a hit
}

// --- slots

// Turns the hits of eight lanes into slots; lanes are padded with `pad` of each lane.
static uint32_t* store_slots(Neighbours* nb, ListScratch* s, const uint32_t hits[LANES], const uint32_t pad[LANES],
                             uint32_t* out_slots)
{
    uint32_t slots = 0;
    for (int k = 0; k < LANES; k++)
        slots = hits[k] > slots ? hits[k] : slots;
    *out_slots = slots;
    if (slots == 0)
        return NULL;
    uint32_t* list = list_take(nb, s, (size_t)slots * LANES * (sizeof(uint32_t) + sizeof(uint16_t)));
    if (!list)
        return NULL;
    for (int k = 0; k < LANES; k++) {
        uint32_t* lane = s->lane + (size_t)k * s->lane_capacity;
        for (uint32_t n = hits[k]; n < slots; n++)
            lane[n] = pad[k];
    }
    uint32_t slot = 0;
    for (; slot + LANES <= slots; slot += LANES)
        i8_transpose(s->lane + slot, s->lane_capacity, list + (size_t)LANES * slot);
    for (; slot < slots; slot++)
        for (int k = 0; k < LANES; k++)
            list[(size_t)LANES * slot + (size_t)k] = s->lane[(size_t)k * s->lane_capacity + slot];
    return list;
}

typedef struct LaneSums {
    F8 w;       // sum V W / norm (V = 1 for particles)
    F8 x, y, z; // sum V c x_ij
    F8 square;  // sum (c |x_ij|)^2
    F8 source;  // sum V c v . x_ij
} LaneSums;

// Kernel and coefficient of every pair in a list; coefficients are stored in half precision and used as stored.
static LaneSums sweep_slots(const Kernel* kernel, const Vec4* chunk_position, const uint32_t hits[LANES], uint32_t* index,
                            uint32_t slots, const Vec4* position, bool walls, const Vec4* velocity)
{
    LaneSums t = {f8_zero(), f8_zero(), f8_zero(), f8_zero(), f8_zero(), f8_zero()};
    F8 xi, yi, zi, wi, n;
    float limit[LANES];
    for (int k = 0; k < LANES; k++)
        limit[k] = (float)hits[k];
    n = f8_load(limit);
    f8_load4(chunk_position, &xi, &yi, &zi, &wi);
    const F8 inverse_h = f8_set(1 / kernel->h);
    uint16_t* coefficient = (uint16_t*)(index + (size_t)LANES * slots);
    for (uint32_t s = 0; s < slots; s++) {
        F8 x, y, z, v;
        if (walls)
            f8_gather4(position, index + LANES * s, &x, &y, &z, &v);
        else
            f8_gather4_twice(position, index + LANES * s, &x, &y, &z, &v);
        F8 dx = f8_sub(xi, x), dy = f8_sub(yi, y), dz = f8_sub(zi, z);
        F8 r2 = f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)));
        F8 q = f8_mul(f8_sqrt(r2), inverse_h);
        F8 valid = f8_less(f8_set((float)s), n);
        F8 c = f8_and(kernel8_c(kernel->type, q), valid);
        f8_store_half(coefficient + LANES * s, c);
        c = f8_load_half(coefficient + LANES * s);
        F8 w = f8_and(kernel8_w(kernel->type, q), valid);
        t.square = f8_mad(f8_mul(c, c), r2, t.square);
        if (walls) {
            w = f8_mul(w, v);
            c = f8_mul(c, v);
        }
        t.w = f8_add(t.w, w);
        t.x = f8_mad(c, dx, t.x);
        t.y = f8_mad(c, dy, t.y);
        t.z = f8_mad(c, dz, t.z);
        if (velocity) {
            F8 vx, vy, vz, vw;
            f8_gather4(velocity, index + LANES * s, &vx, &vy, &vz, &vw);
            t.source = f8_mad(c, f8_mad(vz, dz, f8_mad(vy, dy, f8_mul(vx, dx))), t.source);
        }
    }
    return t;
}

// --- one chunk

// Segment of particle i, searching upwards from `segment`.
static size_t segment_of(const CellGrid* grid, size_t segment, uint32_t i)
{
    while (grid->cell_start[(segment + 1) * SEGMENT_CELLS] <= i)
        segment++;
    return segment;
}

typedef struct Chunk {
    uint32_t first; // particle of lane 0
    int lanes;      // that hold a particle
    size_t segment; // of lane 0
} Chunk;

static const SegmentsNear* segments_near(const Search* job, ListScratch* s, int part, size_t segment)
{
    SegmentsNear* near = &s->near[part];
    const CellGrid* grid = job->boundary->part[part].grid;
    if (near->segment != segment) {
        near->segment = segment;
        near->any = grid && grid->segment_count > 0 && grid_around(grid, job->grid->segment[segment], near->around);
    }
    return near;
}

// Hits among boundary particles of one part, for lanes first..last that share a segment.
static bool hit_boundary(const Search* job, ListScratch* s, const Chunk* chunk, int part, size_t segment, int first, int last,
                         uint32_t hits[LANES])
{
    const SegmentsNear* near = segments_near(job, s, part, segment);
    if (!near->any)
        return true;
    size_t n = 0, own = 0;
    int32_t low, high;
    lane_columns(job->grid, job->position + chunk->first, first, last, &low, &high);
    if (!gather_candidates(job->nb, s, job->boundary->part[part].grid, job->boundary->part[part].base, job->boundary->position,
                           job->grid->segment[segment], near->around, low, high, false, &n, &own))
        return false;
    if (n == 0)
        return true;
    pad_candidates(s, n);
    for (int k = first; k <= last; k++) {
        if (!reserve_lanes(job->nb, s, hits[k] + n))
            return false;
        hits[k] += (uint32_t)test_lane(s, n, n + LANES, job->position[chunk->first + (uint32_t)k], 0,
                                       job->kernel->h * job->kernel->h, s->lane + (size_t)k * s->lane_capacity + hits[k]);
    }
    return true;
}

// Calls hit-finding for each run of lanes that share a segment. part -1: particles, else boundary part.
static bool hit_chunk(const Search* job, ListScratch* s, const Chunk* chunk, int part, uint32_t hits[LANES])
{
    size_t segment = chunk->segment;
    for (int first = 0; first < chunk->lanes;) {
        segment = segment_of(job->grid, segment, chunk->first + (uint32_t)first);
        int last = first;
        while (last + 1 < chunk->lanes && chunk->first + (uint32_t)last + 1 < job->grid->cell_start[(segment + 1) * SEGMENT_CELLS])
            last++;
        SegmentKey key = job->grid->segment[segment];
        const Vec4* p = job->position + chunk->first;
        if (key.x != GRID_FAR) {
            if (part >= 0) {
                if (!hit_boundary(job, s, chunk, part, segment, first, last, hits))
                    return false;
            } else {
                size_t n = 0, own = 0;
                int32_t low, high;
                lane_columns(job->grid, p, first, last, &low, &high);
                if (!gather_candidates(job->nb, s, job->grid, 0, job->position, key, job->nb->around[segment], low, high, true, &n,
                                       &own))
                    return false;
                pad_candidates(s, n);
                if (!reserve_lanes(job->nb, s, n))
                    return false;
                for (int k = first; k <= last; k++)
                    hits[k] = (uint32_t)test_lane(s, n, own, p[k], 2 * (chunk->first + (uint32_t)k),
                                                  job->kernel->h * job->kernel->h, s->lane + (size_t)k * s->lane_capacity);
            }
        }
        first = last + 1;
    }
    return true;
}

static bool find_boundary(const Search* job, ListScratch* s, const Chunk* chunk, ChunkList* list, LaneSums* out)
{
    uint32_t hits[LANES] = {0}, pad[LANES];
    bool moves = false;
    for (int part = 0; part < 2; part++) {
        uint32_t before[LANES];
        memcpy(before, hits, sizeof hits);
        if (!hit_chunk(job, s, chunk, part, hits))
            return false;
        moves |= job->boundary->part[part].moves && memcmp(before, hits, sizeof hits) != 0;
        for (int k = 0; part == 1 && k < LANES; k++)
            if (hits[k] > before[k] && before[k] < list->moving)
                list->moving = before[k];
    }
    uint32_t any = 0;
    for (int k = 0; k < LANES; k++)
        any |= hits[k];
    if (!any)
        return true;
    for (int k = 0; k < LANES; k++) // any boundary particle will do, its coefficient is 0
        pad[k] = hits[k] ? s->lane[(size_t)k * s->lane_capacity] : 0;
    NearBoundary* near = list_take(job->nb, s, sizeof *near);
    if (!near)
        return false;
    near->index = store_slots(job->nb, s, hits, pad, &near->slots);
    if (!near->index)
        return false;
    const Kernel* kernel = job->kernel;
    LaneSums t = sweep_slots(kernel, job->position + chunk->first, hits, near->index, near->slots, job->boundary->position, true,
                             moves ? job->boundary->velocity : NULL);
    F8 gradient = f8_set(kernel->gradient);
    f8_store(near->gradient[0], f8_mul(t.x, gradient));
    f8_store(near->gradient[1], f8_mul(t.y, gradient));
    f8_store(near->gradient[2], f8_mul(t.z, gradient));
    f8_store(near->source, f8_mul(t.source, gradient));
    list->near = near;
    *out = t;
    return true;
}

static bool build_chunk(const Search* job, ListScratch* s, const Chunk* chunk)
{
    Neighbours* nb = job->nb;
    const Kernel* kernel = job->kernel;
    ChunkList* list = &nb->chunk[chunk->first / LANES];
    *list = (ChunkList){.moving = NOTHING_MOVES};
    uint32_t hits[LANES] = {0}, self[LANES];
    for (uint32_t k = 0; k < LANES; k++)
        self[k] = 2 * (chunk->first + k);
    if (!hit_chunk(job, s, chunk, -1, hits))
        return false;
    list->twice = store_slots(nb, s, hits, self, &list->slots);
    if (list->slots && !list->twice)
        return false;
    LaneSums own = sweep_slots(kernel, job->position + chunk->first, hits, list->twice, list->slots, job->position, false, NULL);
    LaneSums wall = {f8_zero(), f8_zero(), f8_zero(), f8_zero(), f8_zero(), f8_zero()};
    if (job->boundary && !find_boundary(job, s, chunk, list, &wall))
        return false;

    const F8 volume = f8_set(job->sums->volume), norm = f8_set(kernel->norm), gradient = f8_set(kernel->gradient);
    F8 w = f8_mad(volume, f8_add(own.w, kernel8_w(kernel->type, f8_zero())), wall.w);
    // products of volume and gradient before they are squared: for drops below a millimetre the gradient's own square overflows
    const F8 share = f8_mul(volume, gradient);
    F8 gx = f8_mad(share, own.x, f8_mul(gradient, wall.x)), gy = f8_mad(share, own.y, f8_mul(gradient, wall.y)),
       gz = f8_mad(share, own.z, f8_mul(gradient, wall.z));
    F8 square = f8_mad(gz, gz, f8_mad(gy, gy, f8_mul(gx, gx)));
    square = f8_mad(f8_mul(share, share), own.square, square);
    f8_store(job->sums->density + chunk->first, f8_mul(w, norm));
    f8_store(job->sums->diagonal + chunk->first, square);
    return true;
}

static void build_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Search* job = context;
    ListScratch* s = &job->nb->scratch[worker];
    const CellGrid* grid = job->grid;
    // the segment of the block's first particle, by bisection
    uint32_t first = (uint32_t)begin * LANES;
    size_t low = 0, high = grid->segment_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (grid->cell_start[middle * SEGMENT_CELLS] <= first)
            low = middle;
        else
            high = middle;
    }
    Chunk chunk = {.segment = low};
    for (size_t c = begin; c < end && !job->nb->out_of_memory; c++) {
        chunk.first = (uint32_t)c * LANES;
        chunk.lanes = job->count - chunk.first < LANES ? (int)(job->count - chunk.first) : LANES;
        chunk.segment = segment_of(grid, chunk.segment, chunk.first);
        build_chunk(job, s, &chunk);
    }
}

static void find_around(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Search* job = context;
    for (size_t s = begin; s < end; s++)
        grid_around(job->grid, job->grid->segment[s], job->nb->around[s]);
}

bool neighbours_build(Neighbours* nb, Pool* pool, const Kernel* kernel, const CellGrid* grid, const Vec4* position, size_t count,
                      const BoundaryPoints* boundary, const KernelSums* sums)
{
    size_t chunks = block_count(count, LANES);
    nb->count = count;
    nb->slab_next = nb->slab_used = 0;
    nb->out_of_memory = false;
    for (int k = 0; k < nb->scratch_count; k++) {
        nb->scratch[k].free = nb->scratch[k].free_end = NULL;
        nb->scratch[k].near[0].segment = nb->scratch[k].near[1].segment = SIZE_MAX;
    }
    if (!memory_reserve(nb->memory, &nb->chunk, &nb->chunk_capacity, 0, chunks, sizeof *nb->chunk) ||
        !memory_reserve(nb->memory, &nb->around, &nb->around_capacity, 0, grid->segment_count, sizeof *nb->around))
        return false;
    Search job = {nb, kernel, grid, position, count, boundary, sums};
    parallel_for(pool, grid->segment_count, 256, find_around, &job);
    parallel_for(pool, chunks, CHUNKS_PER_BLOCK, build_block, &job);
    return !nb->out_of_memory;
}

// --- number density of boundary particles

typedef struct NumberDensity {
    const Kernel* kernel;
    const BoundaryPoints* points;
    const Vec4* position;
    const uint32_t* which;
    float* density;
} NumberDensity;

// Segments around the particle that was looked at last: the next one is mostly in the same.
typedef struct SegmentsAround {
    bool known, any;
    SegmentKey key;
    uint32_t around[27];
} SegmentsAround;

static float density_in_part(const NumberDensity* job, int part, Vec4 p, SegmentsAround* last)
{
    const CellGrid* grid = job->points->part[part].grid;
    if (!grid || grid->segment_count == 0)
        return 0;
    SegmentKey key = {grid_column(grid, (double)p.x) >> 6, grid_row(grid, p.y), grid_row(grid, p.z)};
    if (!last->known || key.x != last->key.x || key.y != last->key.y || key.z != last->key.z) {
        last->key = key;
        last->known = true;
        last->any = grid_around(grid, key, last->around);
    }
    if (!last->any)
        return 0;
    int32_t low = grid_column(grid, (double)p.x - grid->cell), high = grid_column(grid, (double)p.x + grid->cell);
    const F8 x = f8_set(p.x), y = f8_set(p.y), z = f8_set(p.z), inverse_h = f8_set(1 / job->kernel->h);
    F8 total = f8_zero();
    for (int row = 0; row < ROWS; row++) {
        uint32_t begin, end;
        grid_run(grid, key, last->around, row, low, high, &begin, &end);
        const Vec4* other = job->points->position + job->points->part[part].base;
        for (uint32_t j = begin; j < end; j += LANES) {
            F8 xj, yj, zj, vj;
            f8_load4(other + j, &xj, &yj, &zj, &vj);
            F8 dx = f8_sub(xj, x), dy = f8_sub(yj, y), dz = f8_sub(zj, z);
            F8 q = f8_mul(f8_sqrt(f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)))), inverse_h);
            F8 w = kernel8_w(job->kernel->type, q);
            if (job->points->weight)
                w = f8_mul(w, f8_load(job->points->weight + job->points->part[part].base + j));
            float valid[LANES];
            for (uint32_t k = 0; k < LANES; k++)
                valid[k] = (float)k;
            total = f8_add(total, f8_and(w, f8_less(f8_load(valid), f8_set((float)(end - j)))));
        }
    }
    return f8_sum(total);
}

static void density_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    NumberDensity* job = context;
    SegmentsAround last[2];
    last[0].known = last[1].known = false;
    for (size_t k = begin; k < end; k++) {
        uint32_t i = job->which ? job->which[k] : (uint32_t)k;
        Vec4 p = job->position[i];
        job->density[i] = (density_in_part(job, 0, p, &last[0]) + density_in_part(job, 1, p, &last[1])) * job->kernel->norm;
    }
}

void neighbours_number_density(Pool* pool, const Kernel* kernel, const BoundaryPoints* points, const Vec4* position, size_t count,
                               const uint32_t* which, float* out_density)
{
    NumberDensity job = {kernel, points, position, which, out_density};
    parallel_for(pool, count, 256, density_block, &job);
}
