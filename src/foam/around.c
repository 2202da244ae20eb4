// SPDX-License-Identifier: MIT
#include "foam/around.h"

static bool has_cell(const CellGrid* grid, Vec4 x)
{
    double reach = 0x1p28 * grid->cell;
    return fabs((double)x.x) < reach && fabs((double)x.y) < reach && fabs((double)x.z) < reach && grid->segment_count > 0;
}

static bool same_key(SegmentKey a, SegmentKey b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static SegmentKey key_of(const CellGrid* grid, Vec4 x)
{
    return (SegmentKey){grid_column(grid, (double)x.x) >> 6, grid_row(grid, x.y), grid_row(grid, x.z)};
}

static float lower(float a, float b)
{
    return a < b ? a : b;
}

static float higher(float a, float b)
{
    return a > b ? a : b;
}

// Takes points as long as they are close, and their box.
static void take_points(FoamGroup* g, const Vec4* at, size_t left, SegmentKey key)
{
    const CellGrid* grid = g->fluid->grid;
    float x[LANES], y[LANES], z[LANES];
    int most = left < LANES ? (int)left : LANES, n = 0;
    g->low = g->high = at[0];
    while (n < most && (n == 0 || (has_cell(grid, at[n]) && same_key(key, key_of(grid, at[n]))))) {
        Vec4 p = at[n];
        float low = lower(g->low.x, p.x), high = higher(g->high.x, p.x);
        if ((double)(high - low) > grid->cell)
            break;
        g->low = (Vec4){low, lower(g->low.y, p.y), lower(g->low.z, p.z), 0};
        g->high = (Vec4){high, higher(g->high.y, p.y), higher(g->high.z, p.z), 0};
        x[n] = p.x;
        y[n] = p.y;
        z[n] = p.z;
        n++;
    }
    g->count = n;
    for (; n < LANES; n++) {
        x[n] = x[g->count - 1];
        y[n] = y[g->count - 1];
        z[n] = z[g->count - 1];
    }
    g->x = f8_load(x);
    g->y = f8_load(y);
    g->z = f8_load(z);
}

// Keeps runs in the order of memory.
static void add_run(FoamGroup* g, uint32_t begin, uint32_t end)
{
    if (begin >= end)
        return;
    int k = g->runs++;
    for (; k > 0 && g->begin[k - 1] > begin; k--) {
        g->begin[k] = g->begin[k - 1];
        g->end[k] = g->end[k - 1];
    }
    g->begin[k] = begin;
    g->end[k] = end;
}

// Of a row that passes at a distance only a chord is within reach; all in cells.
static void find_runs(FoamGroup* g)
{
    const CellGrid* grid = g->fluid->grid;
    double y0 = (double)g->low.y * grid->inverse - g->key.y, y1 = 1 - ((double)g->high.y * grid->inverse - g->key.y);
    double z0 = (double)g->low.z * grid->inverse - g->key.z, z1 = 1 - ((double)g->high.z * grid->inverse - g->key.z);
    const double y2[3] = {y0 * y0, 0, y1 * y1}, z2[3] = {z0 * z0, 0, z1 * z1};
    for (int row = 0; row < 9; row++) {
        double half2 = 1 - y2[row % 3] - z2[row / 3];
        if (!(half2 > 0))
            continue;
        double half = grid->cell * sqrt(half2);
        uint32_t begin, end;
        grid_run(grid, g->key, g->around, row, grid_column(grid, (double)g->low.x - half),
                 grid_column(grid, (double)g->high.x + half), &begin, &end);
        add_run(g, begin, end);
    }
}

int foam_group_begin(FoamGroup* g, const Vec4* at, size_t left)
{
    const CellGrid* grid = g->fluid->grid;
    g->runs = g->run = 0;
    if (!has_cell(grid, at[0])) {
        take_points(g, at, 1, g->key);
        return 1;
    }
    SegmentKey key = key_of(grid, at[0]);
    take_points(g, at, left, key);
    if (!g->known || !same_key(key, g->key)) {
        g->known = true;
        g->key = key;
        g->any = grid_around(grid, key, g->around);
    }
    if (g->any)
        find_runs(g);
    return g->count;
}

// How far a coordinate is from a stretch.
static F8 beyond(F8 a, float low, float high)
{
    return f8_max(f8_max(f8_sub(f8_set(low), a), f8_sub(a, f8_set(high))), f8_zero());
}

bool foam_group_next(FoamGroup* g)
{
    F8 h2 = f8_set(g->h * g->h * 1.00001f); // rounding must not lose a pair
    g->near_count = 0;
    for (; g->run < g->runs; g->run++)
        while (g->begin[g->run] < g->end[g->run]) {
            uint32_t k = g->begin[g->run], left = g->end[g->run] - k;
            if (g->near_count > FOAM_GROUP_ROOM - LANES)
                return true;
            F8 x, y, z, unused;
            f8_load4(g->fluid->position + k, &x, &y, &z, &unused);
            F8 dx = beyond(x, g->low.x, g->high.x), dy = beyond(y, g->low.y, g->high.y), dz = beyond(z, g->low.z, g->high.z);
            unsigned bits = f8_mask(f8_less(f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx))), h2));
            if (left < LANES)
                bits &= (1u << left) - 1;
            g->near_count += (int)i8_pack(g->near + g->near_count, i8_ramp(k), bits);
            g->begin[g->run] += LANES;
        }
    return g->near_count > 0;
}
