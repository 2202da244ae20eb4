// SPDX-License-Identifier: MIT
// Resampling of deforming surfaces per step, as in Akinci 2013, section 4: a cloth of 90 000 triangles that is stretched until its
// 46 000 particles are 62 000, and a thin bowl of 6754 triangles with 42 000 particles that is dented. The median step counts.
#include "bench_sample.h"

#include "boundary/resample.h"
#include "mesh/tri_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 2, STEPS = 60 };

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int by_value(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static bool make_sheet(TriMesh* mesh, uint32_t columns, uint32_t rows)
{
    bool ok = true;
    for (uint32_t j = 0; j <= rows; j++)
        for (uint32_t i = 0; i <= columns; i++)
            ok = ok && tri_mesh_add_vertex(mesh, vec3d((double)i / columns, 0, (double)j / rows));
    for (uint32_t j = 0; j < rows; j++)
        for (uint32_t i = 0; i < columns; i++) {
            uint32_t a = j * (columns + 1) + i, b = a + 1, c = b + columns + 1, d = a + columns + 1;
            ok = ok && tri_mesh_add_triangle(mesh, a, d, c) && tri_mesh_add_triangle(mesh, a, c, b);
        }
    return ok;
}

// share 0 to 1: sags in the middle
static Vec3d stretch_cloth(Vec3d x, double share)
{
    double u = x.x - 0.5, v = x.z - 0.5;
    return vec3d(x.x, -0.33 * share * exp(-8 * (u * u + v * v)), x.z);
}

// a hemisphere over the unit square, dented from one side
static Vec3d dent_bowl(Vec3d x, double share)
{
    double a = 2 * M_PI * x.x, b = 0.5 * M_PI * (1 - 0.98 * x.z);
    Vec3d p = vec3d(cos(b) * cos(a), -sin(b), cos(b) * sin(a));
    return vec3d(p.x * (1 + 0.2 * share), p.y * (1 - 0.4 * share * exp(-4 * (p.x * p.x + p.z * p.z))), p.z);
}

typedef Vec3d DeformFn(Vec3d x, double share);

static void bench_case(FILE* out, const char* name, uint32_t columns, uint32_t rows, DeformFn* deform, double spacing,
                       double first_limit, double limit)
{
    TriMesh mesh = {0};
    Pool* pool = pool_create(THREADS);
    bool ok = make_sheet(&mesh, columns, rows);
    size_t n = mesh.vertex_count;
    Vec3d *x = malloc((n + 1) * sizeof *x), *v = calloc(n + 1, sizeof *v);
    Vec4 *px = NULL, *pv = NULL;
    for (size_t k = 0; ok && x && k < n; k++)
        x[k] = deform(mesh.vertex[k], 0);
    Resample r = {0};
    ResampleDef def = {.vertex_count = n,
                       .triangle_count = mesh.triangle_count,
                       .triangle = (const uint32_t(*)[3])mesh.triangle,
                       .position = x,
                       .spacing = spacing,
                       .fade_time = 5e-3};
    double first = HUGE_VAL, taken[STEPS] = {0};
    for (int k = 0; ok && v && k < 5; k++) {
        resample_free(&r);
        double start = milliseconds();
        ok = resample_create(&r, &def, NULL, pool);
        first = fmin(first, milliseconds() - start);
    }
    size_t at_first = r.count, most = 0;
    px = malloc((8 * at_first + 16) * sizeof *px);
    pv = malloc((8 * at_first + 16) * sizeof *pv);
    for (int step = 1; ok && px && pv && step <= STEPS; step++) {
        for (size_t k = 0; k < n; k++)
            x[k] = deform(mesh.vertex[k], (double)step / STEPS);
        double start = milliseconds();
        ok = resample_update(&r, pool, x, 1e-3, NULL) && r.count <= 8 * at_first;
        if (ok)
            resample_place(&r, pool, x, v, px, pv);
        taken[step - 1] = milliseconds() - start;
        most = r.count > most ? r.count : most;
    }
    qsort(taken, STEPS, sizeof *taken, by_value);
    fprintf(out, "%-28s %10zu %10zu %9.2f (%2.0f) %10zu %9.2f (%3.1f)%s\n", name, mesh.triangle_count, at_first, first, first_limit,
            most, taken[STEPS / 2], limit, ok ? "" : " failed");
    free(px);
    free(pv);
    free(x);
    free(v);
    resample_free(&r);
    tri_mesh_free(&mesh);
    pool_destroy(pool);
}

void bench_resample(FILE* out)
{
    fprintf(out, "\n%-28s %10s %10s %14s %10s %15s\n", "deforming, two threads", "triangles", "particles", "first ms (max)",
            "stretched", "step ms (max)");
    bench_case(out, "cloth, spacing = edge", 212, 212, stretch_cloth, 1.0 / 212, 10, 2);
    bench_case(out, "bowl", 110, 31, dent_bowl, 1.0 / 72, 14, 0.6);
}
