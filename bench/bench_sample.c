// SPDX-License-Identifier: MIT
// Surface sampling on one core: a coarse body (a bumpy sphere of 2160 triangles, the size of Akinci 2013's duck) and sheets of
// about 90 000 triangles at spacings below, at and above the edge length. The best of several runs counts.
#include "bench_sample.h"
#include "base/clock.h"

#include "boundary/sample.h"

#include <stdlib.h>

enum { RUNS = 7 };

typedef Vec3d PlaceFn(double u, double v);

static Vec3d place_flat(double u, double v)
{
    return vec3d(u, 0, v);
}

static Vec3d place_waves(double u, double v)
{
    return vec3d(u, 0.05 * sin(6 * u + 1) * cos(5 * v), v);
}

// poles included as rows of coinciding vertices: degenerate triangles are part of real meshes
static Vec3d place_body(double u, double v)
{
    double a = 2 * 3.14159265358979 * u, b = 3.14159265358979 * v;
    Vec3d x = vec3d(sin(b) * cos(a), cos(b), -sin(b) * sin(a));
    return vec3d_scale(x, 0.4 * (1 + 0.25 * sin(3 * x.x + 1) * cos(2 * x.y) + 0.1 * sin(5 * x.z)));
}

static bool make_grid(TriMesh* mesh, uint32_t columns, uint32_t rows, PlaceFn* place)
{
    bool ok = true;
    for (uint32_t j = 0; j <= rows; j++)
        for (uint32_t i = 0; i <= columns; i++)
            ok = ok && tri_mesh_add_vertex(mesh, place((double)i / columns, (double)j / rows));
    for (uint32_t j = 0; j < rows; j++)
        for (uint32_t i = 0; i < columns; i++) {
            uint32_t a = j * (columns + 1) + i, b = a + 1, c = b + columns + 1, d = a + columns + 1;
            ok = ok && tri_mesh_add_triangle(mesh, a, d, c) && tri_mesh_add_triangle(mesh, a, c, b);
        }
    return ok;
}

static double best_time(const TriMesh* mesh, double spacing, size_t* count)
{
    double best = HUGE_VAL;
    for (int run = 0; run < RUNS; run++) {
        SurfaceSamples samples = {0};
        double start = 1e3 * clock_seconds();
        bool ok = surface_sample(mesh, spacing, 0, &samples, NULL);
        double elapsed = 1e3 * clock_seconds() - start;
        *count = samples.count;
        surface_samples_free(&samples, NULL);
        if (!ok)
            return (double)NAN;
        best = elapsed < best ? elapsed : best;
    }
    return best;
}

void bench_sample(FILE* out)
{
    static const struct {
        const char* name;
        uint32_t columns, rows;
        PlaceFn* place;
        double spacing, limit;
    } cases[] = {
        {"body, 2160 triangles", 36, 30, place_body, 0.02, 5},
        {"flat cloth, spacing = edge", 212, 212, place_flat, 1.0 / 212, 25},
        {"wavy cloth, spacing = edge", 212, 212, place_waves, 1.0 / 212, 25},
        {"wavy cloth, spacing = 0.9 edges", 212, 212, place_waves, 0.9 / 212, 25},
        {"wavy cloth, spacing = 3 edges", 212, 212, place_waves, 3.0 / 212, 25},
    };
    fprintf(out, "%-34s %10s %10s %10s %10s\n", "surface sampling, one core", "triangles", "particles", "ms", "limit ms");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        TriMesh mesh = {0};
        size_t count = 0;
        double elapsed = make_grid(&mesh, cases[k].columns, cases[k].rows, cases[k].place) && tri_mesh_weld(&mesh, 1e-9)
                             ? best_time(&mesh, cases[k].spacing, &count)
                             : (double)NAN;
        fprintf(out, "%-34s %10zu %10zu %10.2f %10.0f\n", cases[k].name, mesh.triangle_count, count, elapsed, cases[k].limit);
        tri_mesh_free(&mesh);
    }
}
