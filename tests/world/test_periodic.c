// SPDX-License-Identifier: MIT
// Periodic axes: what happens across a border is what happens anywhere.
#include "worlds.h"

#include <string.h>

static const double LENGTH = 0.4; // [m]

typedef struct Case {
    int dimension;
    mn_Pressure method;
    mn_Accuracy accuracy;
    mn_Viscosity viscosity;
    double amount, gamma;
    bool periodic;
    int threads;
} Case;

// Two drops meet off centre and drift over the borders of all axes meanwhile.
static mn_World* drops(const Case* c)
{
    bool solid = c->dimension == 3;
    mn_WorldDef def = water_def(c->dimension, 0.01, c->method);
    def.threads = c->threads;
    def.solver.accuracy = c->accuracy;
    def.gravity = v3(0, 0, 0);
    for (int k = 0; k < c->dimension; k++)
        def.periodic[k] = c->periodic;
    def.domain = (mn_Domain){v3(0, 0, 0), v3(LENGTH, LENGTH, solid ? LENGTH : 0)};
    mn_World* world = world_new(&def);
    mn_Ball balls[2];
    for (int k = 0; k < 2; k++) {
        double side = k ? 1 : -1, middle = LENGTH / 2;
        balls[k] = (mn_Ball){v3(middle + 0.08 * side, middle + 0.03 * side, solid ? middle : 0), 0.07,
                             v3(4 - 1.5 * side, 4, solid ? 4 : 0)};
    }
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.viscosity_method = c->viscosity;
    fluid.viscosity = c->amount;
    fluid.tension.gamma = c->gamma;
    fluid.balls = balls;
    fluid.ball_count = 2;
    add_fluid(world, &fluid);
    world_prepare(world);
    return world;
}

static double distance(mn_Vec3 a, mn_Vec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// How many of the particles are in the domain, and how many have left it on the way.
static void count_inside(const mn_World* world, size_t* inside, size_t* low)
{
    mn_ParticleView view = mn_world_particles(world);
    *inside = *low = 0;
    for (size_t i = 0; i < view.count; i++) {
        const float* x = view.position + 4 * i;
        *inside += x[0] >= 0 && (double)x[0] < LENGTH && x[1] >= 0 && (double)x[1] < LENGTH;
        *low += (double)x[0] < LENGTH / 2;
    }
}

// Energy in the frame that drifts along.
static double inner_energy(const mn_World* world)
{
    mn_Stats s = mn_world_stats(world);
    mn_ParticleView view = mn_world_particles(world);
    double mass = 1000 * pow(0.02, 2) * (double)view.count, sum = 0;
    for (size_t i = 0; i < view.count; i++) {
        const float* v = view.velocity + 4 * i;
        for (int k = 0; k < 3; k++)
            sum += 0.5 * mass / (double)view.count *
                   pow((double)v[k] - (k == 0   ? s.momentum.x
                                       : k == 1 ? s.momentum.y
                                                : s.momentum.z) /
                                          mass,
                       2);
    }
    return sum;
}

static void compare(Case c)
{
    double energy[2], drift[2];
    mn_Stats before, after;
    size_t inside, low;
    for (int k = 0; k < 2; k++) {
        c.periodic = k;
        mn_World* world = drops(&c);
        before = mn_world_stats(world);
        world_until(world, 0.05);
        after = mn_world_stats(world);
        energy[k] = c.dimension == 2 ? inner_energy(world) : after.kinetic_energy - before.kinetic_energy;
        drift[k] = distance(before.momentum, after.momentum) / distance(before.momentum, v3(0, 0, 0));
        count_inside(world, &inside, &low);
        mn_world_destroy(world);
    }
    print_message("%dD %s: energy %.6g, across borders %.6g; momentum drifts by %.2g and %.2g; %zu of %zu are beyond\n",
                  c.dimension, METHOD_NAME[c.method], energy[0], energy[1], drift[0], drift[1], low, inside);
    assert_int_equal(inside, after.fluid_particles);
    assert_true(low > inside / 4 && low < inside);
    assert_int_equal(after.lost_particles, 0);
    assert_below(fabs(energy[1] - energy[0]), 0.01 * fabs(energy[0]));
    assert_below(drift[1], 1e-5);
}

static void all_methods_act_across_borders(void** state)
{
    for (size_t k = 0; k < COUNT_OF(ALL_METHODS); k++)
        compare((Case){2, ALL_METHODS[k], MN_ACCURACY_FAST, MN_VISCOSITY_ARTIFICIAL, 0.05, 0, true, 1});
}

static void all_forces_act_across_borders(void** state)
{
    compare((Case){2, MN_PRESSURE_DFSPH, MN_ACCURACY_FAST, MN_VISCOSITY_LAPLACE, 1, 0, true, 1});
    compare((Case){2, MN_PRESSURE_DFSPH, MN_ACCURACY_FAST, MN_VISCOSITY_XSPH, 0.1, 1, true, 1});
    compare((Case){2, MN_PRESSURE_DFSPH, MN_ACCURACY_ACCURATE, MN_VISCOSITY_ARTIFICIAL, 0.05, 0, true, 1});
    compare((Case){3, MN_PRESSURE_DFSPH, MN_ACCURACY_FAST, MN_VISCOSITY_ARTIFICIAL, 0.05, 1, true, 1});
}

// Fluid everywhere is a lattice without borders.
static void a_full_domain_has_no_surface(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        mn_WorldDef def = water_def(dimension, 0.01, MN_PRESSURE_DFSPH);
        def.gravity = v3(0, 0, 0);
        bool solid = dimension == 3;
        for (int k = 0; k < dimension; k++)
            def.periodic[k] = true;
        def.domain = (mn_Domain){v3(-0.1, 0.3, solid ? -0.2 : 0), v3(0.1, 0.5, solid ? 0 : 0)};
        mn_World* world = world_new(&def);
        add_block(world, 1000, v3(-0.2, 0, solid ? -0.3 : 0), v3(0.3, 0.7, solid ? 0.1 : 0), v3(1, 0.5, solid ? 0.25 : 0));
        world_prepare(world);
        world_until(world, 0.05);
        mn_ParticleView view = mn_world_particles(world);
        double least = 1e9, most = 0;
        for (size_t i = 0; i < view.count; i++) {
            least = fmin(least, (double)view.density[i]);
            most = fmax(most, (double)view.density[i]);
            assert_below(fabs((double)view.velocity[4 * i] - 1), 1e-3);
        }
        print_message("%dD: %zu particles, densities from %.6f to %.6f\n", dimension, view.count, least, most);
        assert_int_equal(view.count, dimension == 3 ? 1000 : 100);
        assert_below(most - least, 2e-4);
        assert_below(fabs(most - 1), 2e-4);
        mn_world_destroy(world);
    }
}

