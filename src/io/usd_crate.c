// SPDX-License-Identifier: MIT
// USD as a crate file (.usdc), version 0.8.0 of Pixar's format. Values stand one behind the other as they come; a value is told by
// a word of 64 bits: flags (array, in place, pressed), its type, and where it lies, or itself if it is short. What holds them
// together is written at the end (usd_crate_sections.c), in six sections and a table of them:
//   TOKENS     all words, each once            STRINGS    which of them are texts
//   FIELDS     pairs of a word and a value     FIELDSETS  lists of fields, each ended by ~0
//   PATHS      the tree of prims and their attributes: a word per node, and how far the next one at its side is
//   SPECS      what each path is, and its list of fields
// Integers are pressed by usd_coding.c; vectors of floats are written as they are in memory, as readers map them.
#include "io/usd_crate.h"

#include "base/error.h"
#include "io/points.h"
#include "io/usd_coding.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Numbers that the format gives to types of values.
enum {
    TYPE_BOOL = 1,
    TYPE_INT = 3,
    TYPE_INT64 = 5,
    TYPE_FLOAT = 8,
    TYPE_DOUBLE = 9,
    TYPE_STRING = 10,
    TYPE_TOKEN = 11,
    TYPE_QUATD = 16,
    TYPE_VEC3D = 23,
    TYPE_VEC3F = 24,
    TYPE_TOKEN_VECTOR = 41,
    TYPE_SPECIFIER = 42,
    TYPE_VARIABILITY = 44,
    TYPE_TIME_SAMPLES = 46,
    TYPE_DOUBLE_VECTOR = 48,
    LEAST_PRESSED = 16 // shorter arrays of integers are never pressed
};
#define REP_ARRAY ((uint64_t)1 << 63)
#define REP_INLINED ((uint64_t)1 << 62)
#define REP_PRESSED ((uint64_t)1 << 61)

// --- memory

static void* grown_add(Crate* c, Grown* g, size_t size, const void* item)
{
    if (g->count == g->capacity) {
        size_t capacity = g->capacity ? 2 * g->capacity : 16;
        void* data = realloc(g->data, capacity * size);
        if (!data) {
            c->no_memory = true;
            return NULL;
        }
        g->data = data;
        g->capacity = capacity;
    }
    return memcpy((char*)g->data + size * g->count++, item, size);
}

static uint32_t token_of(Crate* c, const char* word)
{
    char** token = c->tokens.data;
    for (size_t k = 0; k < c->tokens.count; k++)
        if (!strcmp(token[k], word))
            return (uint32_t)k;
    char* copy = strdup(word);
    if (!copy || !grown_add(c, &c->tokens, sizeof copy, &copy)) {
        c->no_memory = true;
        free(copy);
        return 0;
    }
    return (uint32_t)c->tokens.count - 1;
}

static uint32_t node_add(Crate* c, uint32_t parent, const char* name, uint32_t type)
{
    Node node = {token_of(c, name), parent, NOBODY, NOBODY, NOBODY, type, 0, 0};
    if (!grown_add(c, &c->nodes, sizeof node, &node))
        return 0;
    uint32_t index = (uint32_t)c->nodes.count - 1;
    if (parent == NOBODY)
        return index;
    Node* above = node_at(c, parent);
    if (above->last_child == NOBODY)
        above->first_child = index;
    else
        node_at(c, above->last_child)->next = index;
    above->last_child = index;
    return index;
}

// --- bytes

void crate_put(Crate* c, const void* data, size_t bytes)
{
    file_out_write(&c->file, data, bytes);
    c->place += bytes;
}

void crate_put_u64(Crate* c, uint64_t value)
{
    crate_put(c, &value, sizeof value);
}

// Readers that map the file want numbers where their size divides the place.
static uint64_t put_start(Crate* c)
{
    static const char zeros[8];
    crate_put(c, zeros, (8 - c->place % 8) % 8);
    return c->place;
}

