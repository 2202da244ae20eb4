// SPDX-License-Identifier: MIT
// Surface sampling: anchors, normals, the offset surface, lines, and input that is not a proper mesh.
#include "support.h"

#include "sample_support.h"
#include <string.h>

static Vec3d wide(Vec3 a)
{
    return vec3d((double)a.x, (double)a.y, (double)a.z);
}

static SurfaceSamples sample(const TriMesh* mesh, double spacing, double offset)
{
    SurfaceSamples samples = {0};
    assert_true(surface_sample(mesh, spacing, offset, &samples, NULL));
    return samples;
}

static void check_anchors(const TriMesh* mesh, const SurfaceSamples* samples, double tolerance)
{
    for (size_t i = 0; i < samples->count; i++) {
        SurfaceAnchor anchor = samples->anchor[i];
        bool triangle = anchor.primitive < mesh->triangle_count;
        assert_true(anchor.primitive < mesh->triangle_count + mesh->segment_count);
        const uint32_t* v = triangle ? mesh->triangle[anchor.primitive] : mesh->segment[anchor.primitive - mesh->triangle_count];
        Vec3d x = {0, 0, 0};
        double sum = 0;
        for (int k = 0; k < (triangle ? 3 : 2); k++) {
            assert_true(anchor.weight[k] >= 0);
            sum += (double)anchor.weight[k];
            x = vec3d_mad(x, (double)anchor.weight[k], mesh->vertex[v[k]]);
        }
        assert_near(sum, 1, 1e-6);
        assert_near(vec3d_distance(x, wide(samples->position[i])), 0, tolerance);
    }
}

static void anchors_give_the_positions(void** state)
{
    TriMesh meshes[] = {mesh_box(1, 0.5, 0.3), mesh_sphere(9, 1), mesh_sphere(40, 1), mesh_grid(30, 12, true, true, 1, place_torus),
                        mesh_triangle(vec3d(0, 0, 0), vec3d(3, 0.1, 0), vec3d(1, 2, 1))};
    for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) {
        SurfaceSamples samples = sample(&meshes[m], 0.07, 0);
        check_anchors(&meshes[m], &samples, 1e-6);
        surface_samples_free(&samples, NULL);
        tri_mesh_free(&meshes[m]);
    }
}

static void normals_point_outward(void** state)
{
    TriMesh sphere = mesh_sphere(30, 1), box = mesh_box(1, 1, 1);
    SurfaceSamples samples = sample(&sphere, 0.1, 0);
    for (size_t i = 0; i < samples.count; i++) {
        assert_near(vec3d_length(wide(samples.normal[i])), 1, 1e-5);
        assert_true(vec3d_dot(wide(samples.normal[i]), vec3d_normalise(wide(samples.position[i]))) > 0.99);
    }
    surface_samples_free(&samples, NULL);
    samples = sample(&box, 0.1, 0);
    for (size_t i = 0; i < samples.count; i++) {
        Vec3d r = vec3d_sub(wide(samples.position[i]), vec3d(0.5, 0.5, 0.5));
        assert_true(vec3d_dot(wide(samples.normal[i]), r) > 0.3);
    }
    surface_samples_free(&samples, NULL);
    tri_mesh_free(&sphere);
    tri_mesh_free(&box);
}

static void same_input_gives_the_same_bytes(void** state)
{
    TriMesh mesh = mesh_grid(50, 50, false, false, 1, place_waves);
    SurfaceSamples first = sample(&mesh, 0.013, 0.002), again = {0};
    for (int i = 0; i < 3; i++) {
        // also into memory that was used before
        assert_true(surface_sample(&mesh, 0.013, 0.002, &again, NULL));
        assert_int_equal(again.count, first.count);
        assert_memory_equal(again.position, first.position, first.count * sizeof *first.position);
        assert_memory_equal(again.normal, first.normal, first.count * sizeof *first.normal);
        assert_memory_equal(again.anchor, first.anchor, first.count * sizeof *first.anchor);
    }
    surface_samples_free(&first, NULL);
    surface_samples_free(&again, NULL);
    tri_mesh_free(&mesh);
}

