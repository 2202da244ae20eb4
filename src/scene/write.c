// SPDX-License-Identifier: MIT
// Resolved scenes. What fits on a line stays on a line, so that people can read them.
#include "scene/write.h"

#include "base/vec.h"
#include "defs/shapes.h"
#include "mesh/mesh_file.h"

#include <meniscus/scene.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_WIDTH = 110, INDENT = 2 };

static void write_numbers(Page* page, const double* values, int count)
{
    page_put(page, "[", 1);
    for (int k = 0; k < count; k++) {
        if (k)
            page_put(page, ", ", 2);
        page_number(page, values[k]);
    }
    page_put(page, "]", 1);
}

static void write_vector(Page* page, mn_Vec3 v, int dimension)
{
    write_numbers(page, (const double[]){v.x, v.y, v.z}, dimension);
}

static void write_string(Page* page, const char* string)
{
    page_quote(page, string ? string : "");
}

// The absolute name of a file; a name that leads nowhere (any more) is at least put behind its folder.
static void write_file(Page* page, const char* file, const char* folder)
{
    if (!file || file[0] == '/' || !folder || mesh_text_of(file)) {
        write_string(page, file);
        return;
    }
    Page joined = {0};
    page_add(&joined, "%s%s%s", folder, folder[0] ? "/" : "", file);
    char* relative = page_take(&joined);
    char* absolute = relative ? realpath(relative, NULL) : NULL;
    if (!relative)
        page->failed = true;
    else
        write_string(page, absolute ? absolute : relative);
    free(absolute);
    free(relative);
}

static void write_shape(Page* page, const WriteContext* context, const mn_Shape* shape)
{
    const ShapeKind* kind = &shape_kinds[shape->type];
    page_add(page, "{\"%s\": ", kind->name);
    if (shape_is_file(shape->type)) {
        write_file(page, shape->file, context->folder);
    } else {
        double values[3];
        int count = shape_number_count(kind, context->dimension);
        for (int k = 0; k < count; k++)
            values[k] = shape_number(kind, shape, k);
        if (count == 1)
            page_number(page, values[0]);
        else
            write_numbers(page, values, count);
    }
    if (shape->type == MN_SHAPE_GRID)
        page_add(page, ", \"cells\": [%d, %d]", shape->cells[0], shape->cells[1]);
    page_put(page, "}", 1);
}

static void write_rotation(Page* page, const mn_Quat* q)
{
    write_numbers(page, (const double[]){q->w, q->x, q->y, q->z}, 4);
}

static void write_section(Page* page, const WriteContext* context, const Section* section, const void* object, int indent);

static void new_line(Page* page, int indent)
{
    page_add(page, "\n%*s", indent * INDENT, "");
}

static void write_list(Page* page, const WriteContext* context, const Key* key, const void* object, int indent)
{
    const char* items;
    memcpy(&items, key_at_const(key, object), sizeof items);
    size_t count = *(const size_t*)((const char*)object + key->count_offset);
    page_put(page, "[", 1);
    for (size_t k = 0; k < count; k++) {
        page_put(page, ",", k ? 1 : 0);
        new_line(page, indent + 1);
        write_section(page, context, key->section, items + k * key->section->size, indent + 1);
    }
    if (count)
        new_line(page, indent);
    page_put(page, "]", 1);
}

static void write_any(Page* page, const WriteContext* context, const Key* key, const void* object, int indent)
{
    if (key_holds_word(key, object)) {
        write_string(page, key->word);
        return;
    }
    const void* at = key_at_const(key, object);
    switch (key->type) {
    case KEY_NUMBER:
        page_number(page, *(const double*)at);
        break;
    case KEY_INTEGER:
        page_add(page, "%d", *(const int*)at);
        break;
    case KEY_COUNT:
        page_add(page, "%lld", (long long)*(const int64_t*)at);
        break;
    case KEY_BOOLEAN:
        page_add(page, *(const bool*)at ? "true" : "false");
        break;
    case KEY_STRING:
    case KEY_NAME:
    case KEY_MATERIAL:
        write_string(page, *(const char* const*)at);
        break;
    case KEY_FILE:
    case KEY_IMAGE:
        write_file(page, *(const char* const*)at, context->folder);
        break;
    case KEY_ENUM:
        write_string(page, key->words[at ? *(const int*)at : 0]);
        break;
    case KEY_VECTOR:
    case KEY_SCALE:
        write_vector(page, *(const mn_Vec3*)at, context->dimension);
        break;
    case KEY_POINT:
    case KEY_COLOUR:
        write_vector(page, *(const mn_Vec3*)at, 3);
        break;
    case KEY_PAIR:
    case KEY_NOZZLE:
        write_numbers(page, at, 2);
        break;
    case KEY_INTEGER_PAIR:
        page_add(page, "[%d, %d]", ((const int*)at)[0], ((const int*)at)[1]);
        break;
    case KEY_AXES:
        page_add(page, "[");
        for (int k = 0; k < context->dimension; k++)
            page_add(page, "%s%s", k ? ", " : "", ((const bool*)at)[k] ? "true" : "false");
        page_add(page, "]");
        break;
    case KEY_ROTATION:
        write_rotation(page, at);
        break;
    case KEY_SHAPE:
        write_shape(page, context, at);
        break;
    case KEY_OBJECT:
        write_section(page, context, key->section, at, indent);
        break;
    case KEY_LIST:
        write_list(page, context, key, object, indent);
        break;
    case KEY_DIRECTION:
    case KEY_LATER:
    case KEY_LATER_LIST:
        break;
    }
}

bool key_is_written(const Key* key, const void* object)
{
    return key->type != KEY_DIRECTION && !key_is_later(key) && key_applies(key, object);
}

// All keys on one line; false (and nothing written) if that is too long or a list needs lines of its own.
static bool write_on_a_line(Page* page, const WriteContext* context, const Section* section, const void* object)
{
    size_t start = page->length;
    const char* separator = "{";
    for (size_t k = 0; k < section->key_count && !page->failed; k++) {
        const Key* key = &section->keys[k];
        if (!key_is_written(key, object))
            continue;
        page_add(page, "%s\"%s\": ", separator, key->name);
        write_any(page, context, key, object, 0);
        separator = ", ";
        if (page->length - start > LINE_WIDTH || memchr(page->data + start, '\n', page->length - start)) {
            page->length = start;
            return false;
        }
    }
    page_put(page, "}", 1);
    return true;
}

static void write_section(Page* page, const WriteContext* context, const Section* section, const void* object, int indent)
{
    if (section != &scene_section && write_on_a_line(page, context, section, object))
        return;
    const char* separator = "{";
    for (size_t k = 0; k < section->key_count && !page->failed; k++) {
        const Key* key = &section->keys[k];
        if (!key_is_written(key, object))
            continue;
        page_add(page, "%s", separator);
        new_line(page, indent + 1);
        page_add(page, "\"%s\": ", key->name);
        write_any(page, context, key, object, indent + 1);
        separator = ",";
    }
    new_line(page, indent);
    page_put(page, "}", 1);
}

void write_value(Page* page, const WriteContext* context, const Key* key, const void* object)
{
    write_any(page, context, key, object, 0);
}

char* mn_scene_to_json(const mn_Scene* scene)
{
    Page page = {0};
    WriteContext context = {scene->world.dimension, scene->folder ? scene->folder : ""};
    write_section(&page, &context, &scene_section, scene, 0);
    page_put(&page, "\n", 1);
    return page_take(&page);
}
