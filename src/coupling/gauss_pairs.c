// SPDX-License-Identifier: MIT
#include "coupling/gauss_pairs.h"

enum { GRAIN = 64, CHUNKS_MOST = 4096, FOUND_MOST = 32, ROWS_MOST = 1024 };

typedef struct SearchJob {
    GaussPairs* pairs;
    const GaussSurfaces* surfaces;
    const CellGrid* grid;
    const Vec4* position;
    size_t count; // particles
    double h;
} SearchJob;

// The box around what a patch reaches.
static Box3d box_of(const GaussPatch* p, double h)
{
    Vec3d a = vec3d((double)p->at.x, (double)p->at.y, (double)p->at.z);
    Vec3d b = vec3d_add(a, vec3d((double)p->second.x, (double)p->second.y, (double)p->second.z));
    Vec3d c = vec3d_add(a, vec3d((double)p->third.x, (double)p->third.y, (double)p->third.z));
    Vec3d reach = vec3d(h, h, h);
    return (Box3d){vec3d_sub(vec3d_min(a, vec3d_min(b, c)), reach), vec3d_add(vec3d_max(a, vec3d_max(b, c)), reach)};
}

// Whether a particle of a chunk is in the box.
static bool meets(const SearchJob* job, uint32_t chunk, Box3d box)
{
    size_t end = LANES * ((size_t)chunk + 1);
    for (size_t i = LANES * (size_t)chunk; i < end && i < job->count; i++) {
        Vec4 x = job->position[i];
        if ((double)x.x > box.min.x && (double)x.x < box.max.x && (double)x.y > box.min.y && (double)x.y < box.max.y &&
            (double)x.z > box.min.z && (double)x.z < box.max.z)
            return true;
    }
    return false;
}

// Adds the chunks of a run of particles that are not there yet. Two runs share one chunk at most, the last of one and the first of
// the other.
static size_t add_run(const SearchJob* job, uint32_t begin, uint32_t end, Box3d box, uint32_t* out, size_t count)
{
    for (uint32_t chunk = begin / LANES; begin < end && chunk <= (end - 1) / LANES && count < CHUNKS_MOST; chunk++) {
        bool is_border = chunk == begin / LANES || chunk == (end - 1) / LANES, known = false;
        for (size_t k = 0; is_border && k < count && !known; k++)
            known = out[k] == chunk;
        if (!known && meets(job, chunk, box))
            out[count++] = chunk;
    }
    return count;
}

// Cells of the grid that a box meets.
typedef struct Rows {
    int32_t x_low, x_high, y_low, y_high, z_low, z_high; // columns, and rows that there are
} Rows;

// False: there is nothing.
static bool rows_of(const CellGrid* grid, Box3d box, Rows* r)
{
    *r = (Rows){grid_column(grid, box.min.x),
                grid_column(grid, box.max.x),
                grid_row(grid, (float)box.min.y),
                grid_row(grid, (float)box.max.y),
                grid->dimension == 2 ? 0 : grid_row(grid, (float)box.min.z),
                grid->dimension == 2 ? 0 : grid_row(grid, (float)box.max.z)};
    if (grid->segment_count == 0 || r->x_high >> 6 < grid->low.x || r->x_low >> 6 > grid->high.x)
        return false;
    r->y_low = r->y_low > grid->low.y ? r->y_low : grid->low.y;
    r->z_low = r->z_low > grid->low.z ? r->z_low : grid->low.z;
    r->y_high = r->y_high < grid->high.y ? r->y_high : grid->high.y;
    r->z_high = r->z_high < grid->high.z ? r->z_high : grid->high.z;
    return r->y_low <= r->y_high && r->z_low <= r->z_high;
}

// The run of particles of a stretch of a row within the columns. False: there is none.
static bool run_of(const CellGrid* grid, const Rows* r, SegmentKey key, uint32_t* begin, uint32_t* end)
{
    uint32_t segment = grid_find(grid, key);
    if (segment == NO_SEGMENT)
        return false;
    const uint32_t* start = grid->cell_start + (size_t)segment * SEGMENT_CELLS;
    int32_t first = key.x == r->x_low >> 6 ? r->x_low & 63 : 0, last = key.x == r->x_high >> 6 ? r->x_high & 63 : SEGMENT_CELLS - 1;
    *begin = start[first];
    *end = start[last + 1];
    return *begin < *end;
}

// Chunks within reach of a patch, each once.
static size_t find_chunks(const SearchJob* job, const GaussPatch* p, uint32_t out[CHUNKS_MOST])
{
    Box3d box = box_of(p, job->h);
    Rows r;
    size_t count = 0;
    if (!rows_of(job->grid, box, &r))
        return 0;
    for (int32_t z = r.z_low; z <= r.z_high; z++)
        for (int32_t y = r.y_low; y <= r.y_high; y++)
            for (int32_t x = r.x_low >> 6; x <= r.x_high >> 6; x++) {
                uint32_t begin, end;
                if (run_of(job->grid, &r, (SegmentKey){x, y, z}, &begin, &end))
                    count = add_run(job, begin, end, box, out, count);
            }
    return count;
}

