// SPDX-License-Identifier: MIT
// The search: candidates of a chunk are copied once into a small buffer that stays in L1, tested for each lane with hits
// packed to the left, then turned into slots; a second sweep over the slots computes kernel, coefficient and sums.
#include "particles/list_memory.h"

enum { ROWS = 9, OWN_ROW = 4 };

// --- candidates and hits

static size_t copy_run(ListScratch* s, size_t n, const Vec4* position, uint32_t begin, uint32_t end, bool twice)
{
    // the tail of the last sixteen is overwritten by the next run
    for (uint32_t j = begin; j < end; j += WIDE) {
        wide_columns(position + j, s->candidate[0] + n, s->candidate[1] + n, s->candidate[2] + n);
        i8_store(s->candidate_index + n, twice ? i8_even(2 * j) : i8_ramp(j));
        i8_store(s->candidate_index + n + LANES, twice ? i8_even(2 * j + 2 * LANES) : i8_ramp(j + LANES));
        n += end - j < WIDE ? end - j : WIDE;
    }
    return n;
}

// Appends the candidates within reach to a lane's hits. `self` is left out; it can only stand at `own` or later.
static size_t test_lane(const ListScratch* s, size_t n, size_t own, Vec4 p, uint32_t self, float reach2, uint32_t* hits)
{
    const Candidates c = {s->candidate[0], s->candidate[1], s->candidate[2], s->candidate_index};
    size_t count = 0, k = 0;
    for (; k + WIDE <= own && k < n; k += WIDE)
        count += wide_near(hits + count, &c, k, p, reach2, false, self);
    for (; k < n; k += WIDE)
        count += wide_near(hits + count, &c, k, p, reach2, true, self);
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
        if (!list_reserve_candidates(nb, s, *n, *n + (end - begin)))
            return false;
        *n = copy_run(s, *n, position, base + begin, base + end, twice);
        if (twice) // particles
            s->reach = end > s->reach ? end : s->reach;
    }
    return true;
}

