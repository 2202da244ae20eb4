// SPDX-License-Identifier: MIT
// How fluid starts: at rest whatever the step, and as much of it as was asked for.
#include "worlds.h"

#include "world/sph_parts.h"

static const double RADIUS = 0.015;

// Water in the corner of a box without gravity.
static double fastest_after(int dimension, mn_Pressure method, double time_step, double share, int steps)
{
    mn_WorldDef def = water_def(dimension, RADIUS, method);
    def.gravity = v3(0, 0, 0);
    def.solver.time_step = time_step;
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.3, 0.4, dimension == 3 ? 0.3 : 0));
    add_block(world, 1000, v3(0, 0, 0), v3(0.3 * share, 0.3 * share, dimension == 3 ? 0.3 * share : 0), v3(0, 0, 0));
    double most = 0;
    for (int k = 0; k < steps; k++) {
        world_steps(world, 1);
        most = fmax(most, mn_world_stats(world).max_speed);
    }
    mn_world_destroy(world);
    return most;
}

static void water_in_a_corner_rests(void** state)
{
    static const double steps[] = {2e-3, 2e-4, 2e-5};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t m = 0; m < COUNT_OF(ALL_METHODS); m++)
            for (size_t s = 0; s < COUNT_OF(steps); s++)
                for (int fits = 0; fits < 2; fits++) {
                    double speed = fastest_after(dimension, ALL_METHODS[m], steps[s], fits ? 1 : 0.873, 12);
                    print_message("%s %dD, steps of %g s, %s: %.2g m/s\n", METHOD_NAME[ALL_METHODS[m]], dimension, steps[s],
                                  fits ? "fits" : "does not fit", speed);
                    assert_below(speed, 1e-4);
                }
}

// Gauss holds fluid farther from walls than a lattice begins: left there, 0.9 m/s. Walls that could hold a metre of water.
static void water_rests_where_gauss_holds_it(void** state)
{
    static const double steps[] = {2e-3, 2e-4, 2e-5};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t s = 0; s < COUNT_OF(steps); s++) {
            mn_WorldDef def = water_def(dimension, RADIUS, MN_PRESSURE_DFSPH);
            def.gravity = v3(0, 0, 0);
            def.solver.time_step = steps[s];
            def.coupling.method = MN_COUPLING_GAUSS;
            def.coupling.stiffness = 70000;
            mn_World* world = world_new(&def);
            add_tank(world, v3(0.3, 0.4, dimension == 3 ? 0.3 : 0));
            add_block(world, 1000, v3(0, 0, 0), v3(0.3, 0.24, dimension == 3 ? 0.3 : 0), v3(0, 0, 0));
            world_steps(world, 12);
            double speed = mn_world_stats(world).max_speed;
            print_message("%dD, steps of %g s: %.2g m/s\n", dimension, steps[s], speed);
            assert_below(speed, 1e-4);
            assert_int_equal(mn_world_stats(world).fluid_particles, dimension == 3 ? 800 : 80);
            mn_world_destroy(world);
        }
}

// Under gravity the first moments are a matter of gravity, not of the step.
static double first_kick(double time_step)
{
    mn_WorldDef def = water_def(3, RADIUS, MN_PRESSURE_DFSPH);
    def.solver.time_step = time_step;
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.3, 0.6, 0.3));
    add_block(world, 1000, v3(0, 0, 0), v3(0.3, 0.3, 0.3), v3(0, 0, 0));
    double most = 0;
    while (most < 1e9 && (world_steps(world, 1), mn_world_stats(world).time < 0.04))
        most = fmax(most, mn_world_stats(world).kinetic_energy);
    mn_world_destroy(world);
    return most;
}

static void short_steps_kick_no_harder(void** state)
{
    double usual = first_kick(2e-3), shorter = first_kick(4e-4);
    print_message("largest kinetic energy: %.3g J with steps of 2 ms, %.3g J with 0.4 ms\n", usual, shorter);
    assert_below(usual, 0.2);
    assert_below(shorter, 1.5 * usual);
}

// What a particle starts with is forgotten as it leaves its wall.
static void packing_fades(void** state)
{
    mn_WorldDef def = water_def(2, 0.01, MN_PRESSURE_DFSPH);
    mn_World* world = dam_world(&def, 16, 24, 0);
    world_prepare(world);
    double sum[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        const Fluid* fluid = &world_sph(world)->fluid;
        for (size_t i = 0; i < fluid->set.count; i++)
            sum[k] += (double)fluid->packed[i];
        if (k == 0)
            world_until(world, 0.8);
    }
    print_message("packed in all: %.3g at the start, %.3g after a dam break\n", sum[0], sum[1]);
    assert_true(sum[0] > 0);
    assert_below(sum[1], 0.1 * sum[0]);
    mn_world_destroy(world);
}

// Fluid that is squeezed together for real pushes itself apart.
static void overlapping_blocks_part(void** state)
{
    mn_WorldDef def = water_def(2, 0.01, MN_PRESSURE_DFSPH);
    def.gravity = v3(0, 0, 0);
    mn_World* world = world_new(&def);
    add_block(world, 1000, v3(0, 0, 0), v3(0.1, 0.1, 0), v3(0, 0, 0));
    add_block(world, 1000, v3(0.095, 0, 0), v3(0.195, 0.1, 0), v3(0, 0, 0));
    world_prepare(world);
    double first = mn_world_stats(world).density_error_max;
    world_until(world, 0.5);
    double last = mn_world_stats(world).density_error_max;
    print_message("compression %.3g at the start, %.3g later\n", first, last);
    assert_true(first > 0.02);
    assert_below(last, 0.2 * first);
    mn_world_destroy(world);
}

