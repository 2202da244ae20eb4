// SPDX-License-Identifier: MIT
// Nozzles deliver what they are asked for, wherever they are; jets have no layers; what flows out may have to overcome a pressure.
#include "worlds.h"

#include "saved_state.h"
#include "world/world_parts.h"
#include <string.h>

static const double RADIUS = 0.01, SPACING = 0.02;

static mn_Emitter nozzle(mn_EmitterType type, mn_Vec3 position, double size, double speed)
{
    mn_Emitter e = mn_default_emitter(); // upwards
    e.type = type;
    e.position = position;
    e.size[0] = e.size[1] = size;
    e.speed = speed;
    return e;
}

static void add_emitter(mn_World* world, const mn_Emitter* emitter, const mn_Block* block)
{
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.emitters = (mn_Emitter*)emitter;
    fluid.emitter_count = 1;
    fluid.blocks = (mn_Block*)block;
    fluid.block_count = block ? 1 : 0;
    add_fluid(world, &fluid);
}

static void keep_warning(void* user, mn_LogLevel level, const char* text)
{
    if (level == MN_LOG_WARNING)
        snprintf(user, 512, "%s", text);
}

static mn_World* empty_world(int dimension, double gravity, char* warning)
{
    mn_WorldDef def = water_def(dimension, RADIUS, MN_PRESSURE_DFSPH);
    def.gravity = v3(0, -gravity, 0);
    def.log = warning ? keep_warning : NULL;
    def.log_user = warning;
    return world_new(&def);
}

// --- flow

static void flow_is_speed_times_area(void** state)
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int type = 0; type < 2; type++)
            for (double size = 2.3; size < 6; size += 1.13) {
                mn_Emitter e = nozzle((mn_EmitterType)type, v3(0, 0, 0), size * SPACING, 1);
                mn_World* world = empty_world(dimension, 0, NULL);
                add_emitter(world, &e, NULL);
                world_until(world, 0.4);
                double area = dimension == 2 ? (type ? 2 : 1) * size : type ? 3.14159265 * size * size : size * size;
                double wanted = 20 * area, got = (double)mn_world_stats(world).emitted;
                print_message("%dD %s of %.2f spacings: %g of %.1f particles\n", dimension, type ? "disc" : "box", size, got,
                              wanted);
                assert_near(got, wanted, 0.015 * wanted + 1);
                mn_world_destroy(world);
            }
}

// --- shapes

// All in spacings: area seen from above, and distances from the axis that it lies between.
typedef struct ShapeCase {
    mn_Shape shape;
    int dimension;
    double area, inner, outer;
} ShapeCase;

// Fluid leaves the side of a shape that faces the jet: as much as its shadow asks for, within it, and from its surface on.
static void shapes_let_out_what_is_seen_of_them(void** state)
{
    const double pi = 3.14159265, d = SPACING;
    const ShapeCase cases[] = {
        {{.type = MN_SHAPE_SPHERE, .size = {3.3 * SPACING, 0, 0}}, 3, pi * 3.3 * 3.3, 0, 3.3},
        {{.type = MN_SHAPE_SPHERE, .size = {3.3 * SPACING, 0, 0}}, 2, 2 * 3.3, 0, 3.3},
        {{.type = MN_SHAPE_TORUS, .size = {4.2 * SPACING, 1.1 * SPACING, 0}}, 3, pi * (5.3 * 5.3 - 3.1 * 3.1), 3.1, 5.3},
        {{.type = MN_SHAPE_BOX, .size = {3.7 * SPACING, SPACING, 5.2 * SPACING}}, 3, 3.7 * 5.2, 0, 3.2},
        {{.type = MN_SHAPE_PLANE, .size = {4.5 * SPACING, 0, 0.7 * SPACING}}, 3, 4.5 * 0.7, 0, 2.3},
    };
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        const ShapeCase* c = &cases[k];
        mn_Emitter e = nozzle(MN_EMITTER_SHAPE, v3(0, 0, 0), 0, 1);
        e.shape = c->shape;
        mn_World* world = empty_world(c->dimension, 0, NULL);
        add_emitter(world, &e, NULL);
        world_until(world, 0.4);
        double wanted = 20 * c->area, got = (double)mn_world_stats(world).emitted;
        mn_ParticleView view = mn_world_particles(world);
        double astray = 0, lowest = INFINITY;
        for (size_t i = 0; i < view.count; i++) {
            const float* p = view.position + 4 * i;
            double across = hypot((double)p[0], (double)p[2]) / d;
            astray += across < c->inner - 0.5 || across > c->outer + 0.5;
            lowest = fmin(lowest, (double)p[1] / d);
        }
        print_message("shape %zu in %dD: %g of %.1f particles, %.3f of them astray, from %.2f spacings on\n", k, c->dimension, got,
                      wanted, astray / got, lowest);
        assert_near(got, wanted, 0.03 * wanted + 1);
        assert_true(astray < 0.02 * got && lowest >= -0.5);
        mn_world_destroy(world);
    }
}