// moved and scaled, the same particles
static void place_and_scale_do_not_matter(void** state)
{
    static const double scales[] = {1e-4, 1, 1000};
    for (size_t k = 0; k < 3; k++) {
        double a = scales[k];
        TriMesh here = mesh_box(a, 0.7 * a, 0.4 * a), there = mesh_box(a, 0.7 * a, 0.4 * a);
        for (size_t v = 0; v < there.vertex_count; v++)
            there.vertex[v] = vec3d_add(there.vertex[v], vec3d(64 * a, -32 * a, 16 * a));
        SurfaceSamples p = sample(&here, 0.03 * a, 0), q = sample(&there, 0.03 * a, 0);
        assert_int_equal(p.count, q.count);
        for (size_t i = 0; i < p.count; i++)
            assert_near(vec3d_distance(vec3d_add(wide(p.position[i]), vec3d(64 * a, -32 * a, 16 * a)), wide(q.position[i])), 0,
                        2e-5 * a);
        surface_samples_free(&p, NULL);
        surface_samples_free(&q, NULL);
        tri_mesh_free(&here);
        tri_mesh_free(&there);
    }
}

// --- offset

static void offset_box_is_a_box(void** state)
{
    static const double offsets[] = {0.02, -0.02, 0.1, -0.1};
    for (size_t k = 0; k < 4; k++) {
        double o = offsets[k], d = 0.04;
        TriMesh box = mesh_box(1, 0.8, 0.6), wanted = mesh_box(1 + 2 * o, 0.8 + 2 * o, 0.6 + 2 * o);
        SurfaceSamples samples = sample(&box, d, o), expected = sample(&wanted, d, 0);
        assert_int_equal(samples.count, expected.count);
        for (size_t i = 0; i < samples.count; i++) {
            Vec3d moved = vec3d_sub(wide(expected.position[i]), vec3d(o, o, o));
            assert_near(vec3d_distance(wide(samples.position[i]), moved), 0, 1e-5);
        }
        surface_samples_free(&samples, NULL);
        surface_samples_free(&expected, NULL);
        tri_mesh_free(&box);
        tri_mesh_free(&wanted);
    }
}

static void offset_sphere_keeps_its_distance(void** state)
{
    TriMesh sphere = mesh_sphere(30, 1);
    SurfaceSamples out = sample(&sphere, 0.05, 0.05), in = sample(&sphere, 0.05, -0.05);
    for (size_t i = 0; i < out.count; i++)
        assert_near(vec3d_length(wide(out.position[i])), 1.05, 2e-3);
    for (size_t i = 0; i < in.count; i++)
        assert_near(vec3d_length(wide(in.position[i])), 0.95, 2e-3);
    surface_samples_free(&out, NULL);
    surface_samples_free(&in, NULL);
    tri_mesh_free(&sphere);
}

// an offset larger than the body: nothing turns inside out or leaves it
// One face of a cube of side 2, divided into n x n squares; welded, six of them make a closed mesh.
static void add_face(TriMesh* mesh, int axis, double side, int n)
{
    uint32_t first = (uint32_t)mesh->vertex_count;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            double at[3];
            at[axis] = side;
            at[(axis + 1) % 3] = side * (2.0 * i / n - 1); // turned with the side, so that triangles look outwards
            at[(axis + 2) % 3] = 2.0 * j / n - 1;
            assert_true(tri_mesh_add_vertex(mesh, vec3d(at[0], at[1], at[2])));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            uint32_t a = first + (uint32_t)(i * (n + 1) + j), b = a + (uint32_t)n + 1;
            assert_true(tri_mesh_add_triangle(mesh, a, b, b + 1) && tri_mesh_add_triangle(mesh, a, b + 1, a + 1));
        }
}

// Triangles smaller than the offset lie folded around the edges of the offset surface; no particle may be left out there.
static void fine_cubes_have_the_layer_of_coarse_ones(void** state)
{
    double offset = -0.17, spacing = 0.26;
    size_t coarse = 0;
    for (int n = 1; n <= 36; n = n == 1 ? 12 : n * 3) {
        TriMesh cube = {0};
        for (int face = 0; face < 6; face++)
            add_face(&cube, face / 2, face % 2 ? -1 : 1, n);
        assert_true(tri_mesh_weld(&cube, 1e-9));
        SurfaceSamples samples = sample(&cube, spacing, offset);
        for (size_t i = 0; i < samples.count; i++) {
            Vec3d x = wide(samples.position[i]);
            double outermost = fmax(fmax(fabs(x.x), fabs(x.y)), fabs(x.z));
            assert_near(outermost, 1 + offset, 0.01);
        }
        coarse = n == 1 ? samples.count : coarse;
        assert_near((double)samples.count / (double)coarse, 1, 0.06);
        surface_samples_free(&samples, NULL);
        tri_mesh_free(&cube);
    }
}

