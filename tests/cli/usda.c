// SPDX-License-Identifier: MIT
// Grammar: layer = "#usda 1.0" [metadata] prim; metadata = "(" {name "=" value} ")"; prim = "def" type string "{" {attribute |
// prim} "}"; attribute = ["uniform"] type name [".timeSamples"] ["=" value] [metadata]; samples = "{" {number ":" value ","} "}".
#include "cli/usda.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Usda {
    UsdaLayer* layer;
    const char* at;
} Usda;

__attribute__((format(printf, 2, 3))) static bool wrong(Usda* u, const char* format, ...)
{
    if (!u->layer->trouble[0]) {
        va_list args;
        va_start(args, format);
        vsnprintf(u->layer->trouble, sizeof u->layer->trouble, format, args);
        va_end(args);
    }
    return false;
}

static void skip_blanks(Usda* u)
{
    while (isspace((unsigned char)*u->at) || *u->at == '#') {
        if (*u->at == '#')
            u->at += strcspn(u->at, "\n"); // a comment
        else
            u->layer->line += *u->at++ == '\n';
    }
}

static bool next_is(Usda* u, char c)
{
    skip_blanks(u);
    return *u->at == c;
}

static bool take(Usda* u, char c)
{
    if (!next_is(u, c))
        return wrong(u, "expected '%c', got \"%.12s\"", c, u->at);
    u->at++;
    return true;
}

// Letters, digits, '_', and ':' between them; types also end in [].
static bool take_name(Usda* u, char out[USDA_NAME], bool is_type)
{
    skip_blanks(u);
    size_t n = 0;
    if (!isalpha((unsigned char)*u->at) && *u->at != '_')
        return wrong(u, "expected a name, got \"%.12s\"", u->at);
    while ((isalnum((unsigned char)*u->at) || *u->at == '_' || *u->at == ':') && n + 3 < USDA_NAME)
        out[n++] = *u->at++;
    if (is_type && u->at[0] == '[' && u->at[1] == ']') {
        out[n++] = *u->at++;
        out[n++] = *u->at++;
    }
    out[n] = 0;
    return true;
}

static bool take_string(Usda* u, char out[USDA_NAME])
{
    if (!take(u, '"'))
        return false;
    size_t n = 0;
    for (; *u->at && *u->at != '"' && *u->at != '\n'; u->at++)
        if (n + 1 < USDA_NAME)
            out[n++] = *u->at;
    out[n] = 0;
    return take(u, '"');
}

// --- values

static bool take_number(Usda* u, UsdaValue* v)
{
    skip_blanks(u);
    char* end;
    double x = strtod(u->at, &end);
    if (end == u->at || isalpha((unsigned char)*u->at)) // nor inf, nor nan
        return wrong(u, "expected a number, got \"%.12s\"", u->at);
    u->at = end;
    if ((v->number_count & (v->number_count + 1)) == 0)
        v->number = realloc(v->number, 2 * (v->number_count + 1) * sizeof *v->number);
    v->number[v->number_count++] = x;
    return true;
}

static bool take_item(Usda* u, UsdaValue* v)
{
    if (next_is(u, '"')) {
        if (v->word_count == USDA_WORDS)
            return wrong(u, "too many words");
        return take_string(u, v->word[v->word_count++]);
    }
    int arity = 1;
    if (next_is(u, '(')) {
        u->at++;
        for (arity = 0; !next_is(u, ')'); arity++)
            if ((arity && !take(u, ',')) || !take_number(u, v))
                return false;
        u->at++;
    } else if (!take_number(u, v)) {
        return false;
    }
    if (v->arity && v->arity != arity)
        return wrong(u, "tuples of %d and of %d numbers in one value", v->arity, arity);
    v->arity = arity;
    return true;
}

static bool take_value(Usda* u, UsdaValue* v)
{
    if (!next_is(u, '['))
        return take_item(u, v);
    u->at++;
    v->is_array = true;
    for (bool first = true; !next_is(u, ']'); first = false)
        if ((!first && !take(u, ',')) || !take_item(u, v))
            return false;
    u->at++;
    return true;
}

static bool take_samples(Usda* u, UsdaAttribute* a)
{
    if (!take(u, '{'))
        return false;
    while (!next_is(u, '}')) {
        UsdaValue code = {0};
        bool ok = a->sample_count < USDA_SAMPLES && take_number(u, &code);
        if (ok)
            a->code[a->sample_count] = code.number[0];
        free(code.number);
        if (!ok || !take(u, ':') || !take_value(u, &a->sample[a->sample_count++]))
            return wrong(u, "a sample is not right");
        if (!next_is(u, ',') && !next_is(u, '}'))
            return wrong(u, "samples need commas between them");
        u->at += *u->at == ',';
    }
    u->at++;
    return true;
}

// --- attributes and prims

