// SPDX-License-Identifier: MIT
// Finding the tetrahedron around a point: tetrahedra are listed in the cells of a coarse grid that their boxes touch. A point
// outside all of them takes the one whose least weight is largest among those of the nearest ring of cells.
#include "mesh/tet_mesh.h"

#include <stdlib.h>
#include <string.h>

typedef struct TetGrid {
    const TetMesh* mesh;
    Vec3d origin;
    double cell;
    int cells[3];
    size_t* start;  // (cells + 1)
    uint32_t* list; // tetrahedra by cell
} TetGrid;

static int clamp_cell(double x, int cells)
{
    return x < 0 ? 0 : x >= cells ? cells - 1 : (int)x;
}

static void cell_at(const TetGrid* grid, Vec3d p, int at[3])
{
    Vec3d share = vec3d_scale(vec3d_sub(p, grid->origin), 1 / grid->cell);
    at[0] = clamp_cell(share.x, grid->cells[0]);
    at[1] = clamp_cell(share.y, grid->cells[1]);
    at[2] = clamp_cell(share.z, grid->cells[2]);
}

static size_t cell_index(const TetGrid* grid, int i, int j, int k)
{
    return ((size_t)k * (size_t)grid->cells[1] + (size_t)j) * (size_t)grid->cells[0] + (size_t)i;
}

static void tet_cells(const TetGrid* grid, size_t t, int low[3], int high[3])
{
    const uint32_t* v = grid->mesh->tet[t];
    Vec3d min = grid->mesh->point[v[0]], max = min;
    for (int c = 1; c < 4; c++) {
        min = vec3d_min(min, grid->mesh->point[v[c]]);
        max = vec3d_max(max, grid->mesh->point[v[c]]);
    }
    cell_at(grid, min, low);
    cell_at(grid, max, high);
}

// Counts (list NULL) or enters the tetrahedra; `start` of a cell moves on as they are entered.
static void visit_cells(TetGrid* grid, bool enter)
{
    for (size_t t = 0; t < grid->mesh->tet_count; t++) {
        int low[3], high[3];
        tet_cells(grid, t, low, high);
        for (int k = low[2]; k <= high[2]; k++)
            for (int j = low[1]; j <= high[1]; j++)
                for (int i = low[0]; i <= high[0]; i++) {
                    size_t slot = grid->start[cell_index(grid, i, j, k)]++;
                    if (enter)
                        grid->list[slot] = (uint32_t)t;
                }
    }
}

// About one tetrahedron's size per cell, and at most eight cells per tetrahedron: bodies with limbs leave most of their box empty.
static void size_grid(TetGrid* grid)
{
    Box3d box = tet_mesh_bounds(grid->mesh);
    Vec3d size = vec3d_sub(box.max, box.min);
    double largest = fmax(fmax(size.x, size.y), size.z), count = (double)grid->mesh->tet_count;
    double own = 2 * cbrt(fabs(tet_mesh_volume(grid->mesh)) / count), least = 0.5 * cbrt(size.x * size.y * size.z / count);
    grid->origin = box.min;
    grid->cell = fmax(fmax(own, least), largest / 200);
    if (!(grid->cell > 0))
        grid->cell = 1;
    grid->cells[0] = (int)(size.x / grid->cell) + 1;
    grid->cells[1] = (int)(size.y / grid->cell) + 1;
    grid->cells[2] = (int)(size.z / grid->cell) + 1;
}

static void close_grid(TetGrid* grid)
{
    memory_give(NULL, grid->start);
    memory_give(NULL, grid->list);
}

