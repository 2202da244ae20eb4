// SPDX-License-Identifier: MIT
#include "scene/override.h"

#include "base/error.h"
#include "defs/keys.h"
#include "scene/json_memory.h"
#include "scene/page.h"
#include "scene/read.h"
#include "scene/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where on the path we are.
typedef struct Walker {
    char* path;             // the whole path; dots are cut out while walking
    const char* value;      // text behind the '='
    const Section* section; // of `node` if it is one; NULL below leaves (parts of vectors, shapes, rotations)
    const Key* list;        // set while `node` is a list of sections
    const Key* leaf;        // the key that the path has led to, if it is not a section
    json_t* node;
    mn_Error* error;
} Walker;

static mn_Result fail(Walker* walker, const char* text)
{
    mn_Result result = error_set(walker->error, MN_BAD_INPUT, "%s", text);
    if (walker->error)
        make_printable(walker->error->message);
    return result;
}

// The value as the reader will see it. Numbers for keys that want words are taken as words: --set name=2024.
static json_t* parse_value(const Walker* walker)
{
    json_t* value = json_loads(walker->value, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    bool wants_string =
        walker->leaf && (walker->leaf->type == KEY_STRING || walker->leaf->type == KEY_NAME || walker->leaf->type == KEY_FILE ||
                         walker->leaf->type == KEY_IMAGE || walker->leaf->type == KEY_ENUM);
    if (value && !(wants_string && !json_is_string(value)))
        return value;
    json_decref(value);
    return json_string(walker->value);
}

// Entries of lists go by their numbers, and those that have a name by that too: solids.cup.finish.
static bool find_name(const json_t* list, const char* word, size_t* index)
{
    for (size_t k = 0; k < json_array_size(list); k++) {
        const char* name = json_string_value(json_object_get(json_array_get(list, k), "name"));
        if (name && !strcmp(name, word)) {
            *index = k;
            return true;
        }
    }
    return false;
}

static bool parse_index(const char* word, size_t* index)
{
    if (!*word || strlen(word) > 9)
        return false;
    *index = 0;
    for (const char* c = word; *c; c++) {
        if (*c < '0' || *c > '9')
            return false;
        *index = *index * 10 + (size_t)(*c - '0');
    }
    return true;
}

// A vector that is not in the file can still be changed in one component: start from its default.
static json_t* default_value(const Walker* walker, const Key* key)
{
    if (walker->section != &scene_section || (key->type != KEY_VECTOR && key->type != KEY_COLOUR))
        return json_object();
    mn_Scene scene;
    scene_section.defaults(&scene);
    Page page = {0};
    write_value(&page, &(WriteContext){3, NULL}, key, &scene);
    char* text = page_take(&page);
    json_t* value = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
    free(text);
    return value;
}

// Numbers and words, which come first in KeyType, have no parts.
static bool has_parts(const Key* key)
{
    return key->type >= KEY_VECTOR;
}

// One step into an object whose keys the table knows (or, below leaves, does not).
static mn_Result step_into_object(Walker* walker, const char* word, bool last)
{
    const Key* key = walker->section ? section_find(walker->section, word) : NULL;
    char text[480], allowed[256];
    if (walker->section && !key)
        return fail(walker, unknown_key_text(walker->section, word, text, sizeof text));
    walker->leaf = key ? key : walker->leaf;
    if (last)
        return json_object_set_new(walker->node, word, parse_value(walker)) ? fail(walker, "cannot be set to this value") : MN_OK;
    if (key && key_is_later(key))
        return fail(walker, "is not available in this version");
    if (key && !has_parts(key)) {
        snprintf(text, sizeof text, "\"%s\" has no parts, expected %s", word, key_allowed(key, 3, allowed, sizeof allowed));
        return fail(walker, text);
    }
    bool is_list = key && key->type == KEY_LIST, is_section = key && key->type == KEY_OBJECT;
    json_t* next = json_object_get(walker->node, word);
    bool usable = next && (is_list ? json_is_array(next) : json_is_object(next) || (!is_section && json_is_array(next)));
    if (!usable) {
        next = is_list ? json_array() : key && !is_section ? default_value(walker, key) : json_object();
        if (json_object_set_new(walker->node, word, next))
            return fail(walker, "cannot be set below this key");
    }
    walker->list = is_list ? key : NULL;
    walker->section = is_section ? key->section : NULL;
    walker->node = next;
    return MN_OK;
}

static mn_Result step_into_array(Walker* walker, const char* word, bool last)
{
    size_t index, count = json_array_size(walker->node);
    // lists may grow by one whole entry: a key of one that is not there is more likely a wrong number than a new fluid
    size_t end = walker->list && last ? count + 1 : count;
    bool named = walker->list && find_name(walker->node, word, &index);
    if (!named && (!parse_index(word, &index) || index >= end)) {
        char text[280], quoted[80];
        bool could_grow = walker->list && !last;
        snprintf(text, sizeof text, "%s is not an index of this list, which has %zu %s, nor the name of one%s",
                 quoted_text(word, quoted, sizeof quoted), count, count == 1 ? "entry" : "entries",
                 could_grow ? "; a new entry is given whole, as {...}" : "");
        return fail(walker, text);
    }
    walker->section = walker->list ? walker->list->section : NULL;
    walker->list = NULL;
    if (last) {
        json_t* value = parse_value(walker);
        int failed = index == count ? json_array_append_new(walker->node, value) : json_array_set_new(walker->node, index, value);
        return failed ? fail(walker, "cannot be set to this value") : MN_OK;
    }
    walker->node = json_array_get(walker->node, index);
    return MN_OK;
}

static mn_Result step_into(Walker* walker, const char* word, bool last)
{
    if (json_is_array(walker->node))
        return step_into_array(walker, word, last);
    if (json_is_object(walker->node))
        return step_into_object(walker, word, last);
    return fail(walker, "leads into a value that is neither an object nor a list");
}

static mn_Result walk(Walker* walker)
{
    char* word = walker->path;
    for (;;) {
        char* dot = strchr(word, '.');
        if (dot)
            *dot = 0;
        if (!*word)
            return fail(walker, "expected a dotted path such as fluids.0.density");
        mn_Result result = step_into(walker, word, !dot);
        if (result != MN_OK || !dot)
            return result;
        word = dot + 1;
    }
}

mn_Result override_apply(json_t* root, const char* set, mn_Error* error)
{
    const char* equals = strchr(set, '=');
    char quoted[80];
    if (!equals || equals == set) {
        mn_Result result = error_set(error, MN_BAD_INPUT, "got %s, expected key=value such as solver.method=iisph",
                                     quoted_text(set, quoted, sizeof quoted));
        error_at(error, "--set", 0, 0);
        return result;
    }
    char* path = strndup(set, (size_t)(equals - set));
    if (!path)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory");
    Walker walker = {.path = path, .value = equals + 1, .section = &scene_section, .node = root, .error = error};
    json_memory_watch();
    mn_Result result = walk(&walker);
    if (json_memory_failed()) // a value that could not be read for want of memory is taken for a word, or refused
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory");
    free(path);
    if (result != MN_OK) {
        error_key(error, "%.*s", (int)(equals - set < 100 ? equals - set : 100), set);
        if (error)
            make_printable(error->key);
        error_at(error, "--set", 0, 0);
    }
    return result;
}
