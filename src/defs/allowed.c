// SPDX-License-Identifier: MIT
// What a key allows, in words: the same sentence in error messages, help and docs.
#include "defs/keys.h"
#include "defs/material.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const Key* section_find(const Section* section, const char* name)
{
    for (size_t k = 0; k < section->key_count; k++) {
        if (!strcmp(section->keys[k].name, name))
            return &section->keys[k];
    }
    return NULL;
}

static bool range_is_open(const Range* range)
{
    return range->low == 0 && range->high == 0 && !range->above;
}

bool range_allows(const Range* range, double value)
{
    if (range_is_open(range))
        return true;
    return (range->above ? value > range->low : value >= range->low) && value <= range->high;
}

static bool all_are(const double* value, int count, double word)
{
    for (int k = 0; k < count; k++)
        if (isnan(word) ? !isnan(value[k]) : value[k] != word)
            return false;
    return true;
}

bool key_holds_word(const Key* key, const void* object)
{
    if (!key->word)
        return false;
    const void* at = key_at_const(key, object);
    switch (key->type) {
    case KEY_NUMBER:
        return all_are(at, 1, key->word_value);
    case KEY_COUNT:
        return (double)*(const int64_t*)at == key->word_value;
    case KEY_PAIR: // from minus infinity to infinity, or twice the same
        return all_are(at, 1, isinf(key->word_value) ? -key->word_value : key->word_value) &&
               all_are((const double*)at + 1, 1, key->word_value);
    case KEY_MATERIAL:
    case KEY_NAME:
    case KEY_STRING:
    case KEY_IMAGE:
        return !*(const char* const*)at;
    case KEY_VECTOR:
    case KEY_POINT:
    case KEY_COLOUR:
        return all_are(&((const mn_Vec3*)at)->x, 3, key->word_value);
    case KEY_OBJECT:
        return !*(const bool*)((const char*)object + key->count_offset);
    default:
        return false;
    }
}

typedef struct Phrase {
    char* buffer;
    size_t size, used;
} Phrase;

__attribute__((format(printf, 2, 3))) static void phrase_add(Phrase* phrase, const char* format, ...)
{
    __builtin_va_list args;
    __builtin_va_start(args, format);
    if (phrase->used < phrase->size) {
        int wrote = vsnprintf(phrase->buffer + phrase->used, phrase->size - phrase->used, format, args);
        phrase->used += wrote > 0 ? (size_t)wrote : 0;
    }
    __builtin_va_end(args);
}

// 0.5, 170, 1e9: short for large round limits.
static void add_limit(Phrase* phrase, double limit)
{
    double exponent = log10(fabs(limit));
    if (fabs(limit) >= 1e5 && exponent == floor(exponent))
        phrase_add(phrase, "%s1e%d", limit < 0 ? "-" : "", (int)exponent);
    else
        phrase_add(phrase, "%.10g", limit);
}

static void add_range(Phrase* phrase, const Range* range)
{
    bool low = isfinite(range->low), high = isfinite(range->high);
    if (range_is_open(range) || (!low && !high))
        return;
    if (low) {
        phrase_add(phrase, range->above ? " above " : high ? " from " : " of at least ");
        add_limit(phrase, range->low);
    }
    if (high) {
        phrase_add(phrase, !low ? " of at most " : range->above ? ", at most " : " to ");
        add_limit(phrase, range->high);
    }
}

static void add_words(Phrase* phrase, const char* const* words)
{
    phrase_add(phrase, words[1] ? "one of " : "");
    for (int k = 0; words[k]; k++)
        phrase_add(phrase, "%s\"%s\"", k ? ", " : "", words[k]);
}

static void add_materials(Phrase* phrase)
{
    phrase_add(phrase, "one of ");
    for (int k = 0; k < MATERIAL_COUNT; k++)
        phrase_add(phrase, "%s\"%s\"", k ? ", " : "", materials[k].name);
}

// The limits of coordinates only keep numbers finite; a reader need not see them at every key.
static void add_component_range(Phrase* phrase, const Range* range)
{
    if (range->high < 1e6) {
        phrase_add(phrase, ", each");
        add_range(phrase, range);
    }
}

