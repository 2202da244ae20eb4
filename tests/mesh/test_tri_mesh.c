// SPDX-License-Identifier: MIT
#include "mesh_support.h"

static void add_triangle_soup(TriMesh* mesh, Vec3d a, Vec3d b, Vec3d c)
{
    uint32_t first = (uint32_t)mesh->vertex_count;
    assert_true(tri_mesh_add_vertex(mesh, a) && tri_mesh_add_vertex(mesh, b) && tri_mesh_add_vertex(mesh, c));
    assert_true(tri_mesh_add_triangle(mesh, first, first + 1, first + 2));
}

// every triangle with corners of its own
static TriMesh soup_of(const TriMesh* mesh, double jitter)
{
    TriMesh soup = {0};
    Random random = {7};
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        Vec3d corner[3];
        for (int c = 0; c < 3; c++)
            corner[c] = vec3d_add(mesh->vertex[mesh->triangle[k][c]], random_point(&random, jitter));
        add_triangle_soup(&soup, corner[0], corner[1], corner[2]);
    }
    return soup;
}

static void weld_restores_a_soup(void** state)
{
    TriMesh sphere = build_shape(MN_SHAPE_SPHERE, vec3d(1, 0, 0), 3, 0.01);
    for (int exact = 0; exact < 2; exact++) {
        TriMesh soup = soup_of(&sphere, exact ? 0 : 1e-5);
        TopologyReport report;
        assert_true(tri_mesh_topology(&soup, &report));
        assert_false(report.closed);
        assert_int_equal(report.components, sphere.triangle_count);
        assert_true(tri_mesh_weld(&soup, exact ? 0 : 1e-4));
        assert_int_equal(soup.vertex_count, sphere.vertex_count);
        assert_int_equal(soup.triangle_count, sphere.triangle_count);
        assert_true(tri_mesh_topology(&soup, &report));
        assert_true(report.closed && report.oriented);
        assert_int_equal(report.components, 1);
        tri_mesh_free(&soup);
    }
    tri_mesh_free(&sphere);
}

// brute force: a vertex goes to the first kept vertex within the tolerance
static void weld_equals_brute_force(void** state)
{
    enum { N = 600 };
    const double tolerance = 0.05;
    Random random = {3};
    TriMesh mesh = {0};
    Vec3d kept[N];
    size_t count = 0;
    for (int i = 0; i < N; i++) {
        Vec3d p = random_point(&random, 0.5);
        assert_true(tri_mesh_add_vertex(&mesh, p));
        bool merged = false;
        for (size_t k = 0; k < count && !merged; k++)
            merged = vec3d_distance(kept[k], p) <= tolerance;
        if (!merged)
            kept[count++] = p;
    }
    assert_true(count < N - 20); // some do merge
    assert_true(tri_mesh_weld(&mesh, tolerance));
    assert_int_equal(mesh.vertex_count, count);
    for (size_t k = 0; k < count; k++)
        assert_true(vec3d_distance(mesh.vertex[k], kept[k]) == 0);
    tri_mesh_free(&mesh);
}

static void weld_removes_collapsed_triangles_and_segments(void** state)
{
    TriMesh mesh = {0};
    add_triangle_soup(&mesh, vec3d(0, 0, 0), vec3d(1e-9, 0, 0), vec3d(0, 1, 0));
    add_triangle_soup(&mesh, vec3d(0, 0, 0), vec3d(1, 0, 0), vec3d(0, 1, 0));
    assert_true(tri_mesh_add_segment(&mesh, 0, 1) && tri_mesh_add_segment(&mesh, 0, 2));
    assert_true(tri_mesh_weld(&mesh, 1e-6));
    assert_int_equal(mesh.triangle_count, 1);
    assert_int_equal(mesh.segment_count, 1);
    assert_int_equal(mesh.vertex_count, 3);
    tri_mesh_free(&mesh);
}

// zeros of both signs are the same place, and a tolerance that the numbers cannot resolve must not hang or crash
static void weld_survives_extremes(void** state)
{
    TriMesh mesh = {0};
    add_triangle_soup(&mesh, vec3d(0.0, -0.0, 0), vec3d(-0.0, 0.0, -0.0), vec3d(1e12, -1e12, 1e12));
    assert_true(tri_mesh_weld(&mesh, 1e-300));
    assert_int_equal(mesh.vertex_count, 2);
    assert_int_equal(mesh.triangle_count, 0);
    tri_mesh_free(&mesh);
    assert_true(tri_mesh_weld(&mesh, 1));
}

