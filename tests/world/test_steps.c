// SPDX-License-Identifier: MIT
// The length of steps: fixed ones are kept, adaptive ones obey their limits and shorten when something hits hard.
#include "worlds.h"

#include <string.h>

static const double RADIUS = 0.01, SPACING = 0.02;

static void fixed_steps_are_kept(void** state)
{
    for (size_t m = 0; m < COUNT_OF(ALL_METHODS); m++) {
        mn_WorldDef def = water_def(2, RADIUS, ALL_METHODS[m]);
        def.solver.time_step = ALL_METHODS[m] == MN_PRESSURE_SESPH ? 2e-4 : 1e-3;
        mn_World* world = dam_world(&def, 10, 12, 0);
        for (int k = 1; k <= 20; k++) {
            world_steps(world, 1);
            assert_near(mn_world_stats(world).dt, def.solver.time_step, 1e-12);
            assert_near(mn_world_time(world), k * def.solver.time_step, 1e-12);
        }
        assert_int_equal(mn_world_stats(world).repeated_steps, 0);
        mn_world_destroy(world);
    }
}

static void adaptive_steps_obey_their_limits(void** state)
{
    mn_WorldDef def = water_def(2, RADIUS, MN_PRESSURE_DFSPH);
    def.solver.cfl = 0.2;
    def.solver.max_time_step = 1.5e-3;
    mn_World* world = dam_world(&def, 16, 24, 0);
    double longest = 0, shortest = INFINITY;
    while (mn_world_time(world) < 0.4) {
        double speed = mn_world_stats(world).max_speed;
        world_steps(world, 1);
        mn_Stats stats = mn_world_stats(world);
        longest = fmax(longest, stats.dt);
        shortest = fmin(shortest, stats.dt);
        // the speed before the step is what it was chosen by
        assert_below(speed * stats.dt, 0.2 * SPACING * 1.001);
    }
    assert_near(longest, 1.5e-3, 1e-9);
    assert_below(shortest, 1.2e-3);
    mn_world_destroy(world);
}

// Frames are met exactly and steps are cut evenly.
static void frames_are_met_exactly(void** state)
{
    mn_World* world = column_world(2, RADIUS, MN_PRESSURE_IISPH, 10, 10);
    for (int frame = 1; frame <= 20; frame++) {
        world_until(world, frame / 60.0);
        assert_true(mn_world_time(world) == frame / 60.0);
    }
    mn_Error error = {0};
    assert_int_equal(mn_world_step(world, 1e-5, &error), MN_OK);
    assert_near(mn_world_stats(world).dt, 1e-5, 1e-12);
    mn_world_destroy(world);
}

// A block falls on the floor ten times as fast as it could by its own weight.
static void hard_impacts_do_not_explode(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t m = 0; m < COUNT_OF(ALL_METHODS); m++) {
            double z = dimension == 3 ? 0.3 : 0, speed = 15;
            mn_WorldDef def = water_def(dimension, RADIUS, ALL_METHODS[m]);
            mn_World* world = world_new(&def);
            add_tank(world, v3(0.6, 1.2, 2 * z));
            add_block(world, 1000, v3(0.2, 0.3, 0.6 * z), v3(0.4, 0.5, 1.2 * z), v3(0, -speed, 0));
            world_prepare(world);
            double first = mn_world_stats(world).kinetic_energy + mn_world_stats(world).potential_energy, most = 0,
                   shortest = INFINITY, fastest = 0;
            for (int frame = 1; frame <= 30; frame++) {
                world_until(world, 0.002 * frame);
                mn_Stats stats = mn_world_stats(world);
                most = fmax(most, (stats.kinetic_energy + stats.potential_energy) / first);
                shortest = fmin(shortest, stats.dt);
                fastest = fmax(fastest, stats.max_speed);
            }
            mn_Stats stats = mn_world_stats(world);
            print_message("%s %dD: energy at most %.3f of the first, fastest %.2f of the impact, shortest step %.2g s, %d "
                          "repeated, %d not converged, "
                          "density error max %.2g\n",
                          METHOD_NAME[ALL_METHODS[m]], dimension, most, fastest / speed, shortest, (int)stats.repeated_steps,
                          (int)stats.not_converged, stats.density_error_max);
            assert_below(most, 1.01);
            assert_below(fastest, 4 * speed);
            assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
            // steps before the impact were chosen by the speed alone; the impact makes shorter ones
            assert_below(shortest, 0.8 * 0.4 * SPACING / speed);
            mn_world_destroy(world);
        }
}

// A slab falls flat on water in long steps: what is squeezed out between the two is faster than the lists can see, or a step
// would push the two apart with more energy than they had. Such steps are taken back and repeated smaller; steps grow again
// afterwards, and nothing is lost or gained.
static void steps_that_went_wrong_are_repeated(void** state)
{
    uint64_t repeated = 0;
    for (size_t m = 1; m < COUNT_OF(ALL_METHODS); m++) {
        double speed = 10;
        mn_WorldDef def = water_def(2, RADIUS, ALL_METHODS[m]);
        def.solver.cfl = 0.6;
        mn_World* world = world_new(&def);
        add_tank(world, v3(1.2, 0.8, 0));
        add_block(world, 1000, v3(0, 0, 0), v3(1.2, 0.1, 0), v3(0, 0, 0));
        add_block(world, 1000, v3(0.3, 0.11, 0), v3(0.9, 0.21, 0), v3(0, -speed, 0));
        world_prepare(world);
        mn_Stats first = mn_world_stats(world);
        double energy = first.kinetic_energy + first.potential_energy, shortest = INFINITY, most = 0;
        while (mn_world_time(world) < 0.15) {
            world_steps(world, 1);
            mn_Stats stats = mn_world_stats(world);
            shortest = fmin(shortest, stats.dt);
            most = fmax(most, (stats.kinetic_energy + stats.potential_energy) / energy);
        }
        mn_Stats stats = mn_world_stats(world);
        print_message("%s: %d of %d steps repeated, shortest %.2g s, last %.2g s, energy at most %.3f of the first\n",
                      METHOD_NAME[ALL_METHODS[m]], (int)stats.repeated_steps, (int)stats.steps, shortest, stats.dt, most);
        repeated += stats.repeated_steps;
        assert_true(stats.dt > 2 * shortest);
        assert_below(most, 1.01);
        assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
        assert_int_equal(stats.fluid_particles, first.fluid_particles);
        mn_world_destroy(world);
    }
    assert_true(repeated > 0);
}

