// SPDX-License-Identifier: MIT
// Elastic solids in whole scenes: the same bits for any number of threads and after a restart, pins that hold and let go, two-way
// contact with rigid bodies, and errors that say what is wrong.
#include "saved_state.h"

#include "base/vec.h"
#include "world/world_parts.h"
#include <meniscus/meniscus.h>
#include <stdlib.h>
#include <string.h>

static ElasticSet* elastic_set(const mn_World* world)
{
    return ((ElasticSystem*)world_system(world, &elastic_system))->set;
}

static mn_World* open_world(const char* text, int threads, mn_Error* error)
{
    mn_Scene* scene = mn_scene_parse(text, strlen(text), NULL, MENISCUS_SOURCE_DIR "/scenes/elastic", NULL, 0, error);
    if (!scene)
        return NULL;
    scene->world.threads = threads;
    mn_World* world = mn_scene_build(scene, error);
    mn_scene_free(scene);
    return world;
}

static mn_World* world_of(const char* text, int threads)
{
    mn_Error error = {0};
    mn_World* world = open_world(text, threads, &error);
    if (!world)
        fail_msg("%s: %s", error.key, error.message);
    return world;
}

static void advance(mn_World* world, double time)
{
    mn_Error error = {0};
    if (mn_world_advance(world, time, NULL, NULL, &error) != MN_OK)
        fail_msg("%s", error.message);
}

static mn_Vec3 middle_of(const mn_World* world, mn_SolidId id)
{
    mn_SolidView s = mn_world_solid(world, id);
    Vec3d sum = {0, 0, 0};
    for (size_t k = 0; k < s.vertex_count; k++)
        sum = vec3d_mad(sum, 1 / (double)s.vertex_count, s.vertex[k]);
    return sum;
}

// --- scenes

static const char* const mixed =
    "{\"particle_radius\": 0.02, \"solids\": ["
    "{\"name\": \"floor\", \"shape\": {\"box\": [2, 0.1, 2]}, \"position\": [0, -0.05, 0]},"
    "{\"name\": \"ball\", \"type\": \"rigid\", \"shape\": {\"sphere\": 0.06}, \"density\": 300, \"position\": [0, 0.5, 0]},"
    "{\"name\": \"sheet\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.6, 0.6], \"cells\": [16, 16]}, \"position\": [0, 0.4, "
    "0],"
    " \"young\": 5e5, \"thickness\": 0.002, \"density\": 300, \"pins\": [\"corners\"]},"
    "{\"name\": \"cube\", \"type\": \"elastic\", \"model\": \"fem\", \"shape\": {\"box\": [0.1, 0.1, 0.1]}, \"resolution\": 0.05,"
    " \"young\": 2e4, \"position\": [0.5, 0.1, 0], \"damping\": 0.005}],"
    "\"events\": [{\"time\": 0.3, \"release\": \"sheet\"}]}";

static void test_threads_and_restart(void** state)
{
    mn_World *one = world_of(mixed, 1), *three = world_of(mixed, 3);
    advance(one, 0.2);
    advance(three, 0.2);
    assert_same_state(one, three);
    Saved saved = {0};
    assert_true(world_save_state(one, keep, &saved));
    advance(one, 0.4);
    mn_World* again = world_of(mixed, 2);
    mn_Error error = {0};
    if (world_load_state(again, give, &saved, &error) != MN_OK)
        fail_msg("%s", error.message);
    assert_same_state(again, three);
    advance(again, 0.4);
    assert_same_state(again, one);
    forget(&saved);
    mn_world_destroy(one);
    mn_world_destroy(three);
    mn_world_destroy(again);
}