static void pad_candidates(ListScratch* s, size_t n)
{
    for (int d = 0; d < 3; d++) // squares to infinity: never a hit
        for (size_t k = n; k < n + WIDE; k += LANES)
            f8_store(s->candidate[d] + k, f8_set(1e30f));
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
    uint32_t* list = list_take(nb, s, (size_t)slots * SLOT_BYTES);
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

// --- across periodic borders

// Shifts of a coordinate at which particles beyond a border can be within reach of it, 0 first. Returns how many.
static int image_shifts(const CellGrid* grid, int axis, float x, double shift[3])
{
    const Period* p = &grid->period;
    int n = 0;
    shift[n++] = 0;
    if (p->axis[axis] && (double)x - p->min[axis] <= grid->cell)
        shift[n++] = p->length[axis];
    if (p->axis[axis] && p->min[axis] + p->length[axis] - (double)x <= grid->cell)
        shift[n++] = -p->length[axis];
    return n;
}

// Hits of a lane when its particle is seen from where its image `p` is.
static bool hit_image(const Search* job, ListScratch* s, Vec4 p, int lane, uint32_t hits[LANES])
{
    const CellGrid* grid = job->grid;
    uint32_t around[27];
    SegmentKey key = {grid_column(grid, (double)p.x) >> 6, grid_row(grid, p.y), grid_row(grid, p.z)};
    size_t n = 0, own = 0;
    int32_t low, high;
    if (!grid_around(grid, key, around))
        return true;
    lane_columns(grid, &p, 0, 0, &low, &high);
    if (!gather_candidates(job->nb, s, grid, 0, job->position, key, around, low, high, true, &n, &own))
        return false;
    if (n == 0)
        return true;
    pad_candidates(s, n);
    if (!list_reserve_lanes(job->nb, s, hits[lane] + n))
        return false;
    hits[lane] +=
        (uint32_t)test_lane(s, n, n + WIDE, p, 0, job->kernel->reach2, s->lane + (size_t)lane * s->lane_capacity + hits[lane]);
    return true;
}

// Few particles are near a border: one at a time.
static bool hit_images(const Search* job, ListScratch* s, const Vec4* own, int lanes, uint32_t hits[LANES])
{
    for (int k = 0; k < lanes; k++) {
        double x[3], y[3], z[3];
        int nx = image_shifts(job->grid, 0, own[k].x, x), ny = image_shifts(job->grid, 1, own[k].y, y),
            nz = image_shifts(job->grid, 2, own[k].z, z);
        for (int n = 1; n < nx * ny * nz; n++) {
            Vec4 p = own[k];
            p.x = (float)((double)p.x + x[n % nx]);
            p.y = (float)((double)p.y + y[n / nx % ny]);
            p.z = (float)((double)p.z + z[n / nx / ny]);
            if (!hit_image(job, s, p, k, hits))
                return false;
        }
    }
    return true;
}

typedef struct LaneSums {
    F8 w;       // sum V W / norm (V = 1 for particles)
    F8 x, y, z; // sum V c x_ij
    F8 square;  // sum (c |x_ij|)^2
    F8 source;  // sum V c v . x_ij
} LaneSums;

// What a sweep over the slots of a list needs to know.
typedef struct SlotSweep {
    const Vec4* own;       // the chunk's particles
    const uint32_t* hits;  // (8) pairs of each
    const Vec4* position;  // of the others
    const Vec4* velocity;  // of the others; NULL: not wanted
    const Period* period;  // NULL: none that they could be across
    float inverse_h;       // [1/m]
    uint32_t* index;       // (8 slots), then room for (8 slots) coefficients
    uint32_t slots, whole; // the first `whole` slots hold a pair in every lane
} SlotSweep;

// Adds the pairs of slots begin..end. Coefficients are stored in half precision and used as stored. Always inlined, with constants
// for kernel and flags: a choice per slot costs more than the kernel.
static inline __attribute__((always_inline)) LaneSums add_slots(LaneSums t, const SlotSweep* w, mn_Kernel type, bool walls,
                                                                bool whole)
{
    F8 xi, yi, zi, unused, n;
    float limit[LANES];
    for (int k = 0; k < LANES; k++)
        limit[k] = (float)w->hits[k];
    n = f8_load(limit);
    f8_load4(w->own, &xi, &yi, &zi, &unused);
    const F8 inverse_h = f8_set(w->inverse_h);
    const uint32_t end = whole ? w->whole : w->slots;
    uint16_t* coefficient = (uint16_t*)(w->index + (size_t)LANES * w->slots);
    for (uint32_t s = whole ? 0 : w->whole; s < end; s++) {
        const uint32_t* index = w->index + (size_t)LANES * s;
        F8 x, y, z, v;
        if (walls)
            f8_gather4(w->position, index, &x, &y, &z, &v);
        else
            f8_gather4_twice(w->position, index, &x, &y, &z, &v);
        F8 dx = f8_sub(xi, x), dy = f8_sub(yi, y), dz = f8_sub(zi, z);
        if (!walls && w->period)
            period_nearest(w->period, &dx, &dy, &dz);
        F8 r2 = f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)));
        F8 q = f8_mul(f8_sqrt(r2), inverse_h), c = kernel8_c(type, q), kernel = kernel8_w(type, q);
        if (!whole) {
            F8 valid = f8_less(f8_set((float)s), n);
            c = f8_and(c, valid);
            kernel = f8_and(kernel, valid);
        }
        f8_store_half(coefficient + LANES * s, c);
        c = f8_round_half(c);
        t.square = f8_mad(f8_mul(c, c), r2, t.square);
        if (walls) {
            kernel = f8_mul(kernel, v);
            c = f8_mul(c, v);
        }
        t.w = f8_add(t.w, kernel);
        t.x = f8_mad(c, dx, t.x);
        t.y = f8_mad(c, dy, t.y);
        t.z = f8_mad(c, dz, t.z);
        if (walls && w->velocity) {
            F8 vx, vy, vz, vw;
            f8_gather4(w->velocity, index, &vx, &vy, &vz, &vw);
            t.source = f8_mad(c, f8_mad(vz, dz, f8_mad(vy, dy, f8_mul(vx, dx))), t.source);
        }
    }
    return t;
}

