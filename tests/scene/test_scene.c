// SPDX-License-Identifier: MIT
// Scenes that are right: defaults, round trip through the resolved form, overrides, shapes, rotations, example files.
#include "support.h"

#include <dirent.h>
#include <meniscus/scene.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mn_Scene* parse_with(const char* json, const char* const* sets, size_t set_count)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(json, strlen(json), "test.json", ".", sets, set_count, &error);
    char text[1024];
    if (!scene)
        fail_msg("%s\n%s", json, mn_error_text(&error, text, sizeof text));
    return scene;
}

static mn_Scene* parse(const char* json)
{
    return parse_with(json, NULL, 0);
}

// The resolved scene reads back to the same resolved scene.
static void check_round_trip(const mn_Scene* scene)
{
    char* first = mn_scene_to_json(scene);
    assert_non_null(first);
    mn_Scene* again = parse(first);
    char* second = mn_scene_to_json(again);
    assert_string_equal(first, second);
    mn_scene_free(again);
    free(first);
    free(second);
}

static void test_defaults(void** state)
{
    mn_Scene* scene = parse("{}");
    assert_string_equal(scene->name, "test");
    assert_int_equal(scene->world.dimension, 3);
    assert_near(scene->world.gravity.y, -9.81, 0);
    assert_near(scene->world.particle_radius, 0.01, 0);
    assert_near(scene->world.support_radius, 0.04, 1e-15);
    assert_int_equal(scene->world.solver.method, MN_PRESSURE_DFSPH);
    assert_near(scene->world.solver.max_density_error, 0.001, 0);
    assert_near(scene->duration, 2, 0);
    assert_near(scene->frame_rate, 50, 0);
    assert_int_equal(scene->view.width, 1280);
    assert_int_equal(scene->view.height, 720);
    assert_false(scene->view.has_camera);
    assert_near(scene->view.field_of_view, 40, 0);
    assert_int_equal(scene->output.particles, MN_PARTICLES_VTP);
    assert_int_equal(scene->fluid_count, 0);
    check_round_trip(scene);
    mn_scene_free(scene);
}

static const mn_SolidDef* solid_named(const mn_Scene* scene, const char* name)
{
    for (size_t k = 0; k < scene->solid_count; k++)
        if (!strcmp(scene->solids[k].name, name))
            return &scene->solids[k];
    fail_msg("there is no solid %s", name);
    return NULL;
}

static void test_ragdolls(void** state)
{
    mn_Scene* scene =
        parse("{\"solids\": [{\"shape\": {\"sphere\": 1}}], \"ragdolls\": [{\"name\": \"anna\", \"position\": [1, 2, 3], "
              "\"height\": 2, \"density\": 900}, {\"position\": [0, 0, 0], \"rotation\": {\"axis\": [1, 0, 0], "
              "\"angle\": 90}}]}");
    assert_int_equal(scene->ragdoll_count, 0);
    assert_int_equal(scene->solid_count, 1 + 2 * 11);
    assert_int_equal(scene->joint_count, 2 * 10);
    const mn_SolidDef *head = solid_named(scene, "anna.head"), *hand = solid_named(scene, "anna.left_forearm");
    assert_int_equal(head->type, MN_SOLID_RIGID);
    assert_near(head->density, 900, 0);
    assert_near(head->pose.position.y + head->shape.size.x, 3, 1e-12); // the crown
    assert_near(head->pose.position.z, 3, 1e-12);
    assert_near(hand->pose.position.x, 1.7, 1e-12);
    const mn_SolidDef* shin = solid_named(scene, "anna.right_shin");
    assert_near(shin->pose.position.y - shin->shape.size.y / 2 - shin->shape.size.x, 1, 1e-9); // the foot
    assert_true(solid_named(scene, "ragdoll2.head")->pose.position.z > 0.2);                   // lies on its back
    assert_string_equal(scene->joints[1].name, "anna.neck");
    check_round_trip(scene);
    mn_scene_free(scene);
}

