// SPDX-License-Identifier: MIT
#include "mesh_support.h"

#include "mesh/mass.h"
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// --- distance to the ideal surfaces

static double to_sphere(Vec3d p, Vec3d size)
{
    return vec3d_length(p) - size.x;
}

static double to_capsule(Vec3d p, Vec3d size)
{
    double half = size.y / 2, y = fmax(-half, fmin(half, p.y));
    return vec3d_length(vec3d(p.x, p.y - y, p.z)) - size.x;
}

// the nearer of wall and caps, for points inside
static double to_cylinder(Vec3d p, Vec3d size)
{
    return -fmin(size.x - hypot(p.x, p.z), size.y / 2 - fabs(p.y));
}

static double to_cone(Vec3d p, Vec3d size)
{
    double slant = hypot(size.x, size.y), above = p.y + size.y / 2;
    double wall = (size.y * (size.x - hypot(p.x, p.z)) - size.x * above) / slant;
    return -fmin(wall, above);
}

static double to_torus(Vec3d p, Vec3d size)
{
    return hypot(hypot(p.x, p.z) - size.x, p.y) - size.y;
}

typedef struct Curved {
    mn_ShapeType type;
    Vec3d size;
    double (*distance)(Vec3d, Vec3d);
    double volume;
    int euler;
} Curved;

static const Curved CURVED[] = {
    {MN_SHAPE_SPHERE, {0.5, 0, 0}, to_sphere, 0.5235987755982989, 2},
    {MN_SHAPE_CAPSULE, {0.2, 0.7, 0}, to_capsule, 0.1214749159388053, 2},
    {MN_SHAPE_CYLINDER, {0.3, 2, 0}, to_cylinder, 0.5654866776461628, 2},
    {MN_SHAPE_CONE, {0.4, 1, 0}, to_cone, 0.1675516081914556, 2},
    {MN_SHAPE_TORUS, {0.5, 0.2, 0}, to_torus, 0.3947841760435743, 0},
    {MN_SHAPE_TORUS, {0.5, 0.49, 0}, to_torus, 2.369691717701556, 0},
};
enum { CURVED_COUNT = sizeof CURVED / sizeof CURVED[0] };

// no point of the mesh is farther than the tolerance from the surface, and it is not much finer than needed
static void curved_shapes_keep_the_tolerance(void** state)
{
    const double tolerances[] = {0.02, 0.003, 0.0005};
    for (int s = 0; s < CURVED_COUNT; s++)
        for (int t = 0; t < 3; t++) {
            const Curved* curved = &CURVED[s];
            TriMesh mesh = build_shape(curved->type, curved->size, 3, tolerances[t]);
            double worst = 0;
            for (size_t k = 0; k < mesh.triangle_count; k++)
                for (int i = 0; i <= 6; i++)
                    for (int j = 0; i + j <= 6; j++) {
                        const uint32_t* c = mesh.triangle[k];
                        Vec3d p = vec3d_scale(mesh.vertex[c[0]], i / 6.0);
                        p = vec3d_mad(p, j / 6.0, mesh.vertex[c[1]]);
                        p = vec3d_mad(p, (6 - i - j) / 6.0, mesh.vertex[c[2]]);
                        worst = fmax(worst, fabs(curved->distance(p, curved->size)));
                    }
            if (worst > tolerances[t] * (1 + 1e-9))
                fail_msg("shape %d: off by %g, tolerance %g", s, worst, tolerances[t]);
            if (t == 2 && worst < 0.3 * tolerances[t]) // fine enough for the least number of corners not to matter
                fail_msg("shape %d: finer than needed, %g", s, worst);
            tri_mesh_free(&mesh);
        }
}

