// SPDX-License-Identifier: MIT
// Contact has no size of its own: a scene that is s times as large, in steps sqrt(s) as long and of a material s times as stiff,
// moves the same way (Froude).
#include "elastic_support.h"

#include "elastic/elastic_parts.h"
#include "mesh/inside.h"
#include "mesh/shape.h"
#include <stdlib.h>

enum { MOST_POINTS = 400 };

static void scale_points(Vec3d* x, size_t count, Vec3d at, double scale)
{
    for (size_t k = 0; k < count; k++)
        x[k] = vec3d_scale(vec3d_add(x[k], at), scale);
}

static ElasticBodyDef scaled(ElasticBodyDef def, double scale)
{
    def.thickness = 2e-3 * scale;
    def.young *= scale;
    def.damping *= sqrt(scale);
    def.drag /= sqrt(scale);
    def.contact = true;
    def.friction = 0.4;
    return def;
}

// Two sheets, a cube of mass points and one of finite elements fall on each other, on a box that is turned, and on a floor.
// Positions in the end, over the scale.
static size_t run(double scale, int steps, Vec3d* out)
{
    TriMesh sheet[2];
    TestVolume cube[2];
    Pool* pool = pool_create(2);
    ElasticSet* set = elastic_create(NULL, pool, vec3d(0, -9.81, 0), 0.01 * scale);
    int body;
    for (int k = 0; k < 2; k++) {
        sheet[k] = test_grid(0.2, 0.2, 8, 8);
        scale_points(sheet[k].vertex, sheet[k].vertex_count, vec3d(0.01 * k, 0.09 + 0.01 * k, 0.02 * k), scale);
        ElasticBodyDef def = test_sheet(&sheet[k]);
        def.young = 1e5;
        def.drag = 1;
        def.self_contact = true;
        def = scaled(def, scale);
        assert_int_equal(elastic_add_body(set, &def, &body, NULL), MN_OK);
    }
    for (int k = 0; k < 2; k++) {
        cube[k] = test_volume(vec3d(0.06, 0.06, 0.06), 2, 2, 2);
        Vec3d at = {0.03 * k - 0.01, 0.135 + 0.065 * k, 0.005};
        scale_points(cube[k].tets.point, cube[k].tets.point_count, at, scale);
        scale_points(cube[k].surface.vertex, cube[k].surface.vertex_count, at, scale);
        ElasticBodyDef def = test_volume_def(&cube[k], k ? MN_ELASTIC_FEM : MN_ELASTIC_MASS_POINTS);
        def.young = 5e4;
        def.damping = 0.005;
        def = scaled(def, scale);
        assert_int_equal(elastic_add_body(set, &def, &body, NULL), MN_OK);
    }
    TriMesh hard[2] = {{0}, {0}};
    InsideTest* test[2];
    const Vec3d size[2] = {{1, 0.1, 1}, {0.05, 0.05, 0.05}};
    const mn_Pose pose[2] = {{{0, -0.05, 0}, quat_identity()}, {{0.02, 0.04, 0.01}, quat_normalise((Quat){1, 0.3, 0.1, 0.35})}};
    for (int k = 0; k < 2; k++) {
        mn_Shape shape = {.type = MN_SHAPE_BOX, .size = size[k]};
        assert_int_equal(shape_build(&shape, 3, 0.001, NULL, &hard[k], NULL), MN_OK);
        scale_points(hard[k].vertex, hard[k].vertex_count, vec3d(0, 0, 0), scale);
        test[k] = inside_create(&hard[k], NULL);
        mn_Pose at = {vec3d_scale(pose[k].position, scale), pose[k].rotation};
        assert_true(elastic_add_obstacle(set, &(ElasticObstacleDef){.mesh = &hard[k],
                                                                    .test = test[k],
                                                                    .closed = true,
                                                                    .friction = 0.5,
                                                                    .bound_radius = vec3d_length(size[k]) * scale,
                                                                    .pose = at}) >= 0);
    }
    for (int k = 0; k < steps; k++)
        assert_true(elastic_step(set, 2e-3 * sqrt(scale)));
    size_t count = 0;
    for (size_t k = 0; k < set->body_count; k++)
        for (size_t i = 0; i < set->body[k].point_count; i++)
            out[count++] = vec3d_scale(set->body[k].position[i], 1 / scale);
    elastic_destroy(set);
    pool_destroy(pool);
    for (int k = 0; k < 2; k++) {
        tri_mesh_free(&sheet[k]);
        test_volume_free(&cube[k]);
        inside_destroy(test[k]);
        tri_mesh_free(&hard[k]);
    }
    return count;
}

// [m] between the same scene in two sizes, over the size
static double difference(double scale, int steps)
{
    Vec3d one[MOST_POINTS], other[MOST_POINTS];
    size_t count = run(1, steps, one);
    assert_true(count < MOST_POINTS);
    assert_int_equal(run(scale, steps, other), count);
    double most = 0, lowest = 1;
    for (size_t k = 0; k < count; k++) {
        most = fmax(most, vec3d_distance(one[k], other[k]));
        lowest = fmin(lowest, one[k].y);
    }
    assert_below(lowest, 0.08); // they reached what is below
    return most;
}

// Sizes whose square roots are exact: bit for bit, in the middle of everything.
static void test_exact_sizes(void** state)
{
    static const double scale[] = {1.0 / 1024, 1.0 / 64};
    for (int s = 0; s < 2; s++)
        assert_true(difference(scale[s], 120) == 0);
    assert_below(difference(64, 120), 1e-12); // finite elements round a last digit otherwise
}

// Other sizes are rounded otherwise: that grows no more than any other last digit does.
static void test_any_size(void** state)
{
    static const double scale[] = {1.0 / 1000, 1.0 / 30, 30};
    double growth = difference(1 + 1e-13, 40);
    for (int s = 0; s < 3; s++) {
        double d = difference(scale[s], 40);
        print_message("scale %.4g: positions differ by up to %.2g m; a changed last digit makes %.2g m\n", scale[s], d, growth);
        assert_below(d, 30 * growth + 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact_sizes), cmocka_unit_test(test_any_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