static void test_chains(void** state)
{
    mn_Scene* scene =
        parse("{\"solids\": [{\"name\": \"post\", \"shape\": {\"box\": [1, 1, 1]}}], \"chains\": [{\"name\": \"bridge\", "
              "\"from\": [0, 1, 0], \"to\": [4, 1, 0], \"links\": 4, \"shape\": {\"box\": [0.5, 0.9, 0.1]}, \"joint\": \"hinge\","
              "\"start\": \"post\", \"end\": \"none\", \"break_force\": 7}]}");
    assert_int_equal(scene->chain_count, 0);
    assert_int_equal(scene->solid_count, 5);
    assert_int_equal(scene->joint_count, 4); // post, and three between links
    assert_string_equal(scene->joints[0].other, "post");
    assert_string_equal(scene->joints[3].other, "bridge.2");
    assert_near(scene->joints[2].position.x, 2, 1e-12);
    assert_near(fabs(scene->joints[2].axis.z), 1, 1e-12); // across
    assert_near(scene->joints[1].break_force, 7, 0);
    mn_Quat q = solid_named(scene, "bridge.1")->pose.rotation; // y along x, z up, x across
    const double y[3] = {2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x)};
    const double z[3] = {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)};
    assert_near(y[0], 1, 1e-12);
    assert_near(z[1], 1, 1e-12);
    check_round_trip(scene);
    mn_scene_free(scene);
}

static void test_fluid_defaults(void** state)
{
    mn_Scene* scene = parse("{\"fluids\": [{}, {\"material\": \"honey\"}, {\"material\": \"honey\", \"density\": 1500},"
                            "{\"viscosity_method\": \"laplace\"}, {\"viscosity_method\": \"xsph\"},"
                            "{\"material\": \"oil\", \"viscosity_method\": \"artificial\"}]}");
    const mn_FluidDef* fluids = scene->fluids;
    assert_string_equal(fluids[0].name, "fluid1");
    assert_string_equal(fluids[1].name, "fluid2");
    assert_near(fluids[0].density, 1000, 0);
    assert_int_equal(fluids[0].viscosity_method, MN_VISCOSITY_ARTIFICIAL);
    assert_near(fluids[0].viscosity, 0.01, 0);
    assert_near(fluids[1].density, 1420, 0);
    assert_int_equal(fluids[1].viscosity_method, MN_VISCOSITY_IMPLICIT);
    assert_near(fluids[1].viscosity, 10, 0);
    assert_near(fluids[2].density, 1500, 0);
    assert_near(fluids[3].viscosity, 0.001, 0);
    assert_near(fluids[4].viscosity, 0.05, 0);
    assert_near(fluids[5].viscosity, 0.01, 0);
    assert_near(fluids[5].density, 911, 0);
    check_round_trip(scene);
    mn_scene_free(scene);
}

// The example of the contract without what this version has not got.
static void test_contract_example(void** state)
{
    mn_Scene* scene = parse(
        "{ \"name\": \"dam break with a floating ball\", \"dimension\": 3, \"gravity\": [0, -9.81, 0], \"particle_radius\": 0.01,"
        "\"duration\": 2.0, \"frame_rate\": 50, \"solver\": { \"method\": \"iisph\", \"max_density_error\": 0.001 },"
        "\"coupling\": { \"method\": \"akinci\" },"
        "\"fluids\": [ { \"name\": \"water\", \"density\": 1000, \"viscosity\": 0.01,"
        "  \"blocks\": [ { \"min\": [0, 0, 0], \"max\": [0.5, 1, 0.5], \"velocity\": [0, 0, 0] } ],"
        "  \"meshes\": [], \"emitters\": [] } ],"
        "\"solids\": [ { \"name\": \"tank\", \"type\": \"static\", \"shape\": { \"box\": [2, 1.5, 0.5] },"
        "    \"position\": [1, 0.75, 0.25], \"inside\": true },"
        "  { \"name\": \"gate\", \"type\": \"kinematic\", \"shape\": { \"box\": [0.02, 1, 0.5] },"
        "    \"motion\": [ { \"time\": 0, \"position\": [0, 0, 0] } ] },"
        "  { \"name\": \"sheet\", \"type\": \"static\", \"shape\": { \"grid\": [1, 1], \"cells\": [100, 100] } } ],"
        "\"joints\": [], \"events\": [],"
        "\"probes\": [ { \"name\": \"P1\", \"type\": \"pressure\", \"position\": [2, 0.1, 0.25] },"
        "  { \"name\": \"H1\", \"type\": \"height\", \"position\": [1.0, 0, 0.25] } ],"
        "\"output\": { \"particles\": \"vtp\", \"solids\": \"vtp\", \"surface\": \"none\", \"checkpoint_every\": 50 } }");
    assert_int_equal(scene->world.solver.method, MN_PRESSURE_IISPH);
    assert_int_equal(scene->fluids[0].block_count, 1);
    assert_near(scene->fluids[0].blocks[0].max.y, 1, 0);
    assert_true(scene->solids[0].inside);
    assert_int_equal(scene->solids[1].motion_count, 1);
    assert_int_equal(scene->solids[2].shape.cells[1], 100);
    assert_int_equal(scene->probes[1].type, MN_PROBE_HEIGHT);
    check_round_trip(scene);
    mn_scene_free(scene);
}

