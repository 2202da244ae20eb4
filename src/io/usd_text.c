// SPDX-License-Identifier: MIT
// USD as text. It groups samples by attribute, frames come one after the other: so each attribute of a prim gathers its samples in
// a temporary file, and these are joined when the prim is complete.
#include "io/usd_layer.h"

#include "base/error.h"
#include "io/file.h"
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct UsdText {
    FileOut file;
    int depth;
    UsdAttribute animated[USD_ANIMATED]; // of the current prim
    FILE* samples[USD_ANIMATED];
    size_t animated_count;
} UsdText;

UsdStorage usd_storage(const char* type)
{
    static const struct {
        const char* name;
        UsdStorage storage;
    } types[] = {{"int[]", USD_INTS},         {"int64[]", USD_INT64S},     {"float[]", USD_FLOATS},   {"point3f[]", USD_VECTORS},
                 {"vector3f[]", USD_VECTORS}, {"normal3f[]", USD_VECTORS}, {"float3[]", USD_VECTORS}, {"color3f[]", USD_VECTORS},
                 {"double3", USD_DOUBLE3},    {"quatd", USD_QUAT},         {"token", USD_TOKEN},      {"token[]", USD_TOKENS}};
    size_t k = 0;
    while (k < sizeof types / sizeof *types && strcmp(types[k].name, type) != 0)
        k++;
    assert(k < sizeof types / sizeof *types);
    return types[k].storage;
}

// --- values

// A number without what nobody can see: rounded to so many places behind the point, and no zeros at the end.
static void print_rounded(FILE* stream, double value, int places)
{
    char text[64];
    if (places == USD_EXACT || !(fabs(value) < 1e9)) {
        fprintf(stream, "%.7g", value);
        return;
    }
    int length = snprintf(text, sizeof text, "%.*f", places, value);
    if (places > 0) {
        while (text[length - 1] == '0')
            length--;
        length -= text[length - 1] == '.';
        text[length] = 0;
    }
    fputs(strcmp(text, "-0") ? text : "0", stream);
}

static void print_floats(FILE* stream, const float* v, size_t count, int places)
{
    for (size_t k = 0; k < count; k++) {
        fputs(k ? "," : "", stream);
        print_rounded(stream, (double)v[k], places);
    }
}

static void print_vectors(FILE* stream, const float* v, size_t count, int places)
{
    for (size_t k = 0; k < count; k++) {
        fputs(k ? ",(" : "(", stream);
        print_floats(stream, v + 3 * k, 3, places);
        fputc(')', stream);
    }
}

static void print_doubles(FILE* stream, const double* v, size_t count)
{
    for (size_t k = 0; k < count; k++)
        fprintf(stream, "%s%.9g", k ? ", " : "(", v[k]);
    fputc(')', stream);
}

static void print_array(FILE* stream, UsdStorage storage, const UsdValue* value)
{
    fputc('[', stream);
    if (storage == USD_FLOATS)
        print_floats(stream, value->data, value->count, value->places);
    else if (storage == USD_VECTORS)
        print_vectors(stream, value->data, value->count, value->places);
    for (size_t k = 0; k < value->count && storage == USD_INTS; k++)
        fprintf(stream, "%s%d", k ? "," : "", ((const int32_t*)value->data)[k]);
    for (size_t k = 0; k < value->count && storage == USD_INT64S; k++)
        fprintf(stream, "%s%lld", k ? "," : "", (long long)((const int64_t*)value->data)[k]);
    for (size_t k = 0; k < value->count && storage == USD_TOKENS; k++)
        fprintf(stream, "%s\"%s\"", k ? ", " : "", ((const char* const*)value->data)[k]);
    fputc(']', stream);
}

static void print_value(FILE* stream, const char* type, const UsdValue* value)
{
    UsdStorage storage = usd_storage(type);
    if (storage == USD_DOUBLE3)
        print_doubles(stream, value->data, 3);
    else if (storage == USD_QUAT)
        print_doubles(stream, value->data, 4);
    else if (storage == USD_TOKEN)
        fprintf(stream, "\"%s\"", (const char*)value->data);
    else
        print_array(stream, storage, value);
}

// --- attributes

static void indent(UsdText* text)
{
    file_out_print(&text->file, "%*s", 4 * text->depth, "");
}

static void remember(UsdText* text)
{
    if (!text->file.error_number)
        text->file.error_number = errno ? errno : EIO;
}