static void shapes_that_let_nothing_out_are_refused(void** state)
{
    mn_Emitter e = nozzle(MN_EMITTER_SHAPE, v3(0, 0, 0), 0, 1);
    e.shape = (mn_Shape){.type = MN_SHAPE_MESH, .file = (char*)"there_is_no_such.obj"};
    mn_World* world = empty_world(3, 0, NULL);
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.emitters = &e;
    fluid.emitter_count = 1;
    mn_Error error = {0};
    assert_int_equal(mn_world_add_fluid(world, &fluid, &error), 0);
    assert_non_null(strstr(error.key, "emitters.0.shape"));
    // seen along the jet it is a line
    e.shape = (mn_Shape){.type = MN_SHAPE_PLANE, .size = {1, 0, 1}};
    e.scale = v3(1, 1, 1e-5);
    assert_int_equal(mn_world_add_fluid(world, &fluid, &error), 0);
    assert_string_equal(error.key, "emitters.0.shape");
    assert_non_null(strstr(error.message, "thinner"));
    mn_world_destroy(world);
}

// Share of the particles that stand in layers with the given distance: 1 if all do.
static double in_layers(const mn_World* world, int axis, double distance)
{
    mn_ParticleView view = mn_world_particles(world);
    double real = 0, imaginary = 0;
    for (size_t i = 0; i < view.count; i++) {
        double phase = 2 * 3.14159265358979 * (double)view.position[4 * i + (size_t)axis] / distance;
        real += cos(phase);
        imaginary += sin(phase);
    }
    return hypot(real, imaginary) / (double)view.count;
}

static void jets_have_no_layers(void** state)
{
    for (int fall = 0; fall < 2; fall++) {
        mn_Emitter e = nozzle(MN_EMITTER_DISC, v3(0, 0, 0), 4 * SPACING, 1);
        e.rotation = (mn_Quat){0, 0, 0, 1}; // downwards
        mn_World* world = empty_world(3, fall ? 9.81 : 0, NULL);
        add_emitter(world, &e, NULL);
        world_until(world, 0.4);
        double worst = 0;
        for (double distance = 0.5; distance < 1.5; distance += 0.01)
            worst = fmax(worst, in_layers(world, 1, distance * SPACING));
        double dense = mn_world_stats(world).density_error_max;
        print_message("%s: at most %.3f of a jet's particles in layers 0.5 to 1.5 spacings apart, densest %.3f\n",
                      fall ? "falling" : "floating", worst, 1 + dense);
        assert_below(worst, 0.12); // a jet of layers has 0.99, and 0.4 where it has fallen some spacings
        assert_below(dense, 0.03);
        mn_world_destroy(world);
    }
}

static double delivered(int dimension, double speed, double seconds)
{
    mn_World* world = empty_world(dimension, 9.81, NULL);
    double wide = dimension == 3 ? 0.4 : 1;
    add_tank(world, v3(wide, 0.8, dimension == 3 ? wide : 0));
    mn_Block block = {v3(0, 0, 0), v3(wide, 0.3, dimension == 3 ? wide : 0), v3(0, 0, 0)};
    mn_Emitter e = nozzle(MN_EMITTER_DISC, v3(wide / 2, 0.05, dimension == 3 ? wide / 2 : 0), 2.5 * SPACING, speed);
    add_emitter(world, &e, &block);
    world_until(world, seconds);
    double share = (double)world->sources.emitter[0].emitted / world->sources.emitter[0].asked;
    mn_Stats stats = mn_world_stats(world);
    print_message("%dD, %g m/s under water: %.3f of what was asked for, %llu leaked\n", dimension, speed, share,
                  (unsigned long long)stats.leaked_particles);
    assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
    mn_world_destroy(world);
    return share;
}