// --- volumes

static uint64_t seeded(int dimension, mn_Vec3 size, Vec3d gravity, double* nearest, double* over)
{
    mn_WorldDef def = water_def(dimension, 0.012, MN_PRESSURE_DFSPH);
    def.gravity = gravity;
    mn_World* world = world_new(&def);
    add_tank(world, size);
    add_block(world, 1000, v3(0, 0, 0), size, v3(0, 0, 0));
    world_prepare(world);
    mn_Stats stats = mn_world_stats(world);
    assert_int_equal(stats.carved, 0);
    mn_ParticleView view = mn_world_particles(world);
    *nearest = INFINITY;
    *over = -INFINITY;
    for (size_t i = 0; i < view.count; i++) {
        const float *p = view.position + 4 * i, top[] = {(float)size.x, (float)size.y, (float)size.z};
        for (int k = 0; k < dimension; k++)
            *over = fmax(*over, fmax((double)(p[k] - top[k]), (double)-p[k]));
        for (size_t j = 0; j < i; j++) {
            const float* q = view.position + 4 * j;
            *nearest =
                fmin(*nearest,
                     sqrt((double)((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]))));
        }
    }
    mn_world_destroy(world);
    return stats.fluid_particles;
}

static void blocks_weigh_what_they_should(void** state)
{
    const double d = 0.024;
    static const double sizes[][3] = {
        {0.3, 0.25, 0.2}, {0.12, 0.12, 0.12}, {0.131, 0.157, 0.2}, {0.0999, 0.24, 0.11}, {0.25, 0.1, 0.26}};
    const Vec3d gravities[] = {v3(0, -9.81, 0), v3(9.81, 0, 0), v3(0, 0, 0)};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t k = 0; k < COUNT_OF(sizes); k++)
            for (size_t g = 0; g < COUNT_OF(gravities); g++) {
                double nearest, over;
                mn_Vec3 size = v3(sizes[k][0], sizes[k][1], dimension == 3 ? sizes[k][2] : 0);
                double volume = size.x * size.y * (dimension == 3 ? size.z : 1), one = pow(d, dimension);
                uint64_t count = seeded(dimension, size, gravities[g], &nearest, &over);
                print_message("%dD %g x %g x %g m: %g of %g m, nearest %.3f spacings\n", dimension, size.x, size.y, size.z,
                              (double)count * one, volume, nearest / d);
                assert_near((double)count * one, volume, 0.51 * one);
                assert_true(nearest > 0.799 * d);
                assert_near(over, -d / 2, 1e-6);
            }
}

// A gap too narrow for a lattice holds less, but not higher.
static void narrow_tanks_stay_below(void** state)
{
    const double d = 0.024;
    static const double widths[] = {1, 1.2, 1.5, 1.9, 2.5, 3.5};
    for (size_t k = 0; k < COUNT_OF(widths); k++) {
        double nearest, over, wide = widths[k] * d, volume = wide * 0.4;
        uint64_t count = seeded(2, v3(wide, 0.4, 0), v3(0, -9.81, 0), &nearest, &over);
        print_message("%.1f spacings wide: %.3g of %.3g m2, nearest %.3f spacings\n", widths[k], (double)count * d * d, volume,
                      nearest / d);
        assert_true(over < 0);
        assert_true(nearest > 0.799 * d);
        assert_true((double)count * d * d > 0.6 * volume);
    }
}

static void spheres_weigh_what_they_should(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (double r = 0.05; r < 0.11; r += 0.017) {
            mn_WorldDef def = water_def(dimension, 0.01, MN_PRESSURE_DFSPH);
            mn_World* world = world_new(&def);
            mn_Ball ball = {v3(0, 0, 0), r, v3(0, 0, 0)};
            mn_FluidDef fluid = mn_default_fluid_def();
            fluid.balls = &ball;
            fluid.ball_count = 1;
            add_fluid(world, &fluid);
            world_prepare(world);
            double volume = dimension == 3 ? 4 / 3.0 * 3.14159265 * r * r * r : 3.14159265 * r * r;
            double filled = (double)mn_world_stats(world).fluid_particles * pow(0.02, dimension);
            print_message("%dD sphere of %g m: %.4g of %.4g\n", dimension, r, filled, volume);
            // shells of equally deep points stay together, which matters for balls of a few spacings
            assert_near(filled, volume, (r < 0.07 ? 0.14 : 0.04) * volume);
            mn_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_in_a_corner_rests),    cmocka_unit_test(water_rests_where_gauss_holds_it),
        cmocka_unit_test(short_steps_kick_no_harder), cmocka_unit_test(packing_fades),
        cmocka_unit_test(overlapping_blocks_part),    cmocka_unit_test(blocks_weigh_what_they_should),
        cmocka_unit_test(narrow_tanks_stay_below),    cmocka_unit_test(spheres_weigh_what_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
