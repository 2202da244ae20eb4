// SPDX-License-Identifier: MIT
// Moving points against moving triangles: by hand, and against the winding number of closed surfaces that deform wildly.
#include "support.h"

#include "base/random.h"
#include "mesh/crossing.h"
#include "mesh/inside.h"
#include "mesh/shape.h"
#include <stdlib.h>

static const Vec3d FLAT[3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}}; // its normal is +y

static void test_straight_through(void** state)
{
    Crossing found[3];
    assert_int_equal(crossing_find(FLAT, FLAT, vec3d(0.2, 0.3, 0.1), vec3d(0.2, -0.1, 0.1), found), 1);
    assert_near(found[0].time, 0.75, 1e-12);
    assert_int_equal(found[0].way, -1);
    assert_near(found[0].weight[0], 0.7, 1e-12);
    assert_near(found[0].weight[1], 0.1, 1e-12);
    assert_near(found[0].weight[2], 0.2, 1e-12);
    assert_int_equal(crossing_find(FLAT, FLAT, vec3d(0.2, -0.3, 0.1), vec3d(0.2, 0.1, 0.1), found), 1);
    assert_int_equal(found[0].way, 1);
    assert_int_equal(crossing_find(FLAT, FLAT, vec3d(0.9, 0.3, 0.9), vec3d(0.9, -0.1, 0.9), found), 0); // beside it
    assert_int_equal(crossing_find(FLAT, FLAT, vec3d(0.2, 0.3, 0.1), vec3d(0.2, 0.1, 0.1), found), 0);  // not far enough
}

static double winding(const TriMesh* mesh, Vec3d x)
{
    InsideTest* test = inside_create(mesh, NULL);
    double w = inside_winding(test, x);
    inside_destroy(test);
    return w;
}

static Vec3d random_point(Random* random, double size)
{
    return vec3d(random_range(random, -size, size), random_range(random, -size, size), random_range(random, -size, size));
}

// What goes in and out of a closed surface is what its winding number says, also where the surface is folded through itself.
static void check_windings(double crumple, int points)
{
    mn_Shape shape = {.type = MN_SHAPE_SPHERE, .size = {1, 1, 1}};
    TriMesh from = {0}, to = {0};
    assert_int_equal(shape_build(&shape, 3, 0.4, NULL, &from, NULL), MN_OK);
    assert_int_equal(shape_build(&shape, 3, 0.4, NULL, &to, NULL), MN_OK);
    Random random = {7};
    for (size_t k = 0; k < to.vertex_count; k++) {
        Vec3d p = to.vertex[k];
        p = vec3d(-p.z, 0.6 * p.y, 1.2 * p.x); // a quarter turn, squeezed
        to.vertex[k] = vec3d_add(p, random_point(&random, crumple));
        from.vertex[k] = vec3d_add(from.vertex[k], random_point(&random, crumple));
    }
    size_t met = 0;
    for (int k = 0; k < points; k++) {
        Vec3d x0 = random_point(&random, 1.3), x1 = random_point(&random, 1.3);
        int sum = 0;
        for (size_t t = 0; t < from.triangle_count; t++) {
            Vec3d a[3], b[3];
            Crossing found[3];
            for (int c = 0; c < 3; c++) {
                a[c] = from.vertex[from.triangle[t][c]];
                b[c] = to.vertex[from.triangle[t][c]];
            }
            int count = crossing_find(a, b, x0, x1, found);
            for (int c = 0; c < count; c++) {
                sum += found[c].way;
                met++;
            }
        }
        double before = winding(&from, x0), after = winding(&to, x1);
        if (sum != lround(before - after)) // the normals point outwards
            fail_msg("point %d: passed %d times outwards, the winding number goes from %g to %g", k, sum, before, after);
    }
    print_message("%zu passages of %d points through %zu triangles\n", met, points, from.triangle_count);
    assert_true(met > (size_t)points / 4);
    tri_mesh_free(&from);
    tri_mesh_free(&to);
}

static void test_closed_surfaces(void** state)
{
    check_windings(0, 1500);
    check_windings(0.4, 1500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight_through),
        cmocka_unit_test(test_closed_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