static void check_quaternion(const char* rotation, mn_Quat expected)
{
    char json[256];
    snprintf(json, sizeof json, "{\"solids\": [{\"shape\": {\"sphere\": 1}, \"rotation\": %s}]}", rotation);
    mn_Scene* scene = parse(json);
    mn_Quat q = scene->solids[0].pose.rotation;
    assert_near(q.w, expected.w, 1e-14);
    assert_near(q.x, expected.x, 1e-14);
    assert_near(q.y, expected.y, 1e-14);
    assert_near(q.z, expected.z, 1e-14);
    check_round_trip(scene);
    mn_scene_free(scene);
}

static void test_rotations(void** state)
{
    double s = sqrt(0.5);
    check_quaternion("[2, 0, 0, 0]", (mn_Quat){1, 0, 0, 0});
    check_quaternion("[1, 1, 0, 0]", (mn_Quat){s, s, 0, 0});
    check_quaternion("{\"axis\": [0, 3, 0], \"angle\": 90}", (mn_Quat){s, 0, s, 0});
    check_quaternion("{\"euler\": [0, 0, 90]}", (mn_Quat){s, 0, 0, s});
    check_quaternion("{\"euler\": [90, 90, 0]}", (mn_Quat){0.5, 0.5, 0.5, -0.5}); // x first, then y
}

// Rotates +y by the emitter's quaternion.
static mn_Vec3 jet(mn_Quat q)
{
    return (mn_Vec3){2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x)};
}

static void test_emitter_direction(void** state)
{
    const double directions[][3] = {{0, 1, 0}, {0, -2, 0}, {1, 0, 0}, {0, 0, -3}, {1, 2, -2}};
    for (size_t k = 0; k < sizeof directions / sizeof directions[0]; k++) {
        const double* d = directions[k];
        double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        char json[256];
        snprintf(json, sizeof json,
                 "{\"fluids\": [{\"emitters\": [{\"position\": [0, 0, 0], \"size\": [1, 2], \"direction\": [%g, %g, %g]}]}]}", d[0],
                 d[1], d[2]);
        mn_Scene* scene = parse(json);
        const mn_Emitter* emitter = &scene->fluids[0].emitters[0];
        mn_Vec3 v = jet(emitter->rotation);
        assert_near(v.x, d[0] / length, 1e-14);
        assert_near(v.y, d[1] / length, 1e-14);
        assert_near(v.z, d[2] / length, 1e-14);
        assert_true(isinf(emitter->end));
        assert_int_equal(emitter->limit, -1);
        check_round_trip(scene);
        mn_scene_free(scene);
    }
}

static void test_shapes(void** state)
{
    mn_Scene* scene =
        parse("{\"solids\": [{\"shape\": {\"box\": [1, 2, 3]}}, {\"shape\": {\"sphere\": 0.5}}, {\"shape\": {\"capsule\": "
              "[0.1, 0.4]}}, {\"shape\": {\"cylinder\": [0.1, 0.4]}}, {\"shape\": {\"cone\": [0.1, 0.4]}}, {\"shape\": "
              "{\"torus\": [0.4, 0.1]}}, {\"shape\": {\"plane\": [3, 4]}}, {\"shape\": {\"grid\": [3, 4], \"cells\": [5, "
              "6]}}, {\"shape\": {\"rod\": 2}}]}");
    const mn_SolidDef* solids = scene->solids;
    assert_int_equal(scene->solid_count, 9);
    for (int k = 0; k < 9; k++)
        assert_int_equal(solids[k].shape.type, k);
    assert_near(solids[0].shape.size.z, 3, 0);
    assert_near(solids[2].shape.size.y, 0.4, 0);
    assert_near(solids[6].shape.size.x, 3, 0);
    assert_near(solids[6].shape.size.z, 4, 0);
    assert_int_equal(solids[7].shape.cells[1], 6);
    assert_near(solids[8].shape.size.y, 2, 0);
    check_round_trip(scene);
    mn_scene_free(scene);
}