static bool open_grid(TetGrid* grid)
{
    size_grid(grid);
    size_t cells = (size_t)grid->cells[0] * (size_t)grid->cells[1] * (size_t)grid->cells[2];
    grid->start = memory_take(NULL, (cells + 1) * sizeof *grid->start);
    if (!grid->start)
        return false;
    memset(grid->start, 0, (cells + 1) * sizeof *grid->start);
    visit_cells(grid, false);
    size_t sum = 0;
    for (size_t c = 0; c <= cells; c++) {
        size_t here = grid->start[c];
        grid->start[c] = sum;
        sum += here;
    }
    grid->list = memory_take(NULL, (sum + 1) * sizeof *grid->list);
    if (!grid->list)
        return false;
    visit_cells(grid, true);
    memmove(grid->start + 1, grid->start, cells * sizeof *grid->start);
    grid->start[0] = 0;
    return true;
}

// The least weight; -infinity as soon as it is known to be at most `least`.
static double weigh(const TetMesh* mesh, uint32_t t, Vec3d p, double least, double weight[4])
{
    const uint32_t* v = mesh->tet[t];
    const Vec3d* x = mesh->point;
    Vec3d a = vec3d_sub(x[v[1]], x[v[0]]), b = vec3d_sub(x[v[2]], x[v[0]]), c = vec3d_sub(x[v[3]], x[v[0]]);
    Vec3d d = vec3d_sub(p, x[v[0]]), bc = vec3d_cross(b, c);
    double whole = vec3d_dot(a, bc);
    weight[1] = vec3d_dot(d, bc) / whole;
    if (weight[1] <= least)
        return -INFINITY;
    Vec3d ad = vec3d_cross(a, d);
    weight[2] = vec3d_dot(ad, c) / whole;
    weight[3] = -vec3d_dot(ad, b) / whole;
    weight[0] = 1 - weight[1] - weight[2] - weight[3];
    return fmin(fmin(weight[0], weight[1]), fmin(weight[2], weight[3]));
}

static void try_cell(const TetGrid* grid, size_t cell, Vec3d p, TetAnchor* best, double* least)
{
    for (size_t n = grid->start[cell]; n < grid->start[cell + 1]; n++) {
        double weight[4], low = weigh(grid->mesh, grid->list[n], p, *least, weight);
        if (low > *least) {
            *least = low;
            best->tet = grid->list[n];
            memcpy(best->weight, weight, sizeof weight);
        }
    }
}

// The cells at distance `ring` from the one in the middle.
static void try_ring(const TetGrid* grid, const int at[3], int ring, Vec3d p, TetAnchor* best, double* least)
{
    for (int k = at[2] - ring; k <= at[2] + ring; k++)
        for (int j = at[1] - ring; j <= at[1] + ring; j++)
            for (int i = at[0] - ring; i <= at[0] + ring; i++) {
                bool shell = abs(i - at[0]) == ring || abs(j - at[1]) == ring || abs(k - at[2]) == ring;
                bool valid = i >= 0 && j >= 0 && k >= 0 && i < grid->cells[0] && j < grid->cells[1] && k < grid->cells[2];
                if (shell && valid)
                    try_cell(grid, cell_index(grid, i, j, k), p, best, least);
            }
}

static TetAnchor embed_point(const TetGrid* grid, Vec3d p)
{
    int at[3], most = grid->cells[0] + grid->cells[1] + grid->cells[2];
    cell_at(grid, p, at);
    TetAnchor best = {0};
    double least = -INFINITY;
    try_ring(grid, at, 0, p, &best, &least);
    if (least >= -1e-9)
        return best;
    // one ring more than where the first was found: a nearer one may lie across the cell's border
    int ring = 1;
    for (; ring <= most && !isfinite(least); ring++)
        try_ring(grid, at, ring, p, &best, &least);
    try_ring(grid, at, ring, p, &best, &least);
    return best;
}

bool tet_mesh_embed(const TetMesh* mesh, const Vec3d* point, size_t count, TetAnchor* anchor)
{
    TetGrid grid = {.mesh = mesh};
    bool ok = open_grid(&grid);
    for (size_t i = 0; ok && i < count; i++)
        anchor[i] = embed_point(&grid, point[i]);
    close_grid(&grid);
    return ok;
}
