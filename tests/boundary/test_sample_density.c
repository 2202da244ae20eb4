// SPDX-License-Identifier: MIT
// Sampling keeps 3.6 / h^3 < delta < 10 / h^3 everywhere on the surface (Akinci 2013, section 2.3), with about one particle
// per spacing squared, whatever the triangles look like.
#include "support.h"

#include "sample_support.h"

static const double LOW = 3.6, HIGH = 10;

static void check_bounds(const char* what, TriMesh* mesh, double spacing, size_t points, Spread* all)
{
    SurfaceSamples samples = {0};
    Memory memory = {0};
    double farthest;
    assert_true(surface_sample(mesh, spacing, 0, &samples, &memory));
    assert_true(samples.count > 0);
    Spread delta = surface_delta(mesh, &samples, spacing, points, &farthest);
    if (!(delta.min > LOW && delta.max < HIGH))
        fail_msg("%s: delta h^3 in %.3f .. %.3f with %zu particles, spacing %g", what, delta.min, delta.max, samples.count,
                 spacing);
    if (!(farthest < 1.1 * spacing))
        fail_msg("%s: a point is %.3f spacings away from the nearest particle", what, farthest / spacing);
    surface_samples_free(&samples, &memory);
    assert_int_equal(memory.bytes, 0);
    if (all) {
        spread_add(all, delta.min);
        spread_add(all, delta.max);
    }
}

static Vec3d random_point(Random* random, double size)
{
    double x = random_range(random, -size, size), y = random_range(random, -size, size), z = random_range(random, -size, size);
    return vec3d(x, y, z);
}

// sizes from a hundredth of a spacing to thirty, corners anywhere
static void bounds_hold_on_random_triangles(void** state)
{
    Random random = {1};
    Spread all = {0};
    for (int i = 0; i < 3000; i++) {
        double size = pow(10, random_range(&random, -2, 1.2));
        Vec3d a = random_point(&random, size), b = random_point(&random, size), c = random_point(&random, size);
        TriMesh mesh = mesh_triangle(a, b, c);
        char what[256];
        snprintf(what, sizeof what, "triangle %d (%.9g %.9g %.9g)(%.9g %.9g %.9g)(%.9g %.9g %.9g)", i, a.x, a.y, a.z, b.x, b.y, b.z,
                 c.x, c.y, c.z);
        check_bounds(what, &mesh, 1, 300, &all);
        tri_mesh_free(&mesh);
    }
}

// a grid of shapes: base length, height and lean of the apex, down to needles and slivers
static void bounds_hold_on_skinny_and_obtuse_triangles(void** state)
{
    static const double lengths[] = {0.05, 0.3, 0.7, 1.0, 1.04, 1.06, 1.3, 1.5, 1.99, 2.0, 2.01, 2.6, 3.5, 7.3, 19.9};
    static const double heights[] = {1e-6, 0.01, 0.1, 0.3, 0.5, 0.8, 1.0, 1.3, 1.9, 2.1, 5.7};
    static const double leans[] = {-3, -1, 0, 0.5, 0.9, 1, 2.5};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t j = 0; j < sizeof heights / sizeof *heights; j++)
            for (size_t k = 0; k < sizeof leans / sizeof *leans; k++) {
                TriMesh mesh = mesh_triangle(vec3d(0, 0, 0), vec3d(lengths[i], 0, 0), vec3d(lengths[i] * leans[k], heights[j], 0));
                char what[128];
                snprintf(what, sizeof what, "base %g, height %g, lean %g", lengths[i], heights[j], leans[k]);
                check_bounds(what, &mesh, 1, 500, NULL);
                tri_mesh_free(&mesh);
            }
}

typedef struct Expect {
    const char* name;
    double border;                // [m] open: half a row of particles belongs to the other side
    double share_low, share_high; // of area / spacing^2 + border / (2 spacing)
    double deviation;             // of delta h^3
} Expect;

static void check_shape(TriMesh* mesh, double spacing, Expect expect)
{
    SurfaceSamples samples = {0};
    double farthest, share;
    check_bounds(expect.name, mesh, spacing, 10000, NULL);
    assert_true(surface_sample(mesh, spacing, 0, &samples, NULL));
    share = (double)samples.count / (mesh_area(mesh) / (spacing * spacing) + expect.border / (2 * spacing));
    if (!(share > expect.share_low && share < expect.share_high))
        fail_msg("%s: %.3f particles per spacing squared", expect.name, share);
    Spread delta = surface_delta(mesh, &samples, spacing, 10000, &farthest);
    if (!(delta.deviation < expect.deviation))
        fail_msg("%s: delta h^3 = %.3f +- %.3f", expect.name, delta.mean, delta.deviation);
    surface_samples_free(&samples, NULL);
    tri_mesh_free(mesh);
}