static inline __attribute__((always_inline)) LaneSums sweep_kernel(const SlotSweep* w, mn_Kernel type, bool walls)
{
    LaneSums t = {f8_zero(), f8_zero(), f8_zero(), f8_zero(), f8_zero(), f8_zero()};
    t = add_slots(t, w, type, walls, true);
    return add_slots(t, w, type, walls, false);
}

// Kernel and coefficient of every pair in a list.
static LaneSums sweep_slots(const SlotSweep* w, mn_Kernel type, bool walls)
{
    switch (type) {
    case MN_KERNEL_WENDLAND:
        return walls ? sweep_kernel(w, MN_KERNEL_WENDLAND, true) : sweep_kernel(w, MN_KERNEL_WENDLAND, false);
    case MN_KERNEL_POLY6:
        return walls ? sweep_kernel(w, MN_KERNEL_POLY6, true) : sweep_kernel(w, MN_KERNEL_POLY6, false);
    case MN_KERNEL_SPIKY:
        return walls ? sweep_kernel(w, MN_KERNEL_SPIKY, true) : sweep_kernel(w, MN_KERNEL_SPIKY, false);
    default:
        return walls ? sweep_kernel(w, MN_KERNEL_CUBIC, true) : sweep_kernel(w, MN_KERNEL_CUBIC, false);
    }
}

static uint32_t least_of(const uint32_t hits[LANES])
{
    uint32_t least = hits[0];
    for (int k = 1; k < LANES; k++)
        least = hits[k] < least ? hits[k] : least;
    return least;
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
        if (!list_reserve_lanes(job->nb, s, hits[k] + n))
            return false;
        hits[k] += (uint32_t)test_lane(s, n, n + WIDE, job->position[chunk->first + (uint32_t)k], 0, job->kernel->reach2,
                                       s->lane + (size_t)k * s->lane_capacity + hits[k]);
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
                if (!list_reserve_lanes(job->nb, s, n))
                    return false;
                for (int k = first; k <= last; k++)
                    hits[k] = (uint32_t)test_lane(s, n, own, p[k], 2 * (chunk->first + (uint32_t)k), job->kernel->reach2,
                                                  s->lane + (size_t)k * s->lane_capacity);
            }
        }
        first = last + 1;
    }
    return true;
}

