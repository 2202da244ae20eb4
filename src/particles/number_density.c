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