static void closed_shapes_are_closed_and_oriented(void** state)
{
    for (int s = 0; s < CURVED_COUNT + 1; s++)
        for (int t = 0; t < 4; t++) {
            const double tolerances[] = {10, 0.02, 0.003, 0.0005};
            bool box = s == CURVED_COUNT;
            const Curved cube = {MN_SHAPE_BOX, {1, 2, 3}, NULL, 6, 2};
            const Curved* shape = box ? &cube : &CURVED[s];
            TriMesh mesh = build_shape(shape->type, shape->size, 3, tolerances[t]);
            TopologyReport report;
            assert_true(tri_mesh_topology(&mesh, &report));
            assert_true(report.closed && report.oriented);
            assert_int_equal(report.open_edges + report.nonmanifold_edges + report.flipped_edges, 0);
            assert_int_equal(report.degenerate_triangles, 0);
            assert_int_equal(report.components, 1);
            int euler = (int)mesh.vertex_count - (int)report.edges + (int)mesh.triangle_count;
            assert_int_equal(euler, shape->euler);
            tri_mesh_free(&mesh);
        }
}

// half the tolerance, less error: the volume grows towards the formula, and outward normals make it positive
static void volumes_converge(void** state)
{
    for (int s = 0; s < CURVED_COUNT; s++) {
        const Curved* curved = &CURVED[s];
        double last = 1;
        for (double tolerance = 0.016; tolerance > 2e-4; tolerance /= 4) {
            TriMesh mesh = build_shape(curved->type, curved->size, 3, tolerance);
            double signed_volume = 0;
            for (size_t k = 0; k < mesh.triangle_count; k++) {
                const uint32_t* t = mesh.triangle[k];
                Vec3d n = vec3d_cross(mesh.vertex[t[1]], mesh.vertex[t[2]]);
                signed_volume += vec3d_dot(mesh.vertex[t[0]], n) / 6;
            }
            double error = 1 - signed_volume / curved->volume;
            assert_below(error, 0.6 * last);
            assert_true(error > -1e-9 || s >= 4); // inscribed, but for the inner side of a torus
            last = fabs(error);
            tri_mesh_free(&mesh);
        }
        assert_below(last, 0.004);
    }
}

// no slivers: the smallest angle of any triangle
static void triangles_are_well_shaped(void** state)
{
    for (int s = 0; s < CURVED_COUNT - 1; s++) {
        TriMesh mesh = build_shape(CURVED[s].type, CURVED[s].size, 3, 0.002);
        double least = PI;
        for (size_t k = 0; k < mesh.triangle_count; k++)
            for (int c = 0; c < 3; c++) {
                Vec3d at = mesh.vertex[mesh.triangle[k][c]];
                Vec3d u = vec3d_normalise(vec3d_sub(mesh.vertex[mesh.triangle[k][(c + 1) % 3]], at));
                Vec3d v = vec3d_normalise(vec3d_sub(mesh.vertex[mesh.triangle[k][(c + 2) % 3]], at));
                least = fmin(least, acos(vec3d_dot(u, v)));
            }
        double degrees = least * 180 / PI;
        if (degrees < 8)
            fail_msg("shape %d has an angle of %g degrees", s, degrees);
        tri_mesh_free(&mesh);
    }
}

static void open_shapes(void** state)
{
    TriMesh plane = build_shape(MN_SHAPE_PLANE, vec3d(2, 0, 3), 3, 0.1);
    assert_int_equal(plane.triangle_count, 2);
    for (size_t k = 0; k < 2; k++) {
        const uint32_t* t = plane.triangle[k];
        Vec3d a = plane.vertex[t[0]];
        Vec3d n = vec3d_cross(vec3d_sub(plane.vertex[t[1]], a), vec3d_sub(plane.vertex[t[2]], a));
        assert_near(n.y, 6, 1e-12);
    }
    tri_mesh_free(&plane);

    TriMesh grid = build_shape(MN_SHAPE_GRID, vec3d(2, 0, 3), 3, 0.1);
    assert_int_equal(grid.triangle_count, 2 * 3 * 5);
    assert_int_equal(grid.vertex_count, 4 * 6);
    TopologyReport report;
    assert_true(tri_mesh_topology(&grid, &report));
    assert_int_equal(report.open_edges, 2 * (3 + 5));
    assert_int_equal(report.flipped_edges, 0);
    tri_mesh_free(&grid);

    TriMesh rod = build_shape(MN_SHAPE_ROD, vec3d(0, 4, 0), 3, 0.1);
    assert_int_equal(rod.segment_count, 1);
    assert_near(vec3d_distance(rod.vertex[0], rod.vertex[1]), 4, 1e-12);
    tri_mesh_free(&rod);
}

