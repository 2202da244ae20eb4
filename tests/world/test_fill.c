// SPDX-License-Identifier: MIT
// Fluids that start as shapes in any position, and solids that are filled up to a level.
#include "worlds.h"

#include "world/world_parts.h"

static uint64_t count_of(mn_FluidShape shape, int dimension)
{
    mn_WorldDef def = water_def(dimension, 0.01, MN_PRESSURE_DFSPH);
    mn_World* world = world_new(&def);
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.shapes = &shape;
    fluid.shape_count = 1;
    add_fluid(world, &fluid);
    world_prepare(world);
    uint64_t count = mn_world_stats(world).fluid_particles;
    mn_world_destroy(world);
    return count;
}

static void shapes_weigh_what_they_should(void** state)
{
    mn_FluidShape shape = mn_default_fluid_shape();
    shape.shape.type = MN_SHAPE_CYLINDER;
    shape.shape.size = v3(0.1, 0.15, 0);
    double volume = 3.14159265 * 0.01 * 0.15 / 8e-6, count = (double)count_of(shape, 3);
    print_message("cylinder: %g of %.1f particles\n", count, volume);
    assert_near(count, volume, 0.04 * volume);
    // a turned box is as full as one along the axes
    shape.shape.type = MN_SHAPE_BOX;
    shape.shape.size = v3(0.21, 0.17, 0.1);
    shape.rotation = (mn_Quat){0.9, 0.1, 0.2, 0.37416573867739413};
    volume = 0.21 * 0.17 * 0.1 / 8e-6;
    assert_near((double)count_of(shape, 3), volume, 0.51);
    shape.rotation = (mn_Quat){0.9, 0, 0, 0.43588989435406733};
    assert_near((double)count_of(shape, 2), 0.21 * 0.17 / 4e-4, 0.51);
}

// --- cups

// An open boat that stands on nothing.
static mn_World* cup_world(double level, double turn, mn_Result* result)
{
    static mn_Error error;
    mn_WorldDef def = water_def(3, 0.01, MN_PRESSURE_DFSPH);
    mn_World* world = world_new(&def);
    mn_SolidDef cup = mn_default_solid_def();
    cup.name = "cup";
    cup.shape.type = MN_SHAPE_BOAT;
    cup.shape.size = v3(0.6, 0.3, 0.3);
    cup.pose.position = v3(0.1, 0.5, 0);
    cup.pose.rotation = (mn_Quat){cos(turn / 2), 0, sin(turn / 2), 0};
    add_solid(world, &cup);
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.fill.solid = "cup";
    fluid.fill.level = level;
    add_fluid(world, &fluid);
    *result = mn_world_prepare(world, &error);
    if (*result != MN_OK)
        print_message("%s: %s\n", error.key, error.message);
    return world;
}

static void a_boat_is_filled(void** state)
{
    mn_Result result;
    uint64_t before = 0;
    for (double level = 0.06; level < 0.17; level += 0.05) {
        mn_World* world = cup_world(level, 0.3, &result);
        assert_int_equal(result, MN_OK);
        mn_Stats stats = mn_world_stats(world);
        mn_ParticleView view = mn_world_particles(world);
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < view.count; i++) {
            low = fmin(low, (double)view.position[4 * i + 1]);
            high = fmax(high, (double)view.position[4 * i + 1]);
        }
        print_message("level %.2f m: %llu particles from %.3f to %.3f m, %llu carved\n", level,
                      (unsigned long long)stats.fluid_particles, low, high, (unsigned long long)stats.carved);
        assert_true(stats.fluid_particles > before);
        assert_int_equal(stats.carved, 0);
        assert_near(high - low + 0.02, level, 0.021);
        before = stats.fluid_particles;
        if (level < 0.1) { // it stays there
            world_until(world, 0.3);
            assert_true(mn_world_stats(world).potential_energy < stats.potential_energy + 1e-6);
            assert_true(reach_of(world, 1, 0) > low - 0.03);
            assert_int_equal(mn_world_stats(world).leaked_particles, 0);
        }
        mn_world_destroy(world);
    }
}

static void what_holds_nothing_is_named(void** state)
{
    mn_Result result;
    mn_world_destroy(cup_world(5, 0, &result)); // runs over
    assert_int_equal(result, MN_BAD_INPUT);
    mn_WorldDef def = water_def(3, 0.02, MN_PRESSURE_DFSPH);
    mn_World* world = world_new(&def);
    mn_SolidDef box = box_def(v3(0, 0, 0), v3(0.3, 0.3, 0.3), false);
    add_solid(world, &box);
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.fill.solid = "box";
    add_fluid(world, &fluid);
    mn_Error error = {0};
    assert_int_equal(mn_world_prepare(world, &error), MN_BAD_INPUT);
    print_message("%s: %s\n", error.key, error.message);
    assert_string_equal(error.key, "fluids.0.fill.solid");
    mn_world_destroy(world);
}

static void a_container_is_filled(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        mn_WorldDef def = water_def(dimension, 0.01, MN_PRESSURE_DFSPH);
        mn_World* world = world_new(&def);
        add_tank(world, v3(0.3, 0.4, dimension == 3 ? 0.2 : 0));
        mn_FluidDef fluid = mn_default_fluid_def();
        fluid.fill.solid = "tank";
        fluid.fill.level = 0.2;
        add_fluid(world, &fluid);
        world_prepare(world);
        double count = (double)mn_world_stats(world).fluid_particles;
        print_message("%dD: %g\n", dimension, count);
        assert_near(count, dimension == 3 ? 1500 : 150, 0);
        mn_world_destroy(world);
    }
}

// A round vessel a few spacings wide holds what its volume asks for, and its fluid rests.
static void coarse_vessels_hold_their_volume(void** state)
{
    for (double across = 5; across < 12; across += 2.3) {
        mn_WorldDef def = water_def(3, 0.01, MN_PRESSURE_DFSPH);
        mn_World* world = world_new(&def);
        double radius = across / 2 * 0.02, level = 6.4 * 0.02;
        mn_SolidDef vessel = mn_default_solid_def();
        vessel.name = "vessel";
        vessel.inside = true;
        vessel.shape.type = MN_SHAPE_CYLINDER;
        vessel.shape.size = v3(radius, 0.3, 0);
        add_solid(world, &vessel);
        mn_FluidDef fluid = mn_default_fluid_def();
        fluid.fill.solid = "vessel";
        fluid.fill.level = level;
        add_fluid(world, &fluid);
        world_prepare(world);
        mn_Stats stats = mn_world_stats(world);
        double wanted = 3.14159265 * radius * radius * level / 8e-6, count = (double)stats.fluid_particles;
        world_until(world, 0.1);
        double mass = count * 8e-3, speed = sqrt(2 * mn_world_stats(world).kinetic_energy / mass);
        print_message("%.1f spacings across: %g of %.1f particles, %llu carved; %.3f m/s after 0.1 s\n", across, count, wanted,
                      (unsigned long long)stats.carved, speed);
        assert_near(count, wanted, 0.02 * wanted + 1);
        assert_int_equal(stats.carved, 0);
        assert_true(speed < 0.2); // a fall by a spacing would give 0.6
        mn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_weigh_what_they_should),    cmocka_unit_test(a_boat_is_filled),
        cmocka_unit_test(what_holds_nothing_is_named),      cmocka_unit_test(a_container_is_filled),
        cmocka_unit_test(coarse_vessels_hold_their_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