static void offset_larger_than_a_feature_stays_inside(void** state)
{
    TriMesh bodies[] = {mesh_box(1, 0.03, 0.8), mesh_box(0.02, 0.02, 0.02), mesh_sphere(8, 0.03)};
    for (size_t m = 0; m < 3; m++) {
        Box3d box = tri_mesh_bounds(&bodies[m]);
        SurfaceSamples samples = sample(&bodies[m], 0.05, -0.05);
        assert_true(samples.count > 0);
        for (size_t i = 0; i < samples.count; i++) {
            Vec3d x = wide(samples.position[i]);
            assert_true(x.x > box.min.x - 1e-6 && x.y > box.min.y - 1e-6 && x.z > box.min.z - 1e-6);
            assert_true(x.x < box.max.x + 1e-6 && x.y < box.max.y + 1e-6 && x.z < box.max.z + 1e-6);
        }
        surface_samples_free(&samples, NULL);
        tri_mesh_free(&bodies[m]);
    }
}

static void add_outline(TriMesh* mesh, const double (*points)[2], size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_vertex(mesh, points[i][0], points[i][1], 0);
    for (uint32_t i = 0; i < count; i++)
        assert_true(tri_mesh_add_segment(mesh, i, (i + 1) % (uint32_t)count));
}

// counter-clockwise, solid inside: a positive offset makes it larger
static void outlines_are_lines_of_even_particles(void** state)
{
    static const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int k = -1; k <= 1; k++) {
        TriMesh mesh = {0};
        double o = 0.05 * k;
        add_outline(&mesh, square, 4);
        SurfaceSamples samples = sample(&mesh, 0.05, o);
        assert_int_equal(samples.count, 4 * (20 + 2 * k));
        if (k == 0)
            check_anchors(&mesh, &samples, 1e-6);
        for (size_t i = 0; i < samples.count; i++) {
            Vec3d x = vec3d_sub(wide(samples.position[i]), vec3d(0.5, 0.5, 0)), n = wide(samples.normal[i]);
            assert_near(fmax(fabs(x.x), fabs(x.y)), 0.5 + o, 1e-6);
            assert_true(vec3d_dot(x, n) > 0.4);
        }
        surface_samples_free(&samples, NULL);
        tri_mesh_free(&mesh);
    }
}

// a circle of steps much shorter, and of steps longer than the spacing
static void fine_outlines_are_thinned(void** state)
{
    static const size_t steps[] = {8, 40, 63, 90, 1000};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        TriMesh mesh = {0};
        for (size_t i = 0; i < steps[k]; i++)
            add_vertex(&mesh, cos(2 * PI * (double)i / (double)steps[k]), sin(2 * PI * (double)i / (double)steps[k]), 0);
        for (uint32_t i = 0; i < steps[k]; i++)
            assert_true(tri_mesh_add_segment(&mesh, i, (i + 1) % (uint32_t)steps[k]));
        SurfaceSamples samples = sample(&mesh, 0.1, 0);
        double per_spacing = (double)samples.count / (2 * (double)steps[k] * sin(PI / (double)steps[k]) / 0.1);
        assert_near(per_spacing, 1.05, 0.25);
        surface_samples_free(&samples, NULL);
        tri_mesh_free(&mesh);
    }
}

static void a_rod_is_a_line(void** state)
{
    TriMesh rod = {0};
    add_vertex(&rod, 0, -0.5, 0);
    add_vertex(&rod, 0, 0.5, 0);
    assert_true(tri_mesh_add_segment(&rod, 0, 1));
    SurfaceSamples samples = sample(&rod, 0.1, 0);
    assert_int_equal(samples.count, 11);
    check_anchors(&rod, &samples, 1e-6);
    surface_samples_free(&samples, NULL);
    tri_mesh_free(&rod);
}

// --- input that is not a proper mesh

static void thin_plates_keep_both_sides(void** state)
{
    TriMesh plate = mesh_box(1, 0.03, 1), sheet = mesh_box(1, 1e-7, 1);
    SurfaceSamples thick = sample(&plate, 0.04, 0), thin = sample(&sheet, 0.04, 0);
    size_t top = 0, bottom = 0;
    for (size_t i = 0; i < thick.count; i++) {
        top += (double)thick.position[i].y > 0.029;
        bottom += (double)thick.position[i].y < 0.001;
    }
    assert_true(top >= 24 * 24 && bottom >= 24 * 24);
    // a sheet without thickness is not sampled twice
    assert_near((double)thin.count, 26 * 26, 80);
    surface_samples_free(&thick, NULL);
    surface_samples_free(&thin, NULL);
    tri_mesh_free(&plate);
    tri_mesh_free(&sheet);
}

