// SPDX-License-Identifier: MIT
// What people who measure need: gauges that ride, faces, directions, torques; sponges; inflow with a profile.
#include "worlds.h"

static const double R = 0.01, D = 0.02;

static mn_WorldDef calm_def(void)
{
    mn_WorldDef def = water_def(2, R, MN_PRESSURE_DFSPH);
    def.gravity = v3(0, 0, 0);
    return def;
}

static mn_ProbeDef probe_def(mn_ProbeType type, mn_Vec3 position)
{
    mn_ProbeDef def = mn_default_probe_def();
    def.name = (char*)"probe";
    def.type = type;
    def.position = position;
    return def;
}

static mn_ProbeId add(mn_World* world, const mn_ProbeDef* def)
{
    mn_Error error = {0};
    mn_ProbeId id = mn_world_add_probe(world, def, &error);
    expect_ok(id != 0, &error);
    return id;
}

// Water in two steps; a gauge goes from one to the other with a solid, one lies across.
static void gauges_ride_and_look_along(void** state)
{
    mn_WorldDef def = calm_def();
    mn_World* world = world_new(&def);
    mn_SolidDef cart = box_def(v3(0, 1, 0), v3(0.1, 1.1, 0), false);
    cart.type = MN_SOLID_KINEMATIC;
    mn_Keyframe motion[2] = {{.time = 0, .pose = cart.pose}, {.time = 0.1, .pose = cart.pose}};
    motion[1].pose.position.x += 0.4;
    cart.motion = motion;
    cart.motion_count = 2;
    cart.name = (char*)"cart";
    add_solid(world, &cart);
    add_block(world, 1000, v3(0, 0, 0), v3(20 * D, 6 * D, 0), v3(0, 0, 0));
    add_block(world, 1000, v3(20 * D, 0, 0), v3(30 * D, 10 * D, 0), v3(0, 0, 0));
    mn_ProbeDef ride = probe_def(MN_PROBE_HEIGHT, v3(5 * D, 0, 0)), across = probe_def(MN_PROBE_HEIGHT, v3(0, 8 * D, 0));
    ride.solid = "cart";
    across.direction = v3(3, 0, 0);
    mn_ProbeId rides = add(world, &ride), lies = add(world, &across);
    world_prepare(world);
    assert_near(mn_world_probe(world, rides, NULL), 6 * D, 1e-6);
    assert_near(mn_world_probe(world, lies, NULL), 30 * D, 1e-6);
    world_until(world, 0.1);
    assert_near(mn_world_probe(world, rides, NULL), 10 * D, 1e-4);
    mn_world_destroy(world);
}

// A tank at rest: the pressure of a face, and torques of the water on a wall.
static void faces_and_torques(void** state)
{
    mn_World* world = column_world(2, R, MN_PRESSURE_DFSPH, 20, 30);
    double width = 20 * D, depth = 30 * D;
    mn_ProbeDef face = probe_def(MN_PROBE_PRESSURE, v3(width / 2, depth / 2, 0));
    face.radius = 0.15;
    mn_ProbeDef wall = probe_def(MN_PROBE_TORQUE, v3(0, 0, 0)), force = probe_def(MN_PROBE_FORCE, v3(0, 0, 0));
    wall.solid = force.solid = "tank";
    wall.min = force.min = v3(-0.1, -0.1, 0);
    wall.max = force.max = v3(0.5 * D, depth + 0.1, 0);
    mn_ProbeId p = add(world, &face), t = add(world, &wall), f = add(world, &force);
    world_until(world, 0.5);
    mn_ParticleView view = mn_world_particles(world);
    double sum = 0, count = 0;
    for (size_t i = 0; i < view.count; i++)
        if (hypot((double)view.position[4 * i] - width / 2, (double)view.position[4 * i + 1] - depth / 2) <= 0.15) {
            sum += (double)view.pressure[i];
            count++;
        }
    mn_Vec3 torque, push;
    double pressure = mn_world_probe(world, p, NULL);
    mn_world_probe(world, t, &torque);
    mn_world_probe(world, f, &push);
    // the tank's origin is its middle; the force of the water is at a third of the depth
    double arm = depth / 3 - 0.75 * depth, ideal = 1000 * 9.81 * depth * depth / 2;
    print_message("face: %.4g Pa of %.4g; force on the wall %.4g N/m of %.4g, torque %.4g N of %.4g\n", pressure,
                  1000 * 9.81 * depth / 2, push.x, -ideal, torque.z, -arm * push.x);
    assert_near(pressure, sum / count, 1e-6 * pressure);
    assert_near(pressure, 1000 * 9.81 * depth / 2, 0.05 * pressure);
    assert_near(push.x, -ideal, 0.1 * ideal);
    assert_near(torque.z, -arm * push.x, 0.1 * fabs(arm * push.x));
    mn_world_destroy(world);
}

