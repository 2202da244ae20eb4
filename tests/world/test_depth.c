// SPDX-License-Identifier: MIT
// Deep water takes no more iterations than shallow water: the bulk level of pressure solves (fluid/pressure/bulk.h).
#include "worlds.h"

static const double RADIUS = 0.01;

typedef struct Deep {
    double iterations; // per step
    double speed;      // [m/s] fastest particle at the end
    mn_Stats stats;
} Deep;

// A column of water, 24 particles wide: at rest in its tank, or free to flow out to one side; after `start` seconds.
static Deep column(mn_Pressure method, int layers, bool breaks, double start, double seconds)
{
    double d = 2 * RADIUS, wide = 24 * d, high = layers * d;
    mn_WorldDef def = water_def(2, RADIUS, method);
    mn_World* world = world_new(&def);
    add_tank(world, v3(breaks ? 4 * wide : wide, 1.3 * high, 0));
    add_block(world, 1000, v3(0, 0, 0), v3(wide, high, 0), v3(0, 0, 0));
    world_prepare(world);
    world_until(world, start);
    mn_Stats before = mn_world_stats(world);
    world_until(world, start + seconds);
    Deep deep = {.stats = mn_world_stats(world)};
    deep.iterations = (double)(deep.stats.iterations_total - before.iterations_total) / (double)(deep.stats.steps - before.steps);
    deep.speed = deep.stats.max_speed;
    mn_world_destroy(world);
    print_message("%s, %d layers, %s: %.2f iterations per step, fastest %.3f m/s, density error %.3g\n", METHOD_NAME[method],
                  layers, breaks ? "dam break" : "rest", deep.iterations, deep.speed, deep.stats.density_error_mean);
    return deep;
}

static void iterations_do_not_grow_with_depth(void** state)
{
    static const mn_Pressure methods[] = {MN_PRESSURE_IISPH, MN_PRESSURE_DFSPH};
    static const int layers[] = {25, 100};
    for (size_t m = 0; m < COUNT_OF(methods); m++)
        for (size_t k = 0; k < COUNT_OF(layers); k++) {
            Deep rest = column(methods[m], layers[k], false, 0.2, 0.15), dam = column(methods[m], layers[k], true, 0.05, 0.15);
            assert_below(rest.iterations, 10);
            assert_below(dam.iterations, 10);
            assert_below(rest.stats.density_error_mean, 0.001);
            assert_below(dam.stats.density_error_mean, 0.001);
            assert_below(rest.speed, 0.1 * sqrt(9.81 * layers[k] * 2 * RADIUS));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(iterations_do_not_grow_with_depth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