void crate_put_integers(Crate* c, const void* values, size_t count, bool wide)
{
    size_t bytes = 0;
    uint8_t* packed = integers_pack(values, count, wide, &bytes);
    if (!packed)
        c->no_memory = true;
    crate_put_u64(c, bytes);
    crate_put(c, packed, bytes);
    free(packed);
}

// --- values

static uint64_t rep_of(int type, uint64_t payload)
{
    return (uint64_t)type << 48 | payload;
}

static uint64_t rep_inlined(int type, uint32_t value)
{
    return REP_INLINED | rep_of(type, value);
}

static uint64_t rep_token(Crate* c, const char* word)
{
    return rep_inlined(TYPE_TOKEN, token_of(c, word));
}

static uint64_t rep_double(Crate* c, double value)
{
    float single = (float)value;
    if ((double)single == value) {
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        return rep_inlined(TYPE_DOUBLE, bits);
    }
    uint64_t place = put_start(c);
    crate_put(c, &value, sizeof value);
    return rep_of(TYPE_DOUBLE, place);
}

static uint64_t rep_integers(Crate* c, const void* data, size_t count, bool wide)
{
    int type = wide ? TYPE_INT64 : TYPE_INT;
    if (!count)
        return REP_ARRAY | rep_of(type, 0); // what stands for an empty array
    uint64_t rep = REP_ARRAY | rep_of(type, put_start(c));
    size_t bytes = count * (wide ? 8 : 4);
    crate_put_u64(c, count);
    if (count < LEAST_PRESSED || bytes > LZ4_MOST / 2) {
        crate_put(c, data, bytes);
        return rep;
    }
    crate_put_integers(c, data, count, wide);
    return rep | REP_PRESSED;
}

static uint64_t rep_array(Crate* c, int type, const void* data, size_t count, size_t size)
{
    if (!count)
        return REP_ARRAY | rep_of(type, 0);
    uint64_t rep = REP_ARRAY | rep_of(type, put_start(c));
    crate_put_u64(c, count);
    crate_put(c, data, count * size);
    return rep;
}

static uint64_t rep_tokens(Crate* c, const char* const* word, size_t count)
{
    uint64_t rep = REP_ARRAY | rep_of(TYPE_TOKEN, put_start(c));
    crate_put_u64(c, count);
    for (size_t k = 0; k < count; k++) {
        uint32_t token = token_of(c, word[k]);
        crate_put(c, &token, sizeof token);
    }
    return rep;
}

static uint64_t rep_doubles(Crate* c, int type, const double* v, size_t count)
{
    uint64_t rep = rep_of(type, put_start(c));
    crate_put(c, v, count * sizeof *v);
    return rep;
}

static uint64_t rep_value(Crate* c, const char* type, const UsdValue* v)
{
    UsdStorage storage = usd_storage(type);
    switch (storage) {
    case USD_INTS:
    case USD_INT64S:
        return rep_integers(c, v->data, v->count, storage == USD_INT64S);
    case USD_FLOATS:
        return rep_array(c, TYPE_FLOAT, v->data, v->count, sizeof(float));
    case USD_VECTORS:
        return rep_array(c, TYPE_VEC3F, v->data, v->count, 3 * sizeof(float));
    case USD_DOUBLE3:
        return rep_doubles(c, TYPE_VEC3D, v->data, 3);
    case USD_QUAT: { // the real part is last in memory
        const double* q = v->data;
        return rep_doubles(c, TYPE_QUATD, (const double[]){q[1], q[2], q[3], q[0]}, 4);
    }
    case USD_TOKEN:
        return rep_token(c, v->data);
    case USD_TOKENS:
        break;
    }
    return rep_tokens(c, v->data, v->count);
}

// Times that are those of the samples before are not written again.
static uint64_t rep_times(Crate* c, const Grown* times)
{
    size_t bytes = times->count * sizeof(double);
    if (c->last_times_rep && times->count == c->last_times.count && !memcmp(times->data, c->last_times.data, bytes))
        return c->last_times_rep;
    c->last_times_rep = rep_of(TYPE_DOUBLE_VECTOR, put_start(c));
    crate_put_u64(c, times->count);
    crate_put(c, times->data, bytes);
    c->last_times.count = 0;
    for (size_t k = 0; k < times->count; k++)
        grown_add(c, &c->last_times, sizeof(double), (double*)times->data + k);
    return c->last_times_rep;
}

