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
    assert_int_equal(found[0].direction, -1);
    assert_near(found[0].weight[0], 0.7, 1e-12);
    assert_near(found[0].weight[1], 0.1, 1e-12);
    assert_near(found[0].weight[2], 0.2, 1e-12);
    assert_int_equal(crossing_find(FLAT, FLAT, vec3d(0.2, -0.3, 0.1), vec3d(0.2, 0.1, 0.1), found), 1);
    assert_int_equal(found[0].direction, 1);
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
                sum += found[c].direction;
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

// --- edges

// Looked at in many small steps: how often the sign of the volume changes while the lines meet within both edges. `*clear`: nothing
// is so near to a border that the steps could miss it.
static int count_by_steps(const Vec3d a0[2], const Vec3d a1[2], const Vec3d b0[2], const Vec3d b1[2], bool* clear)
{
    enum { STEPS = 4000 };
    int count = 0;
    double last = 0;
    *clear = true;
    for (int k = 0; k <= STEPS; k++) {
        double t = (double)k / STEPS;
        Vec3d a = vec3d_lerp(a0[0], a1[0], t), b = vec3d_lerp(b0[0], b1[0], t), da = vec3d_sub(vec3d_lerp(a0[1], a1[1], t), a),
              db = vec3d_sub(vec3d_lerp(b0[1], b1[1], t), b), q = vec3d_sub(b, a), n = vec3d_cross(da, db);
        double nn = vec3d_dot(n, n), f = vec3d_dot(q, n);
        double s = vec3d_dot(vec3d_cross(q, db), n) / nn, u = vec3d_dot(vec3d_cross(q, da), n) / nn;
        if (k > 0 && (f < 0) != (last < 0)) {
            double aside = fmin(fmin(fabs(s), fabs(1 - s)), fmin(fabs(u), fabs(1 - u)));
            count += s > 0 && s < 1 && u > 0 && u < 1;
            *clear = *clear && aside > 0.02;
        }
        last = f;
    }
    return count;
}

static void test_edges_against_steps(void** state)
{
    Random random = {11};
    int met = 0, compared = 0;
    for (int k = 0; k < 3000; k++) {
        Vec3d e[8];
        for (int i = 0; i < 8; i++)
            e[i] = random_point(&random, 1);
        bool clear;
        int expected = count_by_steps(&e[0], &e[2], &e[4], &e[6], &clear);
        if (!clear)
            continue;
        EdgeCrossing found[3];
        int count = crossing_find_edges(&e[0], &e[2], &e[4], &e[6], found);
        if (count != expected)
            fail_msg("edges %d: %d passages, %d by small steps", k, count, expected);
        for (int i = 0; i < count; i++) {
            double t = found[i].time;
            Vec3d p = vec3d_lerp(vec3d_lerp(e[0], e[2], t), vec3d_lerp(e[1], e[3], t), found[i].along[0]);
            Vec3d q = vec3d_lerp(vec3d_lerp(e[4], e[6], t), vec3d_lerp(e[5], e[7], t), found[i].along[1]);
            assert_below(vec3d_distance(p, q), 1e-9); // they are at the same place
        }
        met += count;
        compared++;
    }
    print_message("%d passages of %d pairs of edges\n", met, compared);
    assert_true(compared > 2000 && met > 200);
}

// The second edge falls on the first one; which is which only turns the sign.
static void test_edges_by_hand(void** state)
{
    const Vec3d a[2] = {{-1, 0, 0}, {1, 0, 0}}, b0[2] = {{0.5, 1, -1}, {0.5, 1, 1}}, b1[2] = {{0.5, -1, -1}, {0.5, -1, 1}};
    EdgeCrossing found[3];
    assert_int_equal(crossing_find_edges(a, a, b0, b1, found), 1);
    assert_near(found[0].time, 0.5, 1e-12);
    assert_near(found[0].along[0], 0.75, 1e-12);
    assert_near(found[0].along[1], 0.5, 1e-12);
    assert_near(found[0].normal.y * found[0].direction, -1, 1e-12); // the second one goes down
    assert_int_equal(crossing_find_edges(b0, b1, a, a, found), 1);
    assert_near(found[0].normal.y * found[0].direction, 1, 1e-12);
    const Vec3d far[2] = {{1.5, -1, -1}, {1.5, -1, 1}}, high[2] = {{1.5, 1, -1}, {1.5, 1, 1}};
    assert_int_equal(crossing_find_edges(a, a, high, far, found), 0); // beside its end
    assert_int_equal(crossing_find_edges(a, a, b0, b0, found), 0);
    assert_int_equal(crossing_find_edges(a, b1, a, b1, found), 0); // one and the same: no side
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight_through),
        cmocka_unit_test(test_closed_surfaces),
        cmocka_unit_test(test_edges_against_steps),
        cmocka_unit_test(test_edges_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
