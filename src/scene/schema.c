// SPDX-License-Identifier: MIT
// JSON Schema (draft 2020-12) of scene files, for editors. It says what a key allows on its own; what concerns several
// keys at once (min below max, two numbers only in 2D) is left to the reader.
#include "scene/help.h"

#include "defs/material.h"
#include "defs/shapes.h"
#include "scene/topics.h"
#include "scene/write.h"

#include <math.h>
#include <stdlib.h>

static void add_section(Page* page, const Topics* topics, const Section* section);

static void add_range(Page* page, const Range* range)
{
    if (range->low == 0 && range->high == 0 && !range->above)
        return;
    if (isfinite(range->low)) {
        page_add(page, ", \"%s\": ", range->above ? "exclusiveMinimum" : "minimum");
        page_number(page, range->low);
    }
    if (isfinite(range->high)) {
        page_add(page, ", \"maximum\": ");
        page_number(page, range->high);
    }
}

static void add_numbers(Page* page, const Key* key, const char* type, int least, int most)
{
    page_add(page, "\"type\": \"array\", \"minItems\": %d, \"maxItems\": %d, \"items\": {\"type\": \"%s\"", least, most, type);
    add_range(page, key->type == KEY_COLOUR ? &(Range){0, 1, false} : &key->range);
    page_put(page, "}", 1);
}

static void add_words(Page* page, const char* const* words)
{
    page_add(page, "\"enum\": [");
    for (int k = 0; words[k]; k++)
        page_add(page, "%s\"%s\"", k ? ", " : "", words[k]);
    page_put(page, "]", 1);
}

static void add_materials(Page* page)
{
    page_add(page, "\"enum\": [");
    for (int k = 0; k < MATERIAL_COUNT; k++)
        page_add(page, "%s\"%s\"", k ? ", " : "", materials[k].name);
    page_put(page, "]", 1);
}

static void add_list(Page* page, const Topics* topics, const Key* key)
{
    if (key->from_file)
        page_add(page, "\"anyOf\": [{\"type\": \"string\"}, {");
    page_add(page, "\"type\": \"array\", ");
    if (key->range.high > 0)
        page_add(page, "\"maxItems\": %.0f, ", key->range.high);
    page_add(page, "\"items\": {");
    if (key->section->shorthand)
        page_add(page, "\"anyOf\": [{\"type\": [\"string\", \"integer\"]}, {");
    add_section(page, topics, key->section);
    if (key->section->shorthand)
        page_add(page, "}]");
    page_put(page, "}", 1);
    if (key->from_file)
        page_add(page, "}]");
}

// The members of a schema for one value, without braces.
static void add_type(Page* page, const Topics* topics, const Key* key)
{
    switch (key->type) {
    case KEY_NUMBER:
        page_add(page, "\"type\": \"number\"");
        add_range(page, &key->range);
        break;
    case KEY_INTEGER:
    case KEY_COUNT:
        page_add(page, "\"type\": \"integer\"");
        add_range(page, &key->range);
        break;
    case KEY_BOOLEAN:
        page_add(page, "\"type\": \"boolean\"");
        break;
    case KEY_STRING:
        page_add(page, "\"type\": \"string\"");
        break;
    case KEY_NAME:
    case KEY_FILE:
    case KEY_IMAGE:
        page_add(page, "\"type\": \"string\", \"minLength\": 1");
        break;
    case KEY_MATERIAL:
        add_materials(page);
        break;
    case KEY_ENUM:
        add_words(page, key->words);
        break;
    case KEY_VECTOR:
    case KEY_DIRECTION:
        add_numbers(page, key, "number", 2, 3);
        break;
    case KEY_POINT:
    case KEY_COLOUR:
        add_numbers(page, key, "number", 3, 3);
        break;
    case KEY_SCALE:
        page_add(page, "\"anyOf\": [{\"type\": \"number\"}, {");
        add_numbers(page, key, "number", 2, 3);
        page_add(page, "}]");
        break;
    case KEY_PAIR:
        add_numbers(page, key, "number", 2, 2);
        break;
    case KEY_NOZZLE:
        page_add(page, "\"anyOf\": [{\"type\": \"number\", \"exclusiveMinimum\": 0}, {");
        add_numbers(page, key, "number", 1, 2);
        page_add(page, "}]");
        break;
    case KEY_INTEGER_PAIR:
        add_numbers(page, key, "integer", 2, 2);
        break;
    case KEY_AXES:
        page_add(page, "\"type\": \"array\", \"items\": {\"type\": \"boolean\"}, \"minItems\": 2, \"maxItems\": 3");
        break;
    case KEY_ROTATION:
        page_add(page, "\"$ref\": \"#/$defs/rotation\"");
        break;
    case KEY_SHAPE:
        page_add(page, "\"$ref\": \"#/$defs/shape\"");
        break;
    case KEY_OBJECT:
        if (key->number)
            page_add(page, "\"anyOf\": [{\"type\": \"number\"}, {");
        add_section(page, topics, key->section);
        if (key->number)
            page_add(page, key->list ? "}, {\"type\": \"array\"}]" : "}]");
        break;
    case KEY_LIST:
        add_list(page, topics, key);
        break;
    case KEY_LATER:
        page_add(page, "\"not\": {}");
        break;
    case KEY_LATER_LIST:
        page_add(page, "\"type\": \"array\", \"maxItems\": 0");
        break;
    }
}

