// SPDX-License-Identifier: MIT
#include "io/points.h"

#include "base/error.h"
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

bool machine_is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

size_t number_size(NumberType type)
{
    static const size_t size[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return size[type];
}

void number_swap(void* out, const void* in, size_t count, size_t size)
{
    unsigned char* to = out;
    const unsigned char* from = in;
    for (size_t k = 0; k < count; k++, to += size, from += size)
        for (size_t b = 0; b < size; b++)
            to[b] = from[size - 1 - b];
}

// Reading through a union is defined in C and keeps the ten cases to one line each.
typedef union Number {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
} Number;

double number_get(NumberType type, const void* bytes, bool swap)
{
    Number n = {.u64 = 0};
    unsigned char raw[sizeof n] = {0};
    size_t size = number_size(type);
    memcpy(raw, bytes, size);
    for (size_t b = 0; swap && b < size / 2; b++) {
        unsigned char first = raw[b];
        raw[b] = raw[size - 1 - b];
        raw[size - 1 - b] = first;
    }
    memcpy(&n, raw, sizeof n);
    switch (type) {
    case NUMBER_I8:
        return n.i8;
    case NUMBER_U8:
        return n.u8;
    case NUMBER_I16:
        return n.i16;
    case NUMBER_U16:
        return n.u16;
    case NUMBER_I32:
        return n.i32;
    case NUMBER_U32:
        return n.u32;
    case NUMBER_I64:
        return (double)n.i64;
    case NUMBER_U64:
        return (double)n.u64;
    case NUMBER_F32:
        return (double)n.f32;
    case NUMBER_F64:
        return n.f64;
    }
    return 0;
}

const char* points_column(const PointSet* points, size_t field, int component, char name[64])
{
    const PointField* f = &points->field[field];
    if (f->components == 1)
        snprintf(name, 64, "%s", f->name);
    else if (field == 0)
        snprintf(name, 64, "%c", "xyz"[component]);
    else
        snprintf(name, 64, "%c%c", f->name[0], "xyz"[component]);
    return name;
}

mn_Result points_write(const char* path, mn_ParticleFormat format, const PointSet* points, mn_Error* error)
{
    FileOut file;
    mn_Result result = file_out_open(&file, path, error);
    if (result != MN_OK)
        return result;
    switch (format) {
    case MN_PARTICLES_NONE:
    case MN_PARTICLES_VTP:
        points_write_vtp(&file, points);
        break;
    case MN_PARTICLES_PLY:
        points_write_ply(&file, points);
        break;
    case MN_PARTICLES_VTK:
        points_write_vtk(&file, points);
        break;
    case MN_PARTICLES_CSV:
        points_write_csv(&file, points);
        break;
    case MN_PARTICLES_BGEO:
        points_write_bgeo(&file, points);
        break;
    }
    return file_out_commit(&file, false, error);
}

mn_Result format_error(mn_Error* error, const char* path, int line, const char* format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    // words of a hostile file may be part of the message: keep it one printable line
    for (char* c = text; *c; c++)
        if (!isprint((unsigned char)*c))
            *c = '?';
    error_set(error, MN_BAD_INPUT, "%s", text);
    error_at(error, path, line, 0);
    return MN_BAD_INPUT;
}

mn_Result memory_error(mn_Error* error, const char* path)
{
    error_set(error, MN_OUT_OF_MEMORY, "no memory");
    error_at(error, path, 0, 0);
    return MN_OUT_OF_MEMORY;
}
