// SPDX-License-Identifier: MIT
// A small scanner for the tags in front of the appended data. It trusts nothing: every attribute is optional until it is
// needed, every array must lie inside the file.
#include "io/vtp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A tag between < and >, both not included.
typedef struct Tag {
    const char *begin, *end;
} Tag;

// The next tag at or behind `at`; false at the end of the text.
static bool next_tag(const char* at, const char* end, Tag* tag)
{
    const char* open = at < end ? memchr(at, '<', (size_t)(end - at)) : NULL;
    const char* close = open ? memchr(open, '>', (size_t)(end - open)) : NULL;
    if (!close)
        return false;
    *tag = (Tag){open + 1, close};
    return true;
}

static bool tag_is(Tag tag, const char* name)
{
    size_t length = strlen(name);
    if ((size_t)(tag.end - tag.begin) < length || memcmp(tag.begin, name, length))
        return false;
    return tag.begin + length == tag.end || strchr(" \t\r\n/", tag.begin[length]);
}

// The value of an attribute as text; false if the tag has none of that name or it is longer than `size`.
static bool tag_attribute(Tag tag, const char* name, char* value, size_t size)
{
    size_t length = strlen(name);
    for (const char* at = tag.begin; at + length + 2 < tag.end; at++) {
        if (at[0] != ' ' && at[0] != '\n' && at[0] != '\t')
            continue;
        const char* word = at + 1;
        if (memcmp(word, name, length) || word[length] != '=' || word + length + 1 >= tag.end)
            continue;
        const char* quote = word + length + 1;
        if (*quote != '"' && *quote != '\'')
            return false;
        const char* close = memchr(quote + 1, *quote, (size_t)(tag.end - quote - 1));
        if (!close || (size_t)(close - quote - 1) >= size)
            return false;
        memcpy(value, quote + 1, (size_t)(close - quote - 1));
        value[close - quote - 1] = 0;
        return true;
    }
    return false;
}

static bool tag_whole(Tag tag, const char* name, uint64_t* value)
{
    char text[32];
    if (!tag_attribute(tag, name, text, sizeof text))
        return false;
    char* end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (end == text || *end || errno || text[0] == '-')
        return false;
    *value = number;
    return true;
}

static bool type_of(const char* name, NumberType* type)
{
    static const char* const names[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (!strcmp(name, names[k])) {
            *type = (NumberType)k;
            return true;
        }
    }
    return false;
}

static void read_time(Tag tag, const char* end, VtpFile* vtp)
{
    char name[32], text[64];
    if (!tag_attribute(tag, "Name", name, sizeof name) || strcmp(name, "TimeValue"))
        return;
    size_t length = (size_t)(end - tag.end - 1);
    length = length < sizeof text - 1 ? length : sizeof text - 1;
    memcpy(text, tag.end + 1, length);
    text[length] = 0;
    vtp->time = strtod(text, NULL);
}

static mn_Result read_array(Tag tag, const char* section, const char* data, const char* end, const char* path, VtpFile* vtp,
                            mn_Error* error)
{
    if (vtp->array_count == VTP_ARRAYS)
        return format_error(error, path, 0, "more than %d data arrays", VTP_ARRAYS);
    VtpArray* array = &vtp->array[vtp->array_count];
    *array = (VtpArray){0};
    char text[32];
    uint64_t offset, components = 1, bytes;
    snprintf(array->section, sizeof array->section, "%s", section);
    tag_attribute(tag, "Name", array->name, sizeof array->name);
    if (!tag_attribute(tag, "format", text, sizeof text) || strcmp(text, "appended"))
        return format_error(error, path, 0, "data array \"%s\" is not in the appended data; only that is understood", array->name);
    if (!tag_attribute(tag, "type", text, sizeof text) || !type_of(text, &array->type))
        return format_error(error, path, 0, "data array \"%s\" has no known type", array->name);
    tag_whole(tag, "NumberOfComponents", &components);
    if (components < 1 || components > 9)
        return format_error(error, path, 0, "data array \"%s\" has an impossible number of components", array->name);
    array->components = (int)components;
    if (!tag_whole(tag, "offset", &offset))
        return format_error(error, path, 0, "data array \"%s\" has no offset", array->name);
    size_t room = (size_t)(end - data);
    if (offset > room || room - offset < sizeof bytes)
        return format_error(error, path, 0, "the file ends before data array \"%s\"", array->name);
    bytes = 0;
    memcpy(&bytes, data + offset, sizeof bytes);
    if (vtp->swap)
        number_swap(&bytes, data + offset, 1, sizeof bytes);
    if (bytes > room - offset - sizeof bytes)
        return format_error(error, path, 0, "the file ends inside data array \"%s\"", array->name);
    array->data = data + offset + sizeof bytes;
    array->count = bytes / number_size(array->type);
    vtp->array_count++;
    return MN_OK;
}