// Two numbers say how far it is to what follows; here that is always the next thing.
static uint64_t rep_samples(Crate* c, const Track* track)
{
    uint64_t times = rep_times(c, &track->times), rep = rep_of(TYPE_TIME_SAMPLES, put_start(c));
    crate_put_u64(c, sizeof(uint64_t));
    crate_put_u64(c, times);
    crate_put_u64(c, sizeof(uint64_t));
    crate_put_u64(c, track->values.count);
    crate_put(c, track->values.data, track->values.count * sizeof(uint64_t));
    return rep;
}

// --- fields

static void field(Crate* c, const char* name, uint64_t rep)
{
    uint32_t word = token_of(c, name), index = (uint32_t)c->reps.count;
    grown_add(c, &c->words, sizeof word, &word);
    grown_add(c, &c->reps, sizeof rep, &rep);
    grown_add(c, &c->set, sizeof index, &index);
}

static void begin_fields(Crate* c, uint32_t node)
{
    if (c->nodes.count)
        node_at(c, node)->fields = (uint32_t)c->set.count;
}

static void end_fields(Crate* c)
{
    grown_add(c, &c->set, sizeof(uint32_t), &(uint32_t){NOBODY});
}

// An attribute and what it is: its value, or its samples.
static void add_attribute(Crate* c, const UsdAttribute* a, uint64_t value, uint64_t samples)
{
    begin_fields(c, node_add(c, c->prim, a->name, SPEC_ATTRIBUTE));
    field(c, "custom", rep_inlined(TYPE_BOOL, 0));
    field(c, "typeName", rep_token(c, a->type));
    field(c, "variability", rep_inlined(TYPE_VARIABILITY, a->uniform));
    if (a->interpolation)
        field(c, "interpolation", rep_token(c, a->interpolation));
    if (value)
        field(c, "default", value);
    if (samples)
        field(c, "timeSamples", samples);
    end_fields(c);
}

// Names of the children of a kind, in their order.
static void field_children(Crate* c, uint32_t node, const char* name, bool attributes)
{
    Grown list = {0};
    for (uint32_t k = node_at(c, node)->first_child; k != NOBODY; k = node_at(c, k)->next)
        if ((node_at(c, k)->type == SPEC_ATTRIBUTE) == attributes)
            grown_add(c, &list, sizeof(uint32_t), &node_at(c, k)->token);
    if (list.count) {
        uint64_t rep = rep_of(TYPE_TOKEN_VECTOR, put_start(c));
        crate_put_u64(c, list.count);
        crate_put(c, list.data, list.count * sizeof(uint32_t));
        field(c, name, rep);
    }
    free(list.data);
}

// --- the layer as it comes

static void finish_tracks(Crate* c)
{
    for (size_t k = 0; k < c->track_count && !c->no_memory; k++)
        add_attribute(c, &c->track[k].attribute, 0, c->track[k].times.count ? rep_samples(c, &c->track[k]) : 0);
    c->track_count = 0;
}

static void crate_begin_prim(void* layer, const char* type, const char* name)
{
    Crate* c = layer;
    finish_tracks(c);
    c->prim = node_add(c, c->prim, name, SPEC_PRIM);
    uint32_t word = token_of(c, type);
    if (!c->no_memory)
        node_at(c, c->prim)->type_name = word;
}

static void crate_set(void* layer, const UsdAttribute* a, const UsdValue* value)
{
    Crate* c = layer;
    if (!c->no_memory)
        add_attribute(c, a, rep_value(c, a->type, value), 0);
}

static void crate_animate(void* layer, const UsdAttribute* a, size_t count)
{
    Crate* c = layer;
    assert(!c->track_count && count <= USD_ANIMATED);
    for (size_t k = 0; k < count; k++) {
        c->track[k].attribute = a[k];
        c->track[k].times.count = c->track[k].values.count = 0;
    }
    c->track_count = count;
}

