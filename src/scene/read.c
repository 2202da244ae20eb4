// SPDX-License-Identifier: MIT
#include "scene/read.h"

#include "base/error.h"
#include "base/memory.h"
#include "defs/check.h"
#include "scene/check.h"
#include "scene/motion_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- text for messages

void make_printable(char* string)
{
    char* end = string + strlen(string);
    for (char* c = string; c < end; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    }
    // the start of a character that was cut off
    char* last = end;
    while (last > string && (last[-1] & 0xc0) == 0x80)
        last--;
    if (last > string && (last[-1] & 0xc0) == 0xc0) {
        unsigned char lead = (unsigned char)last[-1];
        long wanted = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        if (end - last < wanted)
            last[-1] = 0;
    }
}

enum { VALUE_LENGTH = 60 };

typedef struct Clip {
    char* buffer;
    size_t used, size;
} Clip;

static int clip_put(const char* bytes, size_t count, void* user)
{
    Clip* clip = user;
    size_t room = clip->size - 1 - clip->used;
    size_t take = count < room ? count : room;
    memcpy(clip->buffer + clip->used, bytes, take);
    clip->used += take;
    return take < count ? -1 : 0;
}

const char* value_text(json_t* node, char* buffer, size_t size)
{
    Clip clip = {buffer, 0, size - 4 < VALUE_LENGTH ? size - 4 : VALUE_LENGTH};
    int cut = json_dump_callback(node, clip_put, &clip, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
    buffer[clip.used] = 0;
    make_printable(buffer);
    if (cut)
        strcat(buffer, "...");
    return buffer;
}

const char* quoted_text(const char* string, char* buffer, size_t size)
{
    bool cut = strlen(string) > VALUE_LENGTH;
    snprintf(buffer, size, "\"%.*s", VALUE_LENGTH, string);
    make_printable(buffer);
    strncat(buffer, cut ? "...\"" : "\"", size - strlen(buffer) - 1);
    return buffer;
}

// --- failing

static bool fail_at(Reader* reader, bool at_key, const char* format, va_list args)
{
    reader->result = MN_BAD_INPUT;
    if (!reader->error)
        return false;
    char message[sizeof reader->error->message];
    vsnprintf(message, sizeof message, format, args);
    make_printable(message);
    error_set(reader->error, MN_BAD_INPUT, "%s", message);

    char path[sizeof reader->error->key];
    make_printable((char*)path_text(&reader->path, path, sizeof path));
    error_key(reader->error, "%s", path);
    document_place(reader->document, &reader->path, at_key, reader->error);
    return false;
}

bool reader_fail(Reader* reader, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    fail_at(reader, false, format, args);
    va_end(args);
    return false;
}

bool reader_fail_in(Reader* reader, const char* key, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    bool pushed = path_push_key(&reader->path, key);
    fail_at(reader, false, format, args);
    if (pushed)
        path_pop(&reader->path);
    va_end(args);
    return false;
}

bool reader_fail_name(Reader* reader, const char* key, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    bool pushed = path_push_key(&reader->path, key);
    fail_at(reader, true, format, args);
    if (pushed)
        path_pop(&reader->path);
    va_end(args);
    return false;
}

bool reader_agrees(Reader* reader, mn_Result result, const mn_Error* error)
{
    if (result == MN_OK)
        return true;
    size_t depth = reader->path.depth;
    char key[sizeof error->key], *rest = NULL;
    memcpy(key, error->key, sizeof key);
    for (char* part = strtok_r(key, ".", &rest); part; part = strtok_r(NULL, ".", &rest)) {
        if (part[0] >= '0' && part[0] <= '9')
            path_push_index(&reader->path, strtoul(part, NULL, 10));
        else
            path_push_key(&reader->path, part);
    }
    reader_fail(reader, "%s", error->message);
    while (reader->path.depth > depth)
        path_pop(&reader->path);
    return false;
}

bool reader_no_memory(Reader* reader)
{
    reader->result = error_set(reader->error, MN_OUT_OF_MEMORY, "no memory while reading the scene");
    error_at(reader->error, reader->document->name, 0, 0);
    return false;
}

bool reader_unexpected(Reader* reader, const Key* key, json_t* node)
{
    char got[80], allowed[256];
    return reader_fail(reader, "got %s, expected %s", value_text(node, got, sizeof got),
                       key_allowed(key, reader->scene->world.dimension, allowed, sizeof allowed));
}

// --- sections

enum { MOST_KEYS = 48 };

// Where a key belongs that stands in a wrong place: at the top, or in one of the objects there; NULL: nowhere.
static const char* home_of_key(const Section* section, const char* name)
{
    static const struct {
        const Section* section;
        const char* place;
    } homes[] = {
        {&scene_section, "at the top of the scene"}, {&solver_section, "in \"solver\""}, {&output_section, "in \"output\""}};
    for (size_t k = 0; k < sizeof homes / sizeof *homes; k++)
        if (homes[k].section != section && section_find(homes[k].section, name))
            return homes[k].place;
    return NULL;
}

const char* unknown_key_text(const Section* section, const char* name, char* buffer, size_t size)
{
    const char* known[MOST_KEYS];
    size_t count = 0;
    for (size_t k = 0; k < section->key_count && count < MOST_KEYS; k++) {
        if (!key_is_later(&section->keys[k]))
            known[count++] = section->keys[k].name;
    }
    char quoted[80];
    quoted_text(name, quoted, sizeof quoted);
    const char *nearest = nearest_word(name, known, count), *home = home_of_key(section, name);
    if (home)
        snprintf(buffer, size, "unknown key %s; it stands %s. Known here: ", quoted, home);
    else if (nearest)
        snprintf(buffer, size, "unknown key %s; did you mean \"%s\"? Known here: ", quoted, nearest);
    else
        snprintf(buffer, size, "unknown key %s; known here: ", quoted);
    for (size_t k = 0; k < count; k++) {
        size_t used = strlen(buffer);
        snprintf(buffer + used, size - used, "%s%s", k ? ", " : "", known[k]);
    }
    return buffer;
}

static bool check_names(Reader* reader, const Section* section, json_t* node)
{
    char text[480];
    const char* name;
    json_t* value;
    json_object_foreach(node, name, value)
    {
        const Key* key = section_find(section, name);
        if (!key)
            return reader_fail_name(reader, name, "%s", unknown_key_text(section, name, text, sizeof text));
        bool harmless = key->type == KEY_LATER_LIST && json_is_array(value) && json_array_size(value) == 0;
        if (key_is_later(key) && !harmless)
            return reader_fail_name(reader, name, "\"%s\" is not available in this version", name);
    }
    return true;
}

static bool read_list(Reader* reader, const Key* key, json_t* node, void* object)
{
    if (key->from_file && json_is_string(node))
        return read_motion_file(reader, key, node, object);
    if (!json_is_array(node))
        return reader_unexpected(reader, key, node);
    size_t count = json_array_size(node);
    if (key->range.high > 0 && (double)count > key->range.high)
        return reader_fail(reader, "got %zu entries, expected at most %g", count, key->range.high);
    if (count == 0)
        return true;
    const Section* section = key->section;
    char* items = calloc(count, section->size);
    if (!items)
        return reader_no_memory(reader);
    memcpy(key_at(key, object), &items, sizeof items);
    size_t* filled = (size_t*)((char*)object + key->count_offset);
    for (size_t k = 0; k < count; k++) {
        void* item = items + k * section->size;
        section->defaults(item);
        *filled = k + 1;
        path_push_index(&reader->path, k);
        json_t* value = json_array_get(node, k);
        json_t* full = section->shorthand && !json_is_object(value) ? section_shorthand(section, value) : NULL;
        bool ok = read_section(reader, section, full ? full : value, item);
        json_decref(full);
        if (!ok)
            return false;
        path_pop(&reader->path);
    }
    return true;
}

static bool read_object(Reader* reader, const Key* key, json_t* node, void* object)
{
    if (key->word) {
        bool* given = (bool*)((char*)object + key->count_offset);
        *given = !(json_is_string(node) && !strcmp(json_string_value(node), key->word));
        if (!*given)
            return true;
    }
    if (key->number && json_is_number(node))
        return read_key(reader, section_find(key->section, key->number), node, key_at(key, object));
    if (key->list && json_is_array(node))
        return read_key(reader, section_find(key->section, key->list), node, key_at(key, object));
    if (!json_is_object(node))
        return reader_unexpected(reader, key, node);
    return read_section(reader, key->section, node, key_at(key, object));
}

bool read_key(Reader* reader, const Key* key, json_t* node, void* object)
{
    switch (key->type) {
    case KEY_LIST:
        return read_list(reader, key, node, object);
    case KEY_OBJECT:
        return read_object(reader, key, node, object);
    case KEY_LATER:
    case KEY_LATER_LIST:
        return true;
    default:
        return read_value(reader, key, node, object);
    }
}

static bool read_member(Reader* reader, const Key* key, json_t* node, void* object)
{
    json_t* value = json_object_get(node, key->name);
    bool applies = key_applies(key, object);
    if (!value) {
        char allowed[256];
        return !key->required || !applies ||
               reader_fail(reader, "\"%s\" is missing: %s", key->name,
                           key_allowed(key, reader->scene->world.dimension, allowed, sizeof allowed));
    }
    // an empty list says nothing, so it may stand where the key does not apply
    if (!applies && !(json_is_array(value) && json_array_size(value) == 0))
        return reader_fail_name(reader, key->name, "\"%s\" is only for %s", key->name, key->only);
    if (!applies)
        return true;
    path_push_key(&reader->path, key->name);
    bool ok = read_key(reader, key, value, object);
    path_pop(&reader->path);
    if (ok && key->chosen)
        key->chosen(object);
    return ok;
}

// The same question that the world asks; values of single keys were looked at when they were read.
static bool is_allowed(Reader* reader, const Section* section, const void* object)
{
    mn_Error error = {0};
    DefContext context = {reader->scene->world.dimension, reader->scene->world.particle_radius};
    return !section->check || reader_agrees(reader, section->check(&context, object, &error), &error);
}

bool read_section(Reader* reader, const Section* section, json_t* node, void* object)
{
    if (!json_is_object(node)) {
        char got[80];
        return reader_fail(reader, "got %s, expected an object { ... }", value_text(node, got, sizeof got));
    }
    if (!check_names(reader, section, node))
        return false;
    for (size_t k = 0; k < section->key_count; k++) {
        if (!read_member(reader, &section->keys[k], node, object))
            return false;
    }
    return section_finish(reader, section, node, object) && is_allowed(reader, section, object);
}
