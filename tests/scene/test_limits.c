// SPDX-License-Identifier: MIT
// A scene file and the same def made by hand get the same answer: for every number of the table of keys, at its limits and just
// beyond them. What is refused is refused by the public functions too, with the same key.
#include "support.h"

#include "defs/check.h"
#include <meniscus/scene.h>
#include <stdlib.h>
#include <string.h>

// One of everything that has numbers.
static const char SCENE[] =
    "{\"duration\": 1,"
    " \"solver\": {\"speed_of_sound\": 30, \"time_step\": 0.001, \"min_time_step\": 0.0001, \"max_time_step\": 0.01},"
    " \"fluids\": [{\"surface_tension\": {\"gamma\": 1},"
    "   \"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.2, 0.2, 0.2], \"velocity\": [1, 0, 0]}],"
    "   \"spheres\": [{\"centre\": [0.5, 0.5, 0.5], \"radius\": 0.1}],"
    "   \"emitters\": [{\"position\": [0, 1, 0], \"size\": [0.1, 0.1], \"start\": 0.1, \"end\": 0.5, \"limit\": 100},"
    "                  {\"type\": \"disc\", \"position\": [0, 1, 0], \"radius\": 0.1}]},"
    "  {\"surface_tension\": {\"sigma\": 0.07}}],"
    " \"solids\": [{\"name\": \"a\", \"type\": \"rigid\", \"shape\": {\"box\": [0.1, 0.1, 0.1]}, \"mass\": 1, \"adhesion\": 1,"
    "   \"inertia\": [1, 1, 1], \"thickness\": 0.01},"
    "  {\"name\": \"b\", \"type\": \"elastic\", \"shape\": {\"box\": [0.1, 0.1, 0.1]}, \"contact_angle\": 90, \"resolution\": 0.05,"
    "   \"substeps\": 4, \"pins\": [{\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"motion\": [{\"time\": 0}, {\"time\": 1}]},"
    "             {\"select\": \"vertex\", \"vertex\": 3}]},"
    "  {\"name\": \"c\", \"type\": \"kinematic\", \"shape\": {\"sphere\": 0.1}, \"motion\": [{\"time\": 0}, {\"time\": 1}]}],"
    " \"joints\": [{\"type\": \"hinge\", \"solid\": \"a\", \"position\": [0, 0, 0], \"limits\": [-20, 20], \"break_force\": 10,"
    "   \"drive\": [{\"time\": 0, \"position\": 0}, {\"time\": 1, \"position\": 10}]}],"
    " \"events\": [{\"time\": 0.5, \"solid\": \"a\", \"density\": 100, \"velocity\": [1, 0, 0], \"angular_velocity\": [1, 0, 0],"
    "   \"gravity\": [0, -1, 0]}],"
    " \"drains\": [{\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"start\": 0.1, \"end\": 0.5}],"
    " \"probes\": [{\"type\": \"pressure\", \"position\": [0, 0, 0]}],"
    " \"foam\": {\"lifetime\": 1, \"radius\": 0.01, \"trapped_air\": [1, 2], \"wave_crest\": [1, 2], \"kinetic_energy\": [1, 2],"
    "   \"trapped_air_rate\": 1, \"wave_crest_rate\": 1, \"drag\": 1, \"air_drag\": 1, \"spray_below\": 6, \"bubbles_above\": 20},"
    " \"view\": {\"camera\": {\"eye\": [1, 1, 1], \"target\": [0, 0, 0], \"focus\": 1}, \"range\": [0, 1],"
    "   \"captions\": [{\"text\": \"x\"}], \"lights\": [{\"direction\": [0, 1, 0]}],"
    "   \"ground\": {\"colour\": [0, 0, 0], \"checker\": [1, 1, 1], \"checker_size\": 1},"
    "   \"solids\": [{\"solid\": \"a\", \"colour\": [0, 0, 0], \"checker\": [1, 1, 1], \"pattern_size\": 1}],"
    "   \"fluids\": [{\"fluid\": \"fluid1\", \"colour\": [0, 0, 0], \"depth\": 1, \"absorption\": [1, 1, 1]}],"
    "   \"clip\": {\"axis\": \"x\", \"position\": 0.5}}}";

static mn_Scene* parse(const char* set, mn_Error* error)
{
    return mn_scene_parse(SCENE, sizeof SCENE - 1, NULL, NULL, &set, set ? 1 : 0, error);
}

typedef struct Tally {
    mn_Scene* scene;
    mn_World* world; // takes nothing in, since all that it is given is refused
    size_t keys, compared, refused;
} Tally;

// --- numbers of a key

static size_t number_count(const Key* key)
{
    switch (key->type) {
    case KEY_NUMBER:
    case KEY_INTEGER:
    case KEY_COUNT:
        return 1;
    case KEY_PAIR:
    case KEY_NOZZLE:
    case KEY_INTEGER_PAIR:
        return 2;
    case KEY_VECTOR:
    case KEY_POINT:
    case KEY_COLOUR:
    case KEY_SCALE:
        return 3;
    default:
        return 0;
    }
}