// A ball on a sheet that is held by its corners: it goes down, comes up again, and the sheet feels it. Let go, all fall.
static void test_trampoline(void** state)
{
    mn_World* world = world_of(mixed, 2);
    double lowest = 1, up = -1;
    for (int k = 1; k <= 29; k++) {
        advance(world, 0.01 * k);
        mn_SolidView ball = mn_world_solid(world, 2);
        lowest = fmin(lowest, ball.pose.position.y);
        up = fmax(up, ball.velocity.y);
        mn_SolidView sheet = mn_world_solid(world, 3);
        for (size_t i = 0; i < sheet.vertex_count; i++)
            assert_true(vec3d_distance(sheet.vertex[i], ball.pose.position) > 0.06 - 0.003);
        assert_true(ball.pose.position.y > sheet.vertex[sheet.vertex_count / 2].y); // never through it
    }
    mn_SolidView sheet = mn_world_solid(world, 3);
    assert_near(sheet.vertex[0].y, 0.4, 1e-12);
    assert_below(lowest, 0.44);
    assert_true(lowest > 0.2);
    advance(world, 0.9);
    sheet = mn_world_solid(world, 3);
    for (size_t k = 0; k < sheet.vertex_count; k++)
        assert_true(sheet.vertex[k].y > -0.002);
    assert_below(middle_of(world, 3).y, 0.15);
    mn_world_destroy(world);
}

// --- ties to other solids

// A strip of cloth, 0.1 m wide and 0.3 m long, E t = 1000 N/m, that hangs from its upper edge and is tied to a box below.
static mn_World* strip_with(const char* box, double gravity, double step, double drag)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"particle_radius\": 0.01, \"gravity\": [0, %g, 0], \"solver\": {\"time_step\": %g}, \"solids\": ["
             "{\"name\": \"box\", \"shape\": {\"box\": [0.1, 0.1, 0.1]}, \"position\": [0, -0.05, 0], %s},"
             "{\"name\": \"strip\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.1, 0.3], \"cells\": [4, 12]},"
             " \"contact\": \"none\", \"position\": [0, 0.15, 0], \"rotation\": {\"axis\": [1, 0, 0], \"angle\": 90},"
             " \"young\": 1e6, \"thickness\": 0.001, \"density\": 300, \"drag\": %g,"
             " \"pins\": [{\"min\": [-1, 0.299, -1], \"max\": [1, 0.301, 1]},"
             " {\"min\": [-1, -0.001, -1], \"max\": [1, 0.001, 1], \"solid\": \"box\"}]}]}",
             gravity, step, box, drag);
    return world_of(text, 1);
}

// Points on a solid that moves as told go with it, and it feels what holds the other end.
static void test_tied_to_kinematic(void** state)
{
    mn_World* world = strip_with("\"type\": \"kinematic\", \"motion\": [{\"time\": 0, \"position\": [0, -0.05, 0]},"
                                 " {\"time\": 0.1, \"position\": [0, -0.055, 0]}]",
                                 0, 0.002, 20);
    mn_SolidView strip = mn_world_solid(world, 2);
    bool low[65] = {false};
    assert_int_equal(strip.vertex_count, 65);
    for (size_t k = 0; k < 65; k++)
        low[k] = strip.vertex[k].y < 0.001;
    advance(world, 0.05);
    strip = mn_world_solid(world, 2);
    int count = 0;
    for (size_t k = 0; k < 65; k++)
        if (low[k]) {
            assert_near(strip.vertex[k].y, -0.0025, 1e-9);
            count++;
        }
    assert_int_equal(count, 5);
    advance(world, 0.6);
    Vec3d force, torque, top;
    elastic_pin_force(elastic_set(world), 0, 1, &force, &torque);
    elastic_pin_force(elastic_set(world), 0, 0, &top, &torque);
    // E t w / l is 333 N/m, and up to 6/5 of it where the clamped ends hinder shear
    assert_true(force.y > 0.005 * 333 && force.y < 0.005 * 400);
    assert_near(force.y, -top.y, 0.01 * force.y);
    mn_world_destroy(world);
}