static mn_Result read_head(Tag tag, const char* path, VtpFile* vtp, mn_Error* error)
{
    char text[32];
    if (!tag_attribute(tag, "type", text, sizeof text) || strcmp(text, "PolyData"))
        return format_error(error, path, 0, "a VTK file, but not of type PolyData");
    if (!tag_attribute(tag, "header_type", text, sizeof text) || strcmp(text, "UInt64"))
        return format_error(error, path, 0, "array headers are not UInt64; only that is understood");
    if (tag_attribute(tag, "compressor", text, sizeof text))
        return format_error(error, path, 0, "the data is compressed; only plain data is understood");
    bool little = !tag_attribute(tag, "byte_order", text, sizeof text) || !strcmp(text, "LittleEndian");
    vtp->swap = little != machine_is_little_endian();
    return MN_OK;
}

// Where the raw bytes begin: behind the underscore that follows the AppendedData tag.
static const char* find_data(const FileBytes* bytes, const char** text_end)
{
    const char* end = bytes->data + bytes->size;
    const char* tag = memmem(bytes->data, bytes->size, "<AppendedData", 13);
    const char* close = tag ? memchr(tag, '>', (size_t)(end - tag)) : NULL;
    const char* underscore = close ? memchr(close, '_', (size_t)(end - close)) : NULL;
    *text_end = tag;
    return underscore ? underscore + 1 : NULL;
}

mn_Result vtp_parse(const FileBytes* bytes, const char* path, VtpFile* vtp, mn_Error* error)
{
    static const char* const sections[] = {"FieldData", "Points", "PointData", "CellData", "Verts", "Lines", "Strips", "Polys"};
    *vtp = (VtpFile){0};
    const char* text_end;
    const char* data = find_data(bytes, &text_end);
    if (!data)
        return format_error(error, path, 0, "a VTK file without appended data, or cut short");
    const char* section = "";
    bool has_head = false, has_piece = false;
    Tag tag;
    for (const char* at = bytes->data; next_tag(at, text_end, &tag); at = tag.end) {
        mn_Result result = MN_OK;
        for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
            if (tag_is(tag, sections[k]))
                section = sections[k];
        if (tag_is(tag, "VTKFile")) {
            result = read_head(tag, path, vtp, error);
            has_head = true;
        } else if (tag_is(tag, "Piece")) {
            has_piece = tag_whole(tag, "NumberOfPoints", &vtp->counts.points);
            tag_whole(tag, "NumberOfVerts", &vtp->counts.verts);
            tag_whole(tag, "NumberOfLines", &vtp->counts.lines);
            tag_whole(tag, "NumberOfPolys", &vtp->counts.polys);
        } else if (tag_is(tag, "DataArray") && !strcmp(section, "FieldData")) {
            read_time(tag, text_end, vtp);
        } else if (tag_is(tag, "DataArray")) {
            result = read_array(tag, section, data, bytes->data + bytes->size, path, vtp, error);
        }
        if (result != MN_OK)
            return result;
    }
    if (!has_head || !has_piece)
        return format_error(error, path, 0, "a VTK file without a piece of polydata");
    return MN_OK;
}

const VtpArray* vtp_find(const VtpFile* vtp, const char* section, const char* name)
{
    for (size_t k = 0; k < vtp->array_count; k++)
        if (!strcmp(vtp->array[k].section, section) && (!name || !strcmp(vtp->array[k].name, name)))
            return &vtp->array[k];
    return NULL;
}
