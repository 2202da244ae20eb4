// SPDX-License-Identifier: MIT
// What probes say of fluid whose state is known.
#include "worlds.h"

static const double RADIUS = 0.01, SPACING = 0.02;

static double height_at(const mn_World* world, mn_ProbeId id)
{
    return mn_world_probe(world, id, NULL);
}

// A pool with a blob above it: the gauge reads the pool. A blob over dry floor: nothing. A blob that nearly touches: its top.
static void height_is_what_is_wet_from_below(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        double z = dimension == 3 ? 8 * SPACING : 0;
        mn_WorldDef def = water_def(dimension, RADIUS, MN_PRESSURE_DFSPH);
        mn_World* world = world_new(&def);
        add_tank(world, v3(40 * SPACING, 30 * SPACING, z));
        add_block(world, 1000, v3(0, 0, 0), v3(20 * SPACING, 6 * SPACING, z), v3(0, 0, 0));
        add_block(world, 1000, v3(2 * SPACING, 10 * SPACING, 0), v3(6 * SPACING, 14 * SPACING, z), v3(0, 0, 0));
        add_block(world, 1000, v3(12 * SPACING, 6.8 * SPACING, 0), v3(16 * SPACING, 10.8 * SPACING, z), v3(0, 0, 0));
        add_block(world, 1000, v3(26 * SPACING, 10 * SPACING, 0), v3(30 * SPACING, 14 * SPACING, z), v3(0, 0, 0));
        // two gauges per place, one at the floor and one high up: only the line matters
        static const double wanted[5][2] = {{4, 6}, {9, 6}, {14, 10.8}, {28, 0}, {36, 0}};
        mn_ProbeId low[5], high[5];
        for (int k = 0; k < 5; k++) {
            low[k] = add_probe(world, MN_PROBE_HEIGHT, v3(wanted[k][0] * SPACING, 0, z / 2));
            high[k] = add_probe(world, MN_PROBE_HEIGHT, v3(wanted[k][0] * SPACING, 25 * SPACING, z / 2));
        }
        world_prepare(world);
        for (int k = 0; k < 5; k++) {
            assert_near(height_at(world, low[k]), wanted[k][1] * SPACING, 1e-6);
            assert_near(height_at(world, high[k]), wanted[k][1] * SPACING, 1e-6);
        }
        mn_world_destroy(world);
    }
}

// Without gravity y is up; without a floor what is there is read.
static void height_needs_no_floor(void** state)
{
    mn_WorldDef def = water_def(2, RADIUS, MN_PRESSURE_DFSPH);
    def.gravity = v3(0, 0, 0);
    mn_World* world = world_new(&def);
    add_block(world, 1000, v3(0, 3 * SPACING, 0), v3(4 * SPACING, 7 * SPACING, 0), v3(0, 0, 0));
    mn_ProbeId id = add_probe(world, MN_PROBE_HEIGHT, v3(2 * SPACING, 0, 0));
    world_prepare(world);
    assert_near(height_at(world, id), 7 * SPACING, 1e-6);
    mn_world_destroy(world);
}

static void velocity_has_components(void** state)
{
    mn_WorldDef def = water_def(2, RADIUS, MN_PRESSURE_DFSPH);
    mn_World* world = world_new(&def);
    add_block(world, 1000, v3(0, 0, 0), v3(8 * SPACING, 8 * SPACING, 0), v3(3, -4, 0));
    mn_ProbeId id = add_probe(world, MN_PROBE_VELOCITY, v3(4 * SPACING, 4 * SPACING, 0));
    world_prepare(world);
    mn_Vec3 v;
    assert_near(mn_world_probe(world, id, &v), 5, 1e-5);
    assert_near(v.x, 3, 1e-5);
    assert_near(v.y, -4, 1e-5);
    assert_near(v.z, 0, 0);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(height_is_what_is_wet_from_below),
        cmocka_unit_test(height_needs_no_floor),
        cmocka_unit_test(velocity_has_components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
