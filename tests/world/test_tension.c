// SPDX-License-Identifier: MIT
// Surface tension and adhesion in a world: momentum, alone and with a rigid body, and cubes that become balls by one method.
#include "drops.h"

static double length(mn_Vec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// A cube of water with the corner at the origin, without gravity.
static mn_World* cube_new(mn_Pressure pressure, mn_Tension method, double gamma, int cells)
{
    mn_WorldDef def = water_def(3, 5e-4, pressure);
    def.gravity = v3(0, 0, 0);
    mn_World* world = world_new(&def);
    mn_Block block = {v3(0, 0, 0), v3(1e-3 * cells, 1e-3 * cells, 1e-3 * cells), v3(0, 0, 0)};
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.tension = (mn_TensionDef){.method = method, .gamma = gamma, .sigma = MN_AUTO};
    fluid.blocks = &block;
    fluid.block_count = 1;
    add_fluid(world, &fluid);
    return world;
}

// Sum of m |v|, the largest so far: what momentum is compared with.
static double sum_of_speeds(const mn_World* world)
{
    mn_ParticleView view = mn_world_particles(world);
    double sum = 0;
    for (size_t i = 0; i < view.count; i++) {
        const float* v = view.velocity + 4 * i;
        sum += 1e-6 * sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return sum;
}

static void momentum_is_kept(void** state)
{
    for (size_t p = 0; p < COUNT_OF(ALL_METHODS); p++)
        for (mn_Tension m = MN_TENSION_AKINCI; m <= MN_TENSION_TARTAKOVSKY; m++) {
            mn_World* world = cube_new(ALL_METHODS[p], m, 1, 8);
            double most = 0;
            for (int k = 1; k <= 5; k++) {
                world_until(world, 0.01 * k);
                most = fmax(most, sum_of_speeds(world));
            }
            mn_Stats stats = mn_world_stats(world);
            print_message("%s, tension %d: momentum drifts by %.2g of all that moves in %d steps\n", METHOD_NAME[ALL_METHODS[p]],
                          (int)m, length(stats.momentum) / most, (int)stats.steps);
            assert_below(length(stats.momentum) / most, 1e-5);
            assert_true(most > 1e-6);
            mn_world_destroy(world);
        }
}

// --- adhesion and a body that is free to move

static void body_and_drop_attract_each_other(void** state)
{
    mn_World* world = cube_new(MN_PRESSURE_DFSPH, MN_TENSION_AKINCI, 1, 8);
    mn_SolidDef body = box_def(v3(-0.0045, 0.002, 0.002), v3(-0.0005, 0.006, 0.006), false);
    body.type = MN_SOLID_RIGID;
    body.density = 1500;
    body.adhesion = 8;
    add_solid(world, &body);
    double most = 0;
    for (int k = 1; k <= 10; k++) {
        world_until(world, 0.005 * k);
        most = fmax(most, sum_of_speeds(world));
    }
    mn_Stats stats = mn_world_stats(world);
    mn_SolidView view = mn_world_solid(world, 1);
    print_message("body and drop: momentum drifts by %.2g of all that moves; the body went %.2f mm towards the drop\n",
                  length(stats.momentum) / most, 1e3 * (view.pose.position.x + 0.0025));
    assert_below(length(stats.momentum) / most, 1e-5);
    assert_true(view.pose.position.x > -0.0025); // it came nearer
    assert_int_equal(stats.leaked_particles, 0);
    mn_world_destroy(world);
}

// --- cube to ball

// Volume over the volume of the ball that just encloses the particles, with half a spacing around each: 1 for a ball.
static double roundness(const mn_World* world)
{
    mn_ParticleView view = mn_world_particles(world);
    mn_Vec3 c = drop_centre(&view);
    double far = 0;
    for (size_t i = 0; i < view.count; i++) {
        const float* x = view.position + 4 * i;
        far = fmax(far, hypot(hypot((double)x[0] - c.x, (double)x[1] - c.y), (double)x[2] - c.z));
    }
    return drop_radius(world, 5e-4) / (far + 5e-4);
}

// Mean distance to the nearest other particle at the surface (outer spacing and a half), in spacings.
static double nearest_at_surface(const mn_World* world)
{
    mn_ParticleView view = mn_world_particles(world);
    mn_Vec3 c = drop_centre(&view);
    double sum = 0, count = 0, inner = drop_radius(world, 5e-4) - 1.5e-3;
    for (size_t i = 0; i < view.count; i++) {
        const float* x = view.position + 4 * i;
        if (hypot(hypot((double)x[0] - c.x, (double)x[1] - c.y), (double)x[2] - c.z) < inner)
            continue;
        double nearest = 1;
        for (size_t j = 0; j < view.count; j++) {
            const float* y = view.position + 4 * j;
            if (j != i)
                nearest = fmin(nearest, hypot(hypot((double)(x[0] - y[0]), (double)(x[1] - y[1])), (double)(x[2] - y[2])));
        }
        sum += nearest / 1e-3;
        count++;
    }
    return sum / count;
}

static void cubes_become_balls_by_akinci(void** state)
{
    static const char* const name[] = {"akinci", "becker", "tartakovsky"};
    for (mn_Tension m = MN_TENSION_AKINCI; m <= MN_TENSION_TARTAKOVSKY; m++) {
        mn_World* world = cube_new(MN_PRESSURE_DFSPH, m, 1, 12);
        world_prepare(world);
        double before = roundness(world);
        world_until(world, 0.3);
        double after = roundness(world), speed = mn_world_stats(world).max_speed;
        double apart = nearest_at_surface(world);
        print_message("%s: radius of a ball over that of what encloses the drop: %.3f, then %.3f; fastest particle %.3g m/s, "
                      "nearest neighbours at the surface %.2f spacings away\n",
                      name[m], before, after, speed, apart);
        if (m == MN_TENSION_AKINCI) {
            assert_true(after > 0.95);
            assert_true(apart > 0.75); // they do not cluster
        }
        mn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(body_and_drop_attract_each_other),
        cmocka_unit_test(cubes_become_balls_by_akinci),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
