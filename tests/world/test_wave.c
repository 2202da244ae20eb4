// SPDX-License-Identifier: MIT
// The first standing wave in a tank of 1 x 0.4 m, 40 particle radii deep: what an accurate solver keeps of it, and what its
// particles do beside it. tools/validate measures it longer and at more sizes.
#include "worlds.h"

static const double LENGTH = 1, DEPTH = 0.4, HEIGHT = 0.02, GRAVITY = 9.81, RADIUS = 0.01;

static double wave_frequency(void)
{
    double k = M_PI / LENGTH;
    return sqrt(GRAVITY * k * tanh(k * DEPTH));
}

// As it passes through the flat state, every particle a block.
static mn_World* wave_world(mn_Accuracy accuracy)
{
    enum { ACROSS = 50, HIGH = 20 };
    static mn_Block block[ACROSS * HIGH];
    double d = 2 * RADIUS, k = M_PI / LENGTH, speed = HEIGHT * wave_frequency() / sinh(k * DEPTH);
    for (int i = 0; i < ACROSS * HIGH; i++) {
        double x = i / HIGH * d, y = i % HIGH * d, cx = k * (x + RADIUS), cy = k * (y + RADIUS);
        block[i] = (mn_Block){v3(x, y, 0), v3(x + d, y + d, 0), v3(speed * sin(cx) * cosh(cy), -speed * cos(cx) * sinh(cy), 0)};
    }
    mn_WorldDef def = water_def(2, RADIUS, MN_PRESSURE_DFSPH);
    def.solver.accuracy = accuracy;
    mn_World* world = world_new(&def);
    mn_SolidDef tank = box_def(v3(0, 0, 0), v3(LENGTH, 1, 0), true);
    tank.friction = 0;
    add_solid(world, &tank);
    mn_FluidDef water = mn_default_fluid_def();
    water.viscosity = 0;
    water.blocks = block;
    water.block_count = ACROSS * HIGH;
    add_fluid(world, &water);
    world_prepare(world);
    return world;
}

typedef struct Wave {
    double kept;  // [1] amplitude two periods later
    double noise; // [1] kinetic energy at the turning points, where the wave has none, of what it started with
} Wave;

// The amplitude of the momentum along the tank, over a period from `begin` on.
static double swing(mn_World* world, double begin)
{
    enum { SAMPLES = 32 };
    double omega = wave_frequency(), c = 0, s = 0;
    for (int k = 0; k < SAMPLES; k++) {
        double t = begin + 2 * M_PI / omega * k / SAMPLES;
        if (t > 0)
            world_until(world, t);
        double p = mn_world_stats(world).momentum.x;
        c += p * cos(omega * t);
        s += p * sin(omega * t);
    }
    return sqrt(c * c + s * s);
}

static Wave wave_of(mn_Accuracy accuracy)
{
    mn_World* world = wave_world(accuracy);
    double period = 2 * M_PI / wave_frequency(), energy = mn_world_stats(world).kinetic_energy, first = swing(world, 0);
    Wave wave = {.kept = swing(world, 2 * period) / first, .noise = INFINITY};
    for (int k = 0; k < 16; k++) {
        world_until(world, 3 * period + period / 2 * k / 16);
        wave.noise = fmin(wave.noise, mn_world_stats(world).kinetic_energy / energy);
    }
    mn_Stats stats = mn_world_stats(world);
    assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
    mn_world_destroy(world);
    return wave;
}

static void accurate_solvers_keep_waves(void** state)
{
    Wave fast = wave_of(MN_ACCURACY_FAST), accurate = wave_of(MN_ACCURACY_ACCURATE);
    print_message(
        "after two periods: fast %.3f of the amplitude, particles' own energy %.3f of the wave's; accurate %.3f and %.3f\n",
        fast.kept, fast.noise, accurate.kept, accurate.noise);
    assert_below(0.94, accurate.kept);
    assert_below(fast.kept, accurate.kept);
    assert_below(accurate.noise, 0.05);
}

// What mirroring walls push the water with is its weight, and none of it goes through them.
static void mirroring_walls_carry_the_weight(void** state)
{
    mn_WorldDef def = water_def(2, 0.02, MN_PRESSURE_DFSPH);
    def.solver.accuracy = MN_ACCURACY_ACCURATE;
    mn_World* world = world_new(&def);
    mn_SolidDef box = box_def(v3(0, 0, 0), v3(0.4, 0.6, 0), true);
    mn_SolidId tank = add_solid(world, &box);
    add_block(world, 1000, v3(0, 0, 0), v3(0.4, 0.24, 0), v3(0, 0, 0));
    world_prepare(world);
    mn_Vec3 mean = {0, 0, 0};
    int samples = 0;
    world_until(world, 0.5);
    for (double t = 0.51; t < 1.5; t += 0.01, samples++) {
        world_until(world, t);
        mn_Vec3 f = mn_world_solid(world, tank).force;
        mean = v3(mean.x + f.x, mean.y + f.y, 0);
    }
    mn_Stats stats = mn_world_stats(world);
    double weight = 0.4 * 0.24 * 1000 * 9.81, down = -mean.y / samples, aside = mean.x / samples;
    print_message("force on the tank %.2f N down, %.2f N aside, weight %.2f N\n", down, aside, weight);
    assert_near(down, weight, 0.01 * weight);
    assert_near(aside, 0, 0.01 * weight);
    assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accurate_solvers_keep_waves),
        cmocka_unit_test(mirroring_walls_carry_the_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
