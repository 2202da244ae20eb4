// SPDX-License-Identifier: MIT
// The grid fluid in a world: water at rest, a dam that breaks, bodies that float, layers.
#include "worlds.h"

static double mean_level(const mn_World* world)
{
    mn_ParticleView view = mn_world_particles(world);
    double sum = 0;
    for (size_t i = 0; i < view.count; i++)
        sum += (double)view.position[4 * i + 1];
    return sum / (double)view.count;
}

static void water_rests(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        double d = 0.04, wide = 20 * d, high = 16 * d, weight = 9810 * high * (dimension == 3 ? wide * wide : wide);
        mn_World* world = column_world(dimension, d / 2, MN_PRESSURE_FLIP, 20, 16);
        mn_ProbeId probe = add_probe(world, MN_PROBE_PRESSURE, v3(wide / 2, high / 2, dimension == 3 ? wide / 2 : 0));
        world_prepare(world);
        double level = mean_level(world);
        world_until(world, dimension == 2 ? 2 : 1);
        mn_Stats stats = mn_world_stats(world);
        assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
        assert_near(mean_level(world), level, 0.005 * level);
        assert_near(-mn_world_solid(world, 1).force.y, weight, 0.01 * weight);
        assert_near(mn_world_probe(world, probe, NULL), 9810 * high / 2, 0.02 * 9810 * high);
        // as fast as after a fall of a thousandth of a spacing
        assert_below(stats.kinetic_energy / (weight / 9.81), 0.001 * d * 9.81);
        mn_world_destroy(world);
    }
}

// Walls may stand anywhere between cells: what they leave of a row may be as thin as it likes, and water rests all the same.
static void slivers_rest(void** state)
{
    const double share[] = {0.003, 0.0188, 0.03, 0.067, 0.15, 0.3, 0.97};
    double d = 0.04, cell = 2 * d, high = 4 * cell;
    for (size_t k = 0; k < sizeof share / sizeof *share; k++) {
        mn_WorldDef def = water_def(3, d / 2, MN_PRESSURE_FLIP);
        double wide = (6 + share[k]) * cell;
        def.solver.cell_size = cell;
        mn_World* world = world_new(&def);
        add_tank(world, v3(wide, 2 * high, wide));
        add_block(world, 1000, v3(0, 0, 0), v3(wide, high, wide), v3(0, 0, 0));
        world_until(world, 0.6);
        mn_Stats stats = mn_world_stats(world);
        double mass = 1000 * wide * wide * high;
        print_message("a sliver of %g: %g J/kg\n", share[k], stats.kinetic_energy / mass);
        assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
        assert_below(stats.kinetic_energy / mass, 0.002 * d * 9.81);
        mn_world_destroy(world);
    }
}

static void dam_breaks(void** state)
{
    for (int apic = 0; apic < 2; apic++) {
        mn_WorldDef def = water_def(3, 0.02, MN_PRESSURE_FLIP);
        def.solver.transfer = apic ? MN_TRANSFER_APIC : MN_TRANSFER_FLIP;
        mn_World* world = dam_world(&def, 12, 16, 8);
        world_prepare(world);
        mn_Stats stats = mn_world_stats(world);
        double start = stats.potential_energy + stats.kinetic_energy, last = start;
        for (int k = 1; k <= 10; k++) {
            world_until(world, 0.1 * k);
            stats = mn_world_stats(world);
            assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
            // positions are corrected, which may lift a little
            assert_below(stats.potential_energy + stats.kinetic_energy, last + 0.01 * start);
            last = stats.potential_energy + stats.kinetic_energy;
        }
        assert_int_equal(stats.not_converged, 0);
        mn_world_destroy(world);
    }
}

// The heavier fluid stays below.
static void layers_stay(void** state)
{
    double d = 0.04, w = 16 * d;
    mn_WorldDef def = water_def(2, d / 2, MN_PRESSURE_FLIP);
    mn_World* world = world_new(&def);
    add_tank(world, v3(w, w, 0));
    add_block(world, 1000, v3(0, 0, 0), v3(w, 6 * d, 0), v3(0, 0, 0));
    add_block(world, 800, v3(0, 6 * d, 0), v3(w, 12 * d, 0), v3(0, 0, 0));
    world_prepare(world);
    world_until(world, 1);
    mn_ParticleView view = mn_world_particles(world);
    for (size_t i = 0; i < view.count; i++)
        if (view.fluid[i] == 0)
            assert_below((double)view.position[4 * i + 1], 7.5 * d);
        else
            assert_below(4.5 * d, (double)view.position[4 * i + 1]);
    double weight = 9.81 * 6 * d * w * 1800;
    assert_near(-mn_world_solid(world, 1).force.y, weight, 0.02 * weight);
    mn_world_destroy(world);
}

// A fixed step of 1/60 s, as for interaction, far beyond what the fastest particles would be allowed.
static void long_steps_hold(void** state)
{
    mn_WorldDef def = water_def(3, 0.02, MN_PRESSURE_FLIP);
    def.solver.time_step = 1.0 / 60;
    mn_World* world = dam_world(&def, 12, 16, 8);
    world_prepare(world);
    world_until(world, 1);
    mn_Stats stats = mn_world_stats(world);
    assert_int_equal(stats.steps, 60);
    assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
    mn_world_destroy(world);
}

// Brandt 2019, figs 10 and 11: the more Jacobi iterations, the less divergence is left and the more of the volume; multigrid leaves
// next to nothing of either lack.
static void iterations_take_divergence_away(void** state)
{
    const int iterations[] = {10, 50, 200, 0};
    double before = INFINITY, low = 0;
    for (size_t k = 0; k < sizeof iterations / sizeof *iterations; k++) {
        mn_WorldDef def = water_def(3, 0.02, MN_PRESSURE_FLIP);
        def.solver.time_step = 1.0 / 60;
        def.solver.iterations = iterations[k];
        mn_World* world = dam_world(&def, 12, 40, 12);
        world_prepare(world);
        assert_true(mn_world_stats(world).residual_divergence == 0);
        world_until(world, 1.5);
        double left = mn_world_stats(world).residual_divergence, level = mean_level(world);
        print_message("%d iterations: %.3g 1/s left, mean height %.4f m\n", iterations[k], left, level);
        assert_true(left > 0);
        assert_below(left, 0.7 * before);
        assert_true(level > low);
        before = left;
        low = 0.98 * level;
        mn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_rests), cmocka_unit_test(slivers_rest),    cmocka_unit_test(dam_breaks),
        cmocka_unit_test(layers_stay), cmocka_unit_test(long_steps_hold), cmocka_unit_test(iterations_take_divergence_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