// Of particles without volume only whose they are counts: one of each solid is kept, one more than anybody has room for at most.
static bool note_marks(const Search* job, ListScratch* s, const uint32_t hits[LANES], ChunkList* list)
{
    const uint32_t* solid = job->boundary->solid;
    uint32_t mark[NEAR_SOLIDS + 1], count = 0, last = UINT32_MAX;
    NearBoundary* near = list_take(job->nb, s, sizeof *near);
    if (!near)
        return false;
    *near = (NearBoundary){.solid = -1};
    for (int k = 0; k < LANES; k++) {
        near->lanes |= (uint8_t)((hits[k] > 0) << k);
        for (const uint32_t *b = s->lane + (size_t)k * s->lane_capacity, *end = b + hits[k]; b < end; b++) {
            if (solid[*b] == last)
                continue;
            last = solid[*b];
            uint32_t n = 0;
            while (n < count && solid[mark[n]] != last)
                n++;
            if (n == count && count <= NEAR_SOLIDS)
                mark[count++] = *b;
        }
    }
    near->slots = (count + LANES - 1) / LANES;
    near->index = list_take(job->nb, s, (size_t)near->slots * SLOT_BYTES);
    if (!near->index)
        return false;
    uint16_t* coefficient = (uint16_t*)(near->index + (size_t)LANES * near->slots);
    for (uint32_t n = 0; n < LANES * near->slots; n++) {
        near->index[n] = mark[n < count ? n : 0];
        coefficient[n] = n < count ? 1 : 0; // next to nothing: it only has to be there
    }
    near->solid = count == 1 ? (int32_t)last : -1;
    list->near = near;
    if (list->moving != NOTHING_MOVES)
        list->moving = 0;
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
    int any = 0;
    while (any < LANES && !hits[any])
        any++;
    if (any == LANES)
        return true;
    if (job->boundary->are_marks && job->boundary->solid)
        return note_marks(job, s, hits, list);
    for (int k = 0; k < LANES; k++) // any boundary particle around will do, its coefficient is 0
        pad[k] = s->lane[(size_t)(hits[k] ? k : any) * s->lane_capacity];
    NearBoundary* near = list_take(job->nb, s, sizeof *near);
    if (!near)
        return false;
    near->index = store_slots(job->nb, s, hits, pad, &near->slots);
    if (!near->index)
        return false;
    const Kernel* kernel = job->kernel;
    SlotSweep sweep = {.own = job->position + chunk->first,
                       .hits = hits,
                       .position = job->boundary->position,
                       .velocity = moves ? job->boundary->velocity : NULL,
                       .inverse_h = 1 / kernel->h,
                       .index = near->index,
                       .slots = near->slots,
                       .whole = least_of(hits)};
    LaneSums t = sweep_slots(&sweep, kernel->type, true);
    F8 gradient = f8_set(kernel->gradient);
    f8_store(near->gradient[0], f8_mul(t.x, gradient));
    f8_store(near->gradient[1], f8_mul(t.y, gradient));
    f8_store(near->gradient[2], f8_mul(t.z, gradient));
    f8_store(near->source, f8_mul(t.source, gradient));
    near->solid = -1;
    near->lanes = 0;
    if (job->boundary->solid)
        near_note_solid(near, job->boundary->solid);
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
    list_prefetch_room(s);
    uint32_t hits[LANES] = {0}, self[LANES];
    for (uint32_t k = 0; k < LANES; k++)
        self[k] = 2 * (chunk->first + k);
    if (!hit_chunk(job, s, chunk, -1, hits))
        return false;
    const Period* period = job->grid->period.any ? &job->grid->period : NULL;
    if (period && !hit_images(job, s, job->position + chunk->first, chunk->lanes, hits))
        return false;
    list->twice = store_slots(nb, s, hits, self, &list->slots);
    if (list->slots && !list->twice)
        return false;
    SlotSweep sweep = {.own = job->position + chunk->first,
                       .hits = hits,
                       .position = job->position,
                       .period = period,
                       .inverse_h = 1 / kernel->h,
                       .index = list->twice,
                       .slots = list->slots,
                       .whole = least_of(hits)};
    LaneSums own = sweep_slots(&sweep, kernel->type, false);
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
    if (job->sums->gradient) {
        F8 w2 = f8_mad(wall.z, wall.z, f8_mad(wall.y, wall.y, f8_mul(wall.x, wall.x)));
        F8 any = job->sums->along_walls ? f8_not_zero(w2) : f8_zero();
        F8 across = f8_mad(gz, wall.z, f8_mad(gy, wall.y, f8_mul(gx, wall.x)));
        F8 along = f8_sub(square, f8_and(f8_div(f8_mul(across, across), f8_pick(any, w2, f8_set(1))), any));
        f8_store(job->sums->gradient + chunk->first, f8_sqrt(f8_max(along, f8_zero())));
    }
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
    uint32_t reach = (uint32_t)end * LANES;
    for (size_t c = begin; c < end && !job->nb->out_of_memory; c++) {
        chunk.first = (uint32_t)c * LANES;
        chunk.lanes = job->count - chunk.first < LANES ? (int)(job->count - chunk.first) : LANES;
        chunk.segment = segment_of(grid, chunk.segment, chunk.first);
        s->reach = 0;
        build_chunk(job, s, &chunk);
        reach = s->reach > reach ? s->reach : reach;
    }
    job->nb->sweep.reach[block] = (reach - 1) / (LANES * SWEEP_CHUNKS);
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
        !memory_reserve(nb->memory, &nb->around, &nb->around_capacity, 0, grid->segment_count, sizeof *nb->around) ||
        !sweep_reserve(&nb->sweep, chunks))
        return false;
    Search job = {nb, kernel, grid, position, count, boundary, sums};
    parallel_for(pool, grid->segment_count, 256, find_around, &job);
    parallel_for(pool, chunks, SWEEP_CHUNKS, build_block, &job);
    sweep_plan(&nb->sweep);
    return !nb->out_of_memory;
}
