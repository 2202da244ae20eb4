// SPDX-License-Identifier: MIT
// Help, schema and reference page come from the same table as the reader; here they are held against it.
#include "support.h"

#include "scene/help.h"
#include "scene/topics.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static Topics topics;

static int fill(void** state)
{
    topics_fill(&topics);
    return 0;
}

static char* read_whole(const char* path)
{
    FILE* file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    char* text = calloc(1, 1 << 20);
    size_t size = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    assert_true(size > 0);
    return text;
}

static void test_reference_is_current(void** state)
{
    char* made = scene_reference_markdown();
    char* stored = read_whole(MENISCUS_SOURCE_DIR "/docs/scene-reference.md");
    if (strcmp(made, stored)) {
        size_t at = 0;
        while (made[at] == stored[at])
            at++;
        fail_msg("docs/scene-reference.md is not what the table says, from byte %zu; `meniscus help reference` writes it", at);
    }
    free(made);
    free(stored);
}

// Every key has a text, every topic of the list has help that names it, promised keys have none.
static void test_every_key_has_help(void** state)
{
    for (size_t t = 0; t < topics.count; t++) {
        const Section* section = topics.topic[t].section;
        for (size_t k = 0; k < section->key_count; k++) {
            const Key* key = &section->keys[k];
            if (key_is_later(key))
                continue;
            assert_non_null(key->doc);
            char path[128];
            snprintf(path, sizeof path, "%s%s%s", section->path, section->path[0] ? "." : "", key->name);
            char* text = scene_help(path);
            if (!text)
                fail_msg("no help for %s", path);
            assert_non_null(strstr(text, key->name));
            free(text);
        }
    }
    assert_null(scene_help("nonsense"));
    assert_null(scene_help(""));
}

static void test_topics(void** state)
{
    char* list = scene_help_topics();
    int count = 0;
    char* rest = NULL;
    for (char* name = strtok_r(list, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest)) {
        char* text = scene_help(name);
        if (!text)
            fail_msg("no help for the listed topic %s", name);
        free(text);
        count++;
    }
    free(list);
    assert_true(count > 80);
}

static void expect_help(const char* topic, const char* part)
{
    char* text = scene_help(topic);
    if (!text || !strstr(text, part))
        fail_msg("help %s does not say \"%s\"", topic, part);
    free(text);
}

static void test_texts(void** state)
{
    expect_help("scene", "particle_radius");
    expect_help("scene", "fluids.emitters: ");
    expect_help("solver.method", "one of \"sesph\", \"pcisph\", \"iisph\", \"dfsph\"");
    expect_help("solver.method", "default: \"dfsph\"");
    expect_help("fluids.0.density", "[kg/m3]");
    expect_help("support_radius", "4 particle_radius");
    expect_help("velocity", "fluids.blocks.velocity");
    expect_help("materials", "honey");
    expect_help("shapes", "torus");
    expect_help("rotation", "quaternion");
    char* nearest = scene_help_nearest("solver.methd");
    assert_string_equal(nearest, "solver.method");
    free(nearest);
}

// --- schema

static json_t* property(json_t* schema, const char* name)
{
    json_t* found = json_object_get(json_object_get(schema, "properties"), name);
    if (!found)
        fail_msg("the schema has no %s", name);
    return found;
}

static void check_section(json_t* schema, const Section* section)
{
    for (size_t k = 0; k < section->key_count; k++) {
        const Key* key = &section->keys[k];
        json_t* value = property(schema, key->name);
        json_t* inner = key->word || key->number || key->from_file ? json_array_get(json_object_get(value, "anyOf"), 1) : value;
        if (key->type == KEY_OBJECT)
            check_section(inner, key->section);
        else if (key->type == KEY_LIST && key->section->shorthand)
            check_section(json_array_get(json_object_get(json_object_get(inner, "items"), "anyOf"), 1), key->section);
        else if (key->type == KEY_LIST)
            check_section(json_object_get(inner, "items"), key->section);
    }
}

static void test_schema(void** state)
{
    char* text = scene_schema_json();
    json_error_t error;
    json_t* schema = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!schema)
        fail_msg("schema is not JSON: %s in line %d", error.text, error.line);
    assert_string_equal(json_string_value(json_object_get(schema, "$schema")), "https://json-schema.org/draft/2020-12/schema");
    check_section(schema, &scene_section);
    json_t* radius = property(schema, "particle_radius");
    assert_near(json_number_value(json_object_get(radius, "default")), 0.01, 0);
    json_decref(schema);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_is_current),
        cmocka_unit_test(test_every_key_has_help),
        cmocka_unit_test(test_topics),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_schema),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
