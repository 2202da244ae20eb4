// SPDX-License-Identifier: MIT
// Particle sets and measures that the surface tests share.
#ifndef TESTS_SURFACE_SUPPORT_H
#define TESTS_SURFACE_SUPPORT_H

#include "base/random.h"
#include "mesh/mass.h"
#include "mesh/tri_mesh.h"
#include "support.h"
#include "surface/surface.h"
#include <stdlib.h>
#include <string.h>

typedef struct Points {
    size_t count;
    float* x; // stride 3
} Points;

static inline void points_add(Points* p, double x, double y, double z)
{
    p->x = realloc(p->x, (p->count + 1) * 3 * sizeof *p->x);
    assert_non_null(p->x);
    p->x[3 * p->count] = (float)x;
    p->x[3 * p->count + 1] = (float)y;
    p->x[3 * p->count + 2] = (float)z;
    p->count++;
}

// A lattice of particles 2 r apart that fills nx x ny x nz, its lower corner (of the fluid) at `low`.
static inline Points points_block(int nx, int ny, int nz, double r, Vec3d low, double jitter, uint64_t seed)
{
    Points p = {0};
    Random random = {seed};
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                double j[3];
                for (int k = 0; k < 3; k++)
                    j[k] = jitter * r * (2 * random_unit(&random) - 1);
                points_add(&p, low.x + (2 * x + 1) * r + j[0], low.y + (2 * y + 1) * r + j[1], low.z + (2 * z + 1) * r + j[2]);
            }
    return p;
}

// Particles of a lattice inside a ball at the origin; the lattice is off centre.
static inline Points points_ball(double radius, double r)
{
    Points p = {0};
    int n = (int)(radius / (2 * r)) + 2;
    for (int z = -n; z <= n; z++)
        for (int y = -n; y <= n; y++)
            for (int x = -n; x <= n; x++) {
                Vec3d c = {(2 * x + 0.3) * r, (2 * y + 0.7) * r, (2 * z - 0.1) * r};
                if (vec3d_length(c) < radius)
                    points_add(&p, c.x, c.y, c.z);
            }
    return p;
}

// Anything: clumps, sheets, strings and lone droplets.
static inline Points points_random(size_t count, double size, uint64_t seed)
{
    Points p = {0};
    Random random = {seed};
    for (size_t k = 0; k < count; k++) {
        double a = size * random_unit(&random), b = size * random_unit(&random), c = size * random_unit(&random);
        int kind = (int)(4 * random_unit(&random));
        points_add(&p, a, kind == 1 ? 0.2 * b : b, kind == 2 ? 0.05 * c : kind == 3 ? 0.4 * size : c);
    }
    return p;
}

static inline void build_mesh(const SurfaceDef* def, const Points* p, SurfaceMesh* mesh)
{
    mn_Error error = {0};
    SurfaceInput input = {.count = p->count, .position = p->x, .stride = 3};
    Pool* pool = pool_create(2);
    mn_Result result = surface_build(def, &input, pool, NULL, mesh, &error);
    pool_destroy(pool);
    if (result != MN_OK)
        fail_msg("%s", error.message);
}

static inline void to_tri_mesh(const SurfaceMesh* from, TriMesh* to)
{
    for (size_t k = 0; k < from->vertex_count; k++)
        assert_true(
            tri_mesh_add_vertex(to, vec3d((double)from->position[k].x, (double)from->position[k].y, (double)from->position[k].z)));
    for (size_t k = 0; k < from->triangle_count; k++)
        assert_true(tri_mesh_add_triangle(to, from->triangle[k][0], from->triangle[k][1], from->triangle[k][2]));
}

static inline void assert_sound(const SurfaceMesh* mesh)
{
    TriMesh tri = {0};
    TopologyReport report;
    to_tri_mesh(mesh, &tri);
    assert_true(tri_mesh_topology(&tri, &report));
    if (!report.closed || !report.oriented || report.open_edges || report.nonmanifold_edges || report.flipped_edges ||
        report.degenerate_triangles)
        fail_msg("closed %d, oriented %d, open %zu, non-manifold %zu, flipped %zu, degenerate %zu of %zu edges", report.closed,
                 report.oriented, report.open_edges, report.nonmanifold_edges, report.flipped_edges, report.degenerate_triangles,
                 report.edges);
    tri_mesh_free(&tri);
}

// Signed: negative for a mesh that is turned inside out.
static inline double signed_volume(const SurfaceMesh* mesh)
{
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Vec3d c[3];
        for (int k = 0; k < 3; k++) {
            Vec3 p = mesh->position[mesh->triangle[t][k]];
            c[k] = vec3d((double)p.x, (double)p.y, (double)p.z);
        }
        sum += vec3d_dot(c[0], vec3d_cross(c[1], c[2])) / 6;
    }
    return sum;
}

#endif
