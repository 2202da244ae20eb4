// SPDX-License-Identifier: MIT
// What solids do to fluid: pistons push, lids drag, rough floors slow, nothing gets through.
#include "worlds.h"

static const double RADIUS = 0.01, SPACING = 0.02;

static void piston_pushes_without_leak(void** state)
{
    for (size_t m = 0; m < COUNT_OF(ALL_METHODS); m++) {
        double length = 0.8;
        mn_WorldDef def = water_def(2, RADIUS, ALL_METHODS[m]);
        mn_World* world = world_new(&def);
        add_tank(world, v3(length, 0.8, 0));
        add_block(world, 1000, v3(0.1, 0, 0), v3(length, 0.2, 0), v3(0, 0, 0));
        mn_SolidDef piston = box_def(v3(0, 0, 0), v3(0.1, 0.7, 0), false);
        // a hair above the floor, so that the two do not touch
        piston.pose.position.y += 0.002;
        mn_Pose to = piston.pose;
        to.position.x += 0.3;
        mn_Keyframe motion[] = {{0.1, piston.pose}, {1.1, to}};
        piston.type = MN_SOLID_KINEMATIC;
        piston.motion = motion;
        piston.motion_count = COUNT_OF(motion);
        mn_SolidId id = add_solid(world, &piston);
        world_until(world, 1.1);
        double force = 0;
        for (int k = 1; k <= 50; k++) {
            world_until(world, 1.1 + 0.02 * k);
            force += mn_world_solid(world, id).force.x / 50;
        }
        mn_Stats stats = mn_world_stats(world);
        float* x = sorted_along(world, 0);
        double least = (double)x[0], first = 1000 * 9.81 * (0.2 * 0.7 / 0.4) * (0.2 * 0.7 / 0.4) / 2;
        free(x);
        double level = 2 * stats.potential_energy / ((double)stats.fluid_particles * 1000 * SPACING * SPACING * 9.81);
        print_message("%s: leftmost particle %.3f m (piston at 0.4), level %.3f m, force on the piston / hydrostatic %.3f\n",
                      METHOD_NAME[ALL_METHODS[m]], least, level, force / -first);
        assert_true(least > 0.4);
        assert_int_equal(stats.leaked_particles + stats.lost_particles, 0);
        assert_near(level, 0.35, 0.5 * SPACING);
        assert_near(force, -first, 0.1 * first);
        mn_world_destroy(world);
    }
}

// A solid that turns on and on, also on top of key frames: where it is, and what that does to the water.
static void turning_solids_stir(void** state)
{
    mn_WorldDef def = water_def(2, RADIUS, MN_PRESSURE_DFSPH);
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.8, 0.8, 0));
    add_block(world, 1000, v3(0, 0, 0), v3(0.8, 0.4, 0), v3(0, 0, 0));
    mn_SolidDef blade = box_def(v3(0.25, 0.18, 0), v3(0.55, 0.22, 0), false);
    blade.type = MN_SOLID_KINEMATIC;
    blade.angular_velocity = v3(0, 0, M_PI);
    mn_SolidId id = add_solid(world, &blade);
    mn_SolidDef lift = box_def(v3(0.1, 0.6, 0), v3(0.14, 0.64, 0), false);
    lift.type = MN_SOLID_KINEMATIC;
    lift.angular_velocity = v3(0, 0, -2);
    mn_Pose to = lift.pose;
    to.position.x += 0.1;
    to.rotation = (mn_Quat){cos(0.25), 0, 0, sin(0.25)};
    mn_Keyframe motion[] = {{0, lift.pose}, {1, to}};
    lift.motion = motion;
    lift.motion_count = COUNT_OF(motion);
    mn_SolidId second = add_solid(world, &lift);
    world_until(world, 0.75);
    mn_SolidView view = mn_world_solid(world, id);
    assert_near(2 * atan2(view.pose.rotation.z, view.pose.rotation.w), 0.75 * M_PI, 1e-9);
    assert_near(view.angular_velocity.z, M_PI, 1e-9);
    mn_SolidView moved = mn_world_solid(world, second);
    assert_near(2 * atan2(moved.pose.rotation.z, moved.pose.rotation.w), 0.75 * (0.5 - 2), 1e-9);
    assert_near(moved.angular_velocity.z, 0.5 - 2, 1e-6);
    assert_near(moved.pose.position.x, 0.12 + 0.075, 1e-9);
    mn_ParticleView p = mn_world_particles(world);
    double turning = 0;
    for (size_t i = 0; i < p.count; i++)
        turning +=
            (double)((p.position[4 * i] - 0.4f) * p.velocity[4 * i + 1] - (p.position[4 * i + 1] - 0.2f) * p.velocity[4 * i]);
    assert_true(turning / (double)p.count > 0.005);
    assert_int_equal(mn_world_stats(world).leaked_particles, 0);
    mn_world_destroy(world);
}

