// SPDX-License-Identifier: MIT
// Written after the published layout of the format, not after the writer: sections first, then the tree of paths, then the fields.
#include "cli/usdc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Usdc {
    UsdaLayer* layer;
    const uint8_t* data;
    size_t size;
    char* words; // all tokens, each with its zero
    const char** token;
    size_t token_count, field_count, set_count, path_count;
    int64_t *field_token, *set;
    uint64_t* rep;
    UsdaPrim** prim; // of each path; NULL: an attribute, or the layer
    UsdaAttribute** attribute;
} Usdc;

static bool wrong(Usdc* u, const char* why)
{
    if (!u->layer->trouble[0])
        snprintf(u->layer->trouble, sizeof u->layer->trouble, "%s", why);
    return false;
}

// --- packed bytes

size_t lz4_unpack(const uint8_t* in, size_t bytes, uint8_t* out, size_t room)
{
    const uint8_t* end = in + bytes;
    size_t n = 0;
    if (in == end || *in++)
        return SIZE_MAX;
    while (in < end) {
        unsigned token = *in++;
        size_t literals = token >> 4, match = (token & 15) + 4;
        for (unsigned more = literals == 15 ? 255 : 0; more == 255; literals += more)
            more = in < end ? *in++ : 0;
        if (literals > (size_t)(end - in) || literals > room - n)
            return SIZE_MAX;
        memcpy(out + n, in, literals);
        n += literals;
        in += literals;
        if (in == end)
            return (token & 15) ? SIZE_MAX : n;
        if (end - in < 2)
            return SIZE_MAX;
        size_t far = in[0] | (size_t)in[1] << 8;
        in += 2;
        for (unsigned more = match == 19 ? 255 : 0; more == 255; match += more)
            more = in < end ? *in++ : 0;
        if (!far || far > n || match > room - n)
            return SIZE_MAX;
        for (size_t k = 0; k < match; k++, n++)
            out[n] = out[n - far];
    }
    return SIZE_MAX; // the last sequence has no match
}

bool integers_unpack(const uint8_t* in, size_t bytes, size_t count, bool wide, int64_t* out)
{
    size_t unit = wide ? 8 : 4, codes = (2 * count + 7) / 8, room = unit + codes + unit * count;
    uint8_t* plain = malloc(room + 8);
    size_t n = lz4_unpack(in, bytes, plain, room);
    const uint8_t *code = plain + unit, *rest = code + codes;
    bool good = n != SIZE_MAX && n >= unit + codes;
    uint64_t sum = 0;
    for (size_t k = 0; k < count && good; k++) {
        int kind = code[k / 4] >> 2 * (k % 4) & 3, length = (int)unit >> (3 - kind);
        const uint8_t* from = kind ? rest : plain;
        length = kind ? length : (int)unit;
        int64_t d = 0;
        good = from + length <= plain + n;
        for (int b = 0; b < length && good; b++)
            d |= (int64_t)((uint64_t)from[b] << 8 * b);
        if (length < 8)
            d = (int64_t)((uint64_t)d << (64 - 8 * length)) >> (64 - 8 * length);
        rest += kind ? length : 0;
        sum += (uint64_t)d;
        out[k] = wide ? (int64_t)sum : (int32_t)(uint32_t)sum;
    }
    good = good && rest == plain + n;
    free(plain);
    return good;
}

// --- bytes of the file

static uint64_t u64(Usdc* u, size_t at)
{
    uint64_t v = 0;
    if (at > u->size || u->size - at < 8)
        return wrong(u, "beyond the end"), 0;
    memcpy(&v, u->data + at, 8);
    return v;
}

// `count` integers behind their packed size; `at` goes on behind them.
static int64_t* packed(Usdc* u, size_t* at, size_t count, bool wide)
{
    size_t bytes = u64(u, *at);
    int64_t* out = calloc(count + 1, sizeof *out);
    *at += 8;
    if (*at > u->size || bytes > u->size - *at || !integers_unpack(u->data + *at, bytes, count, wide, out))
        wrong(u, "packed integers");
    *at += bytes;
    return out;
}