static void test_two_dimensions(void** state)
{
    mn_Scene* scene =
        parse("{\"dimension\": 2, \"gravity\": [0, -1], \"fluids\": [{\"blocks\": [{\"min\": [0, 0], \"max\": [1, 2, 0]}],"
              "\"emitters\": [{\"position\": [0, 1], \"direction\": [0, -1], \"size\": 0.1}]}],"
              "\"solids\": [{\"shape\": {\"box\": [2, 1]}, \"rotation\": {\"angle\": 90}, \"scale\": 2},"
              "{\"shape\": {\"plane\": 3}}, {\"shape\": {\"box\": [2, 1, 7]}}]}");
    assert_near(scene->fluids[0].blocks[0].max.y, 2, 0);
    assert_near(scene->solids[0].pose.rotation.z, sqrt(0.5), 1e-14);
    assert_near(scene->solids[1].shape.size.x, 3, 0);
    assert_near(jet(scene->fluids[0].emitters[0].rotation).y, -1, 1e-14);
    char* json = mn_scene_to_json(scene);
    assert_non_null(strstr(json, "\"gravity\": [0, -1],"));
    free(json);
    check_round_trip(scene);
    mn_scene_free(scene);
}

// Key frames keep what they do not say.
static void test_motion(void** state)
{
    mn_Scene* scene =
        parse("{\"solids\": [{\"type\": \"kinematic\", \"shape\": {\"sphere\": 1}, \"position\": [1, 2, 3], \"motion\": "
              "[{\"time\": 0, \"rotation\": [0, 1, 0, 0]}, {\"time\": 1, \"position\": [4, 5, 6]}, {\"time\": 2}]}]}");
    const mn_Keyframe* motion = scene->solids[0].motion;
    assert_near(motion[0].pose.position.y, 2, 0);
    assert_near(motion[1].pose.rotation.x, 1, 0);
    assert_near(motion[2].pose.position.z, 6, 0);
    check_round_trip(scene);
    mn_scene_free(scene);
}

static void test_numbers_round_trip(void** state)
{
    mn_Scene* scene = parse("{\"duration\": 0.1, \"frame_rate\": 30.000000000000004, \"particle_radius\": 3.3333333333333335e-3,"
                            "\"gravity\": [1e-300, -9.80665, 123456.789]}");
    char* json = mn_scene_to_json(scene);
    assert_non_null(strstr(json, "\"duration\": 0.1,"));
    mn_Scene* again = parse(json);
    assert_true(again->frame_rate == scene->frame_rate);
    assert_true(again->world.particle_radius == scene->world.particle_radius);
    assert_true(again->world.support_radius == scene->world.support_radius);
    assert_memory_equal(&again->world.gravity, &scene->world.gravity, sizeof(mn_Vec3));
    mn_scene_free(scene);
    mn_scene_free(again);
    free(json);
}

// --- --set

static void test_sets(void** state)
{
    const char* sets[] = {"solver.method=pcisph",
                          "fluids.0.viscosity=0.1",
                          "gravity.1=-1.5",
                          "name=2024",
                          "view.camera.eye=[0,0,2]",
                          "view.camera.target=[0,0,0]",
                          "fluids.0.blocks.0.max.0=0.75",
                          "probes.0={\"type\": \"height\", \"position\": [0,0,0]}",
                          "probes.0.position.1=2",
                          "solids.0.shape.box.1=3",
                          "solver.time_step=auto"};
    mn_Scene* scene = parse_with("{\"fluids\": [{\"blocks\": [{\"min\": [0,0,0], \"max\": [1,1,1]}]}],"
                                 "\"solids\": [{\"shape\": {\"box\": [1, 1, 1]}}]}",
                                 sets, sizeof sets / sizeof sets[0]);
    assert_int_equal(scene->world.solver.method, MN_PRESSURE_PCISPH);
    assert_near(scene->fluids[0].viscosity, 0.1, 0);
    assert_near(scene->world.gravity.y, -1.5, 0);
    assert_string_equal(scene->name, "2024");
    assert_true(scene->view.has_camera);
    assert_near(scene->fluids[0].blocks[0].max.x, 0.75, 0);
    assert_int_equal(scene->probes[0].type, MN_PROBE_HEIGHT);
    assert_near(scene->probes[0].position.y, 2, 0);
    assert_near(scene->solids[0].shape.size.y, 3, 0);
    mn_scene_free(scene);
}