// Mean speed along x of the upper and the lower third of a box full of fluid.
static void drag(double wall_viscosity, double lid_speed, double* upper, double* lower)
{
    mn_WorldDef def = water_def(2, RADIUS, MN_PRESSURE_DFSPH);
    def.gravity = v3(0, 0, 0);
    mn_World* world = world_new(&def);
    mn_Block block = {v3(0, 0, 0), v3(0.4, 0.4, 0), v3(0, 0, 0)};
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.viscosity_method = MN_VISCOSITY_LAPLACE;
    fluid.viscosity = 5;
    fluid.blocks = &block;
    fluid.block_count = 1;
    add_fluid(world, &fluid);
    for (int k = 0; k < 4; k++) {
        // four walls of their own, so that only the lid moves
        static const double min[4][2] = {{-0.1, -0.1}, {-0.1, 0.4}, {-0.1, 0}, {0.4, 0}};
        static const double max[4][2] = {{0.5, 0}, {0.5, 0.5}, {0, 0.4}, {0.5, 0.4}};
        mn_SolidDef wall = box_def(v3(min[k][0], min[k][1], 0), v3(max[k][0], max[k][1], 0), false);
        wall.wall_viscosity = wall_viscosity;
        if (k == 1)
            wall.surface_velocity = v3(lid_speed, 0, 0);
        add_solid(world, &wall);
    }
    world_until(world, 0.5);
    mn_ParticleView view = mn_world_particles(world);
    double count[2] = {0, 0};
    *upper = *lower = 0;
    for (size_t i = 0; i < view.count; i++) {
        double y = (double)view.position[4 * i + 1], v = (double)view.velocity[4 * i];
        if (y > 0.36) {
            *upper += v;
            count[0]++;
        } else if (y < 0.2) {
            *lower += v;
            count[1]++;
        }
    }
    *upper /= count[0];
    *lower /= count[1];
    assert_int_equal(mn_world_stats(world).lost_particles, 0);
    mn_world_destroy(world);
}

static void lid_drags_fluid(void** state)
{
    double upper, lower;
    drag(1, 1, &upper, &lower);
    print_message("no slip: %.3f m/s below the lid, %.3f m/s in the lower half\n", upper, lower);
    assert_true(upper > 0.2 && upper < 1);
    assert_true(lower < -0.01); // it comes back below
    drag(1, -1, &upper, &lower);
    assert_true(upper < -0.2);
    drag(0, 1, &upper, &lower);
    print_message("free slip but friction: %.3f m/s below the lid\n", upper);
    assert_below(fabs(upper), 0.05);
}

static double slide(double sigma)
{
    mn_WorldDef def = water_def(2, RADIUS, MN_PRESSURE_DFSPH);
    mn_World* world = world_new(&def);
    mn_SolidDef floor = box_def(v3(-1, -0.1, 0), v3(4, 0, 0), false);
    floor.friction = sigma;
    add_solid(world, &floor);
    mn_Block block = {v3(0, 0, 0), v3(0.4, 0.08, 0), v3(2, 0, 0)};
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.viscosity = 0.05;
    fluid.blocks = &block;
    fluid.block_count = 1;
    add_fluid(world, &fluid);
    world_until(world, 0.5);
    mn_Stats stats = mn_world_stats(world);
    double speed = stats.momentum.x / ((double)stats.fluid_particles * 1000 * SPACING * SPACING);
    mn_world_destroy(world);
    return speed;
}

