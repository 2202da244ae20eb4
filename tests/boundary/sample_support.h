// SPDX-License-Identifier: MIT
// Meshes for the sampling tests, and the number density that their particles give.
#ifndef TESTS_SAMPLE_SUPPORT_H
#define TESTS_SAMPLE_SUPPORT_H

#include "base/random.h"
#include "boundary/sample.h"
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

static inline void add_vertex(TriMesh* mesh, double x, double y, double z)
{
    if (!tri_mesh_add_vertex(mesh, vec3d(x, y, z)))
        abort();
}

static inline void add_triangle(TriMesh* mesh, size_t a, size_t b, size_t c)
{
    if (!tri_mesh_add_triangle(mesh, (uint32_t)a, (uint32_t)b, (uint32_t)c))
        abort();
}

static inline TriMesh mesh_triangle(Vec3d a, Vec3d b, Vec3d c)
{
    TriMesh mesh = {0};
    add_vertex(&mesh, a.x, a.y, a.z);
    add_vertex(&mesh, b.x, b.y, b.z);
    add_vertex(&mesh, c.x, c.y, c.z);
    add_triangle(&mesh, 0, 1, 2);
    return mesh;
}

// corner at the origin
static inline TriMesh mesh_box(double x, double y, double z)
{
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    TriMesh mesh = {0};
    for (int i = 0; i < 8; i++)
        add_vertex(&mesh, i & 1 ? x : 0, i & 2 ? y : 0, i & 4 ? z : 0);
    for (int f = 0; f < 6; f++) {
        add_triangle(&mesh, (size_t)faces[f][0], (size_t)faces[f][1], (size_t)faces[f][2]);
        add_triangle(&mesh, (size_t)faces[f][0], (size_t)faces[f][2], (size_t)faces[f][3]);
    }
    return mesh;
}

// A grid of quads over (u, v), closed in u and, if wanted, in v; `place` gives the points.
typedef Vec3d PlaceFn(double u, double v, double size);
static inline TriMesh mesh_grid(size_t nu, size_t nv, bool wrap_u, bool wrap_v, double size, PlaceFn* place)
{
    TriMesh mesh = {0};
    size_t pu = wrap_u ? nu : nu + 1, pv = wrap_v ? nv : nv + 1;
    for (size_t j = 0; j < pv; j++)
        for (size_t i = 0; i < pu; i++) {
            Vec3d x = place((double)i / (double)nu, (double)j / (double)nv, size);
            add_vertex(&mesh, x.x, x.y, x.z);
        }
    for (size_t j = 0; j < nv; j++)
        for (size_t i = 0; i < nu; i++) {
            size_t a = j * pu + i, b = j * pu + (i + 1) % pu, c = (j + 1) % pv * pu + (i + 1) % pu, d = (j + 1) % pv * pu + i;
            add_triangle(&mesh, a, b, c);
            add_triangle(&mesh, a, c, d);
        }
    return mesh;
}

static inline Vec3d place_cloth(double u, double v, double size)
{
    return vec3d(u * size, 0, v * size);
}

static inline Vec3d place_waves(double u, double v, double size)
{
    return vec3d(u * size, 0.05 * size * sin(6 * u + 1) * cos(5 * v), v * size);
}

static inline Vec3d place_torus(double u, double v, double size)
{
    double ring = size * (1 + 0.4 * cos(2 * PI * v));
    return vec3d(ring * cos(2 * PI * u), 0.4 * size * sin(2 * PI * v), -ring * sin(2 * PI * u));
}

// A sphere of triangles of nearly equal size: a cube's faces, cut into n x n quads and blown up.
static inline TriMesh mesh_sphere(size_t n, double radius)
{
    TriMesh mesh = {0};
    for (int face = 0; face < 6; face++)
        for (size_t j = 0; j <= n; j++)
            for (size_t i = 0; i <= n; i++) {
                double a = tan(PI / 4 * (2 * (double)i / (double)n - 1)), b = tan(PI / 4 * (2 * (double)j / (double)n - 1));
                double side = face & 1 ? 1 : -1;
                Vec3d x = face < 2 ? vec3d(side, a * side, b) : face < 4 ? vec3d(b, side, a * side) : vec3d(a * side, b, side);
                x = vec3d_scale(vec3d_normalise(x), radius);
                add_vertex(&mesh, x.x, x.y, x.z);
            }
    for (size_t face = 0; face < 6; face++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) {
                size_t a = (face * (n + 1) + j) * (n + 1) + i, b = a + 1, c = a + n + 2, d = a + n + 1;
                add_triangle(&mesh, a, b, c);
                add_triangle(&mesh, a, c, d);
            }
    if (!tri_mesh_weld(&mesh, 1e-9 * radius))
        abort();
    return mesh;
}

static inline double triangle_area(const TriMesh* mesh, size_t t)
{
    const uint32_t* v = mesh->triangle[t];
    return vec3d_length(
               vec3d_cross(vec3d_sub(mesh->vertex[v[1]], mesh->vertex[v[0]]), vec3d_sub(mesh->vertex[v[2]], mesh->vertex[v[0]]))) /
           2;
}

static inline double mesh_area(const TriMesh* mesh)
{
    double area = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        area += triangle_area(mesh, t);
    return area;
}

