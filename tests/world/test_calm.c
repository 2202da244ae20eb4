// SPDX-License-Identifier: MIT
// Water at rest in tanks of any length comes to rest: lengths that are no multiple of the spacing put neither gaps nor
// squeezed layers along walls.
#include "worlds.h"

static const double RADIUS = 0.01, GRAVITY = 9.81;

typedef struct Rest {
    double speed;  // [sqrt(g H)] fastest particle, mean of the last fifth of the time
    double energy; // [m g H] kinetic energy at the end
    double first;  // [m g H] largest kinetic energy
    double level;  // [spacings] twice the height of the centre of mass, minus the volume per area
    mn_Stats stats;
} Rest;

static Rest rest_in(int dimension, mn_Pressure method, double length, double high, double deep, double seconds)
{
    double d = 2 * RADIUS, z = dimension == 3 ? deep * d : 0, height = high * d;
    mn_WorldDef def = water_def(dimension, RADIUS, method);
    mn_World* world = world_new(&def);
    add_tank(world, v3(length * d, 1.7 * height, z));
    add_block(world, 1000, v3(0, 0, 0), v3(length * d, height, z), v3(0, 0, 0));
    world_prepare(world);
    Rest rest = {0};
    for (int frame = 1; frame <= 50; frame++) {
        world_until(world, seconds * frame / 50);
        rest.stats = mn_world_stats(world);
        double unit = (double)rest.stats.fluid_particles * 1000 * pow(d, dimension) * GRAVITY * height;
        rest.energy = rest.stats.kinetic_energy / unit;
        rest.first = fmax(rest.first, rest.energy);
        double volume = (double)rest.stats.fluid_particles / (length * (dimension == 3 ? deep : 1));
        rest.level = 2 * rest.stats.potential_energy / unit * high - volume;
        if (frame > 40)
            rest.speed += rest.stats.max_speed / sqrt(GRAVITY * height) / 10;
    }
    mn_world_destroy(world);
    return rest;
}

static void check(int dimension, mn_Pressure method, double length, double high, double deep, double seconds)
{
    Rest rest = rest_in(dimension, method, length, high, deep, seconds);
    print_message(
        "%s %dD %.2f x %g spacings: fastest %.4f sqrt(g H) after %g s, kinetic energy %.2g m g H (first peak %.2g), level %+.2f d, "
        "%llu carved\n",
        METHOD_NAME[method], dimension, length, high, rest.speed, seconds, rest.energy, rest.first, rest.level,
        (unsigned long long)rest.stats.carved);
    assert_below(rest.speed, 0.05);
    assert_below(rest.energy, 1e-4);
    assert_near(rest.level, 0, 0.5);
    assert_int_equal(rest.stats.carved, 0);
    assert_int_equal(rest.stats.lost_particles + rest.stats.leaked_particles, 0);
}

static void short_tanks_are_calm(void** state)
{
    static const double length[] = {20, 20.25, 20.5, 20.75, 20.98, 27.3};
    for (size_t k = 0; k < COUNT_OF(length); k++)
        check(2, MN_PRESSURE_DFSPH, length[k], 12, 0, 2);
}

static void all_methods_are_calm(void** state)
{
    for (size_t k = 0; k < COUNT_OF(ALL_METHODS); k++)
        check(2, ALL_METHODS[k], 33.6, 12, 0, 2);
}

static void long_tanks_are_calm(void** state)
{
    static const double length[] = {51.4, 100.5, 147.9, 199.3, 200};
    for (size_t k = 0; k < COUNT_OF(length); k++)
        check(2, MN_PRESSURE_DFSPH, length[k], 12, 0, 2);
}

// The deeper the water the stiffer it is: steps must know.
static void deep_water_is_calm(void** state)
{
    check(2, MN_PRESSURE_DFSPH, 10, 60, 0, 3);
    check(2, MN_PRESSURE_IISPH, 10, 40, 0, 3);
    check(2, MN_PRESSURE_PCISPH, 10, 40, 0, 3);
}

static void uneven_tanks_are_calm_in_3d(void** state)
{
    check(3, MN_PRESSURE_DFSPH, 20.6, 8, 8.4, 2);
    check(3, MN_PRESSURE_IISPH, 27.5, 8, 7.7, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_tanks_are_calm),        cmocka_unit_test(all_methods_are_calm),
        cmocka_unit_test(long_tanks_are_calm),         cmocka_unit_test(deep_water_is_calm),
        cmocka_unit_test(uneven_tanks_are_calm_in_3d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