static bool take_metadata(Usda* u, UsdaAttribute* of)
{
    if (!take(u, '('))
        return false;
    while (!next_is(u, ')')) {
        char name[USDA_NAME];
        UsdaValue value = {0};
        bool ok = take_name(u, name, false) && take(u, '=') && take_value(u, &value);
        free(value.number);
        if (!ok)
            return false;
        if (strcmp(name, "interpolation"))
            return wrong(u, "metadata %s is not known", name);
        memcpy(of->interpolation, value.word[0], USDA_NAME);
    }
    u->at++;
    return true;
}

static UsdaAttribute* add_attribute(UsdaPrim* prim, const UsdaAttribute* new)
{
    // an attribute may be opened twice: once for its metadata, once for its samples
    for (size_t k = 0; k < prim->attribute_count; k++)
        if (!strcmp(prim->attribute[k]->name, new->name))
            return prim->attribute[k];
    if (prim->attribute_count == USDA_ATTRIBUTES)
        return NULL;
    UsdaAttribute* a = calloc(1, sizeof *a);
    *a = *new;
    return prim->attribute[prim->attribute_count++] = a;
}

static bool take_attribute(Usda* u, UsdaPrim* prim)
{
    UsdaAttribute new = {0};
    if (!take_name(u, new.type, true))
        return false;
    if (!strcmp(new.type, "uniform")) {
        new.uniform = true;
        if (!take_name(u, new.type, true))
            return false;
    }
    if (!take_name(u, new.name, false))
        return false;
    UsdaAttribute* a = add_attribute(prim, &new);
    if (!a || strcmp(a->type, new.type))
        return wrong(u, "%s: too many attributes, or two types", new.name);
    bool samples = !strncmp(u->at, ".timeSamples", 12);
    u->at += samples ? 12 : 0;
    if (next_is(u, '=')) {
        u->at++;
        a->has_value = !samples;
        if (samples ? !take_samples(u, a) : !take_value(u, &a->value))
            return wrong(u, "the value of %s", new.name);
    }
    return next_is(u, '(') ? take_metadata(u, a) : true;
}

static UsdaPrim* take_prim(Usda* u)
{
    char word[USDA_NAME];
    UsdaPrim* prim = calloc(1, sizeof *prim);
    bool ok = take_name(u, word, false) && !strcmp(word, "def") && take_name(u, prim->type, false) && take_string(u, prim->name) &&
              take(u, '{');
    while (ok && !next_is(u, '}')) {
        if (!strncmp(u->at, "def ", 4)) {
            ok = prim->child_count < USDA_CHILDREN;
            if (ok)
                prim->child[prim->child_count++] = take_prim(u);
            ok = ok && !u->layer->trouble[0];
        } else {
            ok = *u->at && take_attribute(u, prim);
        }
    }
    if (!ok || !take(u, '}'))
        wrong(u, "in prim %s", prim->name);
    return prim;
}

static bool take_layer_metadata(Usda* u)
{
    UsdaLayer* l = u->layer;
    if (!take(u, '('))
        return false;
    while (!next_is(u, ')')) {
        UsdaAttribute* a = calloc(1, sizeof *a);
        if (l->metadata_count == USDA_ATTRIBUTES)
            return free(a), wrong(u, "too much metadata");
        l->metadata[l->metadata_count++] = a;
        if (!take_name(u, a->name, false) || !take(u, '=') || !take_value(u, &a->value))
            return false;
    }
    u->at++;
    return true;
}

void usda_read(UsdaLayer* layer, const char* text)
{
    *layer = (UsdaLayer){.line = 1};
    Usda u = {layer, text};
    if (strncmp(text, "#usda 1.0\n", 10)) {
        wrong(&u, "the first line must be #usda 1.0");
        return;
    }
    if (!take_layer_metadata(&u))
        return;
    layer->root = take_prim(&u);
    skip_blanks(&u);
    if (*u.at)
        wrong(&u, "after the end: \"%.12s\"", u.at);
}

// --- the rest

const UsdaAttribute* usda_find(const UsdaPrim* prim, const char* name)
{
    for (size_t k = 0; k < prim->attribute_count; k++)
        if (!strcmp(prim->attribute[k]->name, name))
            return prim->attribute[k];
    return NULL;
}

static void free_attribute(UsdaAttribute* a)
{
    free(a->value.number);
    for (size_t k = 0; k < a->sample_count; k++)
        free(a->sample[k].number);
    free(a);
}

static void free_prim(UsdaPrim* prim)
{
    for (size_t k = 0; k < prim->attribute_count; k++)
        free_attribute(prim->attribute[k]);
    for (size_t k = 0; k < prim->child_count; k++)
        free_prim(prim->child[k]);
    free(prim);
}

void usda_free(UsdaLayer* layer)
{
    for (size_t k = 0; k < layer->metadata_count; k++)
        free_attribute(layer->metadata[k]);
    if (layer->root)
        free_prim(layer->root);
}