static void bounds_hold_on_shapes(void** state)
{
    TriMesh box = mesh_box(1, 0.8, 0.6), uneven = mesh_box(1.037, 0.411, 0.097), sphere = mesh_sphere(6, 1);
    TriMesh torus = mesh_grid(60, 24, true, true, 0.5, place_torus), coarse = mesh_grid(12, 6, true, true, 0.5, place_torus);
    check_shape(&box, 0.02, (Expect){"box", 0, 0.97, 1.03, 0.2});
    check_shape(&uneven, 0.02, (Expect){"uneven box", 0, 0.95, 1.15, 0.4});
    check_shape(&sphere, 0.05, (Expect){"sphere", 0, 0.95, 1.15, 0.8});
    check_shape(&torus, 0.02, (Expect){"torus", 0, 0.95, 1.15, 0.8});
    check_shape(&coarse, 0.02, (Expect){"coarse torus", 0, 0.95, 1.15, 0.5});
}

// edges from a fifth of the spacing to three spacings: no vertex is owed a particle
static void fine_meshes_are_not_oversampled(void** state)
{
    static const double edges[] = {0.2, 0.33, 0.5, 0.66, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.7, 2.2, 3.1};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        double spacing = PI / 2 / 40 / edges[i];
        TriMesh sphere = mesh_sphere(40, 1), waves = mesh_grid(64, 64, false, false, 40 * PI / 80, place_waves);
        char what[64];
        snprintf(what, sizeof what, "sphere, edge %g spacings", edges[i]);
        check_shape(&sphere, spacing, (Expect){what, 0, 0.85, 1.15, 0.8});
        snprintf(what, sizeof what, "waves, edge %g spacings", edges[i]);
        check_shape(&waves, spacing, (Expect){what, 4 * PI / 2, 0.85, 1.2, 1.0});
    }
}

// a flat mesh is a polygon, however finely it is cut
static void flat_faces_get_a_lattice(void** state)
{
    static const size_t cells[] = {1, 3, 7, 50, 130};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        TriMesh cloth = mesh_grid(cells[i], cells[i], false, false, 1, place_cloth);
        SurfaceSamples samples = {0};
        assert_true(surface_sample(&cloth, 0.02, 0, &samples, NULL));
        assert_int_equal(samples.count, 51 * 51);
        for (size_t k = 0; k < samples.count; k++) {
            double u = (double)samples.position[k].x / 0.02, v = (double)samples.position[k].z / 0.02;
            assert_near(u, round(u), 1e-4);
            assert_near(v, round(v), 1e-4);
        }
        surface_samples_free(&samples, NULL);
        check_shape(&cloth, 0.02, (Expect){"cloth", 4, 0.97, 1.03, 0.2});
    }
}

// What a fluid particle near the wall sees: rho / rho0 = sum_k V_k W with V_k = 1 / delta_k. A lattice gives 0.35 at 0.84
// spacings, where the first layer of fluid rests.
static void boundary_density_is_even(void** state)
{
    TriMesh meshes[] = {mesh_box(1, 0.8, 0.6), mesh_sphere(60, 1), mesh_grid(12, 6, true, true, 0.5, place_torus),
                        mesh_grid(100, 100, false, false, 1, place_waves)};
    static const double spacings[] = {0.021, 0.05, 0.02, 0.017}, deviations[] = {0.01, 0.035, 0.03, 0.035};
    for (size_t m = 0; m < 4; m++) {
        SurfaceSamples samples = {0};
        double d = spacings[m], h = 2 * d;
        assert_true(surface_sample(&meshes[m], d, 0, &samples, NULL));
        Cells cells = cells_create(&samples, h);
        double* volume = malloc(samples.count * sizeof *volume);
        assert_non_null(volume);
        for (size_t k = 0; k < samples.count; k++) {
            Vec3 x = samples.position[k];
            volume[k] = 1 / cells_sum(&cells, vec3d((double)x.x, (double)x.y, (double)x.z), NULL, NULL);
        }
        Random random = {3};
        Spread density = {0};
        for (int i = 0; i < 5000; i++) {
            size_t t = (size_t)(random_unit(&random) * (double)meshes[m].triangle_count);
            const uint32_t* v = meshes[m].triangle[t];
            Vec3d e1 = vec3d_sub(meshes[m].vertex[v[1]], meshes[m].vertex[v[0]]);
            Vec3d e2 = vec3d_sub(meshes[m].vertex[v[2]], meshes[m].vertex[v[0]]);
            Vec3d x = point_in_triangle(&meshes[m], t, &random);
            Vec3d above = vec3d_mad(x, 0.84 * d, vec3d_normalise(vec3d_cross(e1, e2)));
            // near open borders there is less wall to see
            if (m == 3 && (x.x < h || x.x > 1 - h || x.z < h || x.z > 1 - h))
                continue;
            spread_add(&density, cells_sum(&cells, above, volume, NULL));
        }
        density = spread_end(density);
        assert_near(density.mean, 0.35, 0.025);
        assert_below(density.deviation, deviations[m]);
        assert_true(density.min > 0.2);
        free(volume);
        cells_free(&cells);
        surface_samples_free(&samples, NULL);
        tri_mesh_free(&meshes[m]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_on_random_triangles), cmocka_unit_test(bounds_hold_on_skinny_and_obtuse_triangles),
        cmocka_unit_test(bounds_hold_on_shapes),           cmocka_unit_test(fine_meshes_are_not_oversampled),
        cmocka_unit_test(flat_faces_get_a_lattice),        cmocka_unit_test(boundary_density_is_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