static void expect_bad(const mn_WorldDef* def, const char* key)
{
    mn_Error error = {0};
    mn_World* world = mn_world_create(def, NULL, &error);
    if (world)
        fail_msg("a bad '%s' was taken", key);
    assert_int_equal(error.result, MN_BAD_INPUT);
    assert_string_equal(error.key, key);
    assert_true(strlen(error.message) > 5);
}

static void bad_definitions_name_their_key(void** state)
{
    mn_WorldDef good = mn_default_world_def(), def;
#define BAD(field, value, key)                                                                                                     \
    do {                                                                                                                           \
        def = good;                                                                                                                \
        def.field = value;                                                                                                         \
        expect_bad(&def, key);                                                                                                     \
    } while (0)
    BAD(dimension, 4, "dimension");
    BAD(particle_radius, 0, "particle_radius");
    BAD(particle_radius, NAN, "particle_radius");
    BAD(particle_radius, INFINITY, "particle_radius");
    BAD(gravity.y, NAN, "gravity");
    BAD(support_radius, 0.2, "support_radius");
    BAD(solver.max_density_error, 0, "solver.max_density_error");
    BAD(solver.max_density_error, NAN, "solver.max_density_error");
    BAD(solver.max_divergence_error, -1, "solver.max_divergence_error");
    BAD(solver.min_iterations, 0, "solver.min_iterations");
    BAD(solver.max_iterations, 1, "solver.max_iterations");
    BAD(solver.gamma, 3, "solver.gamma");
    BAD(solver.cfl, 0, "solver.cfl");
    BAD(solver.cfl, 1.01, "solver.cfl");
    BAD(solver.time_step, 0, "solver.time_step");
    BAD(threads, 0, "threads");
#undef BAD
    mn_Error error = {0};
    assert_null(mn_world_create(&(mn_WorldDef){0}, NULL, NULL)); // nobody needs to ask why

    mn_World* world = world_new(&good);
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.density = -1;
    assert_int_equal(mn_world_add_fluid(world, &fluid, &error), 0);
    assert_string_equal(error.key, "density");
    fluid.density = 1000;
    fluid.viscosity = NAN;
    assert_int_equal(mn_world_add_fluid(world, &fluid, &error), 0);
    assert_string_equal(error.key, "viscosity");
    mn_SolidDef plane = mn_default_solid_def();
    plane.shape.type = MN_SHAPE_PLANE;
    plane.inside = true;
    assert_int_equal(mn_world_add_solid(world, &plane, &error), 0);
    assert_string_equal(error.key, "inside");
    mn_ProbeDef probe = mn_default_probe_def();
    probe.name = (char*)"F";
    probe.type = MN_PROBE_FORCE;
    probe.solid = (char*)"nobody";
    assert_int_equal(mn_world_add_probe(world, &probe, &error), 0);
    assert_string_equal(error.key, "solid");
    for (int k = 0; k < 8; k++)
        add_block(world, 1000, v3(k, 0, 0), v3(k + 0.1, 0.1, 0.1), v3(0, 0, 0));
    fluid = mn_default_fluid_def();
    assert_int_equal(mn_world_add_fluid(world, &fluid, &error), 0);
    world_steps(world, 1);
    assert_int_equal(mn_world_add_solid(world, &plane, &error), 0);
    mn_world_destroy(world);
}

// A wall that squeezes a full closed box ends the run and is named.
static void squeezed_water_ends_the_run(void** state)
{
    mn_WorldDef def = water_def(2, 0.01, MN_PRESSURE_DFSPH);
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.5, 0.3, 0));
    mn_SolidDef piston = box_def(v3(-0.1, 0, 0), v3(0.1, 0.3, 0), false);
    piston.name = "piston";
    piston.type = MN_SOLID_KINEMATIC;
    mn_Keyframe motion[] = {{0, piston.pose}, {1, {v3(0.3, 0.15, 0), {1, 0, 0, 0}}}};
    piston.motion = motion;
    piston.motion_count = 2;
    add_solid(world, &piston);
    add_block(world, 1000, v3(0.1, 0, 0), v3(0.5, 0.3, 0), v3(0, 0, 0));
    mn_Error error = {0};
    int steps = 20000;
    mn_Result result = mn_world_advance(world, 1, count_down, &steps, &error);
    print_message("%s\n", error.message);
    assert_int_equal(result, MN_INVALID);
    assert_non_null(strstr(error.message, "'piston' squeezes fluid that has nowhere to go"));
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squeezed_water_ends_the_run),      cmocka_unit_test(fixed_steps_are_kept),
        cmocka_unit_test(adaptive_steps_obey_their_limits), cmocka_unit_test(frames_are_met_exactly),
        cmocka_unit_test(hard_impacts_do_not_explode),      cmocka_unit_test(steps_that_went_wrong_are_repeated),
        cmocka_unit_test(bad_definitions_name_their_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