static size_t section(Usdc* u, const char* name)
{
    size_t table = u64(u, 16), count = u64(u, table);
    for (size_t k = 0; k < count && k < 16; k++) {
        size_t at = table + 8 + 32 * k;
        if (at + 32 <= u->size && !strncmp((const char*)u->data + at, name, 16))
            return u64(u, at + 16);
    }
    return wrong(u, name), 0;
}

static const char* word(Usdc* u, uint64_t index)
{
    return index < u->token_count ? u->token[index] : (wrong(u, "no such token"), "");
}

// --- values

static void add_number(UsdaValue* v, double x)
{
    v->number[v->number_count++] = x;
}

static void add_word(Usdc* u, UsdaValue* v, uint64_t index)
{
    if (v->word_count < USDA_WORDS)
        snprintf(v->word[v->word_count++], USDA_NAME, "%s", word(u, index));
}

enum { INTEGER = 3, INTEGER64 = 5, FLOAT = 8, DOUBLE = 9, STRING = 10, TOKEN = 11, QUATD = 16, VEC3D = 23, VEC3F = 24 };

static void scalar(Usdc* u, int type, uint64_t payload, bool inlined, UsdaValue* v)
{
    v->number = calloc(4, sizeof(double));
    v->arity = type == TOKEN || type == STRING ? 0 : type == QUATD ? 4 : type == VEC3D ? 3 : 1;
    float single;
    memcpy(&single, &payload, 4);
    if (type == TOKEN || type == STRING) {
        uint32_t index = (uint32_t)payload;
        if (type == STRING)
            memcpy(&index, u->data + section(u, "STRINGS") + 8 + 4 * payload, 4);
        add_word(u, v, index);
    } else if (inlined) {
        add_number(v, type == DOUBLE ? (double)single : (double)(uint32_t)payload);
    } else if (type == DOUBLE || type == VEC3D || type == QUATD) {
        for (int k = 0; k < v->arity; k++) {
            uint64_t bits = u64(u, payload + 8 * (size_t)(type == QUATD ? (k + 3) % 4 : k)); // the real part is last
            double x;
            memcpy(&x, &bits, 8);
            add_number(v, x);
        }
    } else {
        wrong(u, "a type that is not known");
    }
}

static void array(Usdc* u, int type, size_t at, bool is_packed, UsdaValue* v)
{
    v->is_array = true;
    v->arity = type == VEC3F ? 3 : type == TOKEN ? 0 : 1;
    size_t count = at ? u64(u, at) : 0, unit = type == INTEGER64 ? 8 : 4, per = type == VEC3F ? 3 : 1;
    at += 8;
    v->number = calloc(count * per + 1, sizeof(double));
    if (count && (at % 8 || (!is_packed && (count * per * unit > u->size - at)))) {
        wrong(u, "an array that does not fit");
        return;
    }
    if (is_packed) {
        int64_t* number = packed(u, &at, count, unit == 8);
        for (size_t k = 0; k < count; k++)
            add_number(v, (double)number[k]);
        free(number);
        return;
    }
    for (size_t k = 0; k < count * per; k++) {
        int32_t four;
        float single;
        memcpy(&four, u->data + at + unit * k, 4);
        memcpy(&single, u->data + at + unit * k, 4);
        if (type == TOKEN)
            add_word(u, v, (uint32_t)four);
        else
            add_number(v, type == INTEGER ? four : unit == 8 ? (double)(int64_t)u64(u, at + 8 * k) : (double)single);
    }
}

static void value(Usdc* u, uint64_t rep, UsdaValue* v)
{
    int type = rep >> 48 & 255;
    uint64_t payload = rep & 0xffffffffffff;
    if (rep >> 63)
        array(u, type, payload, rep >> 61 & 1, v);
    else
        scalar(u, type, payload, rep >> 62 & 1, v);
}

