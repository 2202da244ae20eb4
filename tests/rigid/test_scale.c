// SPDX-License-Identifier: MIT
// Size does not matter: with lengths times s, and times and speeds times sqrt(s), bodies do the same.
#include "place.h"

static double worst_difference(double scale, int steps)
{
    Place *one = tumble(1), *other = tumble(scale);
    double worst = 0;
    for (int n = 0; n < steps; n++) {
        run(one, 0.003, 1);
        run(other, 0.003 * sqrt(scale), 1);
    }
    for (size_t k = 0; k < rigid_body_count(one->rigid); k++) {
        Vec3d a = rigid_state(one->rigid, (int)k).position, b = rigid_state(other->rigid, (int)k).position;
        worst = fmax(worst, vec3d_distance(a, vec3d_scale(b, 1 / scale)));
    }
    place_destroy(one);
    place_destroy(other);
    return worst;
}

// The units in which ODE gets its numbers are powers of two: with a size that is one, not a bit differs, at rest after two seconds.
static void test_powers_of_two(void** state)
{
    for (int k = -10; k <= 4; k += 2)
        assert_near(worst_difference(exp2(k), 700), 0, 0);
}

// Others differ by rounding, which grows with every impact.
static void test_any_size(void** state)
{
    const double scales[] = {1.0 / 1000, 1.0 / 30, 30};
    for (int k = 0; k < 3; k++)
        assert_below(worst_difference(scales[k], 150), 1e-6);
}

// The same without being told the size of what comes, as small as a grain.
static void test_grain(void** state)
{
    for (int known = 0; known < 2; known++) {
        double edge = 3e-4;
        Place* p = place_create(DOWN);
        rigid_destroy(p->rigid);
        p->rigid = rigid_create(&(RigidDef){3, DOWN, 0.01, 1, known ? edge : 0, known ? 1000 * edge * edge * edge : 0});
        p->rigid->def.length = 1e-3; // of the meshes
        add(p, BODY_FIXED, box(100 * edge, 10 * edge, 100 * edge), vec3d(0, -5 * edge, 0), 0, 0);
        int b = add(p, BODY_FREE, box(edge, edge, edge), vec3d(0, 1.2 * edge, 0), 1000, 0);
        run(p, 0.002, 100);
        BodyState s = rigid_state(p->rigid, b);
        assert_near(s.position.y, 0.5 * edge, known ? 0.02 * edge : 0.5 * edge);
        assert_below(vec3d_length(s.velocity), 1e-4);
        place_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_powers_of_two),
        cmocka_unit_test(test_any_size),
        cmocka_unit_test(test_grain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
