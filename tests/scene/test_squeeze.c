// SPDX-License-Identifier: MIT
// Solids that are moved into walls are named before a run; those that are meant to pass are not.
#include "support.h"

#include <meniscus/scene.h>
#include <string.h>

typedef struct Heard {
    int count;
    char text[512]; // the last one
} Heard;

static void hear(void* user, mn_LogLevel level, const char* text)
{
    Heard* heard = user;
    if (level != MN_LOG_WARNING || !strstr(text, "through the wall"))
        return;
    heard->count++;
    snprintf(heard->text, sizeof heard->text, "%s", text);
}

// A tank of 1.2 x 1 x 0.24 m with water at x < 0.32, and what else is given.
static Heard hear_of(const char* solids)
{
    char json[2048];
    snprintf(json, sizeof json,
             "{\"particle_radius\": 0.02, \"duration\": 1.3, \"fluids\": [{\"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.32, 0.4, "
             "0.24]}]}], \"solids\": [{\"name\": \"room\", \"shape\": {\"box\": [1.2, 1, 0.24]}, \"position\": [0.6, 0.5, 0.12], "
             "\"inside\": true}, %s]}",
             solids);
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(json, strlen(json), "squeeze.json", NULL, NULL, 0, &error);
    if (!scene)
        fail_msg("%s: %s", error.key, error.message);
    Heard heard = {0};
    scene->world.log = hear;
    scene->world.log_user = &heard;
    mn_World* world = mn_scene_build(scene, &error);
    if (!world)
        fail_msg("%s: %s", error.key, error.message);
    mn_world_destroy(world);
    mn_scene_free(scene);
    return heard;
}

static void expect_silence(const char* what, const char* solids)
{
    Heard heard = hear_of(solids);
    if (heard.count)
        fail_msg("%s: %s", what, heard.text);
}

static void expect_warning(const char* solids, const char* const words[], size_t count)
{
    Heard heard = hear_of(solids);
    assert_int_equal(heard.count, 1);
    for (size_t k = 0; k < count; k++)
        if (!strstr(heard.text, words[k]))
            fail_msg("\"%s\" is not in \"%s\"", words[k], heard.text);
}

#define KINEMATIC(shape, position, more)                                                                                           \
    "{\"name\": \"gate\", \"type\": \"kinematic\", \"shape\": " shape ", \"position\": " position ", " more "}"
#define GATE(motion) KINEMATIC("{\"box\": [0.08, 0.6, 0.24]}", "[0.36, 0.3, 0.12]", "\"motion\": " motion)

// A shift was meant where a place is wanted.
static void test_gate_into_the_wall(void** state)
{
    const char* const words[] = {"'gate'", "'room'", "key frame 1 (time 1.2)", "not how far"};
    expect_warning(GATE("[{\"time\": 1.1}, {\"time\": 1.2, \"position\": [0, 0.6, 0]}]"), words, 4);
}

static void test_meant(void** state)
{
    expect_silence("lifted through the ceiling", GATE("[{\"time\": 0.1}, {\"time\": 0.3, \"position\": [0.36, 1.2, 0.12]}]"));
    expect_silence("sunk into the floor", GATE("[{\"time\": 0.1}, {\"time\": 0.3, \"position\": [0.36, -0.4, 0.12]}]"));
    expect_silence("drawn to the wall", GATE("[{\"time\": 0.1}, {\"time\": 0.3, \"position\": [1.16, 0.3, 0.12]}]"));
    expect_silence("after the end", GATE("[{\"time\": 2}, {\"time\": 3, \"position\": [0, 0.3, 0.12]}]"));
    // a piston that is longer than its way, narrower than the tank, and goes out through the wall and in again
    expect_silence("piston", KINEMATIC("{\"box\": [0.6, 0.2, 0.1]}", "[0.9, 0.4, 0.12]",
                                       "\"motion\": [{\"time\": 0}, {\"time\": 0.5, \"position\": [1.3, 0.4, 0.12]}, {\"time\": 1, "
                                       "\"position\": [0.9, 0.4, 0.12]}]"));
    // one that overlaps the wall, comes in until it is clear of it, and goes back
    expect_silence("piston",
                   KINEMATIC("{\"box\": [0.12, 0.9, 0.26]}", "[1.18, 0.45, 0.12]",
                             "\"motion\": [{\"time\": 0}, {\"time\": 0.5, \"position\": [0.9, 0.45, 0.12]}, {\"time\": 1, "
                             "\"position\": [1.18, 0.45, 0.12]}]"));
    expect_silence("stirrer", KINEMATIC("{\"box\": [0.3, 0.3, 0.04]}", "[0.6, 0.3, 0.12]", "\"angular_velocity\": [0, 0, 6]"));
}

// From above the tank down through its floor.
static void test_plunger(void** state)
{
    const char* const words[] = {"'gate'", "'room'"};
    expect_warning(KINEMATIC("{\"box\": [0.2, 0.1, 0.1]}", "[0.5, 1.5, 0.12]",
                             "\"motion\": [{\"time\": 0}, {\"time\": 1, \"position\": [0.5, -0.3, 0.12]}]"),
                   words, 2);
}

static void test_obstacle(void** state)
{
    const char* const words[] = {"'gate'", "'post'"};
    const char* solids = "{\"name\": \"post\", \"shape\": {\"box\": [0.16, 0.5, 0.24]}, \"position\": [0.8, 0.25, 0.12]}," GATE(
        "[{\"time\": 0}, {\"time\": 1, \"position\": [0.8, 0.3, 0.12]}]");
    expect_warning(solids, words, 2);
    expect_silence("stops before it",
                   "{\"name\": \"post\", \"shape\": {\"box\": [0.16, 0.5, 0.24]}, \"position\": [0.8, 0.25, 0.12]}," GATE(
                       "[{\"time\": 0}, {\"time\": 1, \"position\": [0.62, 0.3, 0.12]}]"));
}

static void test_blade_too_long(void** state)
{
    const char* const words[] = {"'gate' turns", "'room'"};
    expect_warning(KINEMATIC("{\"box\": [0.3, 0.3, 0.04]}", "[0.6, 0.3, 0.12]", "\"angular_velocity\": [0, 6, 0]"), words, 2);
}

// The container moves, the obstacle in it rests.
static void test_moving_container(void** state)
{
    const char* const words[] = {"'gate'", "'post'"};
    expect_warning(
        "{\"name\": \"post\", \"shape\": {\"box\": [0.1, 0.2, 0.1]}, \"position\": [2, 0.4, 0.12]},"
        "{\"name\": \"gate\", \"type\": \"kinematic\", \"inside\": true, \"shape\": {\"box\": [1, 1, 1]}, \"position\": [2, "
        "0.5, 0], \"motion\": [{\"time\": 0}, {\"time\": 1, \"position\": [2.5, 0.5, 0]}]}",
        words, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gate_into_the_wall), cmocka_unit_test(test_meant),
        cmocka_unit_test(test_obstacle),           cmocka_unit_test(test_plunger),
        cmocka_unit_test(test_blade_too_long),     cmocka_unit_test(test_moving_container),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
