// SPDX-License-Identifier: MIT
// Every kernel runs a dam break, and what the tank feels is the weight of the water.
#include "worlds.h"

static const char* const KERNEL_NAME[] = {"cubic", "wendland", "poly6", "spiky"};

static void every_kernel_breaks_a_dam(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int k = 0; k < 4; k++)
            for (size_t m = 0; m < COUNT_OF(ALL_METHODS); m++) {
                mn_WorldDef def = water_def(dimension, 0.01, ALL_METHODS[m]);
                def.kernel = (mn_Kernel)k;
                mn_World* world = dimension == 2 ? dam_world(&def, 14, 20, 0) : dam_world(&def, 6, 8, 5);
                double high = (dimension == 2 ? 20 : 8) * 0.02, energy = 0;
                world_prepare(world);
                double first = mn_world_stats(world).potential_energy;
                for (int frame = 1; frame <= 20; frame++) {
                    world_until(world, 0.015 * frame);
                    mn_Stats stats = mn_world_stats(world);
                    energy = fmax(energy, (stats.kinetic_energy + stats.potential_energy) / first);
                }
                mn_Stats stats = mn_world_stats(world);
                print_message(
                    "%s %s %dD: energy at most %.4f of the first, fastest %.2f sqrt(g H), density error %.2g, %d not converged\n",
                    KERNEL_NAME[k], METHOD_NAME[ALL_METHODS[m]], dimension, energy, stats.max_speed / sqrt(9.81 * high),
                    stats.density_error_mean, (int)stats.not_converged);
                assert_below(energy, 1.005);
                assert_below(stats.density_error_mean, ALL_METHODS[m] == MN_PRESSURE_SESPH ? 0.02 : 0.002);
                assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
                mn_world_destroy(world);
            }
}

static void every_kernel_carries_the_weight(void** state)
{
    for (int k = 0; k < 4; k++) {
        mn_WorldDef def = water_def(2, 0.01, MN_PRESSURE_DFSPH);
        def.kernel = (mn_Kernel)k;
        mn_World* world = world_new(&def);
        add_tank(world, v3(0.3, 0.4, 0));
        add_block(world, 1000, v3(0, 0, 0), v3(0.3, 0.24, 0), v3(0, 0, 0));
        double force = 0;
        for (int frame = 1; frame <= 75; frame++) {
            world_until(world, 0.02 * frame);
            force -= frame > 50 ? mn_world_solid(world, 1).force.y / 25 : 0;
        }
        double weight = 9.81 * 1000 * 0.3 * 0.24;
        print_message("%s: force on the tank / weight %.4f\n", KERNEL_NAME[k], force / weight);
        assert_near(force, weight, 0.01 * weight);
        mn_world_destroy(world);
    }
}

static void other_supports_run(void** state)
{
    static const double support[] = {3, 5, 6};
    for (size_t k = 0; k < COUNT_OF(support); k++) {
        mn_WorldDef def = water_def(2, 0.01, MN_PRESSURE_DFSPH);
        def.support_radius = support[k] * def.particle_radius;
        mn_World* world = dam_world(&def, 14, 20, 0);
        world_until(world, 0.3);
        mn_Stats stats = mn_world_stats(world);
        print_message("h = %g r: fastest %.2f m/s, density error %.2g\n", support[k], stats.max_speed, stats.density_error_mean);
        assert_below(stats.density_error_mean, 0.002);
        assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
        mn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_breaks_a_dam),
        cmocka_unit_test(every_kernel_carries_the_weight),
        cmocka_unit_test(other_supports_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
