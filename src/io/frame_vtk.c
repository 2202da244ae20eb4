// SPDX-License-Identifier: MIT
// Particles as legacy VTK polydata (.vtk, binary, which is big-endian by definition), with the time as the field TIME.
#include "io/points.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char* name;
    NumberType type;
} types[] = {{"char", NUMBER_I8},   {"unsigned_char", NUMBER_U8}, {"short", NUMBER_I16},        {"unsigned_short", NUMBER_U16},
             {"int", NUMBER_I32},   {"unsigned_int", NUMBER_U32}, {"vtktypeint64", NUMBER_I64}, {"vtktypeuint64", NUMBER_U64},
             {"float", NUMBER_F32}, {"double", NUMBER_F64}};
enum { TYPE_COUNT = sizeof types / sizeof *types };

static const char* type_name(NumberType type)
{
    for (size_t k = 0; k < TYPE_COUNT; k++)
        if (types[k].type == type)
            return types[k].name;
    return "float";
}

// --- writing

static void write_big_endian(FileOut* file, const void* data, size_t count, size_t size)
{
    enum { CHUNK = 8192 };
    char chunk[CHUNK];
    const char* from = data;
    if (!machine_is_little_endian() || size == 1) {
        file_out_write(file, from, count * size);
        return;
    }
    for (size_t k = 0; k < count; k += CHUNK / size) {
        size_t n = count - k < CHUNK / size ? count - k : CHUNK / size;
        number_swap(chunk, from + k * size, n, size);
        file_out_write(file, chunk, n * size);
    }
}

static void write_vertices(FileOut* file, size_t count)
{
    file_out_print(file, "\nVERTICES %zu %zu\n", count, 2 * count);
    for (size_t k = 0; k < count; k++) {
        int32_t cell[2] = {1, (int32_t)k};
        write_big_endian(file, cell, 2, sizeof *cell);
    }
}

void points_write_vtk(FileOut* file, const PointSet* points)
{
    file_out_print(file, "# vtk DataFile Version 3.0\nmeniscus particles\nBINARY\nDATASET POLYDATA\n");
    file_out_print(file, "FIELD FieldData 1\nTIME 1 1 double\n");
    write_big_endian(file, &points->time, 1, sizeof points->time);
    file_out_print(file, "\nPOINTS %zu %s\n", points->count, type_name(points->field[0].type));
    write_big_endian(file, points->field[0].data, 3 * points->count, number_size(points->field[0].type));
    write_vertices(file, points->count);
    file_out_print(file, "\nPOINT_DATA %zu\nFIELD FieldData %zu\n", points->count, points->field_count - 1);
    for (size_t k = 1; k < points->field_count; k++) {
        const PointField* field = &points->field[k];
        file_out_print(file, "%s %d %zu %s\n", field->name, field->components, points->count, type_name(field->type));
        write_big_endian(file, field->data, points->count * (size_t)field->components, number_size(field->type));
        file_out_print(file, "\n");
    }
}

// --- reading

typedef struct VtkReader {
    const char *at, *end, *path;
    bool swap;
    mn_Error* error;
} VtkReader;

// The next line that is not empty; false at the end of the file or when it is too long to be a keyword line.
static bool next_line(VtkReader* r, char line[256])
{
    while (r->at < r->end) {
        const char* newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
        size_t length = (size_t)((newline ? newline : r->end) - r->at);
        if (length >= 255)
            return false;
        memcpy(line, r->at, length);
        line[length] = 0;
        r->at = newline ? newline + 1 : r->end;
        if (length && line[0] != '\r')
            return true;
    }
    return false;
}

static bool whole_of(const char* text, size_t* value)
{
    char* end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *value = number;
    return end != text && !*end && !errno && text[0] != '-';
}

static bool type_of(const char* name, NumberType* type)
{
    for (size_t k = 0; k < TYPE_COUNT; k++) {
        if (!strcmp(types[k].name, name)) {
            *type = types[k].type;
            return true;
        }
    }
    return false;
}

// `count` numbers of `size` bytes from here; NULL (with the error set) if the file ends before.
static const char* take(VtkReader* r, size_t count, size_t size, const char* what)
{
    const char* data = r->at;
    if (count > (size_t)(r->end - r->at) / size) {
        format_error(r->error, r->path, 0, "the file ends inside %s", what);
        return NULL;
    }
    r->at += count * size;
    return data;
}