static void print_metadata(UsdText* text, const UsdAttribute* a)
{
    if (a->interpolation)
        file_out_print(&text->file, " (interpolation = \"%s\")", a->interpolation);
}

static void text_set(void* layer, const UsdAttribute* a, const UsdValue* value)
{
    UsdText* text = layer;
    indent(text);
    file_out_print(&text->file, "%s%s %s = ", a->uniform ? "uniform " : "", a->type, a->name);
    errno = 0;
    print_value(text->file.stream, a->type, value);
    if (ferror(text->file.stream))
        remember(text);
    print_metadata(text, a);
    file_out_print(&text->file, "\n");
}

static void text_animate(void* layer, const UsdAttribute* a, size_t count)
{
    UsdText* text = layer;
    assert(!text->animated_count && count <= USD_ANIMATED);
    for (size_t k = 0; k < count; k++) {
        text->animated[k] = a[k];
        text->samples[k] = tmpfile();
        if (!text->samples[k])
            remember(text);
    }
    text->animated_count = count;
}

static void text_sample(void* layer, size_t attribute, double code, const UsdValue* value)
{
    UsdText* text = layer;
    FILE* stream = text->samples[attribute];
    if (!stream)
        return;
    fprintf(stream, "%*s%.9g: ", 4 * text->depth + 4, "", code);
    print_value(stream, text->animated[attribute].type, value);
    fputs(",\n", stream);
}

static void join_one(UsdText* text, const UsdAttribute* a, FILE* samples)
{
    char buffer[1 << 16];
    if (a->interpolation) { // metadata stands at a declaration, samples have none
        indent(text);
        file_out_print(&text->file, "%s %s", a->type, a->name);
        print_metadata(text, a);
        file_out_print(&text->file, "\n");
    }
    indent(text);
    file_out_print(&text->file, "%s %s.timeSamples = {\n", a->type, a->name);
    errno = 0;
    if (fflush(samples) || ferror(samples) || fseek(samples, 0, SEEK_SET))
        remember(text);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, samples)) > 0;)
        file_out_write(&text->file, buffer, n);
    indent(text);
    file_out_print(&text->file, "}\n");
}

static void join_samples(UsdText* text)
{
    for (size_t k = 0; k < text->animated_count; k++) {
        if (!text->samples[k])
            continue;
        join_one(text, &text->animated[k], text->samples[k]);
        fclose(text->samples[k]);
    }
    text->animated_count = 0;
}

// --- prims and the layer

static void text_begin_prim(void* layer, const char* type, const char* name)
{
    UsdText* text = layer;
    join_samples(text);
    assert(text->depth < USD_DEPTH);
    file_out_print(&text->file, "\n");
    indent(text);
    file_out_print(&text->file, "def %s \"%s\"\n", type, name);
    indent(text);
    file_out_print(&text->file, "{\n");
    text->depth++;
}

static void text_end_prim(void* layer)
{
    UsdText* text = layer;
    join_samples(text);
    text->depth--;
    indent(text);
    file_out_print(&text->file, "}\n");
}

static mn_Result text_open(void** layer, const char* path, const UsdHead* head, mn_Error* error)
{
    UsdText* text = calloc(1, sizeof *text);
    if (!text)
        return file_error(error, "write", path, ENOMEM);
    mn_Result result = file_out_open(&text->file, path, error);
    if (result != MN_OK) {
        free(text);
        return result;
    }
    file_out_print(&text->file,
                   "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    doc = \"%s\"\n    endTimeCode = %.9g\n    framesPerSecond = %.9g\n"
                   "    metersPerUnit = 1\n    startTimeCode = %.9g\n    timeCodesPerSecond = %.9g\n    upAxis = \"%s\"\n)\n",
                   head->root, head->documentation, head->last, head->frame_rate, head->first, head->frame_rate, head->up_axis);
    *layer = text;
    return MN_OK;
}

static mn_Result text_close(void* layer, bool keep, mn_Error* error)
{
    UsdText* text = layer;
    join_samples(text); // of a prim that was given up
    mn_Result result = MN_OK;
    if (keep)
        result = file_out_commit(&text->file, false, error);
    else
        file_out_discard(&text->file);
    free(text);
    return result;
}

const UsdFormat usd_text = {
    .name = "usda",
    .open = text_open,
    .begin_prim = text_begin_prim,
    .set = text_set,
    .animate = text_animate,
    .sample = text_sample,
    .end_prim = text_end_prim,
    .close = text_close,
};
