// SPDX-License-Identifier: MIT
// Particles as binary PLY: one vertex per particle with x y z vx vy vz density pressure id fluid; the time is a comment.
// The reader takes any order and number type of the properties, binary or ascii.
#include "io/points.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char* type_name(NumberType type)
{
    static const char* const name[] = {"char", "uchar", "short", "ushort", "int", "uint", "int64", "uint64", "float", "double"};
    return name[type];
}

static bool type_of(const char* name, NumberType* type)
{
    static const struct {
        const char* name;
        NumberType type;
    } names[] = {{"char", NUMBER_I8},   {"uchar", NUMBER_U8},   {"short", NUMBER_I16},   {"ushort", NUMBER_U16},
                 {"int", NUMBER_I32},   {"uint", NUMBER_U32},   {"float", NUMBER_F32},   {"double", NUMBER_F64},
                 {"int8", NUMBER_I8},   {"uint8", NUMBER_U8},   {"int16", NUMBER_I16},   {"uint16", NUMBER_U16},
                 {"int32", NUMBER_I32}, {"uint32", NUMBER_U32}, {"float32", NUMBER_F32}, {"float64", NUMBER_F64},
                 {"int64", NUMBER_I64}, {"uint64", NUMBER_U64}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (!strcmp(name, names[k].name)) {
            *type = names[k].type;
            return true;
        }
    }
    return false;
}

// --- writing

static size_t pack(const PointSet* points, size_t index, char* out)
{
    size_t bytes = 0;
    for (size_t k = 0; k < points->field_count; k++) {
        const PointField* field = &points->field[k];
        size_t size = number_size(field->type) * (size_t)field->components;
        memcpy(out + bytes, (const char*)field->data + index * size, size);
        bytes += size;
    }
    return bytes;
}

void points_write_ply(FileOut* file, const PointSet* points)
{
    file_out_print(file, "ply\nformat %s 1.0\ncomment meniscus particles\ncomment time %.17g\nelement vertex %zu\n",
                   machine_is_little_endian() ? "binary_little_endian" : "binary_big_endian", points->time, points->count);
    for (size_t k = 0; k < points->field_count; k++) {
        char name[64];
        for (int c = 0; c < points->field[k].components; c++)
            file_out_print(file, "property %s %s\n", type_name(points->field[k].type), points_column(points, k, c, name));
    }
    file_out_print(file, "end_header\n");
    char packed[256];
    for (size_t i = 0; i < points->count && !file->error_number; i++) {
        size_t bytes = pack(points, i, packed);
        file_out_write(file, packed, bytes);
    }
}

// --- reading

enum { PROPERTIES = 32 };

typedef struct PlyHead {
    const char* path;
    int line;
    enum { PLY_NONE, PLY_ASCII, PLY_LITTLE, PLY_BIG } format;
    double time;
    uint64_t count;
    bool in_vertex, has_vertex, other_first; // an element in front of the vertices cannot be skipped safely
    size_t property_count, stride;
    struct {
        NumberType type;
        int field, component; // field -1: not ours
    } property[PROPERTIES];
} PlyHead;

static mn_Result read_property(PlyHead* head, const char* type, const char* name, mn_Error* error)
{
    if (!head->in_vertex)
        return MN_OK;
    if (head->property_count == PROPERTIES)
        return format_error(error, head->path, head->line, "more than %d vertex properties", PROPERTIES);
    NumberType number;
    if (!type_of(type, &number))
        return format_error(error, head->path, head->line, "unknown property type \"%s\"", type);
    size_t k = head->property_count++;
    head->property[k].type = number;
    head->property[k].field = frame_column_of(name, strlen(name), &head->property[k].component);
    head->stride += number_size(number);
    return MN_OK;
}

static mn_Result read_element(PlyHead* head, const char* name, const char* count, mn_Error* error)
{
    head->in_vertex = !strcmp(name, "vertex");
    if (!head->in_vertex) {
        head->other_first = head->other_first || !head->has_vertex;
        return MN_OK;
    }
    char* end;
    errno = 0;
    head->count = strtoull(count, &end, 10);
    head->has_vertex = true;
    if (end == count || *end || errno || count[0] == '-')
        return format_error(error, head->path, head->line, "\"%s\" is not a number of vertices", count);
    return MN_OK;
}

