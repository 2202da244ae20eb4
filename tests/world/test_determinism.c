// SPDX-License-Identifier: MIT
// The same bits for any number of threads, and for a run that is saved and continued, in a world with everything that has
// state: a dam break with an emitter, a drain, a solid that moves and a belt, surface tension and adhesion.
#include "worlds.h"

#include "saved_state.h"
#include "world/sph_parts.h"

static const mn_Pressure EVERY_METHOD[] = {MN_PRESSURE_SESPH, MN_PRESSURE_PCISPH, MN_PRESSURE_IISPH, MN_PRESSURE_DFSPH,
                                           MN_PRESSURE_FLIP};

static mn_World* busy_accurate(mn_Pressure method, mn_Accuracy accuracy, int dimension, int threads)
{
    double d = 0.02, deep = dimension == 3 ? 0.24 : 0;
    mn_WorldDef def = water_def(dimension, 0.01, method);
    def.threads = threads;
    def.solver.accuracy = accuracy;
    mn_World* world = world_new(&def);
    add_tank(world, v3(1, 0.6, deep));
    mn_Block dam = {v3(0, 0, 0), v3(0.3, 0.4, deep), v3(0, 0, 0)};
    mn_FluidDef water = mn_default_fluid_def();
    water.tension.gamma = 1;
    water.blocks = &dam;
    water.block_count = 1;
    add_fluid(world, &water);
    mn_Emitter emitter = {.type = MN_EMITTER_BOX,
                          .position = v3(0.85, 0.4, deep / 2),
                          .rotation = {0.5, 0, 0, 0.8660254037844386},
                          .size = {5 * d, 5 * d},
                          .speed = 1.5,
                          .start = 0.01,
                          .end = 1e9,
                          .limit = -1};
    mn_FluidDef oil = mn_default_fluid_def();
    oil.density = 700;
    oil.viscosity_method = MN_VISCOSITY_LAPLACE;
    oil.viscosity = 0.5;
    oil.tension = (mn_TensionDef){.method = MN_TENSION_TARTAKOVSKY, .gamma = 0.5, .sigma = MN_AUTO};
    oil.emitters = &emitter;
    oil.emitter_count = 1;
    add_fluid(world, &oil);
    mn_SolidDef gate = box_def(v3(0.45, 0, 0), v3(0.5, 0.2, deep), false);
    mn_Keyframe motion[] = {{0, gate.pose}, {0.3, {v3(0.6, 0.16, deep / 2), {0.9238795325112867, 0, 0, 0.3826834323650898}}}};
    gate.type = MN_SOLID_KINEMATIC;
    gate.motion = motion;
    gate.motion_count = COUNT_OF(motion);
    add_solid(world, &gate);
    mn_SolidDef belt = box_def(v3(0.7, 0, 0), v3(0.8, 0.06, deep), false);
    belt.surface_velocity = v3(1, 0, 0);
    add_solid(world, &belt);
    mn_Error error = {0};
    mn_Drain drain = mn_default_drain();
    drain.min = v3(0.6, 0, 0);
    drain.max = v3(1, 0.3, deep);
    drain.start = 0.03;
    expect_ok(mn_world_add_drain(world, &drain, &error) == MN_OK, &error);
    world_prepare(world);
    return world;
}

static mn_World* busy_world(mn_Pressure method, int dimension, int threads)
{
    return busy_accurate(method, MN_ACCURACY_FAST, dimension, threads);
}

// What an accurate solver remembers of surfaces is state, and its rates of strain are sums like others.
static void accurate_solvers_go_on_the_same(void** state)
{
    static const int steps = 30;
    mn_World *one = busy_accurate(MN_PRESSURE_DFSPH, MN_ACCURACY_ACCURATE, 2, 1),
             *many = busy_accurate(MN_PRESSURE_DFSPH, MN_ACCURACY_ACCURATE, 2, 3),
             *again = busy_accurate(MN_PRESSURE_DFSPH, MN_ACCURACY_ACCURATE, 2, 2);
    world_steps(one, steps);
    Saved saved = {.count = 0};
    assert_true(world_save_state(one, keep, &saved));
    world_steps(one, steps);
    world_steps(many, 2 * steps);
    expect_same_state(many, one, "accurate, 3 threads", __FILE__, __LINE__);
    mn_Error error = {0};
    expect_ok(world_load_state(again, give, &saved, &error) == MN_OK, &error);
    assert_state(again, &saved);
    world_steps(again, steps);
    expect_same_state(again, one, "accurate, restored", __FILE__, __LINE__);
    forget(&saved);
    mn_world_destroy(one);
    mn_world_destroy(many);
    mn_world_destroy(again);
}

