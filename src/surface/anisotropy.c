// SPDX-License-Identifier: MIT
// From the spread of a particle's neighbours within 4 r, weighted by w = 1 - (d / 4r)^3:
//   C = sum_j w_j (x_j - m) (x_j - m)^T / sum_j w_j,   m the weighted mean,   C = Q S Q^T             (Yu and Turk 2010, eq. 9-11)
//   G = Q diag(1 / s_k) Q^T / 4r,   s_k = S_k / (2.4 r^2) held in [1/2, 1];  with few neighbours s_k = 1/2
// 2.4 r^2 is the spread inside the fluid, so that kernels there are round and reach 4 r. Deviations: the spread is bounded to half
// of its value inside (the paper: a quarter of the largest), because a flatter kernel ends before the place where the fluid does;
// and centres are not moved towards their neighbours, which takes volume away. Mesh smoothing takes the bumps.
#include "surface/anisotropy.h"

#include "base/eigen.h"
#include <string.h>

enum { GRAIN = 1024, FEW = 8 };
#define REACH 4.0         // [r]
#define SPREAD_INSIDE 2.4 // [r^2]
#define LEAST 0.5
#define KERNEL_NORM 1.5667 // of (1 - q^2)^3 in three dimensions

typedef struct ShapeJob {
    const Lattice* lattice;
    double radius; // [spacing]
    Shape3* out;
} ShapeJob;

typedef struct Spread {
    double weight, mean[3], square[3][3];
    int count;
} Spread;

static void add_run(const Lattice* l, uint32_t begin, uint32_t end, Vec4 x, double scale, Spread* s)
{
    for (uint32_t j = begin; j < end; j++) {
        Vec4 p = l->position[j];
        // in units of the reach
        const double d[3] = {(double)(p.x - x.x) * scale, (double)(p.y - x.y) * scale, (double)(p.z - x.z) * scale};
        double q2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (q2 >= 1)
            continue;
        double w = 1 - q2 * sqrt(q2);
        s->count++;
        s->weight += w;
        for (int r = 0; r < 3; r++) {
            s->mean[r] += w * d[r];
            for (int c = r; c < 3; c++)
                s->square[r][c] += w * d[r] * d[c];
        }
    }
}

static Shape3 shape_of(const Spread* s, double radius)
{
    double m[3][3], q[3][3], inverse[3], det = 1, g[3][3] = {{0}}, reach = REACH * radius;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            m[r][c] = s->square[r < c ? r : c][r < c ? c : r] / s->weight - s->mean[r] * s->mean[c] / (s->weight * s->weight);
    eigen_symmetric(m, q); // the columns of q are the axes
    for (int k = 0; k < 3; k++) {
        double size = s->count > FEW ? m[k][k] * REACH * REACH / SPREAD_INSIDE : LEAST;
        size = size < LEAST ? LEAST : size > 1 ? 1 : size;
        inverse[k] = 1 / (size * reach);
        det *= inverse[k];
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                g[r][c] += q[r][k] * inverse[k] * q[c][k];
    return (Shape3){(float)g[0][0],
                    (float)g[0][1],
                    (float)g[0][2],
                    (float)g[1][1],
                    (float)g[1][2],
                    (float)g[2][2],
                    (float)(8 * radius * radius * radius * det * KERNEL_NORM)};
}

static void shape_work(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ShapeJob* job = context;
    const Lattice* l = job->lattice;
    const CellGrid* grid = &l->grid;
    double scale = 1 / (REACH * job->radius * l->spacing);
    SegmentKey last = {GRID_FAR, GRID_FAR, GRID_FAR};
    uint32_t around[27];
    for (size_t i = begin; i < end; i++) {
        Vec4 x = l->position[i];
        int32_t column = grid_column(grid, (double)x.x);
        SegmentKey key = {column >> 6, grid_row(grid, x.y), grid_row(grid, x.z)};
        if (key.x != last.x || key.y != last.y || key.z != last.z)
            grid_around(grid, key, around);
        last = key;
        Spread spread = {0};
        for (int row = 0; row < 9; row++) {
            uint32_t first, behind;
            grid_run(grid, key, around, row, column - 4, column + 4, &first, &behind);
            add_run(l, first, behind, x, scale, &spread);
        }
        job->out[i] = shape_of(&spread, job->radius);
    }
}

bool anisotropy_build(const Lattice* lattice, Pool* pool, double radius, Shape3** out)
{
    *out = memory_take(lattice->memory, (lattice->count + 1) * sizeof **out);
    if (!*out)
        return false;
    ShapeJob job = {lattice, radius, *out};
    parallel_for(pool, lattice->count, GRAIN, shape_work, &job);
    return true;
}
