// SPDX-License-Identifier: MIT
// Meshes of whole particle sets: sound for anything, right in volume, the same for any number of threads.
#include "surface/field.h"
#include "surface_support.h"

// Smoothing and its repair of volumes leave no vertex far from the particles.
static void assert_within(const SurfaceMesh* mesh, double low, double high)
{
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const float x[3] = {mesh->position[v].x, mesh->position[v].y, mesh->position[v].z};
        for (int k = 0; k < 3; k++)
            assert_near((double)x[k], 0.5 * (low + high), 0.5 * (high - low));
    }
}

static void meshes_are_closed_manifold_and_oriented(void** state)
{
    static const double spacings[] = {0.5, 1, 1.6};
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (int s = 0; s < 3; s++)
            for (int smooth = 0; smooth < 2; smooth++) {
                Points p = points_random(600, 14, seed);
                SurfaceDef def = surface_default_def(0.5);
                def.spacing = spacings[s];
                def.smoothing = smooth ? 5 : 0;
                def.blobs = (SurfaceBlobs)(seed % 3);
                def.anisotropic = seed % 2;
                SurfaceMesh mesh;
                build_mesh(&def, &p, &mesh);
                assert_true(mesh.triangle_count > 1000);
                assert_sound(&mesh);
                assert_true(signed_volume(&mesh) > 0);
                assert_within(&mesh, -2, 16); // the reach of a particle
                surface_free(&mesh);
                free(p.x);
            }
}

static double volume_of(const Points* p, double r, double spacing, int smoothing, bool anisotropic)
{
    SurfaceDef def = surface_default_def(r);
    def.spacing = spacing;
    def.smoothing = smoothing;
    def.anisotropic = anisotropic;
    SurfaceMesh mesh;
    build_mesh(&def, p, &mesh);
    assert_sound(&mesh);
    double volume = signed_volume(&mesh);
    surface_free(&mesh);
    return volume;
}

static void volume_of_a_block(void** state)
{
    double r = 0.01;
    for (int k = 0; k < 8; k++) {
        Points p = points_block(24, 20, 22, r, vec3d(-0.05, 0.013, 3), k & 2 ? 0.2 : 0, 7);
        double expected = 24 * 20 * 22 * 8 * r * r * r;
        double volume = volume_of(&p, r, 1, k % 2 ? 10 : 0, k >= 4);
        print_message("block: volume is off by %.2f %%\n", 100 * (volume / expected - 1));
        assert_near(volume / expected, 1, 0.02);
        free(p.x);
    }
}

static void volume_of_a_ball(void** state)
{
    double r = 0.01, radius = 0.24;
    Points p = points_ball(radius, r);
    double expected = (double)p.count * 8 * r * r * r;
    for (int k = 0; k < 3; k++) {
        double volume = volume_of(&p, r, k == 1 ? 0.5 : 1, k ? 0 : 10, k == 2);
        print_message("ball: volume is off by %.2f %%\n", 100 * (volume / expected - 1));
        assert_near(volume / expected, 1, 0.02);
    }
    free(p.x);
}

static void flat_surface_lies_one_radius_outside(void** state)
{
    double r = 0.5;
    for (int anisotropic = 0; anisotropic < 2; anisotropic++) {
        Points p = points_block(20, 20, 8, r, vec3d(0, 0, 0), 0, 1);
        SurfaceDef def = surface_default_def(r);
        def.spacing = 0.5;
        def.smoothing = 0;
        def.anisotropic = anisotropic;
        SurfaceMesh mesh;
        build_mesh(&def, &p, &mesh);
        double sum = 0, worst = 0;
        size_t count = 0;
        for (size_t v = 0; v < mesh.vertex_count; v++) {
            Vec3 x = mesh.position[v];
            if (x.x < 4 || x.x > 16 || x.y < 4 || x.y > 16 || x.z < 4)
                continue;
            sum += (double)x.z;
            worst = fmax(worst, fabs((double)x.z - 8));
            count++;
        }
        print_message("flat surface: mean %.4f, worst %.4f of 8, %zu vertices\n", sum / (double)count, worst, count);
        assert_near(sum / (double)count, 8, 0.03 * r);
        assert_below(worst, 0.1 * r);
        surface_free(&mesh);
        free(p.x);
    }
}