static bool is_whole(const Key* key)
{
    return key->type == KEY_INTEGER || key->type == KEY_COUNT || key->type == KEY_INTEGER_PAIR;
}

static double get(const Key* key, const void* object, size_t k)
{
    const void* at = key_at_const(key, object);
    if (key->type == KEY_INTEGER || key->type == KEY_INTEGER_PAIR)
        return ((const int*)at)[k];
    return key->type == KEY_COUNT ? (double)*(const int64_t*)at : ((const double*)at)[k];
}

static void put(const Key* key, void* object, size_t k, double value)
{
    void* at = key_at(key, object);
    if (key->type == KEY_INTEGER || key->type == KEY_INTEGER_PAIR)
        ((int*)at)[k] = (int)value;
    else if (key->type == KEY_COUNT)
        *(int64_t*)at = (int64_t)value;
    else
        ((double*)at)[k] = value;
}

static void set_text(const char* path, const Key* key, const void* object, char* text, size_t size)
{
    size_t count = number_count(key), used = (size_t)snprintf(text, size, "%s=%s", path, count > 1 ? "[" : "");
    for (size_t k = 0; k < count; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%.17g", k ? ", " : "", get(key, object, k));
    snprintf(text + used, size - used, "%s", count > 1 ? "]" : "");
}

// --- the public functions

// The list and index that a path starts with; the rest is the key that an error should have.
static const char* part_of(const char* path, char* list, size_t* index)
{
    char* rest;
    size_t length = strcspn(path, ".");
    snprintf(list, 32, "%.*s", (int)length, path);
    if (!path[length] || path[length + 1] < '0' || path[length + 1] > '9') {
        list[0] = 0;
        return path;
    }
    *index = strtoul(path + length + 1, &rest, 10);
    return rest + 1;
}

static mn_Result add(mn_World* world, const mn_Scene* scene, const char* list, size_t k, mn_Error* error)
{
    bool ok = true;
    if (!strcmp(list, "fluids"))
        ok = mn_world_add_fluid(world, &scene->fluids[k], error);
    else if (!strcmp(list, "solids"))
        ok = mn_world_add_solid(world, &scene->solids[k], error);
    else if (!strcmp(list, "joints"))
        ok = mn_world_add_joint(world, &scene->joints[k], error);
    else if (!strcmp(list, "events"))
        ok = mn_world_add_event(world, &scene->events[k], error) == MN_OK;
    else if (!strcmp(list, "drains"))
        ok = mn_world_add_drain(world, &scene->drains[k], error) == MN_OK;
    else if (!strcmp(list, "probes"))
        ok = mn_world_add_probe(world, &scene->probes[k], error);
    return ok ? MN_OK : error->result;
}

static bool is_of_world(const char* path)
{
    static const char* const others[] = {"duration", "frame_rate", "output", "view"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (!strncmp(path, others[k], strlen(others[k])))
            return false;
    return true;
}

// `path` is what the check named, which may be another key of the same object or one that follows from it.
static void expect_refused(const Tally* tally, const char* path, const char* set)
{
    mn_Error error = {0};
    char list[32];
    size_t index = 0;
    if (!is_of_world(path))
        return;
    const char* key = part_of(path, list, &index);
    mn_WorldDef def = tally->scene->world;
    bool same = def.dimension == 3 && def.particle_radius == mn_default_world_def().particle_radius;
    if (list[0]) { // a world that takes everything
        def = mn_default_world_def();
        def.particle_radius = tally->scene->world.particle_radius;
        def.dimension = tally->scene->world.dimension;
    }
    mn_World* world = list[0] && same ? tally->world : mn_world_create(&def, NULL, &error);
    mn_Result result = world && list[0] ? add(world, tally->scene, list, index, &error) : error.result;
    if (world != tally->world)
        mn_world_destroy(world);
    if (result != MN_BAD_INPUT)
        fail_msg("%s is refused in a scene, but the library takes it", set);
    assert_string_equal(error.key, key);
}

// --- one value

static void try_value(Tally* tally, const char* path, const Key* key, void* object, size_t k, double value)
{
    if (value == key->word_value && key->word)
        return; // a word in a scene file
    double before = get(key, object, k);
    put(key, object, k, value);
    mn_Error by_scene = {0}, by_check = {0};
    char set[512];
    set_text(path, key, object, set, sizeof set);
    bool check = def_check(&scene_section, &(DefContext){tally->scene->world.dimension, tally->scene->world.particle_radius},
                           tally->scene, &by_check) == MN_OK;
    bool scene = false;
    if (isfinite(value)) {
        mn_Scene* read = parse(set, &by_scene);
        scene = read != NULL;
        mn_scene_free(read);
        if (check != scene)
            fail_msg("%s: the scene reader %s (%s: %s), the check of defs %s (%s: %s)", set, scene ? "accepts" : "refuses",
                     by_scene.key, by_scene.message, check ? "accepts" : "refuses", by_check.key, by_check.message);
        tally->compared++;
    } else if (check) {
        fail_msg("%s: the check of defs accepts what is not finite", set);
    }
    if (!check) {
        expect_refused(tally, by_check.key, set);
        tally->refused++;
    }
    put(key, object, k, before);
}

static void try_key(Tally* tally, const char* path, const Key* key, void* object)
{
    Range range = key->type == KEY_COLOUR ? (Range){0, 1, false} : key->range;
    bool whole = is_whole(key);
    tally->keys++;
    for (size_t k = 0; k < number_count(key); k++) {
        const double ends[] = {range.low, range.high};
        for (int e = 0; e < 2; e++) {
            if (!isfinite(ends[e]))
                continue;
            try_value(tally, path, key, object, k, ends[e]);
            try_value(tally, path, key, object, k, whole ? ends[e] - 1 : nextafter(ends[e], -INFINITY));
            try_value(tally, path, key, object, k, whole ? ends[e] + 1 : nextafter(ends[e], INFINITY));
        }
        try_value(tally, path, key, object, k, 0);
        try_value(tally, path, key, object, k, -1);
        try_value(tally, path, key, object, k, 1);
        if (!whole) {
            try_value(tally, path, key, object, k, -1e300);
            try_value(tally, path, key, object, k, 1e300);
            try_value(tally, path, key, object, k, (double)NAN);
            try_value(tally, path, key, object, k, (double)INFINITY);
        }
    }
}

// --- all of them

static void try_section(Tally* tally, const char* path, const Section* section, void* object)
{
    for (size_t k = 0; k < section->key_count; k++) {
        const Key* key = &section->keys[k];
        char here[192], item[224];
        snprintf(here, sizeof here, "%s%s%s", path, path[0] ? "." : "", key->name);
        if (!key_applies(key, object))
            continue;
        if (key->type == KEY_OBJECT)
            try_section(tally, here, key->section, key_at(key, object));
        else if (number_count(key) && !key_holds_word(key, object))
            try_key(tally, here, key, object);
        else if (key->type == KEY_LIST) {
            char* items;
            memcpy(&items, key_at(key, object), sizeof items);
            for (size_t i = 0; i < *(size_t*)((char*)object + key->count_offset); i++) {
                snprintf(item, sizeof item, "%s.%zu", here, i);
                try_section(tally, item, key->section, items + i * key->section->size);
            }
        }
    }
}

static void scene_and_library_agree(void** state)
{
    mn_Error error = {0};
    mn_Scene* scene = parse(NULL, &error);
    if (!scene)
        fail_msg("%s: %s", error.key, error.message);
    scene->world.support_radius = MN_AUTO; // a scene that leaves it out follows the particle radius
    mn_WorldDef def = mn_default_world_def();
    def.threads = 1;
    Tally tally = {.scene = scene, .world = mn_world_create(&def, NULL, &error)};
    assert_non_null(tally.world);
    try_section(&tally, "", &scene_section, scene);
    print_message("%zu keys with numbers, %zu values compared, %zu refused\n", tally.keys, tally.compared, tally.refused);
    assert_true(tally.keys > 100);
    assert_true(tally.refused > 400 && tally.compared > tally.refused);
    mn_world_destroy(tally.world);
    mn_scene_free(scene);
}

// Lists may be as long in the library as in a file.
static void as_many_fluids_as_a_scene(void** state)
{
    mn_WorldDef def = mn_default_world_def();
    def.threads = 1;
    mn_Error error = {0};
    mn_World* world = mn_world_create(&def, NULL, &error);
    mn_FluidDef fluid = mn_default_fluid_def();
    for (int k = 0; k < MOST_FLUIDS; k++)
        assert_int_not_equal(mn_world_add_fluid(world, &fluid, &error), 0);
    assert_int_equal(mn_world_add_fluid(world, &fluid, &error), 0);
    mn_world_destroy(world);
    char text[512] = "{\"fluids\": [{}";
    for (int k = 1; k < MOST_FLUIDS; k++)
        strcat(text, ", {}");
    size_t length = strlen(text);
    strcpy(text + length, "]}");
    mn_Scene* scene = mn_scene_parse(text, strlen(text), NULL, NULL, NULL, 0, &error);
    assert_non_null(scene);
    mn_scene_free(scene);
    strcpy(text + length, ", {}]}");
    assert_null(mn_scene_parse(text, strlen(text), NULL, NULL, NULL, 0, &error));
    assert_string_equal(error.key, "fluids");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scene_and_library_agree),
        cmocka_unit_test(as_many_fluids_as_a_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
