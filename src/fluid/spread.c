// SPDX-License-Identifier: MIT
// New points go where the next one is farthest away. Then each moves to the middle of the samples that are nearest to it (Lloyd
// 1982), some times over: a point at a wall ends half a spacing away from it, as fluid at rest has it.
#include "fluid/spread.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double FIRST_APART = 0.95, LEAST_APART = 0.55; // [spacings] of new points
static const double STAY_APART = 0.71;                      // [spacings] in the end: what starts closer is left out of a world
enum { ROUNDS = 24 };

// Points by the cells of a lattice, chained.
typedef struct Cells {
    Vec3d low;
    double size;
    int64_t n[3];
    int32_t *head, *next;
} Cells;

static void cell_of(const Cells* c, Vec3d p, int64_t out[3])
{
    const double at[3] = {p.x - c->low.x, p.y - c->low.y, p.z - c->low.z};
    for (int a = 0; a < 3; a++) {
        int64_t k = (int64_t)floor(at[a] / c->size);
        out[a] = k < 0 ? 0 : k >= c->n[a] ? c->n[a] - 1 : k;
    }
}

static void cells_add(Cells* c, const Vec3d* point, size_t k)
{
    int64_t at[3];
    cell_of(c, point[k], at);
    int64_t cell = at[0] + c->n[0] * (at[1] + c->n[1] * at[2]);
    c->next[k] = c->head[cell];
    c->head[cell] = (int32_t)k;
}

static bool cells_init(Cells* c, const SpreadDef* def, size_t points)
{
    Vec3d low = def->sample[0], high = low;
    for (size_t k = 1; k < def->sample_count; k++) {
        low = vec3d_min(low, def->sample[k]);
        high = vec3d_max(high, def->sample[k]);
    }
    const double size[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    *c = (Cells){.low = low, .size = 1.01 * def->spacing};
    size_t all = 1;
    for (int a = 0; a < 3; a++) {
        c->n[a] = (int64_t)floor(size[a] / c->size) + 1;
        all *= (size_t)c->n[a];
    }
    c->head = malloc(all * sizeof *c->head);
    c->next = malloc((points + 1) * sizeof *c->next);
    if (c->head)
        memset(c->head, 0xff, all * sizeof *c->head);
    return c->head && c->next;
}

static void cells_fill(Cells* c, const Vec3d* point, size_t count)
{
    memset(c->head, 0xff, (size_t)(c->n[0] * c->n[1] * c->n[2]) * sizeof *c->head);
    for (size_t k = 0; k < count; k++)
        cells_add(c, point, k);
}

// The nearest point within a cell's size, or -1; *out_distance [m] is that size then.
static int32_t nearest(const Cells* c, const Vec3d* point, Vec3d p, double* out_distance)
{
    int64_t at[3];
    cell_of(c, p, at);
    int32_t best = -1;
    double least = c->size * c->size;
    for (int64_t z = at[2] - 1; z <= at[2] + 1; z++)
        for (int64_t y = at[1] - 1; y <= at[1] + 1; y++)
            for (int64_t x = at[0] - 1; x <= at[0] + 1; x++) {
                if (x < 0 || y < 0 || z < 0 || x >= c->n[0] || y >= c->n[1] || z >= c->n[2])
                    continue;
                for (int32_t k = c->head[x + c->n[0] * (y + c->n[1] * z)]; k >= 0; k = c->next[k]) {
                    Vec3d d = vec3d_sub(point[k], p);
                    double square = vec3d_dot(d, d);
                    if (square < least || (square == least && k < best)) {
                        least = square;
                        best = k;
                    }
                }
            }
    *out_distance = sqrt(least);
    return best;
}

static void add_points(const SpreadDef* def, Cells* cells, Vec3d* point, size_t* count, size_t wanted)
{
    for (double apart = FIRST_APART; *count < wanted && apart >= LEAST_APART; apart *= 0.94)
        for (size_t s = 0; s < def->sample_count && *count < wanted; s++) {
            double distance;
            Vec3d p = def->keep ? def->keep(def->context, def->sample[s]) : def->sample[s];
            nearest(cells, point, p, &distance);
            if (distance < apart * def->spacing)
                continue;
            point[*count] = p;
            cells_add(cells, point, (*count)++);
        }
}

static void even_out(const SpreadDef* def, Cells* cells, Vec3d* point, size_t count, Vec3d* sum, size_t* share)
{
    cells_fill(cells, point, count);
    memset(sum, 0, count * sizeof *sum);
    memset(share, 0, count * sizeof *share);
    for (size_t s = 0; s < def->sample_count; s++) {
        double distance;
        int32_t k = nearest(cells, point, def->sample[s], &distance);
        if (k < 0)
            continue;
        sum[k] = vec3d_add(sum[k], def->sample[s]);
        share[k]++;
    }
    for (size_t k = 0; k < count; k++)
        if (share[k]) {
            Vec3d middle = vec3d_scale(sum[k], 1 / (double)share[k]);
            point[k] = def->keep ? def->keep(def->context, middle) : middle;
        }
}

// Of two that are too close the later one goes: corners may have pushed them together.
static void part(const SpreadDef* def, Cells* cells, Vec3d* point, size_t* count)
{
    size_t all = *count, kept = 0;
    cells_fill(cells, point, 0);
    for (size_t k = 0; k < all; k++) {
        double distance;
        nearest(cells, point, point[k], &distance);
        if (distance < STAY_APART * def->spacing)
            continue;
        point[kept] = point[k];
        cells_add(cells, point, kept++);
    }
    *count = kept;
}

// The highest are taken away.
static void take_away(const SpreadDef* def, Vec3d* point, size_t* count, size_t wanted)
{
    while (*count > wanted) {
        size_t top = 0;
        for (size_t k = 1; k < *count; k++)
            if (vec3d_dot(vec3d_sub(point[k], point[top]), def->up) >= 0)
                top = k;
        point[top] = point[--*count];
    }
}

bool spread_points(const SpreadDef* def, Vec3d** points, size_t* count, size_t wanted)
{
    if (def->sample_count == 0)
        return true;
    size_t most = wanted > *count ? wanted : *count;
    Vec3d* larger = realloc(*points, (most + 1) * sizeof **points);
    Vec3d* sum = malloc((most + 1) * sizeof *sum);
    size_t* share = malloc((most + 1) * sizeof *share);
    Cells cells = {0};
    if (larger)
        *points = larger;
    bool ok = larger && sum && share && cells_init(&cells, def, most);
    if (ok) {
        take_away(def, larger, count, wanted);
        cells_fill(&cells, larger, *count);
        add_points(def, &cells, larger, count, wanted);
        for (int k = 0; k < ROUNDS; k++)
            even_out(def, &cells, larger, *count, sum, share);
        part(def, &cells, larger, count);
    }
    free(sum);
    free(share);
    free(cells.head);
    free(cells.next);
    return ok;
}