static void friction_slows_sliding_fluid(void** state)
{
    double speed[4];
    static const double sigma[4] = {0, 0.02, 0.1, 0.4};
    for (int k = 0; k < 4; k++) {
        speed[k] = slide(sigma[k]);
        print_message("sigma %.2f: %.3f m/s of 2 left\n", sigma[k], speed[k]);
        if (k)
            assert_below(speed[k], speed[k - 1]);
    }
    assert_near(speed[0], 2, 0.1); // a sampled floor is not quite smooth
    assert_below(speed[3], 1.2);
}

// Walls that drag a thousand times as much as the fluid drags itself hold what touches them, in steps that are short enough for it.
static void rough_walls_hold_and_give_no_energy(void** state)
{
    mn_WorldDef def = water_def(2, RADIUS, MN_PRESSURE_DFSPH);
    mn_World* world = world_new(&def);
    mn_SolidDef tank = box_def(v3(0, 0, 0), v3(0.6, 0.4, 0), true);
    tank.wall_viscosity = 1000;
    add_solid(world, &tank);
    mn_Block block = {v3(0, 0, 0), v3(0.2, 0.2, 0), v3(1, 0, 0)};
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.viscosity_method = MN_VISCOSITY_LAPLACE;
    fluid.viscosity = 1;
    fluid.blocks = &block;
    fluid.block_count = 1;
    add_fluid(world, &fluid);
    world_prepare(world);
    mn_Stats stats = mn_world_stats(world);
    double start = stats.kinetic_energy + stats.potential_energy, most = 0;
    for (int k = 1; k <= 10; k++) {
        world_until(world, 0.004 * k);
        stats = mn_world_stats(world);
        most = fmax(most, stats.kinetic_energy + stats.potential_energy);
    }
    mn_ParticleView view = mn_world_particles(world);
    double low = 0, free = 0;
    int low_count = 0, free_count = 0;
    for (size_t i = 0; i < view.count; i++) {
        bool touches = (double)view.position[4 * i + 1] < SPACING;
        *(touches ? &low : &free) += (double)view.velocity[4 * i];
        ++*(touches ? &low_count : &free_count);
    }
    low /= low_count;
    free /= free_count;
    print_message("energy %.3f J at the start, at most %.3f; %.3f m/s at the floor, %.3f above\n", start, most, low, free);
    assert_true(most <= start);
    assert_below(fabs(low), 0.1);
    assert_true(free > 0.4);
    mn_world_destroy(world);
}

// Fluid feels an equal and opposite force: momentum lost by falling water is what the floor got.
static void floors_get_what_fluid_loses(void** state)
{
    for (size_t m = 0; m < COUNT_OF(ALL_METHODS); m++) {
        mn_WorldDef def = water_def(3, RADIUS, ALL_METHODS[m]);
        def.gravity = v3(0, 0, 0);
        mn_World* world = world_new(&def);
        mn_SolidDef floor = box_def(v3(-1, -0.1, -1), v3(1, 0, 1), false);
        mn_SolidId id = add_solid(world, &floor);
        add_block(world, 1000, v3(-0.1, 0.01, -0.1), v3(0.1, 0.15, 0.1), v3(0.5, -1, 0));
        world_prepare(world);
        mn_Vec3 before = mn_world_stats(world).momentum, given = {0, 0, 0};
        while (mn_world_time(world) < 0.1) {
            world_steps(world, 1);
            double dt = mn_world_stats(world).dt;
            mn_Vec3 force = mn_world_solid(world, id).force;
            given = v3(given.x + dt * force.x, given.y + dt * force.y, given.z + dt * force.z);
        }
        mn_Vec3 after = mn_world_stats(world).momentum;
        double lost = before.y - after.y, aside = before.x - after.x;
        print_message("%s: momentum lost %.4f and %.4f, given to the floor %.4f and %.4f kg m/s\n", METHOD_NAME[ALL_METHODS[m]],
                      lost, aside, given.y, given.x);
        assert_true(lost < -1);
        assert_near(given.y, lost, 0.005 * fabs(lost));
        assert_near(given.x, aside, 0.005 * fabs(lost));
        mn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piston_pushes_without_leak),
        cmocka_unit_test(turning_solids_stir),
        cmocka_unit_test(lid_drags_fluid),
        cmocka_unit_test(friction_slows_sliding_fluid),
        cmocka_unit_test(rough_walls_hold_and_give_no_energy),
        cmocka_unit_test(floors_get_what_fluid_loses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
