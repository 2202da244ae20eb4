// SPDX-License-Identifier: MIT
// Particles that come and go: emitters, drains, carving, and the count of those on the wrong side.
#include "worlds.h"

static const double RADIUS = 0.01, SPACING = 0.02;

static mn_Emitter jet(mn_EmitterType type, mn_Vec3 position, double width, double depth, double speed)
{
    // turned so that +y becomes +x
    return (mn_Emitter){.type = type,
                        .position = position,
                        .rotation = {0.7071067811865476, 0, 0, -0.7071067811865476},
                        .size = {width, depth},
                        .speed = speed,
                        .start = 0,
                        .end = INFINITY,
                        .limit = -1};
}

static mn_World* jet_world(int dimension, const mn_Emitter* emitter)
{
    mn_WorldDef def = water_def(dimension, RADIUS, MN_PRESSURE_DFSPH);
    def.gravity = v3(0, 0, 0);
    mn_World* world = world_new(&def);
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.emitters = (mn_Emitter*)emitter;
    fluid.emitter_count = 1;
    add_fluid(world, &fluid);
    world_prepare(world);
    return world;
}

static void box_emitter_gives_its_flow(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        mn_Emitter e = jet(MN_EMITTER_BOX, v3(0, 0, 0), 6 * SPACING, 4 * SPACING, 2);
        mn_World* world = jet_world(dimension, &e);
        world_until(world, 0.5);
        mn_Stats stats = mn_world_stats(world);
        // a jet without obstacles is as long as it had time for: 2 m/s for 0.5 s is 50 layers
        double wanted = 50.0 * 6 * (dimension == 3 ? 4 : 1);
        assert_near((double)stats.emitted, wanted, 1.01 * wanted / 50);
        assert_int_equal(stats.fluid_particles, stats.emitted);
        mn_ParticleView view = mn_world_particles(world);
        for (size_t i = 0; i < view.count; i++) {
            assert_near((double)view.velocity[4 * i], 2, 0.1);
            // columns that nothing squeezes: at rest inside, less at the edge; 0.607 is that of a lattice's corner in 2D
            assert_true(view.density[i] > 0.5f && view.density[i] < 1.02f);
        }
        assert_near(front_of(world), 1, 1.5 * SPACING);
        mn_world_destroy(world);
    }
}

static void disc_emitter_is_round(void** state)
{
    mn_Emitter e = jet(MN_EMITTER_DISC, v3(0, 0, 0), 5 * SPACING, 0, 1);
    mn_World* world = jet_world(3, &e);
    world_until(world, 0.2);
    mn_Stats stats = mn_world_stats(world);
    // 10 layers of pi 5^2 spacings
    assert_near((double)stats.emitted, 10 * 3.14159 * 25, 0.15 * 10 * 3.14159 * 25);
    mn_ParticleView view = mn_world_particles(world);
    for (size_t i = 0; i < view.count; i++)
        assert_below(hypot((double)view.position[4 * i + 1], (double)view.position[4 * i + 2]), 5.6 * SPACING);
    mn_world_destroy(world);
}

static void emitter_keeps_limit_and_times(void** state)
{
    mn_Emitter e = jet(MN_EMITTER_BOX, v3(0, 0, 0), 4 * SPACING, 0, 1);
    e.limit = 33;
    mn_World* world = jet_world(2, &e);
    world_until(world, 1);
    assert_int_equal(mn_world_stats(world).emitted, 33);
    assert_int_equal(mn_world_stats(world).fluid_particles, 33);
    mn_world_destroy(world);

    e.limit = -1;
    e.start = 0.2;
    e.end = 0.4;
    world = jet_world(2, &e);
    world_until(world, 0.199);
    assert_int_equal(mn_world_stats(world).emitted, 0);
    world_until(world, 0.3);
    assert_near((double)mn_world_stats(world).emitted, 4 * 5, 4.01);
    world_until(world, 1);
    assert_near((double)mn_world_stats(world).emitted, 4 * 10, 4.01);
    mn_world_destroy(world);
}

// Fast jets release several layers in a step; none may overlap.
static void layers_keep_their_distance(void** state)
{
    mn_Emitter e = jet(MN_EMITTER_BOX, v3(0, 0, 0), 6 * SPACING, 0, 5);
    mn_World* world = jet_world(2, &e);
    for (int k = 0; k < 40; k++) {
        world_steps(world, 1);
        assert_below(mn_world_stats(world).density_error_max, 0.2);
    }
    mn_world_destroy(world);
}

static void drain_takes_what_is_in_it(void** state)
{
    mn_World* world = column_world(2, RADIUS, MN_PRESSURE_DFSPH, 20, 20);
    mn_Error error = {0};
    mn_Drain drain = mn_default_drain();
    drain.min = v3(-1, -1, 0);
    drain.max = v3(0.1, 1, 0);
    drain.start = 0.05;
    drain.end = 0.2;
    expect_ok(mn_world_add_drain(world, &drain, &error) == MN_OK, &error);
    world_until(world, 0.04);
    assert_int_equal(mn_world_stats(world).drained, 0);
    world_until(world, 0.1);
    mn_Stats stats = mn_world_stats(world);
    assert_true(stats.drained >= 5 * 20);
    assert_int_equal(stats.fluid_particles + stats.drained, 400);
    assert_int_equal(stats.lost_particles, 0);
    mn_ParticleView view = mn_world_particles(world);
    for (size_t i = 0; i < view.count; i++)
        assert_true(view.position[4 * i] > 0.1f);
    world_until(world, 0.21);
    uint64_t drained = mn_world_stats(world).drained;
    world_until(world, 0.6);
    assert_int_equal(mn_world_stats(world).drained, drained);
    mn_world_destroy(world);
}

