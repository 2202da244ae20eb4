// SPDX-License-Identifier: MIT
// Flat boxes of three densities float in the grid fluid where Archimedes says, on cells of two sizes. Cubes would tip over: upright
// they are stable below a density of 0.21 and above 0.79 of the water's.
#include "worlds.h"

// How deep a box lies in the water, of its height.
static double draught(double density, double radius)
{
    double side = 0.28, tall = 0.2, wide = 0.64, high = 0.4;
    mn_WorldDef def = water_def(3, radius, MN_PRESSURE_FLIP);
    mn_World* world = world_new(&def);
    add_tank(world, v3(wide, 0.9, wide));
    add_block(world, 1000, v3(0, 0, 0), v3(wide, high, wide), v3(0, 0, 0));
    double y = high - density / 1000 * tall; // the water rises a little when it goes in
    mn_SolidDef box = box_def(v3(0.18, y, 0.18), v3(0.18 + side, y + tall, 0.18 + side), false);
    box.type = MN_SOLID_RIGID;
    box.density = density;
    mn_SolidId id = add_solid(world, &box);
    world_prepare(world);
    double sum = 0;
    size_t particles = mn_world_particles(world).count;
    for (int k = 1; k <= 25; k++) {
        world_until(world, 0.1 * k);
        sum += k > 15 ? mn_world_solid(world, id).pose.position.y / 10 : 0;
    }
    mn_Stats stats = mn_world_stats(world);
    assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
    // the level that this much water has with the box in it
    double water = (double)particles * pow(2 * radius, 3), level = (water + density / 1000 * side * side * tall) / (wide * wide);
    mn_world_destroy(world);
    return (level - (sum - tall / 2)) / tall;
}

static void boxes_float(void** state)
{
    static const double densities[] = {300, 540, 800}, radii[] = {0.01, 0.0125};
    for (size_t r = 0; r < COUNT_OF(radii); r++)
        for (size_t k = 0; k < COUNT_OF(densities); k++) {
            double found = draught(densities[k], radii[r]);
            printf("%g kg/m3, radius %g m: %.3f of its height below the water\n", densities[k], radii[r], found);

            assert_near(found, densities[k] / 1000, 0.03);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_float)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