static void one_particle_is_a_ball(void** state)
{
    Points p = {0};
    points_add(&p, 3.1, -4.2, 0.77);
    for (int blobs = 0; blobs < 3; blobs++) {
        SurfaceDef def = surface_default_def(0.5);
        def.spacing = 0.25;
        def.blobs = (SurfaceBlobs)blobs;
        SurfaceMesh mesh;
        build_mesh(&def, &p, &mesh);
        if (blobs == SURFACE_BLOBS_DROPPED) {
            assert_int_equal(mesh.triangle_count, 0);
        } else {
            assert_sound(&mesh);
            assert_near(signed_volume(&mesh), 4.18879 * pow(0.5 * (double)FIELD_LEVEL, 3), 0.03);
            for (size_t v = 0; v < mesh.vertex_count; v++) {
                Vec3d d = {(double)mesh.position[v].x - 3.1, (double)mesh.position[v].y + 4.2, (double)mesh.position[v].z - 0.77};
                assert_near(vec3d_length(d), 0.5 * (double)FIELD_LEVEL, 0.03);
                Vec3d n = {(double)mesh.normal[v].x, (double)mesh.normal[v].y, (double)mesh.normal[v].z};
                assert_true(vec3d_dot(n, d) > 0.8 * vec3d_length(d));
            }
        }
        surface_free(&mesh);
    }
    free(p.x);
}

static void degenerate_input(void** state)
{
    SurfaceDef def = surface_default_def(0.5);
    SurfaceMesh mesh;
    Points none = {0};
    build_mesh(&def, &none, &mesh);
    assert_int_equal(mesh.triangle_count, 0);
    surface_free(&mesh);

    Points same = {0};
    for (int k = 0; k < 100; k++)
        points_add(&same, 1, 2, 3);
    build_mesh(&def, &same, &mesh);
    assert_sound(&mesh);
    surface_free(&mesh);

    // a droplet far away costs nothing, one beyond all numbers is counted
    points_add(&same, 1e6, 0, 0);
    points_add(&same, 0, -3e30, 0);
    build_mesh(&def, &same, &mesh);
    assert_sound(&mesh);
    assert_int_equal(mesh.far_count, 1);
    assert_true(mesh.block_count < 20);
    surface_free(&mesh);
    free(same.x);
}

static void nonsense_is_refused(void** state)
{
    float x[6] = {0, 0, 0, 1, NAN, 0};
    SurfaceInput input = {.count = 2, .position = x, .stride = 3};
    SurfaceDef def = surface_default_def(0.5);
    SurfaceMesh mesh;
    mn_Error error = {0};
    assert_int_equal(surface_build(&def, &input, NULL, NULL, &mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "particle 1"));
    assert_null(mesh.position);
    x[4] = 0;
    def.spacing = 3;
    assert_int_equal(surface_build(&def, &input, NULL, NULL, &mesh, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "0.25 to 2"));
    def = surface_default_def(-1);
    assert_int_equal(surface_build(&def, &input, NULL, NULL, &mesh, &error), MN_BAD_INPUT);
}

static void threads_change_nothing(void** state)
{
    Points p = points_random(3000, 20, 11);
    SurfaceMesh mesh[4];
    SurfaceDef def = surface_default_def(0.5);
    def.anisotropic = *state != NULL;
    for (int k = 0; k < 4; k++) {
        Pool* pool = k ? pool_create(k == 3 ? 8 : k) : NULL;
        SurfaceInput input = {.count = p.count,
                              .position = p.x,
                              .stride = 3,
                              .value_count = 1,
                              .value = {{.data = p.x, .components = 3, .stride = 3}}};
        assert_int_equal(surface_build(&def, &input, pool, NULL, &mesh[k], NULL), MN_OK);
        pool_destroy(pool);
        assert_int_equal(mesh[k].vertex_count, mesh[0].vertex_count);
        assert_int_equal(mesh[k].triangle_count, mesh[0].triangle_count);
        size_t n = mesh[0].vertex_count;
        assert_memory_equal(mesh[k].position, mesh[0].position, n * sizeof(Vec3));
        assert_memory_equal(mesh[k].normal, mesh[0].normal, n * sizeof(Vec3));
        assert_memory_equal(mesh[k].value[0], mesh[0].value[0], 3 * n * sizeof(float));
        assert_memory_equal(mesh[k].triangle, mesh[0].triangle, mesh[0].triangle_count * sizeof *mesh[0].triangle);
    }
    for (int k = 0; k < 4; k++)
        surface_free(&mesh[k]);
    free(p.x);
}