// One that turns all the time takes its points along.
static void test_tied_to_turning(void** state)
{
    mn_World* world = strip_with("\"type\": \"kinematic\", \"angular_velocity\": [0, 10, 0]", 0, 0.002, 20);
    elastic_system.release_hold(world_system(world, &elastic_system), 0, world->state.time);
    mn_SolidView strip = mn_world_solid(world, 2);
    mn_Vec3 start[65];
    memcpy(start, strip.vertex, sizeof start);
    advance(world, 0.1);
    strip = mn_world_solid(world, 2);
    int count = 0;
    for (size_t k = 0; k < 65; k++)
        if (start[k].y < 0.001) {
            assert_near(strip.vertex[k].x, start[k].x * cos(1.0), 1e-9);
            assert_near(strip.vertex[k].z, -start[k].x * sin(1.0), 1e-9);
            count++;
        }
    assert_int_equal(count, 5);
    mn_world_destroy(world);
}

static double energy_of(const mn_World* world)
{
    mn_Stats stats = mn_world_stats(world);
    return stats.kinetic_energy + stats.potential_energy;
}

// The weight swings about the place where the strip holds it, and nothing gives it energy.
static void check_weight(double step)
{
    const double mass = 0.2;
    mn_World* world = strip_with("\"type\": \"rigid\", \"mass\": 0.2", -9.81, step, 0);
    // The grid's diagonals all lean to the same side, so the weight gives way to that side and they carry nothing: what is left is
    // E t w / l. Half of the strip's own weight hangs on it as well.
    double still = 9.81 * (mass + 0.5 * 0.009) / (1000 * 0.1 / 0.3), exchanged = 9.81 * mass * 2 * still;
    double start = energy_of(world), mean = 0, early = -1, late = -1;
    for (int k = 1; k <= 400; k++) {
        advance(world, 0.005 * k);
        mean += (-0.05 - mn_world_solid(world, 1).pose.position.y) / 400;
        // weight acts when a step begins: half of it is still to come for the velocity that is shown
        double gain = energy_of(world) - start - 0.5 * step * mass * 9.81 * mn_world_solid(world, 1).velocity.y;
        early = k <= 200 ? fmax(early, gain) : early;
        late = k > 200 ? fmax(late, gain) : late;
    }
    assert_near(mean, still, 0.05 * still);
    // one iteration per substep makes the strip a little softer than the strain energy takes it to be
    assert_below(early, 0.04 * exchanged);
    assert_below(late, early);
    mn_world_destroy(world);
}

// `again` goes on from where `world` is.
static void restart_as(const mn_World* world, mn_World* again)
{
    Saved saved = {0};
    mn_Error error = {0};
    assert_true(world_save_state(world, keep, &saved));
    if (world_load_state(again, give, &saved, &error) != MN_OK)
        fail_msg("%s", error.message);
    forget(&saved);
}

// A restart goes on with the tie bit for bit.
static void test_tied_restart(void** state)
{
    const char* box = "\"type\": \"rigid\", \"mass\": 0.2, \"angular_velocity\": [1, 2, 3]";
    mn_World *one = strip_with(box, -9.81, 0.004, 0), *again = strip_with(box, -9.81, 0.004, 0);
    advance(one, 0.1);
    restart_as(one, again);
    advance(one, 0.2);
    advance(again, 0.2);
    assert_same_state(again, one);
    mn_world_destroy(one);
    mn_world_destroy(again);
}

static void test_tied_to_rigid(void** state)
{
    check_weight(0.001);
    check_weight(0.005);
}

// A box flies off and turns, lighter or heavier than the strip that it drags along.
static void test_tied_momentum(void** state)
{
    static const double masses[] = {0.002, 0.2};
    for (int k = 0; k < 2; k++) {
        char box[160];
        snprintf(box, sizeof box,
                 "\"type\": \"rigid\", \"mass\": %g, \"velocity\": [0.3, -0.5, 0.1], \"angular_velocity\": [3, 1, -2]", masses[k]);
        mn_World* world = strip_with(box, 0, 0.002, 0);
        elastic_system.release_hold(world_system(world, &elastic_system), 0, world->state.time);
        mn_Stats before = mn_world_stats(world);
        double energy = energy_of(world);
        advance(world, 1);
        mn_Stats after = mn_world_stats(world);
        assert_below(vec3d_distance(before.momentum, after.momentum), 1e-9 * vec3d_length(before.momentum));
        assert_below(vec3d_distance(before.angular_momentum, after.angular_momentum), 1e-3 * vec3d_length(before.angular_momentum));
        assert_below(energy_of(world), energy);
        mn_world_destroy(world);
    }
}