static void crate_sample(void* layer, size_t attribute, double code, const UsdValue* value)
{
    Crate* c = layer;
    Track* track = &c->track[attribute];
    uint64_t rep = rep_value(c, track->attribute.type, value);
    grown_add(c, &track->times, sizeof code, &code);
    grown_add(c, &track->values, sizeof rep, &rep);
}

static void crate_end_prim(void* layer)
{
    Crate* c = layer;
    finish_tracks(c);
    if (c->no_memory)
        return;
    begin_fields(c, c->prim);
    field(c, "specifier", rep_inlined(TYPE_SPECIFIER, 0)); // def
    field(c, "typeName", rep_inlined(TYPE_TOKEN, node_at(c, c->prim)->type_name));
    field_children(c, c->prim, "properties", true);
    field_children(c, c->prim, "primChildren", false);
    end_fields(c);
    c->prim = node_at(c, c->prim)->parent;
}

static void finish_root(Crate* c)
{
    begin_fields(c, 0);
    field(c, "defaultPrim", rep_token(c, c->head.root));
    field(c, "documentation", rep_inlined(TYPE_STRING, 0));
    field(c, "endTimeCode", rep_double(c, c->head.last));
    field(c, "framesPerSecond", rep_double(c, c->head.frame_rate));
    field(c, "metersPerUnit", rep_double(c, 1));
    field(c, "startTimeCode", rep_double(c, c->head.first));
    field(c, "timeCodesPerSecond", rep_double(c, c->head.frame_rate));
    field(c, "upAxis", rep_token(c, c->head.up_axis));
    field_children(c, 0, "primChildren", false);
    end_fields(c);
}

// --- open and close

static void crate_free(Crate* c)
{
    for (size_t k = 0; k < c->tokens.count; k++)
        free(((char**)c->tokens.data)[k]);
    for (size_t k = 0; k < USD_ANIMATED; k++) {
        free(c->track[k].times.data);
        free(c->track[k].values.data);
    }
    free(c->tokens.data);
    free(c->nodes.data);
    free(c->words.data);
    free(c->reps.data);
    free(c->set.data);
    free(c->last_times.data);
    free(c);
}

static mn_Result crate_open(void** layer, const char* path, const UsdHead* head, mn_Error* error)
{
    if (!machine_is_little_endian())
        return error_set(error, MN_BAD_INPUT, "crate files (.usdc) are written on little-endian machines only; take usda");
    Crate* c = calloc(1, sizeof *c);
    if (!c)
        return file_error(error, "write", path, ENOMEM);
    mn_Result result = file_out_open(&c->file, path, error);
    if (result != MN_OK) {
        free(c);
        return result;
    }
    static const uint8_t room[CRATE_HEAD_BYTES];
    crate_put(c, room, sizeof room); // for the head, which knows where the table is
    c->head = *head;
    token_of(c, ";-)"); // attributes are told by negative numbers, so none may be 0: as Pixar's writer does
    c->documentation = token_of(c, head->documentation);
    c->prim = node_add(c, NOBODY, "/", SPEC_ROOT);
    *layer = c;
    return MN_OK;
}

static mn_Result crate_close(void* layer, bool keep, mn_Error* error)
{
    Crate* c = layer;
    mn_Result result = MN_OK;
    if (keep && !c->no_memory) {
        finish_root(c);
        crate_put_sections(c);
    }
    if (keep && !c->no_memory) {
        result = file_out_commit(&c->file, false, error);
    } else {
        if (keep)
            result = file_error(error, "write", c->file.path, ENOMEM);
        file_out_discard(&c->file);
    }
    crate_free(c);
    return result;
}

const UsdFormat usd_crate = {
    .name = "usdc",
    .open = crate_open,
    .begin_prim = crate_begin_prim,
    .set = crate_set,
    .animate = crate_animate,
    .sample = crate_sample,
    .end_prim = crate_end_prim,
    .close = crate_close,
};