static void they_deliver_under_water(void** state)
{
    assert_true(delivered(2, 0.3, 1) > 0.9);
    assert_true(delivered(2, 1, 0.8) > 0.9);
    assert_true(delivered(3, 1, 0.25) > 0.9);
}

// A full channel with an outflow that keeps a pressure.
static void pump_meets_a_pressure(void** state)
{
    static const double pressures[] = {0, 1000};
    for (size_t k = 0; k < COUNT_OF(pressures); k++) {
        mn_World* world = empty_world(2, 0, NULL);
        add_tank(world, v3(1, 0.2, 0));
        mn_Block block = {v3(0.04, 0, 0), v3(1, 0.2, 0), v3(0, 0, 0)};
        mn_Emitter e = nozzle(MN_EMITTER_BOX, v3(0.02, 0.1, 0), 0.2, 0.5);
        e.rotation = (mn_Quat){0.7071067811865476, 0, 0, -0.7071067811865476}; // +x
        add_emitter(world, &e, &block);
        mn_Drain drain = mn_default_drain();
        drain.type = MN_DRAIN_DISC;
        drain.position = v3(0.8, 0.1, 0);
        drain.rotation = e.rotation;
        drain.radius = 0.1;
        drain.depth = 0.1;
        drain.pressure = pressures[k];
        mn_Error error = {0};
        expect_ok(mn_world_add_drain(world, &drain, &error) == MN_OK, &error);
        mn_ProbeId probe = add_probe(world, MN_PROBE_PRESSURE, v3(0.65, 0.1, 0));
        double sum = 0;
        for (int frame = 1; frame <= 100; frame++) { // single moments differ by some hundred Pa
            world_until(world, 0.02 * frame);
            sum += frame > 30 ? mn_world_probe(world, probe, NULL) / 70 : 0;
        }
        double share = (double)world->sources.emitter[0].emitted / world->sources.emitter[0].asked;
        print_message("outflow at %g Pa: %.0f Pa in front of it, %.3f of the flow\n", pressures[k], sum, share);
        assert_near(sum, pressures[k], 100);
        assert_true(share > 0.93);
        mn_world_destroy(world);
    }
}

static void none_is_born_in_a_solid(void** state)
{
    char warning[512] = "";
    mn_World* world = empty_world(2, 9.81, warning);
    mn_SolidDef box = box_def(v3(0, -0.1, 0), v3(0.3, 0.1, 0), false);
    add_solid(world, &box);
    mn_Emitter e = nozzle(MN_EMITTER_BOX, v3(0, 0.02, 0), 0.4, 0.5);
    add_emitter(world, &e, NULL);
    for (int frame = 1; frame <= 10; frame++) {
        world_until(world, 0.05 * frame);
        assert_int_equal(mn_world_stats(world).leaked_particles, 0);
    }
    double share = (double)world->sources.emitter[0].emitted / world->sources.emitter[0].asked;
    print_message("half in a solid: %.3f delivered; \"%s\"\n", share, warning);
    assert_near(share, 0.5, 0.06);
    assert_non_null(strstr(warning, "fluids.0.emitters.0 has delivered"));
    mn_world_destroy(world);
}

// --- over time

static void speed_changes_with_time(void** state)
{
    mn_SpeedKey keys[] = {{0, 0}, {0.2, 2}, {0.4, 0}};
    mn_Emitter e = nozzle(MN_EMITTER_BOX, v3(0, 0, 0), 5 * SPACING, 1);
    e.speeds = keys;
    e.speed_count = COUNT_OF(keys);
    mn_World* world = empty_world(2, 0, NULL);
    add_emitter(world, &e, NULL);
    world_until(world, 0.6);
    assert_near((double)mn_world_stats(world).emitted, 5 * 0.4 / SPACING, 5);
    mn_world_destroy(world);

    // pulses between 0 and 2 m/s: as much in all, half of a cycle is faster
    e = nozzle(MN_EMITTER_BOX, v3(0, 0, 0), 5 * SPACING, 1);
    e.speed_amplitude = 1;
    e.speed_frequency = 5;
    world = empty_world(2, 0, NULL);
    add_emitter(world, &e, NULL);
    world_until(world, 0.1);
    double half = (double)mn_world_stats(world).emitted;
    world_until(world, 0.4);
    print_message("pulses: %g in the first half of a cycle, %llu in two cycles\n", half,
                  (unsigned long long)mn_world_stats(world).emitted);
    assert_near(half, 5 * (0.1 + 0.2 / 3.14159265) / SPACING, 6);
    assert_near((double)mn_world_stats(world).emitted, 5 * 0.4 / SPACING, 6);
    mn_world_destroy(world);
}