static void add_type(Phrase* phrase, const Key* key, int dimension)
{
    switch (key->type) {
    case KEY_NUMBER:
        phrase_add(phrase, "a number");
        add_range(phrase, &key->range);
        break;
    case KEY_INTEGER:
    case KEY_COUNT:
        phrase_add(phrase, "a whole number");
        add_range(phrase, &key->range);
        break;
    case KEY_BOOLEAN:
        phrase_add(phrase, "true or false");
        break;
    case KEY_STRING:
        phrase_add(phrase, "a string of at most 4096 bytes");
        break;
    case KEY_NAME:
        phrase_add(phrase, "a name of 1 to 64 bytes without any of / \\ \" , ; : * ? < > | and not starting with a dot or blank");
        break;
    case KEY_FILE:
        phrase_add(phrase, "the name of a mesh file");
        break;
    case KEY_IMAGE:
        phrase_add(phrase, "the name of a picture file");
        break;
    case KEY_MATERIAL:
        add_materials(phrase);
        break;
    case KEY_ENUM:
        add_words(phrase, key->words);
        break;
    case KEY_VECTOR:
        phrase_add(phrase, dimension == 2 ? "[x, y]" : "[x, y, z]");
        add_component_range(phrase, key->range.high > 0 ? &key->range : &(Range){0, INFINITY, false});
        break;
    case KEY_POINT:
        phrase_add(phrase, "[x, y, z]");
        break;
    case KEY_COLOUR:
        phrase_add(phrase, "[red, green, blue], each from 0 to 1");
        break;
    case KEY_SCALE:
        phrase_add(phrase, "a number or %s, not 0", dimension == 2 ? "[x, y]" : "[x, y, z]");
        break;
    case KEY_PAIR:
    case KEY_INTEGER_PAIR:
        phrase_add(phrase, key->type == KEY_PAIR ? "two numbers [a, b]" : "two whole numbers [a, b]");
        add_component_range(phrase, key->range.high > 0 ? &key->range : &(Range){0, INFINITY, false});
        break;
    case KEY_AXES:
        phrase_add(phrase, dimension == 2 ? "[x, y], each true or false" : "[x, y, z], each true or false");
        break;
    case KEY_NOZZLE:
        phrase_add(phrase, "[width, depth], above 0");
        break;
    case KEY_ROTATION:
        phrase_add(phrase, dimension == 2
                               ? "{\"angle\": degrees} or a quaternion [w, 0, 0, z]"
                               : "a quaternion [w, x, y, z], {\"axis\": [x, y, z], \"angle\": degrees} or {\"euler\": [x, y, z]}");
        break;
    case KEY_DIRECTION:
        phrase_add(phrase, dimension == 2 ? "[x, y], not zero" : "[x, y, z], not zero");
        break;
    case KEY_SHAPE:
        phrase_add(phrase, "a shape such as {\"box\": %s}", dimension == 2 ? "[1, 2]" : "[1, 2, 3]");
        break;
    case KEY_OBJECT:
        if (key->number)
            phrase_add(phrase, "a number (%s) or ", key->number);
        if (key->list)
            phrase_add(phrase, "a list [ ... ] (%s) or ", key->list);
        phrase_add(phrase, "an object { ... }");
        break;
    case KEY_LIST:
        phrase_add(phrase, key->from_file ? "a list [ ... ] of objects, or the name of a csv file" : "a list [ ... ] of objects");
        break;
    case KEY_LATER:
    case KEY_LATER_LIST:
        break;
    }
}

const char* key_allowed(const Key* key, int dimension, char* buffer, size_t size)
{
    Phrase phrase = {buffer, size, 0};
    buffer[0] = 0;
    add_type(&phrase, key, dimension);
    if (key->unit && strcmp(key->unit, "1"))
        phrase_add(&phrase, " [%s]", key->unit);
    if (key->word)
        phrase_add(&phrase, " or \"%s\"", key->word);
    return buffer;
}