// A box that friction holds on the floor stays where it is while a strip pulls at it with about two thirds of what would move it. A
// restart goes on bit for bit.
static void test_held_against_the_pull(void** state)
{
    const char* text =
        "{\"particle_radius\": 0.01, \"solver\": {\"time_step\": 0.004}, \"solids\": ["
        "{\"name\": \"box\", \"type\": \"rigid\", \"mass\": 0.2, \"shape\": {\"box\": [0.1, 0.1, 0.1]}, \"position\": [0, 0.05, "
        "0]},"
        "{\"name\": \"floor\", \"shape\": {\"box\": [1, 0.1, 1]}, \"position\": [0, -0.05, 0]},"
        "{\"name\": \"strip\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.3, 0.1], \"cells\": [12, 4]}, \"contact\": \"none\","
        " \"position\": [0.2, 0.08, 0], \"young\": 1e6, \"thickness\": 0.001, \"density\": 300, \"drag\": 5,"
        " \"pins\": [{\"min\": [0.349, -1, -1], \"max\": [0.351, 1, 1],"
        " \"motion\": [{\"time\": 0, \"position\": [0, 0, 0]}, {\"time\": 0.2, \"position\": [0.002, 0, 0]}]},"
        " {\"min\": [0.049, -1, -1], \"max\": [0.051, 1, 1], \"solid\": \"box\"}]}]}";
    mn_World *world = world_of(text, 1), *again = world_of(text, 1);
    advance(world, 0.25);
    double start = mn_world_solid(world, 1).pose.position.x;
    restart_as(world, again);
    advance(world, 1.25);
    advance(again, 1.25);
    assert_same_state(again, world);
    mn_world_destroy(again);
    Vec3d force, torque;
    elastic_pin_force(elastic_set(world), 0, 1, &force, &torque);
    double crept = mn_world_solid(world, 1).pose.position.x - start;
    print_message("pulled with %.2f N for a second, the box crept by %.3f mm\n", force.x, 1e3 * crept);
    assert_true(force.x > 0.5);
    assert_below(fabs(crept), 2e-4); // 1.4 mm where the pull moves it within a step
    mn_world_destroy(world);
}

static void test_moved_pins(void** state)
{
    mn_World* world =
        world_of("{\"particle_radius\": 0.01, \"gravity\": [0, 0, 0], \"solids\": ["
                 "{\"name\": \"sheet\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.2, 0.2], \"cells\": [6, 6]}, \"young\": "
                 "1e5, \"drag\": 5,"
                 " \"pins\": [{\"select\": \"border\", \"motion\": [{\"time\": 0}, {\"time\": 0.2, \"position\": [0, 0.1, 0], "
                 "\"rotation\": {\"axis\": [0, 1, 0], \"angle\": 90}}]}]}]}",
                 1);
    mn_SolidView sheet = mn_world_solid(world, 1);
    mn_Vec3 corner = sheet.vertex[0];
    advance(world, 0.25);
    sheet = mn_world_solid(world, 1);
    assert_near(sheet.vertex[0].x, corner.z, 1e-9);
    assert_near(sheet.vertex[0].y, 0.1, 1e-9);
    assert_near(sheet.vertex[0].z, -corner.x, 1e-9);
    mn_world_destroy(world);
}

// --- errors