static void fluid_in_solids_is_carved(void** state)
{
    // a box of 4 x 4 spacings in the middle of 12 x 12: 16 inside and none beside, because the next ones are half a spacing away
    mn_WorldDef def = water_def(2, RADIUS, MN_PRESSURE_DFSPH);
    mn_World* world = world_new(&def);
    add_tank(world, v3(12 * SPACING, 20 * SPACING, 0));
    add_block(world, 1000, v3(0, 0, 0), v3(12 * SPACING, 12 * SPACING, 0), v3(0, 0, 0));
    mn_SolidDef box = box_def(v3(4 * SPACING, 4 * SPACING, 0), v3(8 * SPACING, 8 * SPACING, 0), false);
    add_solid(world, &box);
    world_prepare(world);
    assert_int_equal(mn_world_stats(world).carved, 16);
    assert_int_equal(mn_world_stats(world).fluid_particles, 144 - 16);
    mn_world_destroy(world);

    // fluid beyond the container's walls: a block one layer too wide on each side
    world = world_new(&def);
    add_tank(world, v3(12 * SPACING, 20 * SPACING, 0));
    add_block(world, 1000, v3(-SPACING, 0, 0), v3(13 * SPACING, 12 * SPACING, 0), v3(0, 0, 0));
    world_prepare(world);
    assert_int_equal(mn_world_stats(world).carved, 24);
    mn_world_destroy(world);
}

// Particles whose step would take them far through a wall stay on this side of it, and that is counted.
static void nothing_is_shot_through_a_wall(void** state)
{
    mn_WorldDef def = water_def(2, RADIUS, MN_PRESSURE_DFSPH);
    def.solver.time_step = 0.01;
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.4, 0.4, 0));
    add_block(world, 1000, v3(0.36, 0.2, 0), v3(0.38, 0.24, 0), v3(100, 0, 0));
    world_prepare(world);
    assert_int_equal(mn_world_stats(world).leaked_particles, 0);
    world_steps(world, 1);
    assert_int_equal(mn_world_stats(world).expelled_particles, 2);
    assert_int_equal(mn_world_stats(world).leaked_particles, 0);
    assert_int_equal(mn_world_stats(world).lost_particles, 0);
    const float* x = mn_world_particles(world).position;
    for (int k = 0; k < 2; k++)
        assert_true(x[4 * k] > 0.38f && x[4 * k] <= 0.4f);
    mn_world_destroy(world);
}

static void fluid_that_starts_outside_is_no_leak(void** state)
{
    mn_World* world = column_world(2, RADIUS, MN_PRESSURE_DFSPH, 10, 10);
    world_until(world, 0.3);
    assert_int_equal(mn_world_stats(world).leaked_particles, 0);
    mn_world_destroy(world);
}

// A nozzle in a closed tank that is full waits, and goes on when a drain has made room.
static void full_tank_takes_no_more(void** state)
{
    mn_Emitter e = jet(MN_EMITTER_BOX, v3(0.06, 0.1, 0.1), 0.1, 0.1, 0.5);
    mn_WorldDef def = water_def(3, 0.02, MN_PRESSURE_DFSPH);
    mn_World* world = world_new(&def);
    mn_FluidDef fluid = mn_default_fluid_def();
    mn_Block block = {.max = {0}};
    block.max = v3(0.4, 0.2, 0.16);
    fluid.blocks = &block;
    fluid.block_count = 1;
    fluid.emitters = &e;
    fluid.emitter_count = 1;
    add_fluid(world, &fluid);
    add_tank(world, v3(0.4, 0.2, 0.2));
    mn_Drain drain = mn_default_drain();
    drain.min = v3(0.32, 0, 0);
    drain.max = v3(0.4, 0.2, 0.2);
    drain.start = 1;
    mn_Error error = {0};
    expect_ok(mn_world_add_drain(world, &drain, &error) == MN_OK, &error);
    world_prepare(world);
    world_until(world, 0.95);
    mn_Stats full = mn_world_stats(world);
    assert_int_equal(full.fluid_particles, 250); // 0.4 x 0.2 x 0.2 m by 4 cm
    assert_true(full.emitted > 20);
    world_until(world, 1.2);
    assert_true(mn_world_stats(world).emitted > full.emitted + 7); // of 15
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_emitter_gives_its_flow),
        cmocka_unit_test(disc_emitter_is_round),
        cmocka_unit_test(emitter_keeps_limit_and_times),
        cmocka_unit_test(layers_keep_their_distance),
        cmocka_unit_test(drain_takes_what_is_in_it),
        cmocka_unit_test(fluid_in_solids_is_carved),
        cmocka_unit_test(full_tank_takes_no_more),
        cmocka_unit_test(nothing_is_shot_through_a_wall),
        cmocka_unit_test(fluid_that_starts_outside_is_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