static void threads_do_not_matter(void** state)
{
    static const int threads[] = {2, 3, 8};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t m = 0; m < COUNT_OF(EVERY_METHOD); m++) {
            int steps = dimension == 2 ? 60 : 25;
            mn_World* one = busy_world(EVERY_METHOD[m], dimension, 1);
            world_steps(one, steps);
            mn_Stats stats = mn_world_stats(one);
            assert_true(stats.emitted > 0);
            if (EVERY_METHOD[m] != MN_PRESSURE_SESPH && dimension == 2) // others do not get so far
                assert_true(stats.drained > 0);
            for (size_t k = 0; k < COUNT_OF(threads); k++) {
                mn_World* many = busy_world(EVERY_METHOD[m], dimension, threads[k]);
                world_steps(many, steps);
                char what[64];
                snprintf(what, sizeof what, "%s %dD with %d threads", METHOD_NAME[EVERY_METHOD[m]], dimension, threads[k]);
                expect_same_state(many, one, what, __FILE__, __LINE__);
                mn_world_destroy(many);
            }
            mn_world_destroy(one);
        }
}

// --- save and restore, in memory

static void check_restart(mn_Pressure method, int dimension, int steps)
{
    mn_World* whole = busy_world(method, dimension, 1);
    world_steps(whole, steps);
    Saved saved = {.count = 0};
    assert_true(world_save_state(whole, keep, &saved));
    world_steps(whole, steps);

    mn_Error error = {0};
    mn_World* again = busy_world(method, dimension, 2);
    expect_ok(world_load_state(again, give, &saved, &error) == MN_OK, &error);
    assert_state(again, &saved);
    world_steps(again, steps);
    char what[96];
    snprintf(what, sizeof what, "%s %dD: %d steps, restored, and %d more", METHOD_NAME[method], dimension, steps, steps);
    expect_same_state(again, whole, what, __FILE__, __LINE__);
    mn_Stats a = mn_world_stats(whole), b = mn_world_stats(again);
    assert_int_equal(a.emitted, b.emitted);
    assert_int_equal(a.drained, b.drained);
    assert_int_equal(a.iterations_total, b.iterations_total);
    assert_near(a.density_error_mean, b.density_error_mean, 0);
    mn_SolidView f = mn_world_solid(whole, 2), g = mn_world_solid(again, 2);
    assert_near(f.force.x, g.force.x, 0);
    assert_near(f.torque.z, g.torque.z, 0);
    forget(&saved);
    mn_world_destroy(whole);
    mn_world_destroy(again);
}

static void restored_worlds_go_on_the_same(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t m = 0; m < COUNT_OF(EVERY_METHOD); m++)
            check_restart(EVERY_METHOD[m], dimension, dimension == 2 ? 40 : 15);
    check_restart(MN_PRESSURE_DFSPH, 2, 1);
    check_restart(MN_PRESSURE_DFSPH, 2, 7);
}

static void states_of_other_scenes_are_refused(void** state)
{
    mn_World* two = busy_world(MN_PRESSURE_DFSPH, 2, 1);
    Saved saved = {.count = 0};
    assert_true(world_save_state(two, keep, &saved));
    mn_World* other = column_world(2, 0.01, MN_PRESSURE_DFSPH, 10, 10);
    mn_Error error = {0};
    assert_int_equal(world_load_state(other, give, &saved, &error), MN_BAD_INPUT);
    assert_true(strlen(error.message) > 10);
    mn_world_destroy(other);
    mn_world_destroy(two);
    forget(&saved);
}

// Frames cut steps; where they are cut is part of the scene, but asking for statistics and views is not.
static void looking_changes_nothing(void** state)
{
    mn_World* seen = busy_world(MN_PRESSURE_IISPH, 2, 1);
    mn_World* unseen = busy_world(MN_PRESSURE_IISPH, 2, 1);
    mn_ProbeId probe = add_probe(seen, MN_PROBE_PRESSURE, v3(0.1, 0.1, 0));
    for (int k = 0; k < 30; k++) {
        world_steps(seen, 1);
        world_steps(unseen, 1);
        mn_world_stats(seen);
        mn_world_particles(seen);
        mn_world_probe(seen, probe, NULL);
    }
    assert_same_state(seen, unseen);
    mn_world_destroy(seen);
    mn_world_destroy(unseen);
}

// The comparison itself: one bit of one number is found and named.
static void differences_are_named(void** state)
{
    mn_World *one = busy_world(MN_PRESSURE_DFSPH, 2, 1), *other = busy_world(MN_PRESSURE_DFSPH, 2, 1);
    assert_same_state(one, other);
    Saved a = {0}, b = {0};
    char text[512] = "";
    assert_true(world_save_state(one, keep, &a));
    assert_false(state_difference(one->reg, &a, &a, text, sizeof text));
    world_sph(other)->fluid.velocity[17].y += 0.25f;
    assert_true(mn_world_hash(one) != mn_world_hash(other));
    assert_true(world_save_state(other, keep, &b));
    assert_true(state_difference(one->reg, &a, &b, text, sizeof text));
    assert_non_null(strstr(text, "'fluid.velocity' differs first at element 17 of"));
    assert_non_null(strstr(text, "byte 4 of it"));
    assert_non_null(strstr(text, "and 0.25; 1 of"));
    forget(&a);
    forget(&b);
    mn_world_destroy(one);
    mn_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),          cmocka_unit_test(accurate_solvers_go_on_the_same),
        cmocka_unit_test(restored_worlds_go_on_the_same), cmocka_unit_test(states_of_other_scenes_are_refused),
        cmocka_unit_test(looking_changes_nothing),        cmocka_unit_test(differences_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