static void samples(Usdc* u, uint64_t rep, UsdaAttribute* a)
{
    size_t at = rep & 0xffffffffffff;
    at += u64(u, at);
    uint64_t times = u64(u, at);
    at += 8;
    at += u64(u, at);
    size_t count = u64(u, at), from = times & 0xffffffffffff;
    if ((times >> 48 & 255) != 48 || u64(u, from) != count || count > USDA_SAMPLES) {
        wrong(u, "times");
        return;
    }
    for (size_t k = 0; k < count; k++) {
        uint64_t bits = u64(u, from + 8 + 8 * k);
        memcpy(&a->code[k], &bits, 8);
        value(u, u64(u, at + 8 + 8 * k), &a->sample[k]);
    }
    a->sample_count = count;
}

// --- paths and what they are

static void take_field(Usdc* u, size_t path, const char* name, uint64_t rep)
{
    UsdaAttribute* a = u->attribute[path];
    UsdaValue v = {0};
    if (a && !strcmp(name, "timeSamples")) {
        samples(u, rep, a);
    } else if (a && !strcmp(name, "default")) {
        value(u, rep, &a->value);
        a->has_value = true;
    } else if (a) {
        uint64_t payload = rep & 0xffffffff;
        if (!strcmp(name, "typeName") || !strcmp(name, "interpolation"))
            snprintf(*name == 't' ? a->type : a->interpolation, USDA_NAME, "%s", word(u, payload));
        a->uniform = strcmp(name, "variability") ? a->uniform : payload == 1;
    } else if (u->prim[path] && !strcmp(name, "typeName")) {
        value(u, rep, &v);
        memcpy(u->prim[path]->type, v.word[0], USDA_NAME);
        free(v.number);
    } else if (!u->prim[path] && (rep >> 48 & 255) != 41 && u->layer->metadata_count < USDA_ATTRIBUTES) {
        UsdaAttribute* m = calloc(1, sizeof *m);
        snprintf(m->name, USDA_NAME, "%s", name);
        value(u, rep, &m->value);
        u->layer->metadata[u->layer->metadata_count++] = m;
    }
}

static void read_specs(Usdc* u)
{
    size_t at = section(u, "SPECS"), count = u64(u, at);
    if (count != u->path_count) {
        wrong(u, "not a spec for every path");
        return;
    }
    at += 8;
    int64_t *path = packed(u, &at, count, false), *set = packed(u, &at, count, false), *type = packed(u, &at, count, false);
    for (size_t k = 0; k < count && !u->layer->trouble[0]; k++) {
        size_t p = (size_t)path[k], s = (size_t)set[k];
        if (p >= u->path_count || type[k] != (u->attribute[p] ? 1 : u->prim[p] ? 6 : 7))
            wrong(u, "a spec of the wrong type");
        for (; s < u->set_count && u->set[s] != -1 && !u->layer->trouble[0]; s++)
            if (u->set[s] < 0 || (size_t)u->set[s] >= u->field_count)
                wrong(u, "no such field");
            else
                take_field(u, p, word(u, (uint64_t)u->field_token[u->set[s]]), u->rep[u->set[s]]);
    }
    free(path);
    free(set);
    free(type);
}

