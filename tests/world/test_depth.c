// SPDX-License-Identifier: MIT
// Deep water takes no more iterations than shallow water: the bulk level of pressure solves (fluid/pressure/bulk.h).
#include "worlds.h"

#include "fluid/pressure/bulk_parts.h"
#include "world/sph_parts.h"

static const double RADIUS = 0.01;

typedef struct Deep {
    double iterations; // per step
    double speed;      // [m/s] fastest particle at the end
    mn_Stats stats;
} Deep;

typedef struct ColumnCase {
    int dimension, layers, threads;
    mn_Pressure method;
    bool breaks, periodic; // free to flow out to one side; without side walls
} ColumnCase;

static mn_World* column_of(const ColumnCase* c)
{
    double d = 2 * RADIUS, wide = (c->dimension == 3 ? 10 : 24) * d, high = c->layers * d, deep = c->dimension == 3 ? wide : 0;
    mn_WorldDef def = water_def(c->dimension, RADIUS, c->method);
    def.threads = c->threads;
    def.periodic[0] = c->periodic;
    def.domain.max = v3(wide, 2 * high, deep);
    mn_World* world = world_new(&def);
    mn_SolidDef tank = box_def(v3(c->periodic ? -wide : 0, 0, 0),
                               v3(c->breaks     ? 4 * wide
                                  : c->periodic ? 2 * wide
                                                : wide,
                                  1.3 * high, deep),
                               true);
    add_solid(world, &tank);
    add_block(world, 1000, v3(0, 0, 0), v3(wide, high, deep), v3(0, 0, 0));
    world_prepare(world);
    return world;
}

// A column of water, 24 particles wide (3D: 10 x 10); after `start` seconds.
static Deep column(const ColumnCase* c, double start, double seconds)
{
    mn_World* world = column_of(c);
    world_until(world, start);
    mn_Stats before = mn_world_stats(world);
    world_until(world, start + seconds);
    Deep deep = {.stats = mn_world_stats(world)};
    deep.iterations = (double)(deep.stats.iterations_total - before.iterations_total) / (double)(deep.stats.steps - before.steps);
    deep.speed = deep.stats.max_speed;
    mn_world_destroy(world);
    print_message("%dD, %s, %d layers, %s%s: %.2f iterations per step, fastest %.3f m/s, density error %.3g\n", c->dimension,
                  METHOD_NAME[c->method], c->layers, c->breaks ? "dam break" : "rest", c->periodic ? ", periodic" : "",
                  deep.iterations, deep.speed, deep.stats.density_error_mean);
    return deep;
}

static void iterations_do_not_grow_with_depth(void** state)
{
    static const mn_Pressure methods[] = {MN_PRESSURE_IISPH, MN_PRESSURE_DFSPH};
    static const int layers[] = {25, 100};
    for (size_t m = 0; m < COUNT_OF(methods); m++)
        for (size_t k = 0; k < COUNT_OF(layers); k++) {
            ColumnCase c = {.dimension = 2, .layers = layers[k], .threads = 1, .method = methods[m]}, let_go = c;
            let_go.breaks = true;
            Deep rest = column(&c, 0.2, 0.15), dam = column(&let_go, 0.05, 0.15);
            assert_below(rest.iterations, 10);
            assert_below(dam.iterations, 10);
            assert_below(rest.stats.density_error_mean, 0.001);
            assert_below(dam.stats.density_error_mean, 0.001);
            assert_below(rest.speed, 0.1 * sqrt(9.81 * layers[k] * 2 * RADIUS));
        }
}

static void columns_in_space_take_as_few(void** state)
{
    for (int breaks = 0; breaks < 2; breaks++) {
        ColumnCase c = {.dimension = 3, .layers = 100, .threads = 2, .method = MN_PRESSURE_DFSPH, .breaks = breaks};
        Deep deep = column(&c, 0.05, 0.1);
        assert_below(deep.iterations, 10);
        assert_below(deep.stats.density_error_mean, 0.001);
    }
}

// 32 without the level.
static void periodic_columns_take_fewer(void** state)
{
    ColumnCase c = {.dimension = 2, .layers = 100, .threads = 1, .method = MN_PRESSURE_DFSPH, .periodic = true};
    assert_below(column(&c, 0.1, 0.1).iterations, 24);
}

// --- without memory

static void count_warnings(void* user, mn_LogLevel level, const char* text)
{
    *(int*)user += level == MN_LOG_WARNING && strstr(text, "coarse level");
}

static void missing_memory_is_told_once(void** state)
{
    int warnings = 0;
    mn_WorldDef def = water_def(2, RADIUS, MN_PRESSURE_DFSPH);
    def.log = count_warnings;
    def.log_user = &warnings;
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.2, 0.3, 0));
    add_block(world, 1000, v3(0, 0, 0), v3(0.2, 0.2, 0), v3(0, 0, 0));
    world_prepare(world);
    world_steps(world, 2);
    assert_int_equal(warnings, 0);
    world_sph(world)->bulk->starved = true;
    world_steps(world, 3);
    assert_int_equal(warnings, 1);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_do_not_grow_with_depth),
        cmocka_unit_test(columns_in_space_take_as_few),
        cmocka_unit_test(periodic_columns_take_fewer),
        cmocka_unit_test(missing_memory_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