static void add_description(Page* page, const Key* key)
{
    Page text = {0};
    page_add(&text, "%s", key->doc);
    if (key->unit)
        page_add(&text, " [%s]", key->unit);
    if (key->only)
        page_add(&text, " Only for %s.", key->only);
    page_add(page, ", \"description\": ");
    page_quote(page, text.data ? text.data : "");
    page_free(&text);
}

static void add_default(Page* page, const Key* key, const void* defaults)
{
    bool plain = key->type != KEY_OBJECT && key->type != KEY_LIST && key->type != KEY_DIRECTION;
    if (key->required || key->fallback || !plain)
        return;
    page_add(page, ", \"default\": ");
    write_value(page, &(WriteContext){3, NULL}, key, defaults);
}

static void add_key(Page* page, const Topics* topics, const Key* key, const void* defaults)
{
    page_add(page, "\n\"%s\": {", key->name);
    if (key->word) {
        page_add(page, "\"anyOf\": [{\"const\": \"%s\"}, {", key->word);
        add_type(page, topics, key);
        page_add(page, "}]");
    } else {
        add_type(page, topics, key);
    }
    if (!key_is_later(key)) {
        add_description(page, key);
        add_default(page, key, defaults);
    }
    page_put(page, "}", 1);
}

static const void* defaults_of(const Topics* topics, const Section* section)
{
    for (size_t k = 0; k < topics->count; k++) {
        if (topics->topic[k].section == section)
            return topics->topic[k].defaults;
    }
    return NULL;
}

// The members of an object schema, without braces. Keys that belong to some types only are never required.
static void add_section(Page* page, const Topics* topics, const Section* section)
{
    const void* defaults = defaults_of(topics, section);
    page_add(page, "\"type\": \"object\", \"additionalProperties\": false, ");
    const char* separator = "\"required\": [";
    for (size_t k = 0; k < section->key_count; k++) {
        const Key* key = &section->keys[k];
        if (!key->required || key->applies)
            continue;
        page_add(page, "%s\"%s\"", separator, key->name);
        separator = ", ";
    }
    if (separator[0] == ',')
        page_add(page, "], ");
    page_add(page, "\"properties\": {");
    for (size_t k = 0; k < section->key_count; k++) {
        page_put(page, ",", k ? 1 : 0);
        add_key(page, topics, &section->keys[k], defaults);
    }
    page_put(page, "}", 1);
}

static void add_shape(Page* page)
{
    page_add(page, "\"shape\": {\"oneOf\": [");
    for (int k = 0; k < SHAPE_KIND_COUNT; k++) {
        const ShapeKind* kind = &shape_kinds[k];
        page_add(page,
                 "%s\n{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"%s\"], \"properties\": {\"%s\": {",
                 k ? "," : "", kind->name, kind->name);
        if (shape_is_file((mn_ShapeType)k))
            page_add(page, "\"type\": \"string\", \"minLength\": 1");
        else
            page_add(page,
                     "\"anyOf\": [{\"type\": \"number\", \"exclusiveMinimum\": 0}, {\"type\": \"array\", \"minItems\": %d, "
                     "\"maxItems\": %d, \"items\": {\"type\": \"number\", \"exclusiveMinimum\": 0}}]",
                     kind->count[0], kind->count[1]);
        page_add(page, "}");
        if (k == MN_SHAPE_GRID)
            page_add(page, ", \"cells\": {\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, "
                           "\"items\": {\"type\": \"integer\", \"minimum\": 1}}");
        page_add(page, "}}");
    }
    page_add(page, "]}");
}

static void add_definitions(Page* page)
{
    static const char three[] = "{\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": {\"type\": \"number\"}}";
    page_add(page, "\"$defs\": {\n\"rotation\": {\"oneOf\": [\n"
                   "{\"type\": \"array\", \"minItems\": 4, \"maxItems\": 4, \"items\": {\"type\": \"number\"}},\n");
    page_add(page,
             "{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"angle\"], "
             "\"properties\": {\"axis\": %s, \"angle\": {\"type\": \"number\"}}},\n",
             three);
    page_add(page,
             "{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"euler\"], \"properties\": {\"euler\": "
             "%s}}]},\n",
             three);
    add_shape(page);
    page_add(page, "},\n");
}

char* scene_schema_json(void)
{
    Topics* topics = malloc(sizeof *topics);
    if (!topics)
        return NULL;
    topics_fill(topics);
    Page page = {0};
    page_add(&page, "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n\"title\": \"Meniscus scene\",\n");
    add_definitions(&page);
    add_section(&page, topics, &scene_section);
    page_add(&page, "}\n");
    free(topics);
    return page_take(&page);
}