// One path and all that follows below and beside it.
static void read_path(Usdc* u, const int64_t* index, const int64_t* name, const int64_t* jump, size_t k, UsdaPrim* above)
{
    for (bool beside = true; beside && !u->layer->trouble[0];) {
        if (k >= u->path_count || index[k] < 0 || (size_t)index[k] >= u->path_count) {
            wrong(u, "paths");
            return;
        }
        UsdaPrim* prim = NULL;
        if (name[k] < 0 && above && above->attribute_count < USDA_ATTRIBUTES) {
            UsdaAttribute* a = u->attribute[index[k]] = calloc(1, sizeof *a);
            snprintf(a->name, USDA_NAME, "%s", word(u, (uint64_t)-name[k]));
            above->attribute[above->attribute_count++] = a;
        } else if (k > 0) {
            prim = u->prim[index[k]] = calloc(1, sizeof *prim);
            snprintf(prim->name, USDA_NAME, "%s", word(u, (uint64_t)name[k]));
            if (above && above->child_count < USDA_CHILDREN)
                above->child[above->child_count++] = prim;
            else if (!above && !u->layer->root)
                u->layer->root = prim;
            else
                wrong(u, "two roots, or too many children");
        }
        beside = jump[k] >= 0;
        if (jump[k] > 0 || jump[k] == -1)
            read_path(u, index, name, jump, k + 1, prim);
        k += jump[k] > 0 ? (size_t)jump[k] : 1;
    }
}

static void read_tree(Usdc* u)
{
    size_t at = section(u, "PATHS");
    u->path_count = u64(u, at);
    if (u64(u, at + 8) != u->path_count || u->path_count > 100000) {
        wrong(u, "two numbers of paths");
        return;
    }
    at += 16;
    int64_t* index = packed(u, &at, u->path_count, false);
    int64_t *name = packed(u, &at, u->path_count, false), *jump = packed(u, &at, u->path_count, false);
    u->prim = calloc(u->path_count + 1, sizeof *u->prim);
    u->attribute = calloc(u->path_count + 1, sizeof *u->attribute);
    read_path(u, index, name, jump, 0, NULL);
    free(index);
    free(name);
    free(jump);
}

static void read_tokens(Usdc* u)
{
    size_t at = section(u, "TOKENS"), bytes = u64(u, at + 8), size = u64(u, at + 16), n = 0;
    u->token_count = u64(u, at);
    if (u->token_count > 100000 || bytes > 1000000 || size > u->size) {
        wrong(u, "too many tokens");
        return;
    }
    u->words = calloc(bytes + 1, 1);
    u->token = calloc(u->token_count + 1, sizeof *u->token);
    if (lz4_unpack(u->data + at + 24, size, (uint8_t*)u->words, bytes) != bytes || (bytes && u->words[bytes - 1]))
        wrong(u, "packed tokens");
    for (char* w = u->words; w < u->words + bytes && n < u->token_count; w += strlen(w) + 1)
        u->token[n++] = w;
    if (n != u->token_count)
        wrong(u, "the number of tokens");
}

static void read_fields(Usdc* u)
{
    size_t at = section(u, "FIELDS");
    u->field_count = u64(u, at);
    if (u->field_count > 1000000) {
        wrong(u, "too many fields");
        return;
    }
    at += 8;
    u->field_token = packed(u, &at, u->field_count, false);
    u->rep = calloc(u->field_count + 1, sizeof *u->rep);
    if (lz4_unpack(u->data + at + 8, u64(u, at), (uint8_t*)u->rep, 8 * u->field_count) != 8 * u->field_count)
        wrong(u, "packed values");
    at = section(u, "FIELDSETS");
    u->set_count = u64(u, at);
    at += 8;
    u->set = packed(u, &at, u->set_count, false);
}

void usdc_read(UsdaLayer* layer, const uint8_t* bytes, size_t size)
{
    *layer = (UsdaLayer){0};
    Usdc u = {.layer = layer, .data = bytes, .size = size};
    void (*const steps[])(Usdc*) = {read_tokens, read_fields, read_tree, read_specs};
    if (size < 88 || memcmp(bytes, "PXR-USDC\0\10\0", 11))
        wrong(&u, "the first bytes must be PXR-USDC and a version");
    for (int k = 0; k < 4 && !layer->trouble[0]; k++)
        steps[k](&u);
    free(u.words);
    free(u.token);
    free(u.field_token);
    free(u.set);
    free(u.rep);
    free(u.prim);
    free(u.attribute);
}
