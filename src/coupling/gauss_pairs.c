// SPDX-License-Identifier: MIT
#include "coupling/gauss_pairs.h"

enum { GRAIN = 64, CHUNKS_MOST = 4096, FOUND_MOST = 32 };

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

// Chunks within reach of a patch, each once.
static size_t find_chunks(const SearchJob* job, const GaussPatch* p, uint32_t out[CHUNKS_MOST])
{
    const CellGrid* grid = job->grid;
    Box3d box = box_of(p, job->h);
    int32_t x_low = grid_column(grid, box.min.x), x_high = grid_column(grid, box.max.x);
    int32_t y_low = grid_row(grid, (float)box.min.y), y_high = grid_row(grid, (float)box.max.y);
    int32_t z_low = grid->dimension == 2 ? 0 : grid_row(grid, (float)box.min.z);
    int32_t z_high = grid->dimension == 2 ? 0 : grid_row(grid, (float)box.max.z);
    if (grid->segment_count == 0 || x_high >> 6 < grid->low.x || x_low >> 6 > grid->high.x)
        return 0;
    y_low = y_low > grid->low.y ? y_low : grid->low.y;
    z_low = z_low > grid->low.z ? z_low : grid->low.z;
    size_t count = 0;
    for (int32_t z = z_low; z <= z_high && z <= grid->high.z; z++)
        for (int32_t y = y_low; y <= y_high && y <= grid->high.y; y++)
            for (int32_t x = x_low >> 6; x <= x_high >> 6; x++) {
                uint32_t segment = grid_find(grid, (SegmentKey){x, y, z});
                if (segment == NO_SEGMENT)
                    continue;
                const uint32_t* start = grid->cell_start + (size_t)segment * SEGMENT_CELLS;
                int32_t first = x == x_low >> 6 ? x_low & 63 : 0, last = x == x_high >> 6 ? x_high & 63 : SEGMENT_CELLS - 1;
                count = add_run(job, start[first], start[last + 1], box, out, count);
            }
    return count;
}

// The first FOUND_MOST chunks of a patch are kept until it is known where they go; who has more is asked again.
static void search_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    SearchJob* job = context;
    uint32_t chunk[CHUNKS_MOST];
    for (size_t k = begin; k < end; k++) {
        size_t count = find_chunks(job, &job->surfaces->patch[k], chunk);
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