static void topology_names_each_flaw(void** state)
{
    TopologyReport report;
    TriMesh box = build_shape(MN_SHAPE_BOX, vec3d(1, 1, 1), 3, 0.1);
    assert_true(tri_mesh_topology(&box, &report));
    assert_int_equal(report.edges, 18);
    assert_true(report.closed && report.oriented);

    uint32_t* last = box.triangle[box.triangle_count - 1];
    uint32_t keep = last[0]; // one triangle turned around
    last[0] = last[1];
    last[1] = keep;
    assert_true(tri_mesh_topology(&box, &report));
    assert_int_equal(report.flipped_edges, 3);
    assert_true(report.closed && !report.oriented);

    box.triangle_count--; // a hole
    assert_true(tri_mesh_topology(&box, &report));
    assert_int_equal(report.open_edges, 3);
    assert_int_equal(report.flipped_edges, 0);
    assert_false(report.closed || report.oriented);

    assert_true(tri_mesh_add_triangle(&box, 0, 1, 1)); // degenerate
    assert_true(tri_mesh_topology(&box, &report));
    assert_int_equal(report.degenerate_triangles, 1);

    box.triangle_count--;
    assert_true(tri_mesh_add_vertex(&box, vec3d(3, 3, 3)));
    assert_true(tri_mesh_add_triangle(&box, box.triangle[0][0], box.triangle[0][1], 8)); // a fin
    assert_true(tri_mesh_topology(&box, &report));
    assert_int_equal(report.nonmanifold_edges, 1);
    tri_mesh_free(&box);

    assert_true(tri_mesh_topology(&box, &report));
    assert_false(report.closed || report.oriented);
    assert_int_equal(report.components, 0);
}

static void scale_mirrors_and_move_turns(void** state)
{
    TriMesh box = build_shape(MN_SHAPE_BOX, vec3d(1, 2, 3), 3, 0.1);
    uint32_t before[3] = {box.triangle[0][0], box.triangle[0][1], box.triangle[0][2]};
    tri_mesh_scale(&box, vec3d(-2, 1, 1));
    assert_int_equal(box.triangle[0][1], before[2]);
    assert_int_equal(box.triangle[0][2], before[1]);
    Box3d bounds = tri_mesh_bounds(&box);
    assert_near(bounds.max.x, 1, 0);
    tri_mesh_scale(&box, vec3d(-1, -1, 1)); // two mirrors are none
    assert_int_equal(box.triangle[0][1], before[2]);

    double half = sqrt(0.5); // a quarter turn about z: x -> y
    mn_Pose pose = {.position = {10, 0, 0}, .rotation = {half, 0, 0, half}};
    tri_mesh_move(&box, &pose);
    bounds = tri_mesh_bounds(&box);
    assert_near(bounds.min.x, 9, 1e-12);
    assert_near(bounds.max.y, 1, 1e-12);
    assert_near(bounds.max.z, 1.5, 1e-12);
    tri_mesh_free(&box);

    TriMesh outline = build_shape(MN_SHAPE_BOX, vec3d(1, 1, 1), 2, 0.1);
    tri_mesh_scale(&outline, vec3d(1, 1, -1));
    assert_int_equal(outline.segment[0][0], 0);
    tri_mesh_scale(&outline, vec3d(1, -1, 1));
    assert_int_equal(outline.segment[0][0], 1);
    tri_mesh_free(&outline);
}

static void unused_vertices_are_dropped(void** state)
{
    TriMesh mesh = {0};
    assert_true(tri_mesh_add_vertex(&mesh, vec3d(9, 9, 9)));
    add_triangle_soup(&mesh, vec3d(0, 0, 0), vec3d(1, 0, 0), vec3d(0, 1, 0));
    assert_true(tri_mesh_drop_unused(&mesh));
    assert_int_equal(mesh.vertex_count, 3);
    assert_int_equal(mesh.triangle[0][2], 2);
    assert_near(mesh.vertex[mesh.triangle[0][1]].x, 1, 0);
    tri_mesh_free(&mesh);
}

static void copy_is_independent(void** state)
{
    TriMesh box = build_shape(MN_SHAPE_BOX, vec3d(1, 1, 1), 3, 0.1), copy = {0};
    assert_true(tri_mesh_copy(&box, &copy));
    tri_mesh_scale(&box, vec3d(2, 2, 2));
    assert_near(tri_mesh_bounds(&copy).max.x, 0.5, 0);
    tri_mesh_free(&box);
    assert_int_equal(copy.triangle_count, 12);
    tri_mesh_free(&copy);
    assert_true(tri_mesh_copy(&box, &copy)); // empty to empty
    tri_mesh_free(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weld_restores_a_soup),
        cmocka_unit_test(weld_equals_brute_force),
        cmocka_unit_test(weld_removes_collapsed_triangles_and_segments),
        cmocka_unit_test(weld_survives_extremes),
        cmocka_unit_test(topology_names_each_flaw),
        cmocka_unit_test(scale_mirrors_and_move_turns),
        cmocka_unit_test(unused_vertices_are_dropped),
        cmocka_unit_test(copy_is_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
