// SPDX-License-Identifier: MIT
#include "particles/number_density.h"

enum { ROWS = 9 };

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

void number_density_at(Pool* pool, const Kernel* kernel, const BoundaryPoints* points, const Vec4* position, size_t count,
                       const uint32_t* which, float* out_density)
{
    NumberDensity job = {kernel, points, position, which, out_density};
    parallel_for(pool, count, 256, density_block, &job);
}

// --- eight at a time

static SegmentKey key_of(const CellGrid* grid, Vec4 p)
{
    return (SegmentKey){grid_column(grid, (double)p.x) >> 6, grid_row(grid, p.y), grid_row(grid, p.z)};
}

static bool same_key(SegmentKey a, SegmentKey b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Points of one segment that are looked at together, and the columns that can be within reach of any of them.
typedef struct Together {
    SegmentKey key;
    int32_t low, high;
    F8 x, y, z;
} Together;

// The next of those that lie in one segment, up to eight and not too far apart. Returns how many.
static size_t take_together(const NumberDensity* job, const CellGrid* grid, const uint32_t* which, size_t count, Together* t)
{
    enum { APART = 16 }; // columns
    Vec4 p[LANES];
    p[0] = job->position[which[0]];
    t->key = key_of(grid, p[0]);
    t->low = grid_column(grid, (double)p[0].x - grid->cell);
    t->high = grid_column(grid, (double)p[0].x + grid->cell);
    size_t n = 1;
    for (; n < LANES && n < count; n++) {
        p[n] = job->position[which[n]];
        int32_t low = grid_column(grid, (double)p[n].x - grid->cell), high = grid_column(grid, (double)p[n].x + grid->cell);
        low = low < t->low ? low : t->low;
        high = high > t->high ? high : t->high;
        if (!same_key(key_of(grid, p[n]), t->key) || high - low > APART)
            break;
        t->low = low;
        t->high = high;
    }
    for (size_t k = n; k < LANES; k++)
        p[k] = p[0];
    F8 unused;
    f8_load4(p, &t->x, &t->y, &t->z, &unused);
    return n;
}

static F8 densities_in_part(const NumberDensity* job, int part, const Together* t, SegmentsAround* last)
{
    const CellGrid* grid = job->points->part[part].grid;
    F8 total = f8_zero();
    if (!grid || grid->segment_count == 0)
        return total;
    if (!last->known || !same_key(last->key, t->key)) {
        last->key = t->key;
        last->known = true;
        last->any = grid_around(grid, t->key, last->around);
    }
    const F8 inverse_h = f8_set(1 / job->kernel->h);
    const Vec4* other = job->points->position + job->points->part[part].base;
    const float* weight = job->points->weight ? job->points->weight + job->points->part[part].base : NULL;
    for (int row = 0; row < ROWS && last->any; row++) {
        uint32_t begin, end;
        grid_run(grid, t->key, last->around, row, t->low, t->high, &begin, &end);
        for (uint32_t j = begin; j < end; j++) {
            F8 dx = f8_sub(f8_set(other[j].x), t->x), dy = f8_sub(f8_set(other[j].y), t->y), dz = f8_sub(f8_set(other[j].z), t->z);
            F8 q = f8_mul(f8_sqrt(f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)))), inverse_h);
            F8 w = kernel8_w(job->kernel->type, q);
            total = weight ? f8_mad(w, f8_set(weight[j]), total) : f8_add(w, total);
        }
    }
    return total;
}

static void together_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const NumberDensity* job = context;
    const CellGrid* grid = job->points->part[1].grid;
    SegmentsAround last[2];
    last[0].known = last[1].known = false;
    for (size_t k = begin, n; k < end; k += n) {
        Together t;
        n = take_together(job, grid, job->which + k, end - k, &t);
        F8 sum = f8_add(densities_in_part(job, 0, &t, &last[0]), densities_in_part(job, 1, &t, &last[1]));
        float density[LANES];
        f8_store(density, f8_mul(sum, f8_set(job->kernel->norm)));
        for (size_t lane = 0; lane < n; lane++)
            job->density[job->which[k + lane]] = density[lane];
    }
}

void number_density_together(Pool* pool, const Kernel* kernel, const BoundaryPoints* points, const Vec4* position, size_t count,
                             const uint32_t* which, float* out_density)
{
    NumberDensity job = {kernel, points, position, which, out_density};
    parallel_for(pool, count, 256, together_block, &job);
}
