// SPDX-License-Identifier: MIT
// Two drops meet off centre, without gravity and walls: linear and angular momentum stay what they were, relative to the sum
// of all that moves, for every pressure method and viscosity.
#include "worlds.h"

static mn_Accuracy accuracy = MN_ACCURACY_FAST;

static mn_World* drops(int dimension, mn_Pressure method, mn_Viscosity viscosity, double amount, double second_density)
{
    mn_WorldDef def = water_def(dimension, 0.01, method);
    def.solver.accuracy = accuracy;
    def.gravity = v3(0, 0, 0);
    mn_World* world = world_new(&def);
    for (int k = 0; k < 2; k++) {
        double side = k ? 1 : -1, z = dimension == 3 ? 0.01 * side : 0;
        mn_Ball ball = {v3(0.08 * side + 0.3, 0.03 * side, z), 0.07, v3(-1.5 * side, 0.1, dimension == 3 ? 0.3 * side : 0)};
        mn_FluidDef fluid = mn_default_fluid_def();
        fluid.density = k ? second_density : 1000;
        fluid.viscosity_method = viscosity;
        fluid.viscosity = amount;
        fluid.balls = &ball;
        fluid.ball_count = 1;
        add_fluid(world, &fluid);
    }
    world_prepare(world);
    return world;
}

// sum of m |v| and of m |x| |v|, in units of the density of water
static void all_that_moves(const mn_World* world, double* linear, double* angular, double second_density)
{
    mn_ParticleView view = mn_world_particles(world);
    *linear = *angular = 0;
    for (size_t i = 0; i < view.count; i++) {
        const float *x = view.position + 4 * i, *v = view.velocity + 4 * i;
        double m = view.fluid[i] ? second_density : 1000;
        double speed = sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        *linear += m * speed;
        *angular += m * speed * sqrt((double)(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    }
}

static double distance(mn_Vec3 a, mn_Vec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static void check(int dimension, mn_Pressure method, mn_Viscosity viscosity, double amount, double second_density)
{
    static const char* const names[] = {"artificial", "laplace", "xsph", "implicit"};
    mn_World* world = drops(dimension, method, viscosity, amount, second_density);
    double linear, angular, volume = pow(0.02, dimension);
    all_that_moves(world, &linear, &angular, second_density);
    mn_Stats before = mn_world_stats(world);
    world_until(world, 0.1);
    mn_Stats after = mn_world_stats(world);
    double drift = distance(before.momentum, after.momentum) / (linear * volume);
    double twist = distance(before.angular_momentum, after.angular_momentum) / (angular * volume);
    print_message(
        "%s %s %dD 1:%g: momentum drifts by %.2g, angular momentum by %.2g in %d steps; kinetic energy %.3f of the first\n",
        METHOD_NAME[method], names[viscosity], dimension, second_density / 1000, drift, twist, (int)after.steps,
        after.kinetic_energy / before.kinetic_energy);
    assert_below(drift, 1e-5);
    assert_below(twist, 1e-5);
    // they did meet, and nothing came from nowhere
    assert_below(after.kinetic_energy, 0.95 * before.kinetic_energy);
    assert_int_equal(after.lost_particles, 0);
    mn_world_destroy(world);
}

static void momentum_is_kept_by_all_methods(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t k = 0; k < COUNT_OF(ALL_METHODS); k++)
            check(dimension, ALL_METHODS[k], MN_VISCOSITY_ARTIFICIAL, 0.05, 1000);
}

static void momentum_is_kept_by_all_viscosities(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        check(dimension, MN_PRESSURE_DFSPH, MN_VISCOSITY_LAPLACE, 1, 1000);
        check(dimension, MN_PRESSURE_IISPH, MN_VISCOSITY_LAPLACE, 1, 1000);
        check(dimension, MN_PRESSURE_PCISPH, MN_VISCOSITY_ARTIFICIAL, 0, 1000);
        check(dimension, MN_PRESSURE_DFSPH, MN_VISCOSITY_IMPLICIT, 20, 1000);
    }
}

static void momentum_is_kept_by_unequal_fluids(void** state)
{
    for (size_t k = 0; k < COUNT_OF(ALL_METHODS); k++)
        check(2, ALL_METHODS[k], k & 1 ? MN_VISCOSITY_LAPLACE : MN_VISCOSITY_ARTIFICIAL, k & 1 ? 1 : 0.05, 5000);
    check(2, MN_PRESSURE_DFSPH, MN_VISCOSITY_IMPLICIT, 20, 5000);
}

static void momentum_is_kept_by_accurate_solvers(void** state)
{
    accuracy = MN_ACCURACY_ACCURATE;
    check(2, MN_PRESSURE_DFSPH, MN_VISCOSITY_ARTIFICIAL, 0, 1000);
    check(2, MN_PRESSURE_IISPH, MN_VISCOSITY_LAPLACE, 1, 5000);
    check(3, MN_PRESSURE_DFSPH, MN_VISCOSITY_ARTIFICIAL, 0.05, 1000);
    accuracy = MN_ACCURACY_FAST;
}

// XSPH smooths velocities along no line between particles: it keeps linear momentum, and angular momentum of rigid motion only
// to the order of the smoothing.
static void xsph_keeps_linear_momentum(void** state)
{
    mn_World* world = drops(3, MN_PRESSURE_DFSPH, MN_VISCOSITY_XSPH, 0.05, 1000);
    double linear, angular;
    all_that_moves(world, &linear, &angular, 1000);
    mn_Stats before = mn_world_stats(world);
    world_until(world, 0.1);
    mn_Stats after = mn_world_stats(world);
    double drift = distance(before.momentum, after.momentum) / (linear * 8e-6);
    double twist = distance(before.angular_momentum, after.angular_momentum) / (angular * 8e-6);
    print_message("dfsph xsph: momentum drifts by %.2g, angular momentum by %.2g\n", drift, twist);
    assert_below(drift, 1e-5);
    assert_below(twist, 0.02);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept_by_all_methods),    cmocka_unit_test(momentum_is_kept_by_all_viscosities),
        cmocka_unit_test(momentum_is_kept_by_unequal_fluids), cmocka_unit_test(momentum_is_kept_by_accurate_solvers),
        cmocka_unit_test(xsph_keeps_linear_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
