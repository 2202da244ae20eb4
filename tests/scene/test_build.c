// SPDX-License-Identifier: MIT
// From a scene to a world that can step.
#include "support.h"

#include <meniscus/scene.h>
#include <string.h>
#include <unistd.h>

static mn_Scene* parse(const char* json)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(json, strlen(json), "build.json", NULL, NULL, 0, &error);
    if (!scene)
        fail_msg("%s: %s", error.key, error.message);
    return scene;
}

static void test_build(void** state)
{
    mn_Scene* scene =
        parse("{\"particle_radius\": 0.05, \"fluids\": [{\"blocks\": [{\"min\": [0, 0, 0], \"max\": [1, 0.5, 1]}]}],"
              "\"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [1, 1, 1]}, \"position\": [0.5, 0.5, 0.5], "
              "\"inside\": true}], \"drains\": [{\"min\": [5, 5, 5], \"max\": [6, 6, 6]}],"
              "\"probes\": [{\"type\": \"force\", \"solid\": \"tank\"}, {\"type\": \"height\", \"position\": [0.5, 0, 0.5]}]}");
    mn_Error error = {0};
    mn_World* world = mn_scene_build(scene, &error);
    if (!world)
        fail_msg("%s: %s", error.key, error.message);
    mn_scene_free(scene); // the world has its own copy
    assert_int_equal(mn_world_solid_count(world), 1);
    assert_string_equal(mn_world_solid(world, 1).name, "tank");
    assert_near((double)mn_world_particles(world).count, 500, 0);
    assert_true(mn_world_boundary(world).count > 100);
    assert_int_equal(mn_world_step(world, 0.001, &error), MN_OK);
    assert_true(mn_world_time(world) > 0);
    mn_world_destroy(world);
}

// A sheet that falls: its view has mass, centre and velocity of the whole.
static void test_elastic_view(void** state)
{
    mn_Scene* scene =
        parse("{\"particle_radius\": 0.02, \"solids\": [{\"type\": \"elastic\", \"shape\": {\"grid\": [0.2, 0.2], \"cells\": "
              "[4, 4]}, \"position\": [1, 2, 3], \"density\": 300, \"thickness\": 0.002}]}");
    mn_Error error = {0};
    mn_World* world = mn_scene_build(scene, &error);
    mn_scene_free(scene);
    assert_non_null(world);
    assert_int_equal(mn_world_advance(world, 0.1, NULL, NULL, &error), MN_OK);
    mn_SolidView sheet = mn_world_solid(world, 1);
    assert_near(sheet.mass, 300 * 0.002 * 0.04, 1e-9);
    assert_near(sheet.centre.x, 1, 1e-9);
    assert_near(sheet.centre.y, 2 - 0.5 * 9.81 * 0.01, 2e-3);
    assert_near(sheet.centre.z, 3, 1e-9);
    assert_near(sheet.velocity.y, -0.981, 1e-6);
    mn_world_destroy(world);
}

// What only the world can find out is reported with its place in the scene.
static void test_failure_names_the_key(void** state)
{
    char mesh[64], json[256];
    snprintf(mesh, sizeof mesh, "/tmp/meniscus_not_a_mesh_%d.obj", (int)getpid());
    FILE* file = fopen(mesh, "w");
    fputs("this is no mesh\n", file);
    fclose(file);
    snprintf(json, sizeof json, "{\"solids\": [{\"shape\": {\"sphere\": 1}}, {\"shape\": {\"mesh\": \"%s\"}}]}", mesh);
    mn_Scene* scene = parse(json);
    mn_Error error = {0};
    assert_null(mn_scene_build(scene, &error));
    assert_int_equal(error.result, MN_BAD_INPUT);
    if (strncmp(error.key, "solids.1", 8))
        fail_msg("key is \"%s\" (%s)", error.key, error.message);
    assert_null(mn_scene_build(scene, NULL));
    mn_scene_free(scene);
    remove(mesh);
}

static void expect_place(const char* json, const char* set, const char* key, const char* file, int line, int column)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(json, strlen(json), "build.json", NULL, &set, set ? 1 : 0, &error);
    if (!scene)
        fail_msg("%s: %s", error.key, error.message);
    assert_null(mn_scene_build(scene, &error));
    assert_int_equal(error.result, MN_BAD_INPUT);
    assert_string_equal(error.key, key);
    assert_string_equal(error.file, file);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
    mn_scene_free(scene);
}

// ...and with file, line and column, as what the reader finds.
static void test_failure_names_the_place(void** state)
{
    const char* path = "open_triangle.obj";
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", file);
    fclose(file);
    const char* tank = "{\"solids\": [\n {\"shape\": {\"sphere\": 1}},\n {\"shape\": {\"mesh\": \"open_triangle.obj\"},\n"
                       "  \"inside\": true}]}";
    expect_place(tank, NULL, "solids.1.inside", "build.json", 4, 13);
    const char* open = "{\"solids\": [{\"shape\": {\"mesh\": \"open_triangle.obj\"}}]}";
    expect_place(open, "solids.0.inside=true", "solids.0.inside", "--set", 0, 0);
    const char* fill = "{\"fluids\": [{\"name\": \"water\",\n\"meshes\": [\n{\"file\": \"open_triangle.obj\"}]}]}";
    expect_place(fill, NULL, "fluids.0.meshes.0", "build.json", 3, 1);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_build), cmocka_unit_test(test_elastic_view),
                                       cmocka_unit_test(test_failure_names_the_key),
                                       cmocka_unit_test(test_failure_names_the_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
