// SPDX-License-Identifier: MIT
// Nothing in the library knows a length: a dam break a thousand times larger, with times scaled by the square root, is the
// same dam break.
#include "worlds.h"

typedef struct Outcome {
    double front, top;         // [spacings] beyond which is 1 % of the fluid: single particles are chaotic
    double kinetic, potential; // [1] of the first potential energy
    double error;
    double steps, boundary;
} Outcome;

static Outcome break_dam(int dimension, mn_Pressure method, double radius)
{
    mn_WorldDef def = water_def(dimension, radius, method);
    mn_World* world = dimension == 2 ? dam_world(&def, 16, 24, 0) : dam_world(&def, 8, 12, 6);
    double d = 2 * radius, high = (dimension == 2 ? 24 : 12) * d;
    world_prepare(world);
    double first = mn_world_stats(world).potential_energy;
    world_until(world, 1.4 * sqrt(high / 9.81));
    mn_Stats stats = mn_world_stats(world);
    Outcome out = {.front = reach_of(world, 0, 0.99) / d,
                   .top = reach_of(world, 1, 0.99) / d,
                   .kinetic = stats.kinetic_energy / first,
                   .potential = stats.potential_energy / first,
                   .error = stats.density_error_mean,
                   .steps = (double)stats.steps,
                   .boundary = (double)stats.boundary_particles};
    print_message("%s %dD r = %g: front %.3f d, top %.3f d, kinetic %.5f, potential %.5f, density error %.2g, %g steps\n",
                  METHOD_NAME[method], dimension, radius, out.front, out.top, out.kinetic, out.potential, out.error, out.steps);
    assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
    mn_world_destroy(world);
    return out;
}

static void check(int dimension, mn_Pressure method)
{
    static const double radius[] = {0.0005, 0.01, 0.5};
    Outcome out[3];
    for (int k = 0; k < 3; k++)
        out[k] = break_dam(dimension, method, radius[k]);
    for (int k = 0; k < 3; k += 2) {
        assert_near(out[k].boundary, out[1].boundary, 0);
        assert_near(out[k].front, out[1].front, 0.01 * out[1].front);
        assert_near(out[k].top, out[1].top, 0.02 * out[1].top);
        assert_near(out[k].kinetic, out[1].kinetic, 0.01 * out[1].kinetic);
        assert_near(out[k].potential, out[1].potential, 0.01 * out[1].potential);
        assert_near(out[k].steps, out[1].steps, 0.02 * out[1].steps);
    }
}

static void scale_does_not_matter_in_2d(void** state)
{
    for (size_t k = 0; k < COUNT_OF(ALL_METHODS); k++)
        check(2, ALL_METHODS[k]);
}

static void scale_does_not_matter_in_3d(void** state)
{
    check(3, MN_PRESSURE_DFSPH);
    check(3, MN_PRESSURE_PCISPH);
}

// Drops without gravity: speeds are the only measure of time.
static void scale_does_not_matter_without_gravity(void** state)
{
    double speed[2];
    for (int k = 0; k < 2; k++) {
        double scale = k ? 1e3 : 1, d = 0.002 * scale;
        mn_WorldDef def = water_def(2, 0.001 * scale, MN_PRESSURE_DFSPH);
        def.gravity = v3(0, 0, 0);
        mn_World* world = world_new(&def);
        mn_Block block[2] = {{v3(-10 * d, 0, 0), v3(0, 8 * d, 0), v3(1, 0, 0)},
                             {v3(2 * d, 0, 0), v3(12 * d, 8 * d, 0), v3(-1, 0, 0)}};
        mn_FluidDef fluid = mn_default_fluid_def();
        fluid.blocks = block;
        fluid.block_count = 2;
        add_fluid(world, &fluid);
        world_until(world, 6 * d);
        mn_Stats stats = mn_world_stats(world);
        speed[k] = stats.kinetic_energy / ((double)stats.fluid_particles * 1000 * d * d);
        print_message("scale %g: kinetic energy per mass %.6f m2/s2, %d steps\n", scale, speed[k], (int)stats.steps);
        mn_world_destroy(world);
    }
    assert_near(speed[1], speed[0], 0.01 * speed[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scale_does_not_matter_in_2d),
        cmocka_unit_test(scale_does_not_matter_in_3d),
        cmocka_unit_test(scale_does_not_matter_without_gravity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