static bool read_points(VtkReader* r, const char* count_text, const char* type_text, Frame* frame)
{
    size_t count;
    NumberType type;
    if (frame->position || !whole_of(count_text, &count) || !type_of(type_text, &type) || count > SIZE_MAX / 3) {
        format_error(r->error, r->path, 0, "POINTS %s %s is not understood", count_text, type_text);
        return false;
    }
    const char* data = take(r, 3 * count, number_size(type), "the points");
    if (!data)
        return false;
    if (!frame_allocate(frame, count)) {
        memory_error(r->error, r->path);
        return false;
    }
    for (size_t k = 0; k < 3 * count; k++)
        frame_store(frame, 0, (int)(k % 3), k / 3, number_get(type, data + k * number_size(type), r->swap));
    return true;
}

// One array of a FIELD block: name components tuples type, then the numbers.
static bool read_array(VtkReader* r, Frame* frame, bool of_points)
{
    char line[256], name[64] = "", components_text[32] = "", tuples_text[32] = "", type_text[32] = "";
    size_t components = 0, tuples = 0;
    NumberType type = NUMBER_F32;
    bool good = next_line(r, line) && sscanf(line, "%63s %31s %31s %31s", name, components_text, tuples_text, type_text) == 4;
    good = good && whole_of(components_text, &components) && whole_of(tuples_text, &tuples) && type_of(type_text, &type);
    if (!good || components < 1 || components > 9 || tuples > SIZE_MAX / 9) {
        format_error(r->error, r->path, 0, "an array of a FIELD block is not understood");
        return false;
    }
    const char* data = take(r, components * tuples, number_size(type), name);
    if (!data)
        return false;
    if (!of_points && !strcmp(name, "TIME") && tuples == 1 && components == 1)
        frame->time = number_get(type, data, r->swap);
    int field = of_points ? frame_field_of(name, strlen(name)) : -1;
    if (field <= 0)
        return true;
    if (tuples != frame->count || (int)components != frame_field_components(field)) {
        format_error(r->error, r->path, 0, "array %s does not fit %zu points", name, frame->count);
        return false;
    }
    for (size_t k = 0; k < components * tuples; k++)
        frame_store(frame, field, (int)(k % components), k / components, number_get(type, data + k * number_size(type), r->swap));
    return true;
}

static bool read_block(VtkReader* r, const char* line, bool* of_points, Frame* frame)
{
    char key[32] = "", a[64] = "", b[64] = "";
    sscanf(line, "%31s %63s %63s", key, a, b);
    size_t count;
    if (!strcmp(key, "POINTS"))
        return read_points(r, a, b, frame);
    if (!strcmp(key, "VERTICES") && whole_of(b, &count))
        return take(r, count, sizeof(int32_t), "the vertices") != NULL;
    if (!strcmp(key, "POINT_DATA") && frame->position) {
        *of_points = true;
        return true;
    }
    if (!strcmp(key, "FIELD") && whole_of(b, &count)) {
        bool good = true;
        for (size_t k = 0; k < count && good; k++)
            good = read_array(r, frame, *of_points);
        return good;
    }
    format_error(r->error, r->path, 0, "\"%.40s\" is not expected in a particle file", key);
    return false;
}

mn_Result frame_read_vtk(const FileBytes* bytes, const char* path, Frame* frame, mn_Error* error)
{
    VtkReader r = {bytes->data, bytes->data + bytes->size, path, machine_is_little_endian(), error};
    char version[256], title[256], encoding[256], dataset[256], line[256];
    if (!next_line(&r, version) || !next_line(&r, title) || !next_line(&r, encoding) || !next_line(&r, dataset))
        return format_error(error, path, 0, "the header has no end");
    if (strncmp(encoding, "BINARY", 6) || strncmp(dataset, "DATASET POLYDATA", 16))
        return format_error(error, path, 0, "only BINARY files with DATASET POLYDATA are understood");
    bool of_points = false;
    mn_Error unused;
    r.error = error ? error : &unused;
    while (next_line(&r, line))
        if (!read_block(&r, line, &of_points, frame))
            return r.error->result;
    if (!frame->position)
        return format_error(error, path, 0, "the file has no points");
    return MN_OK;
}