// Whether any particle may be near patches from `begin` on: most of a large solid is dry, and is asked once for many patches.
static bool is_any_near(const SearchJob* job, size_t begin, size_t end)
{
    Box3d box = box_of(&job->surfaces->patch[begin], job->h);
    Rows r;
    for (size_t k = begin + 1; k < end; k++) {
        Box3d next = box_of(&job->surfaces->patch[k], job->h);
        box = (Box3d){vec3d_min(box.min, next.min), vec3d_max(box.max, next.max)};
    }
    if (!rows_of(job->grid, box, &r))
        return false;
    int64_t rows = (int64_t)(r.y_high - r.y_low + 1) * (r.z_high - r.z_low + 1) * ((r.x_high >> 6) - (r.x_low >> 6) + 1);
    if (rows > ROWS_MOST)
        return true;
    for (int32_t z = r.z_low; z <= r.z_high; z++)
        for (int32_t y = r.y_low; y <= r.y_high; y++)
            for (int32_t x = r.x_low >> 6; x <= r.x_high >> 6; x++) {
                uint32_t first, last;
                if (run_of(job->grid, &r, (SegmentKey){x, y, z}, &first, &last))
                    return true;
            }
    return false;
}

// The first FOUND_MOST chunks of a patch are kept until it is known where they go; who has more is asked again.
static void search_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    SearchJob* job = context;
    uint32_t chunk[CHUNKS_MOST];
    bool dry = !is_any_near(job, begin, end);
    for (size_t k = begin; k < end; k++) {
        size_t count = dry ? 0 : find_chunks(job, &job->surfaces->patch[k], chunk);
        job->pairs->patch_first[k + 1] = count;
        memcpy(job->pairs->found + FOUND_MOST * k, chunk, (count < FOUND_MOST ? count : FOUND_MOST) * sizeof *chunk);
    }
}

static void write_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    SearchJob* job = context;
    uint32_t chunk[CHUNKS_MOST];
    for (size_t k = begin; k < end; k++) {
        size_t first = job->pairs->patch_first[k], count = job->pairs->patch_first[k + 1] - first;
        const uint32_t* from = job->pairs->found + FOUND_MOST * k;
        if (count > FOUND_MOST) {
            find_chunks(job, &job->surfaces->patch[k], chunk);
            from = chunk;
        }
        memcpy(job->pairs->chunk_of + first, from, count * sizeof *from);
    }
}

static bool reserve(GaussPairs* p, size_t patches, size_t chunks)
{
    return memory_reserve(p->memory, &p->patch_first, &p->first_capacity, 0, patches + 1, sizeof *p->patch_first) &&
           memory_reserve(p->memory, &p->found, &p->found_capacity, 0, FOUND_MOST * patches + 1, sizeof *p->found) &&
           memory_reserve(p->memory, &p->chunk_first, &p->chunk_first_capacity, 0, chunks + 1, sizeof *p->chunk_first);
}

// The other way round, by counting.
static void turn_around(GaussPairs* p, size_t patches, size_t chunks)
{
    memset(p->chunk_first, 0, (chunks + 1) * sizeof *p->chunk_first);
    for (size_t k = 0; k < p->pairs; k++)
        p->chunk_first[p->chunk_of[k] + 1]++;
    for (size_t k = 0; k < chunks; k++)
        p->chunk_first[k + 1] += p->chunk_first[k];
    for (size_t patch = 0; patch < patches; patch++)
        for (size_t k = p->patch_first[patch]; k < p->patch_first[patch + 1]; k++)
            p->patch_of[p->chunk_first[p->chunk_of[k]]++] = (uint32_t)patch;
    // each start has become the next one's
    memmove(p->chunk_first + 1, p->chunk_first, chunks * sizeof *p->chunk_first);
    p->chunk_first[0] = 0;
}

bool gauss_pairs_build(GaussPairs* p, Memory* memory, const GaussSurfaces* surfaces, const Sph* sph, double h)
{
    p->memory = memory;
    size_t chunks = (sph->fluid.set.count + LANES - 1) / LANES;
    if (!reserve(p, surfaces->count, chunks))
        return false;
    SearchJob job = {p, surfaces, &sph->grid, sph->fluid.position, sph->fluid.set.count, h};
    parallel_for(sph->pool, surfaces->count, GRAIN, search_block, &job);
    p->patch_first[0] = 0;
    for (size_t k = 0; k < surfaces->count; k++)
        p->patch_first[k + 1] += p->patch_first[k];
    p->pairs = p->patch_first[surfaces->count];
    if (!memory_reserve(memory, &p->chunk_of, &p->chunk_capacity, 0, p->pairs, sizeof *p->chunk_of) ||
        !memory_reserve(memory, &p->patch_of, &p->patch_capacity, 0, p->pairs, sizeof *p->patch_of))
        return false;
    parallel_for(sph->pool, surfaces->count, GRAIN, write_block, &job);
    turn_around(p, surfaces->count, chunks);
    return true;
}

void gauss_pairs_free(GaussPairs* p)
{
    if (!p->memory)
        return;
    memory_give(p->memory, p->chunk_of);
    memory_give(p->memory, p->found);
    memory_give(p->memory, p->patch_of);
    memory_give(p->memory, p->patch_first);
    memory_give(p->memory, p->chunk_first);
    *p = (GaussPairs){0};
}