// Constants stay what they are. The mean of the particles' places is what the field measures from: it lies under the vertex, and as
// deep as the level says, less by what f takes.
static void values_reach_the_vertices(void** state)
{
    Points p = points_ball(5, 0.5);
    float* one = malloc(p.count * sizeof *one);
    assert_non_null(one);
    for (size_t k = 0; k < p.count; k++)
        one[k] = 7;
    SurfaceDef def = surface_default_def(0.5);
    def.smoothing = 0;
    SurfaceMesh mesh;
    SurfaceInput input = {.count = p.count,
                          .position = p.x,
                          .stride = 3,
                          .value_count = 2,
                          .value = {{.data = one, .components = 1, .stride = 1}, {.data = p.x, .components = 3, .stride = 3}}};
    assert_int_equal(surface_build(&def, &input, NULL, NULL, &mesh, NULL), MN_OK);
    double sum = 0;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        assert_near((double)mesh.value[0][v], 7, 1e-5);
        Vec3 x = mesh.position[v], n = mesh.normal[v];
        const float* c = mesh.value[1] + 3 * v;
        Vec3d d = vec3d((double)(x.x - c[0]), (double)(x.y - c[1]), (double)(x.z - c[2]));
        double depth = vec3d_dot(d, vec3d((double)n.x, (double)n.y, (double)n.z));
        assert_near(depth, 0.5, 0.1);
        sum += vec3d_length(d);
    }
    assert_near(sum / (double)mesh.vertex_count, 0.95 * 0.5 * (double)FIELD_LEVEL, 0.03);
    surface_free(&mesh);
    free(one);
    free(p.x);
}

// Smoothing takes the bumps of a jittered surface away.
static void smoothing_removes_bumps(void** state)
{
    double rough[2];
    for (int k = 0; k < 2; k++) {
        Points p = points_block(20, 20, 8, 0.5, vec3d(0, 0, 0), 0.4, 3);
        SurfaceDef def = surface_default_def(0.5);
        def.smoothing = k ? 10 : 0;
        SurfaceMesh mesh;
        build_mesh(&def, &p, &mesh);
        double sum = 0, square = 0;
        size_t n = 0;
        for (size_t v = 0; v < mesh.vertex_count; v++) {
            Vec3 x = mesh.position[v];
            if (x.x < 4 || x.x > 16 || x.y < 4 || x.y > 16 || x.z < 4)
                continue;
            // slope from the normal: what light shows
            double slope = hypot((double)mesh.normal[v].x, (double)mesh.normal[v].y);
            sum += slope;
            square += slope * slope;
            n++;
        }
        rough[k] = sqrt(square / (double)n);
        surface_free(&mesh);
        free(p.x);
    }
    print_message("slope of a jittered surface: %.3f, smoothed %.3f\n", rough[0], rough[1]);
    assert_below(rough[1], 0.5 * rough[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_closed_manifold_and_oriented),
        cmocka_unit_test(flat_surface_lies_one_radius_outside),
        cmocka_unit_test(volume_of_a_block),
        cmocka_unit_test(volume_of_a_ball),
        cmocka_unit_test(one_particle_is_a_ball),
        cmocka_unit_test(degenerate_input),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test_prestate(threads_change_nothing, "anisotropic"),
        cmocka_unit_test(values_reach_the_vertices),
        cmocka_unit_test(smoothing_removes_bumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
