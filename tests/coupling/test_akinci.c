// SPDX-License-Identifier: MIT
// Fluid and bodies together: what one gets the other gives, in all pressure methods, weak and strong.
#include "coupling_support.h"

#include "world/state.h"
#include <stdlib.h>

static mn_Vec3 minus(mn_Vec3 a, mn_Vec3 b)
{
    return (mn_Vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

// A drop hits a ball and a spinning box in empty space: nothing outside takes momentum away.
static const char* const SPACE =
    "{\"gravity\": [0, 0, 0], \"particle_radius\": 0.02, \"duration\": 1,"
    "\"fluids\": [{\"blocks\": [{\"min\": [-0.2, -0.2, -0.2], \"max\": [0.2, 0.2, 0.2], \"velocity\": [1, 0.2, 0]}]}],"
    "\"solids\": [{\"name\": \"ball\", \"type\": \"rigid\", \"shape\": {\"sphere\": 0.15}, \"density\": 300, \"friction\": 0.5,"
    "              \"position\": [0.4, 0.05, 0], \"velocity\": [-1, 0, 0]},"
    "             {\"name\": \"box\", \"type\": \"rigid\", \"shape\": {\"box\": [0.2, 0.2, 0.2]}, \"density\": 2000,"
    "              \"position\": [0, 0.35, 0], \"angular_velocity\": [0, 0, 6]}]}";

static void test_momentum(void** state)
{
    const char* const methods[] = {"solver.method=dfsph", "solver.method=iisph", "solver.method=pcisph", "solver.method=sesph"};
    for (int m = 0; m < 4; m++)
        for (int strong = 0; strong < 2; strong++) {
            const char* sets[] = {methods[m], strong ? "coupling.strong=true" : "coupling.strong=false"};
            mn_World* world = build_with(SPACE, sets, 2);
            mn_Stats before = mn_world_stats(world);
            mn_Vec3 pushed = named(world, "ball").velocity;
            advance(world, 0.12);
            mn_Stats after = mn_world_stats(world);
            pushed = minus(named(world, "ball").velocity, pushed);
            double scale = 64 * 1.02; // [kg m/s] of the drop
            double drift = length(minus(after.momentum, before.momentum)) / scale;
            double turn = length(minus(after.angular_momentum, before.angular_momentum)) / (scale * 0.4);
            if (!(length(pushed) > 0.3) || !(drift < 1e-4) || !(turn < 2e-3))
                fail_msg("%s %s: pushed %g m/s, momentum drifts by %g, angular momentum by %g", methods[m], sets[1], length(pushed),
                         drift, turn);
            assert_below(after.kinetic_energy, before.kinetic_energy * 1.001);
            mn_world_destroy(world);
        }
}

// The same in syrup, with bodies so light that explicit friction would throw them about: it takes hundreds of their momentum in a
// step.
static void test_momentum_in_thick_fluid(void** state)
{
    const char* const ways[] = {"coupling.strong=true", "coupling.strong=false"};
    for (int k = 0; k < 2; k++) {
        const char* sets[] = {ways[k], "fluids.0.viscosity_method=laplace", "fluids.0.viscosity=50", "solids.0.density=5",
                              "solids.1.density=5"};
        mn_World* world = build_with(SPACE, sets, 5);
        mn_Stats before = mn_world_stats(world);
        advance(world, 0.12);
        mn_Stats after = mn_world_stats(world);
        double drift = length(minus(after.momentum, before.momentum)) / (64 * 1.02);
        double turn = length(minus(after.angular_momentum, before.angular_momentum)) / (64 * 1.02 * 0.4);
        if (!(drift < 1e-4) || !(turn < 2e-3))
            fail_msg("%s: momentum drifts by %g, angular momentum by %g", ways[k], drift, turn);
        assert_below(after.kinetic_energy, before.kinetic_energy);
        mn_world_destroy(world);
    }
}

// A light disc that is drawn through oil has one speed, however long steps are.
static double drawn_speed(const char* step, double time, double* weight)
{
    const char* sets[] = {step};
    mn_World* world = build_with("{\"dimension\": 2, \"gravity\": [0, -1, 0], \"particle_radius\": 0.002, \"duration\": 1,"
                                 "\"fluids\": [{\"viscosity_method\": \"laplace\", \"viscosity\": 2,"
                                 "               \"blocks\": [{\"min\": [0, 0], \"max\": [0.1, 0.1]}]}],"
                                 "\"solids\": [{\"shape\": {\"box\": [0.1, 0.14]}, \"position\": [0.05, 0.07], \"inside\": true},"
                                 "             {\"name\": \"disc\", \"type\": \"rigid\", \"shape\": {\"sphere\": 0.008},"
                                 "              \"density\": 5, \"position\": [0.05, 0.05], \"force\": [0.5, 0, 0]}]}",
                                 sets, 1);
    advance(world, time);
    double from = named(world, "disc").pose.position.x;
    advance(world, 2 * time);
    double speed = (named(world, "disc").pose.position.x - from) / time;
    *weight = named(world, "disc").mass;
    mn_world_destroy(world);
    return speed;
}

static void test_drag_at_any_step(void** state)
{
    double mass, usual = drawn_speed("solver.cfl=0.4", 0.05, &mass),
                 shorter = drawn_speed("solver.max_time_step=6e-5", 0.05, &mass);
    print_message("a disc of %.4f kg/m is drawn at %.5f m/s with usual steps, at %.5f m/s with short ones\n", mass, usual, shorter);
    assert_true(shorter > 0);
    assert_near(usual, shorter, 0.03 * shorter);
}

// Still water, with a body half in it.
#define POOL(body)                                                                                                                 \
    "{\"particle_radius\": 0.02, \"duration\": 2,"                                                                                 \
    "\"fluids\": [{\"viscosity\": 0.05, \"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.6, 0.32, 0.6]}]}],"                          \
    "\"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [0.6, 1, 0.6]}, \"position\": [0.3, 0.5, 0.3], \"inside\": "           \
    "true}, " body "]"

static const char* const BALL = POOL("{\"name\": \"ball\", \"type\": \"rigid\", \"shape\": {\"sphere\": 0.12}, \"density\": 1, "
                                     "\"position\": [0.3, 0.44, 0.3]}") "}";

// An air-filled ball, put down on water, lies there, at the usual steps.
static void test_light_body_rests(void** state)
{
    const char* const methods[] = {"solver.method=dfsph", "solver.method=iisph", "solver.method=pcisph"};
    const char* const densities[] = {"solids.1.density=1", "solids.1.density=10", "solids.1.density=100"};
    for (int n = 0; n < 5; n++) { // all methods with the lightest, all densities with the first method
        const char* sets[] = {methods[n < 3 ? n : 0], densities[n < 3 ? 0 : n - 2]};
        mn_World* world = build_with(BALL, sets, 2);
        double highest = 0;
        for (int k = 1; k <= 50; k++) {
            advance(world, 0.02 * k);
            highest = fmax(highest, named(world, "ball").pose.position.y);
        }
        mn_Stats stats = mn_world_stats(world);
        print_message("%s, %s: at most %.2f r above its start, %d steps\n", sets[0], sets[1], (highest - 0.44) / 0.02,
                      (int)stats.steps);
        assert_below(highest, 0.44 + 0.75 * 0.02);
        assert_below(length(named(world, "ball").velocity), 0.2);
        assert_below(stats.steps, 250);
        assert_int_equal(stats.leaked_particles, 0);
        mn_world_destroy(world);
    }
}

// Few particles touch a body of about their own size; when it weighs a thousandth of them it still rises, and does not fly.
static void test_small_light_body_rises(void** state)
{
    for (int n = 0; n < 3; n++) {
        const char* methods[] = {"solver.method=\"dfsph\"", "solver.method=\"iisph\"", "solver.method=\"pcisph\""};
        const char* json =
            "{\"particle_radius\": 0.015, \"fluids\": [{\"blocks\": [{\"min\": [-0.15, 0, -0.15], \"max\": [0.15, 0.3, 0.15]}]}],"
            "\"solids\": [{\"name\": \"tank\", \"inside\": true, \"shape\": {\"box\": [0.3, 1, 0.3]}, \"position\": [0, 0.5, 0]},"
            "{\"name\": \"ball\", \"type\": \"rigid\", \"density\": 1, \"shape\": {\"sphere\": 0.032}, \"position\": [0, 0.1, "
            "0]}]}";
        mn_World* world = build_with(json, &methods[n], 1);
        for (int k = 1; k <= 12; k++) {
            advance(world, 0.025 * k);
            assert_below(length(named(world, "ball").velocity), 4); // free of drag and added mass it would rise with 2 g
        }
        assert_true(named(world, "ball").pose.position.y > 0.15);
        finish(world);
    }
}

// Steps cut short, as before a frame or an event, neither throw a light body nor stir the water.
static void test_short_steps_throw_nothing(void** state)
{
    const char* const methods[] = {"solver.method=dfsph", "solver.method=iisph", "solver.method=pcisph"};
    for (int m = 0; m < 3; m++) {
        mn_World* world = build_with(BALL, &methods[m], 1);
        double highest = 0, energy = 0;
        for (int k = 0; mn_world_time(world) < 0.3; k++) {
            assert_int_equal(mn_world_step(world, k % 8 == 7 ? 1e-5 : 1, NULL), MN_OK);
            highest = fmax(highest, named(world, "ball").pose.position.y);
            energy = fmax(energy, mn_world_stats(world).kinetic_energy);
        }
        print_message("%s: at most %.2f r above its start, kinetic energy up to %.2g J\n", methods[m], (highest - 0.44) / 0.02,
                      energy);
        assert_below(highest, 0.44 + 0.75 * 0.02);
        assert_below(energy, 1); // 115 kg of water at 0.1 m/s: what a lattice needs to find its place
        mn_world_destroy(world);
    }
}

static void test_weight_is_carried(void** state)
{
    const char* const sets[][1] = {{"coupling.strong=true"}, {"coupling.strong=false"}};
    for (int k = 0; k < 2; k++) {
        mn_World* world =
            build_with(POOL("{\"name\": \"box\", \"type\": \"rigid\", \"shape\": {\"box\": [0.3, 0.2, 0.3]}, \"density\": 500, "
                            "\"position\": [0.3, 0.33, 0.3]}") "}",
                       sets[k], 1);
        advance(world, 1);
        double impulse = 0, height = 0, began = mn_world_time(world), speed = named(world, "box").velocity.y;
        while (mn_world_time(world) < 1.5) {
            assert_int_equal(mn_world_step(world, 0.01, NULL), MN_OK);
            double dt = mn_world_stats(world).dt;
            impulse += named(world, "box").force.y * dt;
            height += named(world, "box").pose.position.y * dt;
        }
        double time = mn_world_time(world) - began, force = impulse / time;
        force -= 9 * (named(world, "box").velocity.y - speed) / time; // what went into speed
        height /= time;
        double weight = 9 * 9.81, water = (double)mn_world_stats(world).fluid_particles * 0.04 * 0.04 * 0.04;
        assert_near(named(world, "box").mass, 9, 1e-6);
        assert_near(force, weight, 1e-3 * weight);
        double level = (water + 9e-3) / 0.36;
        assert_near(height, level, 0.03 * 0.2); // half of it is under water
        mn_world_destroy(world);
    }
}

static void test_heavy_body_rests_on_the_floor(void** state)
{
    mn_World* world = build_with(POOL("{\"name\": \"ball\", \"type\": \"rigid\", \"shape\": {\"sphere\": 0.1}, \"density\": 4000, "
                                      "\"position\": [0.3, 0.2, 0.3]}") "}",
                                 NULL, 0);
    advance(world, 1);
    mn_SolidView ball = named(world, "ball");
    assert_near(ball.pose.position.y, 0.1, 0.003);
    assert_below(length(ball.velocity), 0.02);
    assert_int_equal(mn_world_stats(world).leaked_particles, 0);
    mn_world_destroy(world);
}

// --- joints and events

static void test_events(void** state)
{
    mn_World* world = build_with(
        "{\"gravity\": [0, -10, 0], \"particle_radius\": 0.02, \"solids\": ["
        "{\"name\": \"a\", \"type\": \"rigid\", \"shape\": {\"box\": [0.1, 0.1, 0.1]}, \"density\": 1000},"
        "{\"name\": \"b\", \"type\": \"rigid\", \"held\": true, \"shape\": {\"box\": [0.1, 0.1, 0.1]}, \"position\": [1, 0, 0]},"
        "{\"name\": \"c\", \"type\": \"rigid\", \"shape\": {\"box\": [0.1, 0.1, 0.1]}, \"position\": [2, 0, 0]}],"
        "\"joints\": [{\"name\": \"hook\", \"type\": \"fixed\", \"solid\": \"a\", \"position\": [0, 0, 0]}],"
        "\"events\": [{\"time\": 0.2, \"release\": \"hook\"}, {\"time\": 0.1, \"release\": \"b\"},"
        "{\"time\": 0.3, \"solid\": \"c\", \"density\": 250, \"velocity\": [0, 5, 0]}]}",
        NULL, 0);
    advance(world, 0.1);
    assert_near(named(world, "a").pose.position.y, 0, 1e-4);
    assert_near(named(world, "b").pose.position.y, 0, 0);
    assert_true(mn_world_joint(world, 1).holds);
    advance(world, 0.3);
    assert_near(named(world, "a").velocity.y, -1, 1e-6);
    assert_near(named(world, "b").velocity.y, -2, 1e-6);
    assert_near(named(world, "c").velocity.y, 5, 1e-6);
    assert_near(named(world, "c").mass, 0.25, 1e-9);
    assert_false(mn_world_joint(world, 1).holds);
    mn_world_destroy(world);
}

static void expect_error(const char* json, const char* key, const char* words)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(json, strlen(json), "test", NULL, NULL, 0, &error);
    mn_World* world = scene ? mn_scene_build(scene, &error) : NULL;
    assert_null(world);
    assert_int_equal(error.result, MN_BAD_INPUT);
    assert_string_equal(error.key, key);
    if (!strstr(error.message, words))
        fail_msg("'%s' does not say '%s'", error.message, words);
    mn_scene_free(scene);
}

static void test_bad_input(void** state)
{
#define BODY                                                                                                                       \
    "\"solids\": [{\"name\": \"a\", \"type\": \"rigid\", \"shape\": {\"sphere\": 0.1}}, {\"name\": \"s\", \"shape\": {\"box\": "   \
    "[1, 1, 1]}}]"
    expect_error("{" BODY ", \"joints\": [{\"solid\": \"x\", \"position\": [0, 0, 0]}]}", "joints.0.solid", "no solid named 'x'");
    expect_error("{" BODY ", \"joints\": [{\"solid\": \"s\", \"position\": [0, 0, 0]}]}", "joints.0.solid", "must be rigid");
    expect_error("{" BODY ", \"joints\": [{\"solid\": \"a\", \"other\": \"a\", \"position\": [0, 0, 0]}]}", "joints.0.other",
                 "different");
    expect_error("{" BODY ", \"events\": [{\"time\": 1, \"release\": \"a\"}]}", "events.0.release", "no joint, no pin and no held");
    expect_error("{" BODY ", \"events\": [{\"time\": 1, \"solid\": \"s\", \"density\": 3}]}", "events.0.solid", "only rigid");
    expect_error("{" BODY ", \"events\": [{\"time\": 1, \"solid\": \"a\"}]}", "events.0.solid", "nothing is said to change");
    expect_error("{" BODY ", \"events\": [{\"time\": 1, \"solid\": \"b\", \"density\": 3}]}", "events.0.solid",
                 "named 'b'; there are 'a', 's'");
    expect_error("{" BODY ", \"joints\": [{\"type\": \"hinge\", \"solid\": \"a\", \"position\": [0, 0, 0], \"limits\": [10, 50]}]}",
                 "joints.0.limits", "must include 0");
    expect_error("{\"solids\": [{\"type\": \"rigid\", \"inside\": true, \"shape\": {\"box\": [1, 1, 1]}}]}", "solids.0.inside",
                 "cannot be a container");
    expect_error("{\"solids\": [{\"type\": \"rigid\", \"mass\": -2, \"shape\": {\"box\": [1, 1, 1]}}]}", "solids.0.mass",
                 "above 0");
    expect_error("{\"solids\": [{\"type\": \"rigid\", \"inertia\": [1, -1, 1], \"shape\": {\"box\": [1, 1, 1]}}]}",
                 "solids.0.inertia.1", "above 0");
    expect_error("{\"solids\": [{\"inside\": true, \"shape\": {\"plane\": [1, 1]}}]}", "solids.0.inside", "open");
    expect_error("{\"solids\": [{\"type\": \"rigid\", \"inertia\": [1, 1, 3], \"shape\": {\"box\": [1, 1, 1]}}]}",
                 "solids.0.inertia", "larger than the sum");
    expect_error("{\"solids\": [{\"type\": \"rigid\", \"inertia\": [1e-300, 1e-300, 1e-300], \"shape\": {\"box\": [1, 1, 1]}}]}",
                 "solids.0.inertia", "at least 8.33e-08");
}

static void remember(void* user, mn_LogLevel level, const char* text)
{
    if (level == MN_LOG_WARNING && strstr(text, "overlapping"))
        snprintf(user, 256, "%s", text);
}

static void test_overlap_is_said(void** state)
{
    const char* json = "{\"solids\": [{\"name\": \"a\", \"type\": \"rigid\", \"shape\": {\"sphere\": 0.1}},"
                       "{\"name\": \"s\", \"shape\": {\"box\": [1, 0.2, 1]}}]}";
    char said[256] = "";
    mn_Scene* scene = mn_scene_parse(json, strlen(json), "test", NULL, NULL, 0, NULL);
    scene->world.log = remember;
    scene->world.log_user = said;
    mn_World* world = mn_scene_build(scene, NULL);
    assert_non_null(world);
    assert_string_equal(said, "solids 'a' and 's' start overlapping; they will be pushed apart");
    mn_world_destroy(world);
    mn_scene_free(scene);
}

// --- restart, threads

#define BUSY                                                                                                                       \
    POOL("{\"name\": \"a\", \"type\": \"rigid\", \"shape\": {\"box\": [0.12, 0.1, 0.1]}, \"density\": 700, \"position\": [0.2, "   \
         "0.35, 0.3]},"                                                                                                            \
         "{\"name\": \"b\", \"type\": \"rigid\", \"shape\": {\"capsule\": [0.04, 0.1]}, \"density\": 20, \"position\": [0.35, "    \
         "0.4, 0.3]},"                                                                                                             \
         "{\"name\": \"c\", \"type\": \"rigid\", \"shape\": {\"sphere\": 0.06}, \"density\": 3000, \"position\": [0.45, 0.45, "    \
         "0.3]}")                                                                                                                  \
    ", \"joints\": [{\"name\": \"j\", \"solid\": \"a\", \"other\": \"b\", \"position\": [0.28, 0.37, 0.3]}],"                      \
    "\"events\": [{\"time\": 0.1, \"solid\": \"c\", \"density\": 100}, {\"time\": 0.25, \"release\": \"j\"}]}"

static void test_exact_restart(void** state)
{
    mn_World* straight = build_with(BUSY, NULL, 0);
    mn_World* first = build_with(BUSY, NULL, 0);
    mn_World* second = build_with(BUSY, NULL, 0);
    Saved saved = {.count = 0};
    advance(straight, 0.15);
    advance(straight, 0.3);
    advance(first, 0.15);
    assert_true(world_save_state(first, keep, &saved));
    assert_int_equal(world_load_state(second, give, &saved, NULL), MN_OK);
    assert_same_state(first, second);
    advance(second, 0.3);
    assert_same_state(straight, second);
    assert_false(mn_world_joint(second, 1).holds);
    forget(&saved);
    mn_world_destroy(straight);
    mn_world_destroy(first);
    mn_world_destroy(second);
}

// Two blocks on the floor of a dry room, and a jet that begins after a second.
static const char* const SLEEPERS =
    "{\"particle_radius\": 0.02, \"fluids\": [{\"emitters\": [{\"position\": [0.1, 0.1, 0.2], \"direction\": [1, 0, 0],"
    "\"size\": [0.16, 0.16], \"speed\": 3, \"start\": 1.1}]}],"
    "\"solids\": [{\"name\": \"room\", \"shape\": {\"box\": [1.6, 1, 0.4]}, \"position\": [0.8, 0.5, 0.2], \"inside\": true},"
    "{\"name\": \"low\", \"type\": \"rigid\", \"sleep\": true, \"shape\": {\"box\": [0.16, 0.08, 0.16]}, \"density\": 600,"
    " \"position\": [0.7, 0.04, 0.2]},"
    "{\"name\": \"high\", \"type\": \"rigid\", \"sleep\": true, \"shape\": {\"box\": [0.16, 0.08, 0.16]}, \"density\": 600,"
    " \"position\": [0.7, 0.12, 0.2]}]}";

static void test_sleep(void** state)
{
    mn_World *world = build(SLEEPERS), *second = build(SLEEPERS);
    Saved saved = {.count = 0};
    advance(world, 0.5);
    assert_false(named(world, "low").asleep);
    advance(world, 1.05);
    assert_true(named(world, "low").asleep && named(world, "high").asleep);
    assert_true(world_save_state(world, keep, &saved));
    assert_int_equal(world_load_state(second, give, &saved, NULL), MN_OK);
    assert_true(named(second, "low").asleep);
    mn_Vec3 before = named(world, "high").pose.position;
    advance(world, 1.15);
    mn_Vec3 after = named(world, "high").pose.position;
    assert_memory_equal(&before, &after, sizeof before); // the water is not there yet
    assert_true(named(world, "high").asleep);
    advance(world, 1.8);
    assert_false(named(world, "low").asleep && named(world, "high").asleep);
    assert_true(named(world, "low").pose.position.x > 0.72); // it was carried away
    advance(second, 1.15);
    advance(second, 1.8);
    assert_same_state(world, second);
    forget(&saved);
    finish(world);
    finish(second);
}

#define WEIGHTLESS                                                                                                                 \
    "{\"gravity\": [0, 0, 0], \"particle_radius\": 0.02, \"fluids\": ["                                                            \
    "{\"blocks\": [{\"min\": [1, 0, 0], \"max\": [1.12, 0.12, 0.12]}]}],"                                                          \
    "\"solids\": [{\"name\": \"body\", \"type\": \"rigid\", \"shape\": {\"box\": [0.1, 0.1, 0.1]}},"                               \
    "{\"name\": \"sheet\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.2, 0.2], \"cells\": [4, 4]}, \"young\": 1e5,"           \
    "\"density\": 300, \"thickness\": 0.002, \"drag\": 0, \"position\": [-1, 0, 0]}],"                                             \
    "\"events\": [{\"time\": 0.3, \"gravity\": [5, 0, 0]}, {\"time\": 0.1, \"gravity\": [0, -10, 0]}]}"

static mn_Vec3 middle_of_sheet(const mn_World* world)
{
    mn_SolidView sheet = named(world, "sheet");
    mn_Vec3 sum = {0, 0, 0};
    for (size_t k = 0; k < sheet.vertex_count; k++)
        sum = minus(sum, sheet.vertex[k]);
    double n = -(double)sheet.vertex_count;
    return (mn_Vec3){sum.x / n, sum.y / n, sum.z / n};
}

// Everything falls alike: fluid, body and sheet, first down, then aside.
static void test_gravity_changes(void** state)
{
    mn_World *world = build_with(WEIGHTLESS, NULL, 0), *second = build_with(WEIGHTLESS, NULL, 0);
    Saved saved = {.count = 0};
    advance(world, 0.1);
    mn_Vec3 sheet = middle_of_sheet(world);
    double still[2] = {(double)mn_world_particles(world).velocity[1], named(world, "body").velocity.y};
    assert_near(still[0], 0, 1e-3);
    assert_near(still[1], 0, 1e-9);
    advance(world, 0.2);
    assert_true(world_save_state(world, keep, &saved));
    advance(world, 0.3);
    assert_near((double)mn_world_particles(world).velocity[1], -2, 2e-3);
    assert_near(named(world, "body").velocity.y, -2, 1e-6);
    assert_near(middle_of_sheet(world).y - sheet.y, -0.2, 0.01);
    advance(world, 0.4);
    assert_near((double)mn_world_particles(world).velocity[0], 0.5, 2e-3);
    assert_near((double)mn_world_particles(world).velocity[1], -2, 2e-3);
    assert_near(named(world, "body").velocity.x, 0.5, 1e-6);
    assert_near(named(world, "body").velocity.y, -2, 1e-6);
    assert_near(middle_of_sheet(world).x - sheet.x, 0.025, 0.003);
    // what a checkpoint does not say, gravity, follows from the events that it says are done
    assert_int_equal(world_load_state(second, give, &saved, NULL), MN_OK);
    advance(second, 0.3);
    advance(second, 0.4);
    assert_same_state(world, second);
    forget(&saved);
    mn_world_destroy(world);
    mn_world_destroy(second);
}

// Steps are as short from the start as the strongest gravity asks for; an event at the start counts from the start.
static void test_gravity_from_the_start(void** state)
{
    static const char* const sets[] = {"events.1.time=0"};
    mn_World* world = build_with(WEIGHTLESS, sets, 1);
    advance(world, 0.1);
    assert_near(named(world, "body").velocity.y, -1, 1e-6);
    assert_near((double)mn_world_particles(world).velocity[1], -1, 1e-3);
    mn_world_destroy(world);
}

static void test_threads(void** state)
{
    mn_World* all = build_with(BUSY, NULL, 0); // all cores
    advance(all, 0.12);
    expect_with_threads(all, BUSY, 0.12, 1);
    expect_with_threads(all, BUSY, 0.12, 5);
    mn_world_destroy(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_momentum_in_thick_fluid),
        cmocka_unit_test(test_drag_at_any_step),
        cmocka_unit_test(test_light_body_rests),
        cmocka_unit_test(test_small_light_body_rises),
        cmocka_unit_test(test_short_steps_throw_nothing),
        cmocka_unit_test(test_weight_is_carried),
        cmocka_unit_test(test_heavy_body_rests_on_the_floor),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_overlap_is_said),
        cmocka_unit_test(test_exact_restart),
        cmocka_unit_test(test_gravity_changes),
        cmocka_unit_test(test_gravity_from_the_start),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
