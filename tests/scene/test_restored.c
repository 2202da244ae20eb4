// SPDX-License-Identifier: MIT
// Saved and restored between any two steps, worlds go on the same to the last bit, also with what changes what they are made of:
// solids that broke beside others, and foam, whose order in memory follows from what it did before.
#include "saved_state.h"
#include "world/worlds.h"

#include <meniscus/meniscus.h>

// A block breaks on a sheet whose edges are sharp for it.
static const char BREAKS[] =
    "{\"particle_radius\": 0.2, \"duration\": 1, \"solver\": {\"method\": \"iisph\"},"
    " \"fluids\": [{\"blocks\": [{\"min\": [0, 0, 0], \"max\": [1, 1, 1]}]}],"
    " \"solids\": [{\"name\": \"soft\", \"type\": \"elastic\", \"model\": \"fem\", \"shape\": {\"box\": [0.9, 0.8, 0.65]},"
    "   \"density\": 1358, \"young\": 248880, \"poisson\": 0.2, \"resolution\": 0.3, \"strength\": 2622, \"position\": [7.2, 2, "
    "1.35],"
    "   \"velocity\": [0, -4, 0], \"rotation\": {\"axis\": [-0.8, 1, 0.9], \"angle\": 90}},"
    "  {\"name\": \"sheet\", \"type\": \"rigid\", \"shape\": {\"plane\": [1.35, 0.75]}, \"density\": 815, \"position\": [7.2, "
    "1.15, 1.35],"
    "   \"rotation\": {\"axis\": [-0.7, 0.24, 0.76], \"angle\": 190}},"
    "  {\"shape\": {\"box\": [8.8, 5.5, 2.7]}, \"position\": [4.4, 2.75, 1.35], \"inside\": true}]}";

static const char FOAMS[] = "{\"particle_radius\": 0.05, \"duration\": 1, \"foam\": {\"amount\": 1},"
                            " \"fluids\": [{\"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.6, 1.2, 0.8]}]}],"
                            " \"solids\": [{\"shape\": {\"box\": [2, 3, 0.8]}, \"position\": [1, 1.5, 0.4], \"inside\": true}]}";

static mn_World* world_of(const char* text, int threads)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(text, strlen(text), "test", NULL, NULL, 0, &error);
    expect_ok(scene != NULL, &error);
    scene->world.threads = threads;
    mn_World* world = mn_scene_build(scene, &error);
    expect_ok(world && mn_world_prepare(world, &error) == MN_OK, &error);
    mn_scene_free(scene);
    return world;
}

static void steps(mn_World* world, int count)
{
    mn_Error error = {0};
    for (int k = 0; k < count; k++)
        expect_ok(mn_world_step(world, INFINITY, &error) == MN_OK, &error);
}

// Saved after each `every` steps, and compared after twice as many.
static void check(const char* what, const char* text, int first, int every, int times)
{
    mn_World* whole = world_of(text, 1);
    steps(whole, first);
    for (int k = 0; k < times; k++) {
        Saved saved = {.count = 0};
        mn_Error error = {0};
        char name[64];
        snprintf(name, sizeof name, "%s, saved after %d steps", what, first + k * every);
        assert_true(world_save_state(whole, keep, &saved));
        mn_World* again = world_of(text, 2);
        expect_ok(world_load_state(again, give, &saved, &error) == MN_OK, &error);
        steps(whole, every);
        steps(again, every);
        expect_same_state(again, whole, name, __FILE__, __LINE__);
        mn_world_destroy(again);
        forget(&saved);
    }
    mn_world_destroy(whole);
}

static void what_broke_goes_on_the_same(void** state)
{
    mn_World* world = world_of(BREAKS, 1);
    steps(world, 40);
    mn_Stats stats = mn_world_stats(world);
    assert_true(stats.broken_faces > 10);
    mn_world_destroy(world);
    check("broken", BREAKS, 10, 20, 4);
}

static void foam_goes_on_the_same(void** state)
{
    mn_World* world = world_of(FOAMS, 1);
    steps(world, 100);
    assert_true(mn_world_stats(world).diffuse_particles > 200);
    mn_world_destroy(world);
    check("foam", FOAMS, 13, 7, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_broke_goes_on_the_same),
        cmocka_unit_test(foam_goes_on_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
