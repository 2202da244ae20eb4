// SPDX-License-Identifier: MIT
// What is said about a scene when it is built and while it runs, beyond errors: starts that are hardly meant, and what happened.
#include "support.h"

#include <meniscus/scene.h>
#include <string.h>

typedef struct Heard {
    int warnings;
    char text[2048]; // all lines
} Heard;

static void hear(void* user, mn_LogLevel level, const char* text)
{
    Heard* heard = user;
    size_t used = strlen(heard->text);
    heard->warnings += level == MN_LOG_WARNING;
    snprintf(heard->text + used, sizeof heard->text - used, "%s\n", text);
}

static mn_World* build(const char* json, Heard* heard)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(json, strlen(json), "said.json", NULL, NULL, 0, &error);
    if (!scene)
        fail_msg("%s: %s", error.key, error.message);
    scene->world.log = hear;
    scene->world.log_user = heard;
    mn_World* world = mn_scene_build(scene, &error);
    if (!world)
        fail_msg("%s: %s", error.key, error.message);
    mn_scene_free(scene);
    return world;
}

static void expect_said(const Heard* heard, int warnings, const char* words)
{
    if (heard->warnings != warnings || !strstr(heard->text, words))
        fail_msg("expected %d warnings and \"%s\", got %d:\n%s", warnings, words, heard->warnings, heard->text);
}

static void expect(const char* json, int warnings, const char* words)
{
    Heard heard = {0};
    mn_world_destroy(build(json, &heard));
    expect_said(&heard, warnings, words);
}

#define WATER                                                                                                                      \
    "\"particle_radius\": 0.02, \"duration\": 0.5, \"fluids\": [{\"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.6, 0.12, 0.3]}]}],"
#define TANK "{\"name\": \"tank\", \"shape\": {\"box\": [0.6, 0.6, 0.3]}, \"position\": [0.3, 0.3, 0.15], \"inside\": true}"
#define BODY(shape, position) "{\"name\": \"b\", \"type\": \"rigid\", \"shape\": " shape ", \"position\": " position "}"
#define SHEET(position)                                                                                                            \
    "{\"name\": \"e\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.2, 0.2], \"cells\": [8, 8]}, \"position\": " position "}"

static void test_places(void** state)
{
    expect("{" WATER "\"solids\": [" TANK "," BODY("{\"sphere\": 0.06}", "[0.3, 0.4, 0.15]") "]}", 0, "");
    expect("{" WATER "\"solids\": [" TANK "," BODY("{\"sphere\": 0.06}", "[0.3, 2, 0.15]") "]}", 1,
           "solid 'b' starts outside of container 'tank'");
    // once, although it sticks out on several sides
    expect("{" WATER "\"solids\": [" TANK "," BODY("{\"box\": [0.1, 0.1, 0.1]}", "[0, 0.6, 0.15]") "]}", 1,
           "solid 'b' starts partly outside of container 'tank'");
    expect("{\"particle_radius\": 0.02, \"solids\": [" TANK "," BODY("{\"box\": [1, 1, 1]}", "[0.3, 0.3, 0.15]") "]}", 1,
           "solid 'b' is larger than its container 'tank'");
    expect("{" WATER "\"solids\": [" TANK "," SHEET("[0.3, 0.4, 0.15]") "]}", 0, "");
    expect("{" WATER "\"solids\": [" TANK "," SHEET("[3, 0.4, 0.15]") "]}", 1, "solid 'e' starts outside of all containers");
    expect("{" WATER "\"solids\": [" TANK "," SHEET("[0.3, 0.4, 0.15]") "," BODY("{\"sphere\": 0.06}", "[0.3, 0.41, 0.15]") "]}", 1,
           "solids 'e' and 'b' start overlapping");
}

