// SPDX-License-Identifier: MIT
#include "boundary/volume.h"

#include "particles/number_density.h"
#include <string.h>

enum { ROWS = 9, SEGMENT_GRAIN = 32 };
enum { CROWDED = 1, NEAR_RESTING = 2 }; // flags of a segment of moving particles

static void store_volumes(Boundary* b, const uint32_t* which, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        size_t i = which ? which[k] : k;
        b->position[i].w = b->number_density[i] > 0 ? b->factor[i] / b->number_density[i] : 0;
    }
}

// --- alone

// Of the particles first..first + count of one solid.
static bool volumes_of_one(Boundary* b, Pool* pool, const Kernel* kernel, CellGrid* grid, size_t first, size_t count)
{
    // sorted copies, and the rest of what sixteen at a time may read
    Vec4 *local = b->local + first, *sorted = b->velocity + first, *scratch = b->scratch;
    if (!grid_build(grid, pool, local, count, scratch))
        return false;
    for (size_t k = 0; k < count; k++)
        sorted[k] = local[grid->order[k]];
    BoundaryPoints points = {.position = sorted};
    points.part[0].grid = grid;
    float* density = b->number_density;
    number_density_at(pool, kernel, &points, sorted, count, NULL, density);
    for (size_t k = 0; k < count; k++) {
        size_t made = first - b->resting + grid->order[k];
        b->alone[made] = density[k] > 0 ? b->factor[b->resting + made] / density[k] : 0;
    }
    return true;
}

bool volumes_alone(Boundary* b, Pool* pool, const Kernel* kernel)
{
    CellGrid grid;
    grid_init(&grid, b->memory, (double)kernel->h, kernel->dimension);
    bool ok = true;
    size_t end = b->resting + b->driven;
    for (size_t first = b->resting, last; first < end && ok; first = last) {
        for (last = first + 1; last < end && b->solid[last] == b->solid[first];)
            last++;
        ok = volumes_of_one(b, pool, kernel, &grid, first, last - first);
    }
    grid_free(&grid);
    return ok;
}

void volumes_resting(Boundary* b, Pool* pool, const Kernel* kernel)
{
    BoundaryPoints points = boundary_points(b);
    points.part[1].grid = NULL;
    number_density_at(pool, kernel, &points, b->position, b->resting, NULL, b->number_density);
    store_volumes(b, NULL, b->resting);
    for (size_t i = 0; i < b->resting; i++)
        b->resting_volume[i] = b->position[i].w;
}

// --- who is near others

typedef struct NearJob {
    Boundary* boundary;
    bool any_resting;
} NearJob;

// Where to look for what can be within reach of a stretch of sorted particles.
typedef struct Reach {
    SegmentKey key;
    int32_t low, high; // columns
    uint32_t around[2][27];
    bool any[2];
} Reach;

static bool is_near_resting(const Boundary* b, const Reach* reach)
{
    for (int row = 0; row < ROWS && reach->any[0]; row++) {
        uint32_t begin, end;
        grid_run(&b->grid[0], reach->key, reach->around[0], row, reach->low, reach->high, &begin, &end);
        if (begin < end)
            return true;
    }
    return false;
}

static bool is_near_other(const Boundary* b, const Reach* reach, uint32_t solid)
{
    for (int row = 0; row < ROWS; row++) {
        uint32_t begin, end, other = 0;
        grid_run(&b->grid[1], reach->key, reach->around[1], row, reach->low, reach->high, &begin, &end);
        for (const uint32_t *s = b->solid + b->resting + begin, *last = s + (end - begin); s < last; s++)
            other |= *s ^ solid;
        if (other)
            return true;
    }
    return false;
}