// A channel: static walls reach beyond the domain, flow is the same everywhere along it, and nothing leaks.
static void walls_go_on_beyond_borders(void** state)
{
    mn_WorldDef def = water_def(2, 0.0125, MN_PRESSURE_DFSPH);
    def.gravity = v3(0.5, -9.81, 0);
    def.periodic[0] = true;
    def.domain = (mn_Domain){v3(0, 0, 0), v3(0.5, 0, 0)};
    mn_World* world = world_new(&def);
    mn_SolidDef floor = box_def(v3(-1, -0.2, 0), v3(2, 0, 0), false);
    add_solid(world, &floor);
    mn_Block block = {v3(0, 0, 0), v3(0.5, 0.2, 0), v3(0, 0, 0)};
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.viscosity_method = MN_VISCOSITY_LAPLACE;
    fluid.viscosity = 20;
    fluid.blocks = &block;
    fluid.block_count = 1;
    add_fluid(world, &fluid);
    world_prepare(world);
    world_until(world, 0.6);
    mn_ParticleView view = mn_world_particles(world);
    double level[2] = {0, 0}, speed[2] = {0, 0}, count[2] = {0, 0};
    for (size_t i = 0; i < view.count; i++) {
        const float* x = view.position + 4 * i;
        int middle = x[0] > 0.125f && x[0] < 0.375f;
        level[middle] = fmax(level[middle], (double)x[1]);
        speed[middle] += (double)view.velocity[4 * i];
        count[middle]++;
    }
    mn_Stats stats = mn_world_stats(world);
    print_message("highest %.4f m at the border, %.4f m in the middle; mean speed %.4f and %.4f m/s\n", level[0], level[1],
                  speed[0] / count[0], speed[1] / count[1]);
    assert_int_equal(stats.leaked_particles + stats.lost_particles, 0);
    assert_below(fabs(level[0] - level[1]), 0.01);
    assert_below(0.05, speed[1] / count[1]);
    assert_below(fabs(speed[0] / count[0] - speed[1] / count[1]), 0.03 * speed[1] / count[1]);
    mn_world_destroy(world);
}

static void threads_do_not_matter(void** state)
{
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        Case c = {2, MN_PRESSURE_DFSPH, MN_ACCURACY_FAST, MN_VISCOSITY_LAPLACE, 1, 1, true, k ? 3 : 1};
        mn_World* world = drops(&c);
        world_until(world, 0.05);
        hash[k] = mn_world_hash(world);
        mn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

// Only fluid passes: a body that reaches a border ends the run, one that starts there is refused.
static void bodies_stay_within(void** state)
{
    for (int k = 0; k < 2; k++) {
        mn_WorldDef def = water_def(2, 0.01, MN_PRESSURE_DFSPH);
        def.gravity = v3(0, 0, 0);
        def.periodic[0] = true;
        def.domain = (mn_Domain){v3(0, 0, 0), v3(LENGTH, 0, 0)};
        mn_World* world = world_new(&def);
        mn_SolidDef body = box_def(v3(0, 0, 0), v3(0.1, 0.1, 0), false);
        body.type = MN_SOLID_RIGID;
        body.pose.position = v3(k ? 0.2 : 0.02, 0.1, 0);
        body.velocity = v3(1, 0, 0);
        add_solid(world, &body);
        mn_Error error = {0};
        mn_Result result = mn_world_prepare(world, &error);
        assert_int_equal(result, k ? MN_OK : MN_BAD_INPUT);
        int steps = 5000;
        if (k)
            assert_int_equal(mn_world_advance(world, 1, count_down, &steps, &error), MN_INVALID);
        assert_non_null(strstr(error.message, "periodic border"));
        mn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods_act_across_borders), cmocka_unit_test(all_forces_act_across_borders),
        cmocka_unit_test(a_full_domain_has_no_surface),   cmocka_unit_test(walls_go_on_beyond_borders),
        cmocka_unit_test(threads_do_not_matter),          cmocka_unit_test(bodies_stay_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