static void empty_meshes_give_nothing(void** state)
{
    TriMesh empty = {0}, points = {0};
    add_vertex(&points, 1, 2, 3);
    SurfaceSamples samples = sample(&empty, 0.1, 0.1);
    assert_int_equal(samples.count, 0);
    surface_samples_free(&samples, NULL);
    samples = sample(&points, 0.1, 0);
    assert_int_equal(samples.count, 0);
    surface_samples_free(&samples, NULL);
    tri_mesh_free(&points);
}

// no area, no finite corner, the same corner twice, the same triangle twice, a third triangle at an edge, the wrong way round
static void odd_triangles_do_no_harm(void** state)
{
    TriMesh mesh = mesh_triangle(vec3d(0, 0, 0), vec3d(1, 0, 0), vec3d(0, 1, 0));
    add_vertex(&mesh, 2, 0, 0);
    add_vertex(&mesh, NAN, 0, 0);
    add_vertex(&mesh, 0, INFINITY, 0);
    add_vertex(&mesh, 1, 1, 0);
    add_vertex(&mesh, 0.5, 0.5, 1);
    SurfaceSamples alone = sample(&mesh, 0.1, 0);
    add_triangle(&mesh, 0, 1, 3);
    add_triangle(&mesh, 0, 1, 4);
    add_triangle(&mesh, 5, 1, 2);
    add_triangle(&mesh, 1, 1, 2);
    add_triangle(&mesh, 0, 1, 2);
    SurfaceSamples same = sample(&mesh, 0.1, 0);
    assert_near((double)same.count, (double)alone.count, 4);
    add_triangle(&mesh, 1, 2, 6);
    add_triangle(&mesh, 1, 2, 7);
    SurfaceSamples more = sample(&mesh, 0.1, 0.01);
    assert_true(more.count > 2 * alone.count);
    for (size_t i = 0; i < more.count; i++)
        assert_true(vec3d_finite(wide(more.position[i])));
    surface_samples_free(&alone, NULL);
    surface_samples_free(&same, NULL);
    surface_samples_free(&more, NULL);
    tri_mesh_free(&mesh);
}

// a spacing that would need more particles than there is memory is refused before memory is asked for
static void absurd_spacings_are_refused(void** state)
{
    TriMesh box = mesh_box(1, 1, 1), huge = mesh_box(1e30, 1e30, 1e30), rod = {0};
    add_vertex(&rod, 0, -1e12, 0);
    add_vertex(&rod, 0, 1e12, 0);
    assert_true(tri_mesh_add_segment(&rod, 0, 1));
    SurfaceSamples samples = {0};
    Memory memory = {0};
    assert_false(surface_sample(&box, 1e-6, 0, &samples, &memory));
    assert_false(surface_sample(&box, 1e-300, 0, &samples, &memory));
    assert_false(surface_sample(&box, 0, 0, &samples, &memory));
    assert_false(surface_sample(&box, NAN, 0, &samples, &memory));
    assert_false(surface_sample(&huge, 1, 0, &samples, &memory));
    assert_false(surface_sample(&rod, 0.1, 0, &samples, &memory));
    assert_int_equal(samples.count, 0);
    assert_int_equal(memory.bytes, 0);
    // and the other way round: a body smaller than a particle has some
    assert_true(surface_sample(&box, 1e6, 0, &samples, &memory));
    assert_true(samples.count >= 1 && samples.count <= 3);
    surface_samples_free(&samples, &memory);
    assert_int_equal(memory.bytes, 0);
    tri_mesh_free(&box);
    tri_mesh_free(&huge);
    tri_mesh_free(&rod);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anchors_give_the_positions),
        cmocka_unit_test(normals_point_outward),
        cmocka_unit_test(same_input_gives_the_same_bytes),
        cmocka_unit_test(place_and_scale_do_not_matter),
        cmocka_unit_test(offset_box_is_a_box),
        cmocka_unit_test(offset_sphere_keeps_its_distance),
        cmocka_unit_test(fine_cubes_have_the_layer_of_coarse_ones),
        cmocka_unit_test(offset_larger_than_a_feature_stays_inside),
        cmocka_unit_test(outlines_are_lines_of_even_particles),
        cmocka_unit_test(fine_outlines_are_thinned),
        cmocka_unit_test(a_rod_is_a_line),
        cmocka_unit_test(thin_plates_keep_both_sides),
        cmocka_unit_test(empty_meshes_give_nothing),
        cmocka_unit_test(odd_triangles_do_no_harm),
        cmocka_unit_test(absurd_spacings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