static double mean_speed(const mn_World* world, double from, double to)
{
    mn_ParticleView view = mn_world_particles(world);
    double sum = 0, count = 0;
    for (size_t i = 0; i < view.count; i++)
        if ((double)view.position[4 * i] >= from && (double)view.position[4 * i] < to) {
            sum += (double)view.velocity[4 * i + 1];
            count++;
        }
    return sum / count;
}

// Four blocks fly through sponges of two kinds.
static void sponges_slow_down(void** state)
{
    mn_WorldDef def = calm_def();
    mn_World* world = world_new(&def);
    mn_Error error = {0};
    for (int k = 0; k < 4; k++)
        add_block(world, 1000, v3(k, 0, 0), v3(k + 4 * D, 4 * D, 0), v3(0, 1, 0));
    mn_Sponge even = mn_default_sponge(), ramp = even, bad = even;
    even.min = v3(-0.1, -1, 0);
    even.max = v3(0.9, 1, 0);
    even.rate = 10;
    ramp.min = v3(0.9, -1, 0);
    ramp.max = v3(2.9, 1, 0);
    ramp.rate = 10;
    ramp.direction = v3(2, 0, 0);
    bad.max.x = bad.min.x;
    expect_ok(mn_world_add_sponge(world, &even, &error) == MN_OK, &error);
    expect_ok(mn_world_add_sponge(world, &ramp, &error) == MN_OK, &error);
    assert_int_equal(mn_world_add_sponge(world, &bad, &error), MN_BAD_INPUT);
    world_until(world, 0.1);
    double s[2] = {(1 + 2 * D - 0.9) / 2, (2 + 2 * D - 0.9) / 2}, speed[4];
    for (int k = 0; k < 4; k++)
        speed[k] = mean_speed(world, k - 0.5, k + 0.5);
    print_message("speeds %.4f, %.4f, %.4f, %.4f m/s\n", speed[0], speed[1], speed[2], speed[3]);
    assert_near(speed[0], exp(-1), 1e-3);
    assert_near(speed[1], exp(-s[0] * s[0]), 3e-3);
    assert_near(speed[2], exp(-s[1] * s[1]), 3e-3);
    assert_near(speed[3], 1, 1e-6);
    mn_world_destroy(world);
}

// A nozzle with a parabolic profile delivers its mean speed, and the middle is half as fast again.
static void profiles_keep_the_mean(void** state)
{
    mn_WorldDef def = calm_def();
    mn_World* world = world_new(&def);
    mn_Emitter e = mn_default_emitter();
    e.size[0] = 20 * D;
    e.speed = 1;
    e.profile = MN_PROFILE_PARABOLIC;
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.emitters = &e;
    fluid.emitter_count = 1;
    add_fluid(world, &fluid);
    world_prepare(world);
    world_until(world, 0.4);
    mn_ParticleView view = mn_world_particles(world);
    double ideal = 0.4 * 20 * D / (D * D), worst = 0;
    for (size_t i = 0; i < view.count; i++) {
        double x = (double)view.position[4 * i] / (10 * D), y = (double)view.position[4 * i + 1];
        if (y < 2 * D)
            worst = fmax(worst, fabs((double)view.velocity[4 * i + 1] - 1.5 * (1 - x * x)));
    }
    print_message("%zu particles of %.0f, speeds at the nozzle within %.3f m/s\n", view.count, ideal, worst);
    assert_near((double)view.count, ideal, 0.03 * ideal);
    assert_below(worst, 0.15);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauges_ride_and_look_along),
        cmocka_unit_test(faces_and_torques),
        cmocka_unit_test(sponges_slow_down),
        cmocka_unit_test(profiles_keep_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