static inline Vec3d point_in_triangle(const TriMesh* mesh, size_t t, Random* random)
{
    const uint32_t* v = mesh->triangle[t];
    double a = random_unit(random), b = random_unit(random);
    if (a + b > 1) {
        a = 1 - a;
        b = 1 - b;
    }
    Vec3d x = vec3d_scale(mesh->vertex[v[0]], 1 - a - b);
    return vec3d_mad(vec3d_mad(x, a, mesh->vertex[v[1]]), b, mesh->vertex[v[2]]);
}

// cubic spline, W(0) = 8 / (pi h^3)
static inline double kernel(double distance, double h)
{
    double q = distance / h, w = q < 0.5 ? 6 * (q * q * q - q * q) + 1 : q < 1 ? 2 * (1 - q) * (1 - q) * (1 - q) : 0;
    return 8 / (PI * h * h * h) * w;
}

// Particles in cells of size h, chained by a hash of the cell: slow but plain.
typedef struct Cells {
    const SurfaceSamples* samples;
    double h;
    size_t mask;
    uint32_t *head, *next;
} Cells;

static inline size_t cells_hash(const Cells* cells, long i, long j, long k)
{
    return (size_t)random_mix((uint64_t)i * 73856093u ^ (uint64_t)j * 19349663u ^ (uint64_t)k * 83492791u) & cells->mask;
}

static inline Cells cells_create(const SurfaceSamples* samples, double h)
{
    Cells cells = {samples, h, 1023, NULL, NULL};
    while (cells.mask < samples->count)
        cells.mask = cells.mask * 2 + 1;
    cells.head = malloc((cells.mask + 1) * sizeof *cells.head);
    cells.next = malloc((samples->count + 1) * sizeof *cells.next);
    if (!cells.head || !cells.next)
        abort();
    for (size_t i = 0; i <= cells.mask; i++)
        cells.head[i] = UINT32_MAX;
    for (size_t i = 0; i < samples->count; i++) {
        Vec3 x = samples->position[i];
        size_t slot =
            cells_hash(&cells, lrint(floor((double)x.x / h)), lrint(floor((double)x.y / h)), lrint(floor((double)x.z / h)));
        cells.next[i] = cells.head[slot];
        cells.head[slot] = (uint32_t)i;
    }
    return cells;
}

static inline void cells_free(Cells* cells)
{
    free(cells->head);
    free(cells->next);
}

// sum over particles of value[k] W(x - x_k); value NULL = 1. `nearest` (may be NULL) receives the nearest distance, if below h.
static inline double cells_sum(const Cells* cells, Vec3d x, const double* value, double* nearest)
{
    long i = lrint(floor(x.x / cells->h)), j = lrint(floor(x.y / cells->h)), k = lrint(floor(x.z / cells->h));
    double sum = 0, best = cells->h;
    size_t seen[27];
    for (int n = 0; n < 27; n++) {
        size_t slot = seen[n] = cells_hash(cells, i + n % 3 - 1, j + n / 3 % 3 - 1, k + n / 9 - 1);
        bool again = false;
        for (int m = 0; m < n; m++)
            again |= seen[m] == slot;
        for (uint32_t p = again ? UINT32_MAX : cells->head[slot]; p != UINT32_MAX; p = cells->next[p]) {
            Vec3 y = cells->samples->position[p];
            double distance = vec3d_distance(x, vec3d((double)y.x, (double)y.y, (double)y.z));
            sum += (value ? value[p] : 1) * kernel(distance, cells->h);
            best = fmin(best, distance);
        }
    }
    if (nearest)
        *nearest = best;
    return sum;
}

typedef struct Spread {
    double min, max, mean, deviation;
    size_t count;
} Spread;

static inline void spread_add(Spread* s, double value)
{
    // Welford's running mean and sum of squares
    s->min = s->count ? fmin(s->min, value) : value;
    s->max = s->count ? fmax(s->max, value) : value;
    s->count++;
    double delta = value - s->mean;
    s->mean += delta / (double)s->count;
    s->deviation += delta * (value - s->mean);
}

static inline Spread spread_end(Spread s)
{
    s.deviation = s.count ? sqrt(s.deviation / (double)s.count) : 0;
    return s;
}

// delta h^3 at the particles and at random points of the surface, `points` of them in all; `farthest` receives the largest
// distance of a point from its nearest particle
static inline Spread surface_delta(const TriMesh* mesh, const SurfaceSamples* samples, double spacing, size_t points,
                                   double* farthest)
{
    double h = 2 * spacing, cube = h * h * h, area = mesh_area(mesh), nearest;
    Cells cells = cells_create(samples, h);
    Random random = {7};
    Spread spread = {0};
    *farthest = 0;
    for (size_t i = 0; i < samples->count; i++) {
        Vec3 x = samples->position[i];
        spread_add(&spread, cells_sum(&cells, vec3d((double)x.x, (double)x.y, (double)x.z), NULL, NULL) * cube);
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        spread_add(&spread, cells_sum(&cells, mesh->vertex[v], NULL, &nearest) * cube);
        *farthest = fmax(*farthest, nearest);
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        size_t n = (size_t)ceil((double)points * triangle_area(mesh, t) / area);
        for (size_t i = 0; i < n; i++) {
            spread_add(&spread, cells_sum(&cells, point_in_triangle(mesh, t, &random), NULL, &nearest) * cube);
            *farthest = fmax(*farthest, nearest);
        }
    }
    cells_free(&cells);
    return spread_end(spread);
}

#endif