static const struct {
    const char *solid, *key, *says;
} bad[] = {
    {"\"shape\": {\"grid\": [1, 1], \"cells\": [4, 4]}, \"model\": \"fem\"", "solids.0.model", "fem is for volumes"},
    {"\"shape\": {\"grid\": [1, 1], \"cells\": [4, 4]}, \"structure\": \"volume\"", "solids.0.structure", "closed shape"},
    {"\"shape\": {\"grid\": [1, 1], \"cells\": [4, 4]}, \"pins\": [25]", "solids.0.pins.0.vertex", "the solid has 25"},
    {"\"shape\": {\"sphere\": 0.1}, \"pins\": [\"corners\"]", "solids.0.pins.0.select", "only grids, planes and boxes"},
    {"\"shape\": {\"grid\": [1, 1], \"cells\": [4, 4]}, \"pins\": [{\"min\": [5, 5, 5], \"max\": [6, 6, 6]}]",
     "solids.0.pins.0.select", "holds no vertex"},
    {"\"shape\": {\"grid\": [1, 1], \"cells\": [4, 4]}, \"pins\": [{\"select\": \"corners\", \"solid\": \"ghost\"}]",
     "solids.0.pins.0.solid", "no solid named 'ghost'"},
    {"\"shape\": {\"rod\": 1}", "solids.0.shape", "triangles"},
    {"\"shape\": {\"box\": [1, 1, 1]}, \"inside\": true", "solids.0.inside", "container"},
};

static void test_bad_input(void** state)
{
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[600];
        snprintf(text, sizeof text, "{\"particle_radius\": 0.05, \"solids\": [{\"type\": \"elastic\", %s}]}", bad[k].solid);
        mn_Error error = {0};
        mn_World* world = open_world(text, 1, &error);
        if (world)
            fail_msg("%s was accepted", bad[k].solid);
        if (strcmp(error.key, bad[k].key) || !strstr(error.message, bad[k].says))
            fail_msg("%s: got %s: %s", bad[k].solid, error.key, error.message);
        assert_int_equal(error.result, MN_BAD_INPUT);
    }
}

static void test_scene_files(void** state)
{
    static const char* const name[] = {"hanging_cloth", "cloth_over_ball", "jelly_cubes", "beam"};
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        char path[512];
        snprintf(path, sizeof path, MENISCUS_SOURCE_DIR "/scenes/elastic/%s.json", name[k]);
        mn_Error error = {0};
        mn_Scene* scene = mn_scene_load(path, NULL, 0, &error);
        mn_World* world = scene ? mn_scene_build(scene, &error) : NULL;
        if (!world)
            fail_msg("%s: %s: %s", name[k], error.key, error.message);
        advance(world, 0.01);
        mn_world_destroy(world);
        mn_scene_free(scene);
    }
}

// A run that is killed in its first frame goes on from the state at the start. The water that nodes carry was counted twice there.
static void test_resume_from_start(void** state)
{
    static const char TEXT[] =
        "{\"particle_radius\": 0.02, \"fluids\": [{\"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.2, 0.25, 0.3]}]}],"
        "\"solids\": [{\"shape\": {\"box\": [0.6, 0.5, 0.3]}, \"position\": [0.3, 0.25, 0.15], \"inside\": true},"
        "{\"type\": \"elastic\", \"shape\": {\"grid\": [0.5, 0.2], \"cells\": [8, 4]}, \"position\": [0.3, 0.12, 0.15],"
        "\"density\": 300, \"thickness\": 0.004, \"young\": 1e6, \"pins\": [\"border\"]}]}";
    mn_World *whole = world_of(TEXT, 1), *resumed = world_of(TEXT, 1);
    mn_Error error = {0};
    Saved saved = {0};
    assert_int_equal(mn_world_prepare(whole, &error), MN_OK);
    assert_true(world_save_state(whole, keep, &saved));
    assert_int_equal(world_load_state(resumed, give, &saved, &error), MN_OK);
    forget(&saved);
    advance(whole, 0.02);
    advance(resumed, 0.02);
    expect_same_state(whole, resumed, "resumed from the start", __FILE__, __LINE__);
    mn_world_destroy(whole);
    mn_world_destroy(resumed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_restart),
        cmocka_unit_test(test_trampoline),
        cmocka_unit_test(test_moved_pins),
        cmocka_unit_test(test_tied_to_rigid),
        cmocka_unit_test(test_tied_to_kinematic),
        cmocka_unit_test(test_tied_to_turning),
        cmocka_unit_test(test_held_against_the_pull),
        cmocka_unit_test(test_tied_momentum),
        cmocka_unit_test(test_tied_restart),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_resume_from_start),
        cmocka_unit_test(test_scene_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