static void they_move(void** state)
{
    // by key frames
    mn_Keyframe keys[] = {{0, {v3(0, 0, 0), {1, 0, 0, 0}}}, {1, {v3(2, 0, 0), {1, 0, 0, 0}}}};
    mn_Emitter e = nozzle(MN_EMITTER_BOX, v3(0, 0, 0), 4 * SPACING, 1);
    e.motion = keys;
    e.motion_count = 2;
    mn_World* world = empty_world(2, 0, NULL);
    add_emitter(world, &e, NULL);
    world_until(world, 0.2);
    mn_ParticleView view = mn_world_particles(world);
    assert_true(view.count > 30);
    for (size_t i = 0; i < view.count; i++) // all keep the nozzle's velocity: the jet stays straight above it
        assert_near((double)view.position[4 * i], 0.4, 2.5 * SPACING);
    mn_world_destroy(world);

    // with a solid that turns about the origin
    world = empty_world(2, 0, NULL);
    mn_SolidDef arm = box_def(v3(-0.05, -0.05, 0), v3(0.05, 0.05, 0), false);
    arm.type = MN_SOLID_KINEMATIC;
    arm.angular_velocity = v3(0, 0, 3.14159265358979);
    add_solid(world, &arm);
    e = nozzle(MN_EMITTER_BOX, v3(0, 0.2, 0), 3 * SPACING, 1);
    e.solid = "box";
    add_emitter(world, &e, NULL);
    world_until(world, 0.5); // a quarter turn
    mn_Pose pose = world->sources.emitter[0].pose;
    print_message("after a quarter turn the nozzle is at (%.4f, %.4f)\n", pose.position.x, pose.position.y);
    assert_near(pose.position.x, -0.2, 1e-3);
    assert_near(pose.position.y, 0, 1e-3);
    mn_world_destroy(world);
}

static mn_World* pulsing_world(void)
{
    mn_World* world = empty_world(2, 9.81, NULL);
    add_tank(world, v3(0.6, 0.6, 0));
    mn_Block block = {v3(0, 0, 0), v3(0.6, 0.1, 0), v3(0, 0, 0)};
    mn_Emitter e = nozzle(MN_EMITTER_BOX, v3(0.3, 0.05, 0), 4.3 * SPACING, 0.7);
    e.speed_amplitude = 0.5;
    e.speed_frequency = 7;
    add_emitter(world, &e, &block);
    world_prepare(world);
    return world;
}

static void state_is_complete(void** state)
{
    static Saved saved;
    mn_Error error = {0};
    mn_World *world = pulsing_world(), *again = pulsing_world();
    world_until(world, 0.1);
    assert_true(world_save_state(world, keep, &saved));
    world_until(world, 0.2);
    expect_ok(world_load_state(again, give, &saved, &error) == MN_OK, &error);
    world_until(again, 0.2);
    assert_true(mn_world_hash(world) == mn_world_hash(again));
    forget(&saved);
    mn_world_destroy(world);
    mn_world_destroy(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_is_speed_times_area),
        cmocka_unit_test(shapes_let_out_what_is_seen_of_them),
        cmocka_unit_test(shapes_that_let_nothing_out_are_refused),
        cmocka_unit_test(jets_have_no_layers),
        cmocka_unit_test(they_deliver_under_water),
        cmocka_unit_test(pump_meets_a_pressure),
        cmocka_unit_test(none_is_born_in_a_solid),
        cmocka_unit_test(speed_changes_with_time),
        cmocka_unit_test(they_move),
        cmocka_unit_test(state_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
