// SPDX-License-Identifier: MIT
// The scenes of elastic solids in water, coarse and short enough for a test: nothing leaks, by geometry, at two particle sizes.
#include "coupling_support.h"

static void advance_tight(mn_World* world, double time)
{
    advance(world, time);
    mn_Stats stats = mn_world_stats(world);
    assert_int_equal(stats.lost_particles, 0);
    if (stats.leaked_particles)
        fail_msg("%llu particles leaked by %g s", (unsigned long long)stats.leaked_particles, time);
    // a guard for the few, no way to hold water
    assert_below((double)stats.expelled_particles, 0.02 * (double)stats.fluid_particles + 1);
}

static double mean_height(const mn_World* world, const char* name)
{
    mn_SolidView s = named(world, name);
    double sum = 0;
    for (size_t v = 0; v < s.vertex_count; v++)
        sum += s.vertex[v].y / (double)s.vertex_count;
    return sum;
}

static double area(const mn_SolidView* s, size_t t)
{
    mn_Vec3 a = s->vertex[s->triangle[t][0]], b = s->vertex[s->triangle[t][1]], c = s->vertex[s->triangle[t][2]];
    mn_Vec3 p = {b.x - a.x, b.y - a.y, b.z - a.z}, q = {c.x - a.x, c.y - a.y, c.z - a.z};
    mn_Vec3 n = {p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
    return sqrt(n.x * n.x + n.y * n.y + n.z * n.z) / 2;
}

// Bodies, then water stretch it; let go, it has as many particles as at first.
static void test_cloth_is_filled_and_let_go(void** state)
{
    mn_World* world = load_coarse("elastic/cloth_filled", "0.018");
    mn_World* rest = load_coarse("elastic/cloth_filled", "0.018");
    mn_SolidView cloth = named(world, "cloth"), flat = named(rest, "cloth");
    advance_tight(world, 1e-4);
    uint64_t first = mn_world_stats(world).boundary_particles, most = 0;
    double stretch = 0;
    for (int frame = 1; frame <= 24; frame++) {
        advance_tight(world, 0.1 * frame);
        uint64_t now = mn_world_stats(world).boundary_particles;
        most = now > most ? now : most;
        cloth = named(world, "cloth");
        for (size_t t = 0; t < cloth.triangle_count; t++)
            stretch = fmax(stretch, area(&cloth, t) / area(&flat, t));
    }
    print_message("%llu to %llu boundary particles, a triangle grew to %.2f times its area, %llu fluid particles\n",
                  (unsigned long long)first, (unsigned long long)most, stretch,
                  (unsigned long long)mn_world_stats(world).fluid_particles);
    assert_true(stretch > 1.5);
    assert_true(most > first + 20);
    advance_tight(world, 2.7);
    assert_int_equal(mn_world_stats(world).boundary_particles, first);
    mn_world_destroy(world);
    mn_world_destroy(rest);
}

// The first drops of the stream at a finer size: single particles at 3 m/s, each several times as heavy as a vertex.
static void test_drops_do_not_pass(void** state)
{
    mn_World* world = load_coarse("elastic/cloth_filled", "0.0125");
    for (int frame = 1; frame <= 5; frame++)
        advance_tight(world, 0.5 + 0.1 * frame);
    mn_world_destroy(world);
}

static void test_balloon_is_filled(void** state)
{
    static const char* const radius[] = {"0.013", "0.01"};
    for (int k = 0; k < 2; k++) {
        mn_World* world = load_coarse("elastic/balloon", radius[k]);
        for (int frame = 1; frame <= 6; frame++)
            advance_tight(world, 0.2 * frame);
        mn_world_destroy(world);
    }
}

static void test_bowl_is_dropped(void** state)
{
    static const char* const radius[] = {"0.014", "0.01"};
    for (int k = 0; k < 2; k++) {
        mn_World* world = load_coarse("elastic/bowl", radius[k]);
        for (int frame = 1; frame <= 9; frame++)
            advance_tight(world, 0.1 * frame);
        assert_true(mean_height(world, "bowl") < 0.3);
        mn_world_destroy(world);
    }
}

static void test_flag_in_a_stream(void** state)
{
    static const char* const radius[] = {"0.016", "0.012"};
    for (int k = 0; k < 2; k++) {
        mn_World* world = load_coarse("elastic/flag", radius[k]);
        for (int frame = 1; frame <= 7; frame++)
            advance_tight(world, 0.1 * frame);
        mn_world_destroy(world);
    }
}

static void check_balls(const char* radius)
{
    mn_World* world = load_coarse("elastic/balls", radius);
    advance_tight(world, 0.001);
    double light = mean_height(world, "light"), even = mean_height(world, "even"), heavy = mean_height(world, "heavy");
    for (int frame = 1; frame <= 6; frame++)
        advance_tight(world, 0.1 * frame);
    print_message("light %.3f -> %.3f, even %.3f -> %.3f, heavy %.3f -> %.3f\n", light, mean_height(world, "light"), even,
                  mean_height(world, "even"), heavy, mean_height(world, "heavy"));
    assert_true(mean_height(world, "light") > light + 0.08);
    assert_true(mean_height(world, "heavy") < heavy - 0.08);
    assert_below(fabs(mean_height(world, "even") - even), 0.06);
    mn_world_destroy(world);
}

static void test_balls_float_hover_and_sink(void** state)
{
    check_balls("0.016");
    check_balls("0.0125");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balls_float_hover_and_sink),
        cmocka_unit_test(test_flag_in_a_stream),
        cmocka_unit_test(test_bowl_is_dropped),
        cmocka_unit_test(test_balloon_is_filled),
        cmocka_unit_test(test_drops_do_not_pass),
        cmocka_unit_test(test_cloth_is_filled_and_let_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