static mn_Result read_head_line(PlyHead* head, const char* line, mn_Error* error)
{
    char a[32] = "", b[64] = "", c[64] = "";
    sscanf(line, "%31s %63s %63s", a, b, c);
    if (!strcmp(a, "format")) {
        head->format = !strcmp(b, "ascii")                  ? PLY_ASCII
                       : !strcmp(b, "binary_little_endian") ? PLY_LITTLE
                       : !strcmp(b, "binary_big_endian")    ? PLY_BIG
                                                            : PLY_NONE;
        if (head->format == PLY_NONE)
            return format_error(error, head->path, head->line, "unknown format \"%s\"", b);
    } else if (!strcmp(a, "comment") && !strcmp(b, "time")) {
        head->time = strtod(c, NULL);
    } else if (!strcmp(a, "element")) {
        return read_element(head, b, c, error);
    } else if (!strcmp(a, "property")) {
        return read_property(head, b, c, error);
    }
    return MN_OK;
}

// Reads up to end_header; *at is then the first byte of the data.
static mn_Result read_head(PlyHead* head, const char** at, const char* end, mn_Error* error)
{
    for (;;) {
        const char* newline = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
        if (!newline || newline - *at > 1000)
            return format_error(error, head->path, head->line, "the header has no end");
        char line[1024];
        size_t length = (size_t)(newline - *at);
        memcpy(line, *at, length);
        line[length] = 0;
        if (length && line[length - 1] == '\r')
            line[length - 1] = 0;
        head->line++;
        *at = newline + 1;
        if (!strcmp(line, "end_header"))
            return MN_OK;
        mn_Result result = read_head_line(head, line, error);
        if (result != MN_OK)
            return result;
    }
}

static void store_binary(const PlyHead* head, const char* data, Frame* frame)
{
    bool swap = (head->format == PLY_LITTLE) != machine_is_little_endian();
    for (size_t i = 0; i < frame->count; i++) {
        for (size_t k = 0; k < head->property_count; k++) {
            frame_store(frame, head->property[k].field, head->property[k].component, i,
                        number_get(head->property[k].type, data, swap));
            data += number_size(head->property[k].type);
        }
    }
}

static mn_Result store_ascii(const PlyHead* head, const char* data, Frame* frame, mn_Error* error)
{
    char* next;
    for (size_t i = 0; i < frame->count; i++) {
        for (size_t k = 0; k < head->property_count; k++, data = next) {
            double value = strtod(data, &next);
            if (next == data)
                return format_error(error, head->path, 0, "vertex %zu has too few numbers", i + 1);
            frame_store(frame, head->property[k].field, head->property[k].component, i, value);
        }
    }
    return MN_OK;
}

mn_Result frame_read_ply(const FileBytes* bytes, const char* path, Frame* frame, mn_Error* error)
{
    PlyHead head = {.path = path};
    const char* at = bytes->data;
    const char* end = bytes->data + bytes->size;
    mn_Result result = read_head(&head, &at, end, error);
    if (result != MN_OK)
        return result;
    if (head.format == PLY_NONE || !head.has_vertex || head.other_first)
        return format_error(error, path, 0, "no format line, or the vertices do not come first");
    unsigned have = 0;
    for (size_t k = 0; k < head.property_count; k++)
        have |= head.property[k].field == 0 ? 1u << head.property[k].component : 0;
    if (have != 7)
        return format_error(error, path, 0, "the vertices have no x, y and z");
    // a vertex takes its stride in bytes, or in ascii at least a digit and a separator per number
    size_t least = head.format == PLY_ASCII ? 2 * head.property_count : head.stride;
    size_t room = (size_t)(end - at) + (head.format == PLY_ASCII);
    if (head.count > room / least)
        return format_error(error, path, 0, "the file ends before its %llu vertices do", (unsigned long long)head.count);
    frame->time = head.time;
    if (!frame_allocate(frame, head.count))
        return memory_error(error, path);
    if (head.format == PLY_ASCII)
        return store_ascii(&head, at, frame, error);
    store_binary(&head, at, frame);
    return MN_OK;
}