#define BREAKS(more)                                                                                                               \
    "{\"name\": \"e\", \"type\": \"elastic\", \"model\": \"fem\", \"shape\": {\"box\": [0.1, 0.1, 0.1]}, \"position\": [0.3, "     \
    "0.4, 0.15],"                                                                                                                  \
    "\"density\": 900, \"young\": 1e6, \"resolution\": 0.05" more "}"

// Pieces that are thrown: warned of where nothing foresees that they give way.
static void test_pieces(void** state)
{
    expect("{" WATER "\"solver\": {\"method\": \"sesph\"}, \"solids\": [" TANK "," BREAKS(", \"strength\": 1e4") "]}", 1,
           "solid 'e' may break into pieces lighter than a particle of the fluid, which sesph throws about");
    expect("{" WATER "\"solver\": {\"method\": \"sesph\"}, \"solids\": [" TANK "," BREAKS("") "]}", 0, "");
    expect("{" WATER "\"solids\": [" TANK "," BREAKS(", \"strength\": 1e4") "]}", 0, "");
}

static void test_no_use(void** state)
{
    expect("{" WATER "\"solids\": [" TANK
           "," BODY("{\"sphere\": 0.06}", "[0.3, 0.4, 0.15]") "], \"events\": [{\"time\": 5, "
                                                              "\"solid\": \"b\", \"density\": 300}]}",
           1, "events.0 is never used");
    // solids alone are a scene, nothing at all is none
    expect("{\"solids\": [" BODY("{\"sphere\": 0.06}", "[0, 0, 0]") "]}", 0, "");
    expect("{\"solids\": [" TANK "]}", 1, "there is no fluid");
}

static void test_happened(void** state)
{
    Heard heard = {0};
    mn_World* world = build("{\"particle_radius\": 0.02, \"solids\": [" BODY(
                                "{\"sphere\": 0.1}", "[0, 0, 0]") ", {\"name\": \"c\", \"type\": "
                                                                  "\"rigid\", \"shape\": {\"sphere\": 0.1}, \"position\": [1, 0, "
                                                                  "0]}], \"joints\": [{\"name\": \"weak\", \"solid\": \"b\", "
                                                                  "\"position\": [0, 0.1, 0], \"break_force\": 1}, {\"name\": "
                                                                  "\"strong\", \"solid\": \"c\", \"position\": [1, 0.1, 0]}],"
                                                                  "\"events\": [{\"time\": 0.05, \"release\": \"strong\"}, "
                                                                  "{\"time\": 0.1, \"solid\": \"b\", \"density\": 300}]}",
                            &heard);
    mn_Error error = {0};
    assert_int_equal(mn_world_advance(world, 0.2, NULL, NULL, &error), MN_OK);
    expect_said(&heard, 0, "joint 'weak' broke at t = 0.0");
    expect_said(&heard, 0, "joint 'strong' is released at t = 0.05 s\nsolid 'b' has another density from t = 0.1 s\n");
    assert_null(strstr(heard.text, "'strong' broke"));
    assert_ptr_equal(strstr(strstr(heard.text, "broke") + 1, "broke"), NULL); // said once
    mn_world_destroy(world);
}

#define CORK(density)                                                                                                              \
    "{" WATER "\"solids\": [" TANK ", {\"name\": \"cork\", \"type\": \"rigid\", \"density\": " density                             \
    ", \"shape\": {\"sphere\": 0.06}, \"position\": [0.3, 0.4, 0.15]}]"

static void test_light_bodies(void** state)
{
    expect(CORK("100") ", \"coupling\": {\"strong\": false}}", 1, "solid 'cork' (100 kg/m3) may be thrown about");
    expect(CORK("100") ", \"coupling\": {\"strong\": false}}", 1, "need coupling.strong");
    expect(CORK("100") ", \"solver\": {\"method\": \"sesph\"}}", 1, "another solver.method than sesph");
    expect(CORK("400") ", \"coupling\": {\"strong\": false}}", 0, "");
    expect(CORK("100") "}", 0, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_light_bodies), cmocka_unit_test(test_places),   cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_no_use),       cmocka_unit_test(test_happened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