static void test_bad_sets(void** state)
{
    static const struct {
        const char *set, *key, *message;
    } cases[] = {
        {"solver.methd=iisph", "solver.methd", "did you mean \"method\""},
        {"solver.method=iispg", "solver.method", "did you mean \"iisph\""},
        {"fluids.0.density=heavy", "fluids.0.density", "got \"heavy\", expected a number"},
        {"fluids.0.density=1e999", "fluids.0.density", "expected a number"},
        {"fluids.7.density=1", "fluids.7.density", "not an index of this list, which has 1 entry"},
        {"fluids.1.viscosity=1", "fluids.1.viscosity", "a new entry is given whole, as {...}"},
        {"fluids.x.density=1", "fluids.x.density", "not an index"},
        {"gravity.3=1", "gravity.3", "not an index"},
        {"duration.x=1", "duration.x", "expected a number"},
        {"fluids.0..density=1", "fluids.0..density", "dotted path"},
        {"duration", "", "expected key=value"},
        {"=5", "", "expected key=value"},
        {"duration=", "duration", "got \"\", expected a number"},
        {"fluids.0.surface_tension=-1", "fluids.0.surface_tension", "got -1"},
        {"particle_radius=-1", "particle_radius", "got -1"},
        {"durration=1", "durration", "did you mean \"duration\""},
    };
    const char* json = "{\"fluids\": [{}]}";
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        mn_Error error = {0};
        mn_Scene* scene = mn_scene_parse(json, strlen(json), "t.json", ".", &cases[k].set, 1, &error);
        if (scene)
            fail_msg("accepted: --set %s", cases[k].set);
        assert_int_equal(error.result, MN_BAD_INPUT);
        if (!strstr(error.message, cases[k].message))
            fail_msg("--set %s: \"%s\", expected \"%s\"", cases[k].set, error.message, cases[k].message);
        if (strncmp(error.key, cases[k].key, strlen(cases[k].key)))
            fail_msg("--set %s: key \"%s\", expected \"%s\"", cases[k].set, error.key, cases[k].key);
        assert_string_equal(error.file, "--set");
    }
}

// --- files

static void test_example_scenes(void** state)
{
    const char* folder = MENISCUS_SOURCE_DIR "/scenes";
    DIR* dir = opendir(folder);
    assert_non_null(dir);
    int count = 0;
    for (struct dirent* entry = readdir(dir); entry; entry = readdir(dir)) {
        if (!strstr(entry->d_name, ".json"))
            continue;
        char path[1024], text[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        mn_Error error = {0};
        mn_Scene* scene = mn_scene_load(path, NULL, 0, &error);
        if (!scene)
            fail_msg("%s", mn_error_text(&error, text, sizeof text));
        check_round_trip(scene);
        mn_scene_free(scene);
        count++;
    }
    closedir(dir);
    assert_true(count >= 7);
}

// Meshes are found beside the scene file, and the resolved scene finds them from anywhere.
static void test_mesh_paths(void** state)
{
    char folder[] = "/tmp/meniscus_scene_XXXXXX", mesh[64], file[64];
    assert_non_null(mkdtemp(folder));
    snprintf(mesh, sizeof mesh, "%s/gate.obj", folder);
    snprintf(file, sizeof file, "%s/scene.json", folder);
    FILE* out = fopen(mesh, "w");
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", out);
    fclose(out);
    out = fopen(file, "w");
    fputs(
        "\xef\xbb\xbf{\"solids\": [{\"shape\": {\"mesh\": \"gate.obj\"}}], \"fluids\": [{\"meshes\": [{\"file\": \"gate.obj\"}]}]}",
        out);
    fclose(out);

    mn_Error error = {0};
    mn_Scene* scene = mn_scene_load(file, NULL, 0, &error);
    assert_non_null(scene);
    assert_string_equal(scene->name, "scene");
    assert_string_equal(scene->solids[0].shape.file, "gate.obj");
    assert_string_equal(scene->folder, folder);
    char* json = mn_scene_to_json(scene);
    mn_Scene* again = mn_scene_parse(json, strlen(json), "resolved", "/", NULL, 0, &error);
    assert_non_null(again);
    assert_string_equal(again->solids[0].shape.file, mesh);
    assert_string_equal(again->fluids[0].fills[0].file, mesh);
    free(json);
    mn_scene_free(scene);
    mn_scene_free(again);
    unlink(mesh);
    unlink(file);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),   cmocka_unit_test(test_ragdolls),
        cmocka_unit_test(test_chains),     cmocka_unit_test(test_fluid_defaults),
        cmocka_unit_test(test_rotations),  cmocka_unit_test(test_contract_example),
        cmocka_unit_test(test_shapes),     cmocka_unit_test(test_emitter_direction),
        cmocka_unit_test(test_motion),     cmocka_unit_test(test_two_dimensions),
        cmocka_unit_test(test_sets),       cmocka_unit_test(test_numbers_round_trip),
        cmocka_unit_test(test_bad_sets),   cmocka_unit_test(test_example_scenes),
        cmocka_unit_test(test_mesh_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
