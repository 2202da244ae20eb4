// SPDX-License-Identifier: MIT
#include "scene/place.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

bool path_push_key(Path* path, const char* key)
{
    if (path->depth == PATH_DEPTH)
        return false;
    path->step[path->depth++] = (PathStep){.key = key};
    return true;
}

bool path_push_index(Path* path, size_t index)
{
    if (path->depth == PATH_DEPTH)
        return false;
    path->step[path->depth++] = (PathStep){.index = index};
    return true;
}

void path_pop(Path* path)
{
    path->depth--;
}

const char* path_text(const Path* path, char* buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = 0;
    for (size_t k = 0; k < path->depth && used < size; k++) {
        const PathStep* step = &path->step[k];
        const char* dot = k ? "." : "";
        int wrote = step->key ? snprintf(buffer + used, size - used, "%s%s", dot, step->key)
                              : snprintf(buffer + used, size - used, "%s%zu", dot, step->index);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return buffer;
}

// --- walking over text that Jansson has accepted; stays inside [at, end) whatever comes

typedef struct Cursor {
    const char *at, *end;
} Cursor;

static char cursor_peek(const Cursor* c)
{
    return c->at < c->end ? *c->at : 0;
}

static void skip_space(Cursor* c)
{
    while (c->at < c->end && strchr(" \t\r\n", *c->at) && *c->at)
        c->at++;
}

static void skip_string(Cursor* c)
{
    c->at++;
    while (c->at < c->end && *c->at != '"')
        c->at += *c->at == '\\' && c->at + 1 < c->end ? 2 : 1;
    if (c->at < c->end)
        c->at++;
}

static void skip_value(Cursor* c)
{
    size_t depth = 0;
    while (c->at < c->end) {
        char ch = *c->at;
        if (ch == '"') {
            skip_string(c);
        } else if (ch == '{' || ch == '[') {
            depth++;
            c->at++;
        } else if (ch == '}' || ch == ']') {
            if (depth == 0)
                return;
            depth--;
            c->at++;
        } else if (depth == 0 && ch == ',') {
            return;
        } else {
            c->at++;
            continue; // inside a number or word, or space between values
        }
        if (depth == 0)
            return;
    }
}

// Compares a quoted token with a plain key; escapes are left to Jansson.
static bool token_equals(const char* token, size_t size, const char* key)
{
    size_t length = strlen(key);
    if (size >= 2 && size - 2 == length && !memcmp(token + 1, key, length))
        return true;
    if (!memchr(token, '\\', size))
        return false;
    json_t* decoded = json_loadb(token, size, JSON_DECODE_ANY, NULL);
    bool equal = decoded && json_is_string(decoded) && !strcmp(json_string_value(decoded), key);
    json_decref(decoded);
    return equal;
}

// From the `{` to the value of a member; `*key_start` is its key. False: not there.
static bool enter_member(Cursor* c, const char* key, const char** key_start)
{
    c->at++;
    for (;;) {
        skip_space(c);
        if (cursor_peek(c) != '"')
            return false;
        const char* token = c->at;
        skip_string(c);
        bool equal = token_equals(token, (size_t)(c->at - token), key);
        skip_space(c);
        if (cursor_peek(c) == ':')
            c->at++;
        skip_space(c);
        if (equal) {
            *key_start = token;
            return true;
        }
        skip_value(c);
        skip_space(c);
        if (cursor_peek(c) != ',')
            return false;
        c->at++;
    }
}

static bool enter_element(Cursor* c, size_t index)
{
    c->at++;
    skip_space(c);
    if (cursor_peek(c) == ']')
        return false;
    for (size_t k = 0; k < index; k++) {
        skip_value(c);
        skip_space(c);
        if (cursor_peek(c) != ',')
            return false;
        c->at++;
        skip_space(c);
    }
    return c->at < c->end;
}

static Place place_at(const char* text, const char* at)
{
    Place place = {1, 1};
    for (const char* c = text; c < at; c++) {
        if (*c == '\n')
            place = (Place){place.line + 1, 1};
        else if ((*c & 0xc0) != 0x80)
            place.column++;
    }
    return place;
}

Place place_of(const char* text, size_t size, const Path* path, bool at_key)
{
    Cursor c = {text, text + size};
    skip_space(&c);
    const char *value = c.at, *key = c.at;
    for (size_t k = 0; k < path->depth; k++) {
        const PathStep* step = &path->step[k];
        const char* key_start = NULL;
        bool found = step->key ? cursor_peek(&c) == '{' && enter_member(&c, step->key, &key_start)
                               : cursor_peek(&c) == '[' && enter_element(&c, step->index);
        if (!found)
            return place_at(text, value);
        value = c.at;
        key = key_start ? key_start : c.at;
    }
    return place_at(text, at_key ? key : value);
}

// --- the path at an offset

typedef struct Frame {
    bool object, expects_key;
    size_t index;
    const char* key; // quoted token, NULL before the first
    size_t key_size;
} Frame;

typedef struct Walk {
    Frame frame[PATH_DEPTH];
    size_t depth; // may exceed PATH_DEPTH; deeper frames are only counted
} Walk;

static Frame* walk_top(Walk* walk)
{
    return walk->depth > 0 && walk->depth <= PATH_DEPTH ? &walk->frame[walk->depth - 1] : NULL;
}

static void walk_string(Walk* walk, const char* token, size_t size)
{
    Frame* top = walk_top(walk);
    if (top && top->object && top->expects_key) {
        top->key = token;
        top->key_size = size;
        top->expects_key = false;
    }
}

static void walk_mark(Walk* walk, char mark)
{
    if (mark == '{' || mark == '[') {
        walk->depth++;
        Frame* top = walk_top(walk);
        if (top)
            *top = (Frame){.object = mark == '{', .expects_key = mark == '{'};
    } else if ((mark == '}' || mark == ']') && walk->depth > 0) {
        walk->depth--;
    } else if (mark == ',') {
        Frame* top = walk_top(walk);
        if (top && top->object)
            top->expects_key = true;
        else if (top)
            top->index++;
    }
}

static const char* walk_text(const Walk* walk, char* buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = 0;
    for (size_t k = 0; k < walk->depth && k < PATH_DEPTH && used < size; k++) {
        const Frame* frame = &walk->frame[k];
        if (frame->object && !frame->key)
            break;
        int wrote = 0;
        if (!frame->object)
            wrote = snprintf(buffer + used, size - used, "%s%zu", used ? "." : "", frame->index);
        else if (frame->key_size >= 2 && frame->key_size < 64)
            wrote = snprintf(buffer + used, size - used, "%s%.*s", used ? "." : "", (int)frame->key_size - 2, frame->key + 1);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return buffer;
}

const char* place_key_at(const char* text, size_t size, size_t offset, char* buffer, size_t buffer_size)
{
    Cursor c = {text, text + (offset < size ? offset : size)};
    Walk walk = {.depth = 0};
    while (c.at < c.end) {
        if (*c.at == '"') {
            const char* token = c.at;
            skip_string(&c);
            walk_string(&walk, token, (size_t)(c.at - token));
        } else {
            walk_mark(&walk, *c.at);
            c.at++;
        }
    }
    return walk_text(&walk, buffer, buffer_size);
}