// Volumes of a stretch of one solid, -1 if they have to be summed. Returns flags.
static uint8_t look_around(const Boundary* b, size_t first, size_t last, Reach* reach)
{
    const CellGrid* grid = &b->grid[1];
    enum { REACH = 5 }; // columns: h is four of them, and a hair
    reach->low = grid_column(grid, (double)b->position[first].x) - REACH;
    reach->high = grid_column(grid, (double)b->position[last - 1].x) + REACH;
    bool at_rest = is_near_resting(b, reach);
    bool made_anew = b->order[first] >= b->driven; // of a skin
    bool crowded = at_rest || made_anew || is_near_other(b, reach, b->solid[first]);
    for (size_t i = first; i < last; i++)
        b->position[i].w = crowded ? -1 : b->alone[b->order[i]];
    return (crowded ? CROWDED : 0) | (at_rest ? NEAR_RESTING : 0);
}

static void near_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const NearJob* job = context;
    Boundary* b = job->boundary;
    const CellGrid* grid = &b->grid[1];
    for (size_t s = begin; s < end; s++) {
        size_t at = b->resting + grid->cell_start[s * SEGMENT_CELLS], last = b->resting + grid->cell_start[(s + 1) * SEGMENT_CELLS];
        Reach reach = {.key = grid->segment[s]};
        b->near[s] = 0;
        if (reach.key.x == GRID_FAR) { // never found
            for (; at < last; at++)
                b->position[at].w = 0;
            continue;
        }
        reach.any[0] = job->any_resting && grid_around(&b->grid[0], reach.key, reach.around[0]);
        reach.any[1] = grid_around(grid, reach.key, reach.around[1]);
        for (size_t next; at < last; at = next) {
            for (next = at + 1; next < last && b->solid[next] == b->solid[at];)
                next++;
            b->near[s] |= look_around(b, at, next, &reach);
        }
    }
}

// Lists the resting particles whose volume may have changed: those in segments near moving particles, now or before.
static size_t find_touched(Boundary* b)
{
    const CellGrid *resting = &b->grid[0], *moving = &b->grid[1];
    for (size_t s = 0; s < resting->segment_count; s++)
        b->touched[s] = b->touched[s] & 1 ? 2 : 0;
    for (size_t s = 0; s < moving->segment_count; s++) {
        uint32_t around[27];
        if (!(b->near[s] & NEAR_RESTING) || !grid_around(resting, moving->segment[s], around))
            continue;
        for (int k = 0; k < 27; k++)
            if (around[k] != NO_SEGMENT)
                b->touched[around[k]] |= 1;
    }
    size_t n = 0;
    for (size_t s = 0; s < resting->segment_count; s++) {
        uint32_t begin = resting->cell_start[s * SEGMENT_CELLS], end = resting->cell_start[(s + 1) * SEGMENT_CELLS];
        if (b->touched[s] & 1)
            for (uint32_t i = begin; i < end; i++)
                b->which[n++] = i;
        else if (b->touched[s]) // left alone again
            for (uint32_t i = begin; i < end; i++)
                b->position[i].w = b->resting_volume[i];
    }
    return n;
}

// Adds the moving particles that are near others to a list of `n`.
static size_t find_crowded(const Boundary* b, size_t n)
{
    const CellGrid* grid = &b->grid[1];
    for (size_t s = 0; s < grid->segment_count; s++) {
        uint32_t begin = grid->cell_start[s * SEGMENT_CELLS], end = grid->cell_start[(s + 1) * SEGMENT_CELLS];
        for (size_t i = b->resting + begin; b->near[s] & CROWDED && i < b->resting + end; i++)
            if (b->position[i].w < 0)
                b->which[n++] = (uint32_t)i;
    }
    return n;
}

void volumes_update(Boundary* b, Pool* pool, const Kernel* kernel)
{
    NearJob job = {b, b->grid[0].segment_count > 0};
    parallel_for(pool, b->grid[1].segment_count, SEGMENT_GRAIN, near_block, &job);
    size_t n = find_crowded(b, find_touched(b));
    BoundaryPoints points = boundary_points(b);
    if (b->skin_count) // many, every step
        number_density_together(pool, kernel, &points, b->position, n, b->which, b->number_density);
    else
        number_density_at(pool, kernel, &points, b->position, n, b->which, b->number_density);
    store_volumes(b, b->which, n);
}
