// SPDX-License-Identifier: MIT
#include "coupling/gauss_near.h"

// Groups that are asked together whether they are dry: most of a large solid is.
enum { GRAIN = 16, RUNS_KEPT = 24, ROWS_MOST = 1024 };

static Box3d box_around(Box3d a, Box3d b)
{
    return (Box3d){vec3d_min(a.min, b.min), vec3d_max(a.max, b.max)};
}

static Box3d box_reached(Box3d box, double h)
{
    Vec3d reach = vec3d(h, h, h);
    return (Box3d){vec3d_sub(box.min, reach), vec3d_add(box.max, reach)};
}

// Cells of the grid that a box meets: columns, and rows that there are.
typedef struct Rows {
    int32_t x_low, x_high, y_low, y_high, z_low, z_high;
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
static bool run_of(const CellGrid* grid, const Rows* r, SegmentKey key, Run* out)
{
    uint32_t segment = grid_find(grid, key);
    if (segment == NO_SEGMENT)
        return false;
    const uint32_t* start = grid->cell_start + (size_t)segment * SEGMENT_CELLS;
    int32_t first = key.x == r->x_low >> 6 ? r->x_low & 63 : 0, last = key.x == r->x_high >> 6 ? r->x_high & 63 : SEGMENT_CELLS - 1;
    *out = (Run){start[first], start[last + 1]};
    return out->begin < out->end;
}

// Writes runs `from` to `from + most`; returns how many there are in all, or, if `enough`, stops there. Adds up their lengths.
static size_t find_runs(const CellGrid* grid, Box3d box, size_t from, size_t most, bool enough, Run* out, size_t* length)
{
    Rows r;
    Run run;
    size_t count = 0;
    if (!rows_of(grid, box, &r))
        return 0;
    for (int32_t z = r.z_low; z <= r.z_high; z++)
        for (int32_t y = r.y_low; y <= r.y_high; y++)
            for (int32_t x = r.x_low >> 6; x <= r.x_high >> 6; x++) {
                if (!run_of(grid, &r, (SegmentKey){x, y, z}, &run))
                    continue;
                *length += run.end - run.begin;
                if (count >= from && count - from < most)
                    out[count - from] = run;
                if (++count >= from + most && enough)
                    return count;
            }
    return count;
}

Box3d gauss_group_box(const GaussNear* near, size_t group)
{
    return box_reached(near->surfaces->box[group], near->h);
}

size_t gauss_runs(const GaussNear* near, size_t group, size_t from, Run out[RUNS_AT_ONCE])
{
    size_t all = near->runs[group], length = 0;
    if (from >= all)
        return 0;
    if (all <= RUNS_KEPT) {
        memcpy(out, near->kept + RUNS_KEPT * group, all * sizeof *out);
        return all;
    }
    return find_runs(near->grid, gauss_group_box(near, group), from, RUNS_AT_ONCE, true, out, &length) - from;
}

typedef struct SearchJob {
    GaussNear* near;
    const GaussSurfaces* surfaces;
} SearchJob;

static bool is_any_near(const CellGrid* grid, Box3d box)
{
    Rows r;
    Run run;
    size_t length = 0;
    if (!rows_of(grid, box, &r))
        return false;
    int64_t rows = (int64_t)(r.y_high - r.y_low + 1) * (r.z_high - r.z_low + 1) * ((r.x_high >> 6) - (r.x_low >> 6) + 1);
    return rows > ROWS_MOST || find_runs(grid, box, 0, 1, true, &run, &length) > 0;
}

static void search_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    SearchJob* job = context;
    GaussNear* n = job->near;
    const Box3d* box = job->surfaces->box;
    Box3d all = box[begin];
    for (size_t k = begin + 1; k < end; k++)
        all = box_around(all, box[k]);
    bool dry = !is_any_near(n->grid, box_reached(all, n->h));
    for (size_t k = begin; k < end; k++) {
        size_t length = 0;
        n->runs[k] =
            dry ? 0
                : (uint32_t)find_runs(n->grid, box_reached(box[k], n->h), 0, RUNS_KEPT, false, n->kept + RUNS_KEPT * k, &length);
        n->first[k + 1] = length;
    }
}

bool gauss_near_build(GaussNear* n, Memory* memory, const GaussSurfaces* surfaces, const Sph* sph, double h)
{
    n->memory = memory;
    n->surfaces = surfaces;
    n->grid = &sph->grid;
    n->h = h;
    size_t groups = surfaces->group_count;
    if (!memory_reserve(memory, &n->kept, &n->kept_capacity, 0, RUNS_KEPT * groups + 1, sizeof *n->kept) ||
        !memory_reserve(memory, &n->runs, &n->runs_capacity, 0, groups + 1, sizeof *n->runs) ||
        !memory_reserve(memory, &n->first, &n->first_capacity, 0, groups + 1, sizeof *n->first))
        return false;
    SearchJob job = {n, surfaces};
    parallel_for(sph->pool, groups, GRAIN, search_block, &job);
    n->first[0] = 0;
    for (size_t k = 0; k < groups; k++)
        n->first[k + 1] += n->first[k];
    return true;
}

void gauss_near_free(GaussNear* n)
{
    if (!n->memory)
        return;
    memory_give(n->memory, n->kept);
    memory_give(n->memory, n->runs);
    memory_give(n->memory, n->first);
    *n = (GaussNear){0};
}