// --- outlines

static double outline_area(const TriMesh* mesh)
{
    double area = 0;
    for (size_t k = 0; k < mesh->segment_count; k++) {
        Vec3d a = mesh->vertex[mesh->segment[k][0]], b = mesh->vertex[mesh->segment[k][1]];
        area += (a.x * b.y - a.y * b.x) / 2;
    }
    return area;
}

static void outlines_run_counter_clockwise(void** state)
{
    const struct {
        mn_ShapeType type;
        Vec3d size;
        double area;
        size_t components;
    } cases[] = {
        {MN_SHAPE_BOX, {2, 3, 0}, 6, 1},       {MN_SHAPE_SPHERE, {2, 0, 0}, 4 * PI, 1}, {MN_SHAPE_CAPSULE, {1, 3, 0}, PI + 6, 1},
        {MN_SHAPE_CYLINDER, {2, 3, 0}, 12, 1}, {MN_SHAPE_CONE, {2, 3, 0}, 6, 1},        {MN_SHAPE_TORUS, {2, 1, 0}, 2 * PI, 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        TriMesh mesh = build_shape(cases[k].type, cases[k].size, 2, 1e-4);
        TopologyReport report;
        assert_int_equal(mesh.triangle_count, 0);
        assert_true(tri_mesh_topology(&mesh, &report));
        assert_true(report.closed && report.oriented);
        assert_int_equal(report.components, cases[k].components);
        assert_near(outline_area(&mesh), cases[k].area, 1e-3 * cases[k].area);
        tri_mesh_free(&mesh);
    }
    TriMesh plane = build_shape(MN_SHAPE_PLANE, vec3d(2, 0, 1), 2, 0.1);
    assert_int_equal(plane.segment_count, 1);
    assert_true(plane.vertex[0].x == 1 && plane.vertex[1].x == -1); // solid on the left is below
    tri_mesh_free(&plane);
}

// --- hulls

static void hulls_are_closed_and_as_large_as_told(void** state)
{
    const Vec3d sizes[] = {{1.6, 0.5, 0.4}, {30, 8, 9}, {0.6, 0.15, 0.25}};
    const double tolerances[] = {10, 0.02, 0.002};
    for (int open = 0; open < 2; open++)
        for (int s = 0; s < 3; s++)
            for (int t = 0; t < 3; t++) {
                Vec3d size = sizes[s];
                TriMesh mesh = build_shape(open ? MN_SHAPE_BOAT : MN_SHAPE_HULL, size, 3, tolerances[t] * size.x);
                TopologyReport report;
                assert_true(tri_mesh_topology(&mesh, &report));
                assert_true(report.closed && report.oriented);
                assert_int_equal(report.open_edges + report.nonmanifold_edges + report.flipped_edges, 0);
                assert_int_equal(report.degenerate_triangles, 0);
                assert_int_equal((int)mesh.vertex_count - (int)report.edges + (int)mesh.triangle_count, 2);
                Box3d box = tri_mesh_bounds(&mesh);
                assert_near(box.max.x - box.min.x, size.x, 1e-9 * size.x);
                assert_near(box.max.y - box.min.y, size.y, 1e-2 * size.y);
                assert_near(box.max.z - box.min.z, size.z, 1e-2 * size.z);
                double volume = 0;
                for (size_t k = 0; k < mesh.triangle_count; k++) {
                    const uint32_t* c = mesh.triangle[k];
                    volume += vec3d_dot(mesh.vertex[c[0]], vec3d_cross(mesh.vertex[c[1]], mesh.vertex[c[2]])) / 6;
                }
                double full = size.x * size.y * size.z;
                assert_true(open ? volume > 0.05 * full && volume < 0.2 * full : volume > 0.4 * full && volume < 0.6 * full);
                tri_mesh_free(&mesh);
            }
}

static void hulls_in_2d(void** state)
{
    for (int open = 0; open < 2; open++) {
        TriMesh mesh = build_shape(open ? MN_SHAPE_BOAT : MN_SHAPE_HULL, vec3d(2, 0.5, 0), 2, 1e-3);
        TopologyReport report;
        assert_true(tri_mesh_topology(&mesh, &report));
        assert_true(report.closed && report.oriented);
        double area = outline_area(&mesh);
        assert_true(open ? area > 0.05 && area < 0.3 : area > 0.6 && area < 0.9);
        tri_mesh_free(&mesh);
    }
}

// --- refusals

static void expect_refused(mn_Shape shape, int dimension, double tolerance, const char* key, const char* words)
{
    TriMesh mesh = {0};
    mn_Error error = {0};
    if (shape_build(&shape, dimension, tolerance, NULL, &mesh, &error) != MN_BAD_INPUT)
        fail_msg("%s was accepted", key);
    assert_string_equal(error.key, key);
    if (!strstr(error.message, words))
        fail_msg("'%s' is not in '%s'", words, error.message);
    assert_int_equal(mesh.vertex_count, 0);
    assert_null(mesh.vertex);
}

static void bad_sizes_are_refused(void** state)
{
    expect_refused((mn_Shape){.type = MN_SHAPE_BOX, .size = {1, 0, 1}}, 3, 0.1, "shape.box", "edge length y");
    expect_refused((mn_Shape){.type = MN_SHAPE_BOX, .size = {1, 1, -1}}, 3, 0.1, "shape.box", "edge length z");
    expect_refused((mn_Shape){.type = MN_SHAPE_BOX, .size = {NAN, 1, 1}}, 3, 0.1, "shape.box", "edge length x");
    expect_refused((mn_Shape){.type = MN_SHAPE_SPHERE, .size = {INFINITY, 0, 0}}, 3, 0.1, "shape.sphere", "radius");
    expect_refused((mn_Shape){.type = MN_SHAPE_SPHERE, .size = {1, 0, 0}}, 3, 1e-6, "shape.sphere", "too large");
    expect_refused((mn_Shape){.type = MN_SHAPE_SPHERE, .size = {1, 0, 0}}, 3, 0, "shape.sphere", "too large");
    expect_refused((mn_Shape){.type = MN_SHAPE_SPHERE, .size = {1, 0, 0}}, 3, NAN, "shape.sphere", "too large");
    expect_refused((mn_Shape){.type = MN_SHAPE_CAPSULE, .size = {1, -1, 0}}, 3, 0.1, "shape.capsule", "length");
    expect_refused((mn_Shape){.type = MN_SHAPE_CYLINDER, .size = {1, 0, 0}}, 3, 0.1, "shape.cylinder", "height");
    expect_refused((mn_Shape){.type = MN_SHAPE_CONE, .size = {0, 1, 0}}, 2, 0.1, "shape.cone", "base radius");
    expect_refused((mn_Shape){.type = MN_SHAPE_TORUS, .size = {1, 1, 0}}, 3, 0.1, "shape.torus", "less than the ring radius");
    expect_refused((mn_Shape){.type = MN_SHAPE_PLANE, .size = {1, 0, 0}}, 3, 0.1, "shape.plane", "edge length z");
    expect_refused((mn_Shape){.type = MN_SHAPE_GRID, .size = {1, 0, 1}}, 3, 0.1, "shape.grid", "cells");
    expect_refused((mn_Shape){.type = MN_SHAPE_GRID, .size = {1, 0, 1}, .cells = {1 << 30, 1 << 30}}, 3, 0.1, "shape.grid",
                   "cells");
    expect_refused((mn_Shape){.type = MN_SHAPE_ROD, .size = {1, 0, 1}}, 3, 0.1, "shape.rod", "length");
    expect_refused((mn_Shape){.type = MN_SHAPE_MESH}, 3, 0.1, "shape.mesh", "names no file");
    expect_refused((mn_Shape){.type = MN_SHAPE_MESH, .file = "none.obj"}, 3, 0.1, "shape.mesh", "No such file");
    expect_refused((mn_Shape){.type = (mn_ShapeType)77}, 3, 0.1, "", "does not exist");
    expect_refused((mn_Shape){.type = MN_SHAPE_SPHERE, .size = {1, 0, 0}}, 4, 0.1, "", "dimension");
}

// In 3D and as an outline: closed, in one piece, as high as told; finer ones agree about the volume.
static void figures_are_closed_and_as_high_as_told(void** state)
{
    double volume[2];
    for (int k = 0; k < 2; k++) {
        TriMesh mesh = build_shape(MN_SHAPE_FIGURE, vec3d(0, 1.8, 0), 3, k ? 0.002 : 0.02);
        TopologyReport report;
        assert_true(tri_mesh_topology(&mesh, &report));
        assert_true(report.closed && report.oriented);
        assert_int_equal(report.open_edges + report.nonmanifold_edges + report.flipped_edges + report.degenerate_triangles, 0);
        assert_int_equal(report.components, 1);
        assert_int_equal((int)mesh.vertex_count - (int)report.edges + (int)mesh.triangle_count, 2); // no handle: a ball
        Box3d box = tri_mesh_bounds(&mesh);
        assert_near(box.max.y - box.min.y, 1.8, 0.02 * 1.8);
        volume[k] = mass_of_closed(&mesh).volume;
        tri_mesh_free(&mesh);
    }
    assert_true(volume[1] > 0);
    assert_near(volume[0], volume[1], 0.02 * volume[1]); // chords cut a little off
    TriMesh outline = build_shape(MN_SHAPE_FIGURE, vec3d(0, 1.8, 0), 2, 0.005);
    TopologyReport report;
    double area = 0;
    assert_true(tri_mesh_topology(&outline, &report));
    assert_true(report.closed && report.oriented && report.components == 1);
    for (size_t k = 0; k < outline.segment_count; k++) {
        Vec3d a = outline.vertex[outline.segment[k][0]], b = outline.vertex[outline.segment[k][1]];
        area += 0.5 * (a.x * b.y - a.y * b.x);
    }
    assert_true(area > 0.1 * 1.8 * 1.8); // counter-clockwise
    tri_mesh_free(&outline);
    expect_refused((mn_Shape){.type = MN_SHAPE_FIGURE, .size = {1, 0, 1}}, 3, 0.1, "shape.figure", "height");
}

// A cube as programs with textures write it, with corners of its own for each side, a little or visibly apart.
static TopologyReport cube_of_six_sides(double gap)
{
    static const char path[] = "cube_of_six_sides.obj";
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 4; k++) {
                double p[3];
                p[axis] = side + gap * (axis + 1) * (side ? 1 : -1);
                p[(axis + 1) % 3] = k == 1 || k == 2;
                p[(axis + 2) % 3] = k >= 2;
                fprintf(file, "v %.12g %.12g %.12g\n", p[0], p[1], p[2]);
            }
    for (int face = 0; face < 6; face++)
        fprintf(file, face % 2 ? "f %d %d %d %d\n" : "f %4$d %3$d %2$d %1$d\n", 4 * face + 1, 4 * face + 2, 4 * face + 3,
                4 * face + 4);
    fclose(file);
    mn_Error error = {0};
    TriMesh mesh = {0};
    TopologyReport report;
    if (shape_build(&(mn_Shape){.type = MN_SHAPE_MESH, .file = path}, 3, 0.1, NULL, &mesh, &error) != MN_OK)
        fail_msg("%s", error.message);
    assert_true(tri_mesh_topology(&mesh, &report));
    assert_int_equal(mesh.vertex_count, report.closed ? 8 : 24);
    tri_mesh_free(&mesh);
    remove(path);
    return report;
}

static void seams_are_closed_gaps_are_not(void** state)
{
    TopologyReport exact = cube_of_six_sides(0), rounded = cube_of_six_sides(1e-8), gaping = cube_of_six_sides(1e-4);
    assert_true(exact.closed && exact.oriented);
    assert_true(rounded.closed && rounded.oriented);
    assert_false(gaping.closed);
    assert_int_equal(gaping.open_edges, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curved_shapes_keep_the_tolerance),
        cmocka_unit_test(closed_shapes_are_closed_and_oriented),
        cmocka_unit_test(volumes_converge),
        cmocka_unit_test(triangles_are_well_shaped),
        cmocka_unit_test(open_shapes),
        cmocka_unit_test(outlines_run_counter_clockwise),
        cmocka_unit_test(hulls_are_closed_and_as_large_as_told),
        cmocka_unit_test(hulls_in_2d),
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(figures_are_closed_and_as_high_as_told),
        cmocka_unit_test(seams_are_closed_gaps_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
