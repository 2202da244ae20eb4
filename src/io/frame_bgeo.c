// SPDX-License-Identifier: MIT
// Particles as classic Houdini geometry (.bgeo, version 5): big endian; a header of counts, the attributes' names and defaults,
// then per point x, y, z, w and the attributes. No primitives: a cloud of points. Velocities are called v, as Houdini expects.
// There is no place for the time.
#include "io/points.h"

#include <stdlib.h>
#include <string.h>

enum { TYPE_FLOAT = 0, TYPE_INT = 1, TYPE_VECTOR = 5, HEADER_INTS = 9, ATTRIBUTES = 32 };

// --- writing

static void put_u32(FileOut* file, uint32_t value)
{
    const unsigned char bytes[4] = {(unsigned char)(value >> 24), (unsigned char)(value >> 16), (unsigned char)(value >> 8),
                                    (unsigned char)value};
    file_out_write(file, bytes, sizeof bytes);
}

static void put_u16(FileOut* file, unsigned value)
{
    const unsigned char bytes[2] = {(unsigned char)(value >> 8), (unsigned char)value};
    file_out_write(file, bytes, sizeof bytes);
}

static const char* houdini_name(const char* name)
{
    return strcmp(name, "velocity") ? name : "v";
}

static void put_attribute(FileOut* file, const PointField* field)
{
    const char* name = houdini_name(field->name);
    put_u16(file, (unsigned)strlen(name));
    file_out_write(file, name, strlen(name));
    put_u16(file, (unsigned)field->components);
    put_u32(file, field->type != NUMBER_F32 ? TYPE_INT : field->components == 3 ? TYPE_VECTOR : TYPE_FLOAT);
    for (int c = 0; c < field->components; c++)
        put_u32(file, 0);
}

static void put_number(FileOut* file, const PointField* field, size_t index)
{
    uint32_t bits = 0;
    if (field->type == NUMBER_U8)
        bits = ((const uint8_t*)field->data)[index];
    else
        memcpy(&bits, (const char*)field->data + 4 * index, 4);
    put_u32(file, bits);
}

void points_write_bgeo(FileOut* file, const PointSet* points)
{
    static const uint32_t one = 0x3f800000; // 1.0f
    file_out_write(file, "BgeoV", 5);
    // version, points, primitives, groups of points and of primitives, attributes of points, vertices, primitives, all
    const uint32_t header[HEADER_INTS] = {5, (uint32_t)points->count, 0, 0, 0, (uint32_t)points->field_count - 1, 0, 0, 0};
    for (int k = 0; k < HEADER_INTS; k++)
        put_u32(file, header[k]);
    for (size_t k = 1; k < points->field_count; k++)
        put_attribute(file, &points->field[k]);
    for (size_t i = 0; i < points->count && !file->error_number; i++)
        for (size_t k = 0; k < points->field_count; k++) {
            const PointField* field = &points->field[k];
            for (int c = 0; c < field->components; c++)
                put_number(file, field, i * (size_t)field->components + (size_t)c);
            if (k == 0)
                put_u32(file, one);
        }
    file_out_write(file, "\0\xff", 2);
}

// --- reading

typedef struct Cursor {
    const unsigned char *at, *end;
    bool short_of; // the file ended early
} Cursor;

static uint32_t get(Cursor* c, int bytes)
{
    uint32_t value = 0;
    if (c->end - c->at < bytes) {
        c->short_of = true;
        return 0;
    }
    for (int k = 0; k < bytes; k++)
        value = value << 8 | *c->at++;
    return value;
}

typedef struct Attribute {
    int field; // of a frame, -1: none
    bool whole;
    uint32_t components;
} Attribute;

static mn_Result get_attribute(Cursor* c, const char* path, Attribute* attribute, mn_Error* error)
{
    uint32_t length = get(c, 2);
    const char* name = (const char*)c->at;
    if (c->short_of || (size_t)(c->end - c->at) < length)
        return format_error(error, path, 0, "the file ends in its list of attributes");
    c->at += length;
    attribute->field = length == 1 && *name == 'v' ? frame_field_of("velocity", 8) : frame_field_of(name, length);
    attribute->components = get(c, 2);
    uint32_t type = get(c, 4);
    if (type != TYPE_FLOAT && type != TYPE_INT && type != TYPE_VECTOR)
        return format_error(error, path, 0, "attribute \"%.*s\" has a type that is not known here",
                            (int)(length < 40 ? length : 40), name);
    attribute->whole = type == TYPE_INT;
    if (attribute->field >= 0 && attribute->components != (uint32_t)frame_field_components(attribute->field))
        attribute->field = -1;
    for (uint32_t k = 0; k < attribute->components && !c->short_of; k++)
        get(c, 4);
    return c->short_of ? format_error(error, path, 0, "the file ends in its list of attributes") : MN_OK;
}

static double get_number(Cursor* c, bool whole)
{
    uint32_t bits = get(c, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return whole ? (double)bits : (double)value;
}

mn_Result frame_read_bgeo(const FileBytes* bytes, const char* path, Frame* frame, mn_Error* error)
{
    Cursor c = {(const unsigned char*)bytes->data + 5, (const unsigned char*)bytes->data + bytes->size, false};
    uint32_t header[HEADER_INTS];
    for (int k = 0; k < HEADER_INTS; k++)
        header[k] = get(&c, 4);
    if (c.short_of || header[0] != 5 || header[5] > ATTRIBUTES)
        return format_error(error, path, 0, "not a classic bgeo file of version 5 with at most %d attributes", ATTRIBUTES);
    Attribute attribute[ATTRIBUTES];
    size_t stride = 16;
    for (uint32_t k = 0; k < header[5]; k++) {
        mn_Result result = get_attribute(&c, path, &attribute[k], error);
        if (result != MN_OK)
            return result;
        stride += 4 * (size_t)attribute[k].components;
    }
    if (header[1] > (size_t)(c.end - c.at) / stride)
        return format_error(error, path, 0, "the file ends before its %u points do", header[1]);
    if (!frame_allocate(frame, header[1]))
        return memory_error(error, path);
    for (size_t i = 0; i < frame->count; i++) {
        for (int k = 0; k < 3; k++)
            frame_store(frame, 0, k, i, get_number(&c, false));
        get(&c, 4);
        for (uint32_t k = 0; k < header[5]; k++)
            for (uint32_t n = 0; n < attribute[k].components; n++)
                frame_store(frame, attribute[k].field, (int)n, i, get_number(&c, attribute[k].whole));
    }
    return MN_OK;
}
