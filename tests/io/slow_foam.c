// SPDX-License-Identifier: MIT
// Foam that a run makes step by step and foam that is made from its frames agree in numbers, and neither is ever in a solid. A calm
// tank makes none.
#include "support.h"

#include "io/foam_series.h"
#include "io/run_writer.h"
#include "world/foam.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char dam[] =
    "{ \"particle_radius\": 0.016, \"duration\": 1.0, \"frame_rate\": 50,"
    "  \"fluids\": [ { \"name\": \"water\", \"blocks\": [ { \"min\": [0, 0, 0], \"max\": [0.5, 0.6, 0.32] } ] } ],"
    "  \"solids\": [ { \"name\": \"tank\", \"type\": \"static\", \"shape\": { \"box\": [1.4, 1.2, 0.32] }, \"position\": [0.7, "
    "0.6, 0.16], "
    "\"inside\": true },"
    "    { \"name\": \"paddle\", \"type\": \"kinematic\", \"shape\": { \"box\": [0.04, 0.3, 0.2] }, \"position\": [1, 0.2, 0.16],"
    "      \"angular_velocity\": [0, 0, 4] } ],"
    "  \"foam\": { \"amount\": 4 } }";

// A grid fluid that comes in and goes out.
static const char pour[] =
    "{ \"particle_radius\": 0.02, \"duration\": 1.0, \"frame_rate\": 50, \"solver\": { \"method\": \"flip\" },"
    "  \"fluids\": [ { \"name\": \"water\", \"blocks\": [ { \"min\": [0.42, 0, 0], \"max\": [1.6, 0.2, 0.6] } ],"
    "    \"emitters\": [ { \"position\": [0.06, 0.86, 0.3], \"direction\": [1, 0, 0], \"size\": [0.09, 0.45], \"speed\": 1.2 } ] } "
    "],"
    "  \"solids\": [ { \"name\": \"basin\", \"type\": \"static\", \"shape\": { \"box\": [1.6, 1.2, 0.6] },"
    "      \"position\": [0.8, 0.6, 0.3], \"inside\": true },"
    "    { \"name\": \"cliff\", \"type\": \"static\", \"shape\": { \"box\": [0.4, 0.8, 0.598] }, \"position\": [0.2, 0.401, 0.3] } "
    "],"
    "  \"drains\": [ { \"min\": [1.2, 0.1, 0], \"max\": [1.6, 1.2, 0.6] } ], \"foam\": { \"amount\": 6 } }";

static void assert_on_the_right_side(const mn_World* world, const mn_FoamView* foam)
{
    Memory memory = {0};
    FoamSides sides;
    assert_true(world_foam_sides(world, &memory, &sides));
    for (size_t k = 0; k < foam->count; k++) {
        const float* x = foam->position + 4 * k;
        if (foam_sides_is_wrong(&sides, vec3d((double)x[0], (double)x[1], (double)x[2])))
            fail_msg("particle %u is at %g %g %g, in a solid or outside the tank", foam->id[k], (double)x[0], (double)x[1],
                     (double)x[2]);
    }
    foam_sides_destroy(&sides);
}

static void check_agreement(const char* text)
{
    char folder[] = "/tmp/meniscus_foam_XXXXXX", run[64], out[64], remove[96];
    assert_non_null(mkdtemp(folder));
    snprintf(run, sizeof run, "%s/run", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(text, strlen(text), "text", NULL, NULL, 0, &error);
    if (!scene)
        fail_msg("%s", error.message);
    mn_World* world = mn_scene_build(scene, &error);
    RunWriter writer;
    assert_int_equal(run_writer_create(&writer, run, scene, world, false, &error), MN_OK);
    assert_int_equal(run_writer_frame(&writer, world, 0, &error), MN_OK);
    enum { FRAMES = 50 };
    double live[FRAMES + 1] = {0};
    for (int k = 1; k <= FRAMES; k++) {
        assert_int_equal(mn_world_advance(world, k / 50.0, NULL, NULL, &error), MN_OK);
        assert_int_equal(run_writer_frame(&writer, world, 0, &error), MN_OK);
        mn_FoamView foam = mn_world_foam(world);
        live[k] = (double)foam.count;
        assert_on_the_right_side(world, &foam);
    }
    run_writer_close(&writer, &error);
    FoamSeriesDef def = {.run = run, .out = out};
    FoamSeries series;
    if (foam_series_open(&series, &def, &error) != MN_OK)
        fail_msg("%s", error.message);
    while (!foam_series_is_done(&series)) {
        if (foam_series_next(&series, &error) != MN_OK)
            fail_msg("%s", error.message);
        if (series.frame == FRAMES)
            break;
    }
    double post = (double)series.foam.set.count;
    print_message("live %.0f, from frames %.0f\n", live[FRAMES], post);
    assert_true(live[FRAMES] > 10000);
    assert_near(post / live[FRAMES], 1, 0.02);
    foam_series_close(&series, &error);
    mn_world_destroy(world);
    mn_scene_free(scene);
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    assert_int_equal(system(remove), 0);
}

static void post_process_agrees_with_live(void** state)
{
    check_agreement(dam);
}

static void with_a_grid_fluid_and_sources_too(void** state)
{
    check_agreement(pour);
}

static const char calm[] =
    "{ \"particle_radius\": 0.05, \"duration\": 60, \"frame_rate\": 1,"
    "  \"fluids\": [ { \"name\": \"water\", \"blocks\": [ { \"min\": [0, 0, 0], \"max\": [1, 0.6, 0.6] } ] } ],"
    "  \"solids\": [ { \"name\": \"tank\", \"type\": \"static\", \"shape\": { \"box\": [1, 1, 0.6] }, \"position\": [0.5, 0.5, "
    "0.3], "
    "\"inside\": true } ],"
    "  \"foam\": { \"amount\": 10 } }";

static void calm_water_makes_none(void** state)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(calm, sizeof calm - 1, "calm", NULL, NULL, 0, &error);
    assert_non_null(scene);
    mn_World* world = mn_scene_build(scene, &error);
    assert_int_equal(mn_world_advance(world, 60, NULL, NULL, &error), MN_OK);
    assert_int_equal(mn_world_foam(world).count, 0);
    mn_world_destroy(world);
    mn_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(post_process_agrees_with_live),
                                       cmocka_unit_test(with_a_grid_fluid_and_sources_too),
                                       cmocka_unit_test(calm_water_makes_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
