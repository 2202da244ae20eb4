// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"
#include "base/vec.h"

enum { TRIES = 200 };

static Vec3d any_vector(Random* random)
{
    return vec3d(random_range(random, -3, 3), random_range(random, -3, 3), random_range(random, -3, 3));
}

static Quat any_rotation(Random* random)
{
    return quat_normalise(
        (Quat){random_range(random, -1, 1), random_range(random, -1, 1), random_range(random, -1, 1), random_range(random, -1, 1)});
}

static void assert_same(Vec3d a, Vec3d b)
{
    assert_near(a.x, b.x, 1e-12);
    assert_near(a.y, b.y, 1e-12);
    assert_near(a.z, b.z, 1e-12);
}

static void layouts_are_what_loops_expect(void** state)
{
    assert_int_equal(sizeof(Vec3), 12);
    assert_int_equal(sizeof(Vec4), 16);
    assert_int_equal(_Alignof(Vec4), 16);
}

static void arithmetic_by_component(void** state)
{
    Vec3d a = {1, -2, 3}, b = {4, 5, -6};
    assert_same(vec3d_add(a, b), vec3d(5, 3, -3));
    assert_same(vec3d_sub(a, b), vec3d(-3, -7, 9));
    assert_same(vec3d_mul(a, b), vec3d(4, -10, -18));
    assert_same(vec3d_scale(a, -2), vec3d(-2, 4, -6));
    assert_same(vec3d_mad(a, 2, b), vec3d(9, 8, -9));
    assert_same(vec3d_lerp(a, b, 0), a);
    assert_same(vec3d_lerp(a, b, 1), b);
    assert_same(vec3d_lerp(a, b, 0.5), vec3d(2.5, 1.5, -1.5));
    assert_same(vec3d_min(a, b), vec3d(1, -2, -6));
    assert_same(vec3d_max(a, b), vec3d(4, 5, 3));
    assert_near(vec3d_dot(a, b), -24, 0);
    assert_near(vec3d_length(vec3d(2, 3, 6)), 7, 1e-15);
    assert_near(vec3d_distance(a, b), sqrt(9 + 49 + 81), 1e-14);
}

// perpendicular to both, |a x b|^2 + (a . b)^2 = |a|^2 |b|^2, right-handed
static void cross_product_identities(void** state)
{
    Random random = {1};
    assert_same(vec3d_cross(vec3d(1, 0, 0), vec3d(0, 1, 0)), vec3d(0, 0, 1));
    for (int k = 0; k < TRIES; k++) {
        Vec3d a = any_vector(&random), b = any_vector(&random), c = vec3d_cross(a, b);
        assert_near(vec3d_dot(a, c), 0, 1e-12);
        assert_near(vec3d_dot(b, c), 0, 1e-12);
        double lagrange = vec3d_dot(c, c) + vec3d_dot(a, b) * vec3d_dot(a, b);
        assert_near(lagrange, vec3d_dot(a, a) * vec3d_dot(b, b), 1e-10);
    }
}

static void normalise_leaves_zero(void** state)
{
    assert_same(vec3d_normalise(vec3d(0, 0, 0)), vec3d(0, 0, 0));
    assert_same(vec3d_normalise(vec3d(0, -3, 4)), vec3d(0, -0.6, 0.8));
    Quat q = quat_normalise((Quat){0, 0, 0, 0});
    assert_near(q.w, 1, 0);
    assert_near(q.x + q.y + q.z, 0, 0);
}

static void finite_sees_every_component(void** state)
{
    assert_true(vec3d_finite(vec3d(1, 2, 3)));
    assert_false(vec3d_finite(vec3d(NAN, 2, 3)));
    assert_false(vec3d_finite(vec3d(1, INFINITY, 3)));
    assert_false(vec3d_finite(vec3d(1, 2, -INFINITY)));
}

static void quarter_turns(void** state)
{
    double s = sqrt(0.5);
    assert_same(quat_rotate((Quat){s, s, 0, 0}, vec3d(0, 1, 0)), vec3d(0, 0, 1));
    assert_same(quat_rotate((Quat){s, 0, s, 0}, vec3d(0, 0, 1)), vec3d(1, 0, 0));
    assert_same(quat_rotate((Quat){s, 0, 0, s}, vec3d(1, 0, 0)), vec3d(0, 1, 0));
    assert_same(quat_rotate(quat_identity(), vec3d(1, 2, 3)), vec3d(1, 2, 3));
}

// lengths and handedness stay, turning back undoes, the product turns as its factors one after the other
static void rotations_are_rigid(void** state)
{
    Random random = {2};
    for (int k = 0; k < TRIES; k++) {
        Quat p = any_rotation(&random), q = any_rotation(&random);
        Vec3d a = any_vector(&random), b = any_vector(&random);
        assert_near(vec3d_dot(quat_rotate(q, a), quat_rotate(q, b)), vec3d_dot(a, b), 1e-11);
        assert_same(vec3d_cross(quat_rotate(q, a), quat_rotate(q, b)), quat_rotate(q, vec3d_cross(a, b)));
        assert_same(quat_unrotate(q, quat_rotate(q, a)), a);
        assert_same(quat_rotate(quat_mul(p, q), a), quat_rotate(p, quat_rotate(q, a)));
    }
}

__attribute__((noinline)) static void expect_parts(Quat q, double w, double x, double y, double z)
{
    assert_true(q.w == w && q.x == x && q.y == y && q.z == z);
}

// A compiler that takes the block {a, a, 0, 0} for {a, a, a, a} (gcc 12 with AVX-512, see cmake/options.cmake) is found here.
static void constants_by_value(void** state)
{
    volatile double a = 0.7;
    expect_parts((Quat){0.7, 0.7, 0, 0}, a, a, 0, 0);
    expect_parts((Quat){0.7, 0.7, 0.7, 0}, a, a, a, 0);
    expect_parts((Quat){0.7, 0, 0.7, 0}, a, 0, a, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_are_what_loops_expect),
        cmocka_unit_test(constants_by_value),
        cmocka_unit_test(arithmetic_by_component),
        cmocka_unit_test(cross_product_identities),
        cmocka_unit_test(normalise_leaves_zero),
        cmocka_unit_test(finite_sees_every_component),
        cmocka_unit_test(quarter_turns),
        cmocka_unit_test(rotations_are_rigid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
