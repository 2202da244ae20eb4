// SPDX-License-Identifier: MIT
// Elastic solids in whole scenes: the same bits for any number of threads and after a restart, pins that hold and let go, two-way
// contact with rigid bodies, and errors that say what is wrong.
#include "support.h"

#include "base/vec.h"
#include "world/state.h"
#include <meniscus/meniscus.h>
#include <stdlib.h>
#include <string.h>

// --- a state in memory

typedef struct Section {
    char name[48];
    void* data;
    size_t bytes;
} Section;

typedef struct Saved {
    Section section[64];
    size_t count;
} Saved;

static bool keep(void* user, const char* name, const void* data, size_t bytes)
{
    Saved* saved = user;
    Section* s = &saved->section[saved->count++];
    snprintf(s->name, sizeof s->name, "%s", name);
    s->bytes = bytes;
    s->data = malloc(bytes + 1);
    if (bytes)
        memcpy(s->data, data, bytes);
    return true;
}

static const void* give(void* user, const char* name, size_t* bytes)
{
    Saved* saved = user;
    for (size_t k = 0; k < saved->count; k++)
        if (!strcmp(saved->section[k].name, name)) {
            *bytes = saved->section[k].bytes;
            return saved->section[k].data;
        }
    return NULL;
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
    assert_true(mn_world_hash(one) == mn_world_hash(three));
    Saved saved = {0};
    assert_true(world_save_state(one, keep, &saved));
    advance(one, 0.4);
    mn_World* again = world_of(mixed, 2);
    mn_Error error = {0};
    if (world_load_state(again, give, &saved, &error) != MN_OK)
        fail_msg("%s", error.message);
    assert_true(mn_world_hash(again) == mn_world_hash(three));
    advance(again, 0.4);
    assert_true(mn_world_hash(again) == mn_world_hash(one));
    for (size_t k = 0; k < saved.count; k++)
        free(saved.section[k].data);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_restart), cmocka_unit_test(test_trampoline),  cmocka_unit_test(test_moved_pins),
        cmocka_unit_test(test_bad_input),           cmocka_unit_test(test_scene_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
