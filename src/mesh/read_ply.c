// SPDX-License-Identifier: MIT
// PLY (Stanford polygon format), ascii and binary of both byte orders. The header lists elements and their properties; the
// body has the values in that order. Used are x, y, z of "vertex" and the list vertex_indices (or vertex_index) of "face";
// all else is read over. Counts in the header are only believed as far as the file has bytes.
#include "mesh/mesh_file.h"

#include "base/error.h"
#include "mesh/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ELEMENTS_MAX = 32, PROPERTIES_MAX = 512 };

typedef enum Scalar { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, SCALARS } Scalar;
static const char* const SCALAR_NAME[SCALARS][2] = {
    [INT8] = {"char", "int8"},  [UINT8] = {"uchar", "uint8"},  [INT16] = {"short", "int16"},     [UINT16] = {"ushort", "uint16"},
    [INT32] = {"int", "int32"}, [UINT32] = {"uint", "uint32"}, [FLOAT32] = {"float", "float32"}, [FLOAT64] = {"double", "float64"},
};
static const unsigned char SCALAR_BYTES[SCALARS] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef enum Role { SKIPPED, COORDINATE_X, COORDINATE_Y, COORDINATE_Z, INDICES } Role;
typedef enum Kind { OTHER, VERTEX, FACE } Kind;
typedef enum Format { NO_FORMAT, ASCII, LITTLE, BIG } Format;

typedef struct Property {
    Scalar type, count_type;
    bool list;
    Role role;
} Property;

typedef struct Element {
    Kind kind;
    int64_t count;
    size_t first, properties;
    int line; // of the header
} Element;

typedef struct Ply {
    Text text;        // header, and body if ascii; text.at is the place in binary bodies too
    const char* data; // start of the file
    Format format;
    Element element[ELEMENTS_MAX];
    size_t elements;
    Property property[PROPERTIES_MAX];
    size_t properties;
    int64_t vertices; // as the header says
    TriMesh* mesh;
} Ply;

// --- header

static bool parse_scalar(Word word, Scalar* type)
{
    for (int k = 0; k < SCALARS; k++)
        if (word_is(word, SCALAR_NAME[k][0]) || word_is(word, SCALAR_NAME[k][1])) {
            *type = (Scalar)k;
            return true;
        }
    return false;
}

static mn_Result read_scalar(Ply* ply, Scalar* type)
{
    Word word = text_word(&ply->text);
    if (parse_scalar(word, type))
        return MN_OK;
    return text_error(&ply->text, word,
                      "property type '%s' is unknown (allowed: char, uchar, short, ushort, int, uint, float, double, or int8 "
                      "to float64)",
                      quote(word).text);
}

static mn_Result read_format(Ply* ply)
{
    Word word = text_word(&ply->text);
    Word version = text_word(&ply->text);
    if (word_is(word, "ascii"))
        ply->format = ASCII;
    else if (word_is(word, "binary_little_endian"))
        ply->format = LITTLE;
    else if (word_is(word, "binary_big_endian"))
        ply->format = BIG;
    else
        return text_error(&ply->text, word, "format '%s' is unknown (allowed: ascii, binary_little_endian, binary_big_endian)",
                          quote(word).text);
    if (!word_is(version, "1.0"))
        return text_error(&ply->text, version, "version '%s' is unknown (allowed: 1.0)", quote(version).text);
    return MN_OK;
}

static bool has_kind(const Ply* ply, Kind kind)
{
    for (size_t k = 0; k < ply->elements; k++)
        if (ply->element[k].kind == kind)
            return true;
    return false;
}

static mn_Result read_element(Ply* ply)
{
    Word name = text_word(&ply->text), number = text_word(&ply->text);
    if (ply->elements == ELEMENTS_MAX)
        return text_error(&ply->text, name, "more than %d elements", ELEMENTS_MAX);
    Element element = {.first = ply->properties, .line = ply->text.line};
    element.kind = word_is(name, "vertex") ? VERTEX : word_is(name, "face") ? FACE : OTHER;
    const char* end = number.start + number.length;
    if (number.length == 0 || scan_integer(number.start, end, &element.count) != end || element.count < 0)
        return text_error(&ply->text, number, "element count '%s' is not a whole number", quote(number).text);
    if (element.kind != OTHER && element.count > INT32_MAX)
        return text_error(&ply->text, number, "%lld items are too many; at most %d", (long long)element.count, INT32_MAX);
    if (element.kind != OTHER && has_kind(ply, element.kind))
        return text_error(&ply->text, name, "element '%s' is there twice", quote(name).text);
    if (element.kind == VERTEX)
        ply->vertices = element.count;
    ply->element[ply->elements++] = element;
    return MN_OK;
}

static Role role_of(Kind kind, Word name)
{
    if (kind == VERTEX)
        return word_is(name, "x") ? COORDINATE_X : word_is(name, "y") ? COORDINATE_Y : word_is(name, "z") ? COORDINATE_Z : SKIPPED;
    if (kind == FACE && (word_is(name, "vertex_indices") || word_is(name, "vertex_index")))
        return INDICES;
    return SKIPPED;
}

static mn_Result check_role(Ply* ply, const Element* element, const Property* property, Word name)
{
    if (property->role == SKIPPED)
        return MN_OK;
    if (property->list != (property->role == INDICES))
        return text_error(&ply->text, name, "property '%s' must %sbe a list", quote(name).text, property->list ? "not " : "");
    if (property->list && property->type >= FLOAT32)
        return text_error(&ply->text, name, "vertex indices must be of an integer type");
    for (size_t k = element->first; k < ply->properties; k++)
        if (ply->property[k].role == property->role)
            return text_error(&ply->text, name, "property '%s' is there twice", quote(name).text);
    return MN_OK;
}

static mn_Result read_property(Ply* ply)
{
    if (ply->elements == 0)
        return text_error(&ply->text, (Word){0}, "property before the first element");
    if (ply->properties == PROPERTIES_MAX)
        return text_error(&ply->text, (Word){0}, "more than %d properties", PROPERTIES_MAX);
    Element* element = &ply->element[ply->elements - 1];
    Property property = {0};
    Text before = ply->text;
    property.list = word_is(text_word(&ply->text), "list");
    mn_Result result = MN_OK;
    if (!property.list)
        ply->text = before;
    else
        result = read_scalar(ply, &property.count_type);
    if (result == MN_OK && property.count_type >= FLOAT32)
        result = text_error(&ply->text, (Word){0}, "the count of a list must be of an integer type");
    if (result == MN_OK)
        result = read_scalar(ply, &property.type);
    if (result != MN_OK)
        return result;
    Word name = text_word(&ply->text);
    if (name.length == 0)
        return text_error(&ply->text, name, "property without a name");
    property.role = role_of(element->kind, name);
    result = check_role(ply, element, &property, name);
    if (result != MN_OK)
        return result;
    ply->property[ply->properties++] = property;
    element->properties++;
    return MN_OK;
}

static mn_Result read_header_line(Ply* ply, Word keyword)
{
    if (word_is(keyword, "format"))
        return read_format(ply);
    if (word_is(keyword, "element"))
        return read_element(ply);
    if (word_is(keyword, "property"))
        return read_property(ply);
    if (keyword.length == 0 || word_is(keyword, "comment") || word_is(keyword, "obj_info"))
        return MN_OK;
    return text_error(&ply->text, keyword,
                      "'%s' is unknown here (allowed: format, comment, obj_info, element, property, end_header)",
                      quote(keyword).text);
}

static bool has_role(const Ply* ply, const Element* element, Role role)
{
    for (size_t k = 0; k < element->properties; k++)
        if (ply->property[element->first + k].role == role)
            return true;
    return false;
}

static mn_Result check_header(Ply* ply)
{
    if (ply->format == NO_FORMAT)
        return text_error(&ply->text, (Word){0}, "the header has no format line");
    for (size_t k = 0; k < ply->elements; k++) {
        const Element* e = &ply->element[k];
        ply->text.line = e->line; // a later failure sets its own
        ply->text.line_start = ply->text.at;
        if (e->kind == VERTEX &&
            !(has_role(ply, e, COORDINATE_X) && has_role(ply, e, COORDINATE_Y) && has_role(ply, e, COORDINATE_Z)))
            return text_error(&ply->text, (Word){0}, "element 'vertex' needs the properties x, y and z");
        if (e->kind == FACE && !has_role(ply, e, INDICES))
            return text_error(&ply->text, (Word){0}, "element 'face' needs the list property vertex_indices");
    }
    if (!has_kind(ply, VERTEX) || !has_kind(ply, FACE))
        return text_error(&ply->text, (Word){0}, "a mesh needs the elements 'vertex' and 'face'");
    return MN_OK;
}

// In a binary file the line end after end_header must be of the kind that the first line has: the next byte is data.
static void pass_header_end(Ply* ply, char first_end)
{
    Text* text = &ply->text;
    if (first_end == '\n' || ply->format == ASCII)
        text_next_line(text);
    else if (text->at < text->end)
        text->at++;
}

static mn_Result read_header(Ply* ply)
{
    text_word(&ply->text); // "ply" was recognised
    const char* line_end = ply->text.at;
    while (line_end < ply->text.end && *line_end != '\n' && *line_end != '\r')
        line_end++;
    bool lone_return = ply->text.end - line_end > 1 && line_end[0] == '\r' && line_end[1] != '\n';
    for (text_next_line(&ply->text); ply->text.at < ply->text.end; text_next_line(&ply->text)) {
        Word keyword = text_word(&ply->text);
        if (word_is(keyword, "end_header")) {
            int line = ply->text.line;
            pass_header_end(ply, lone_return ? '\r' : '\n');
            mn_Result result = check_header(ply);
            ply->text.line = line + 1;
            ply->text.line_start = ply->text.at;
            return result;
        }
        mn_Result result = read_header_line(ply, keyword);
        if (result != MN_OK)
            return result;
    }
    return text_error(&ply->text, (Word){0}, "the file ends before end_header");
}

// --- body

// The error at the present place: a line, or a byte of a binary body.
__attribute__((format(printf, 3, 4))) static mn_Result body_error(const Ply* ply, Word word, const char* format, ...)
{
    char message[300];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (ply->format == ASCII)
        return text_error(&ply->text, word, "%s", message);
    error_set(ply->text.error, MN_BAD_INPUT, "byte %zu: %s", (size_t)(ply->text.at - ply->data), message);
    error_at(ply->text.error, ply->text.name, 0, 0);
    return MN_BAD_INPUT;
}

static double decode(const unsigned char* bytes, Scalar type, bool big)
{
    uint64_t bits = 0;
    int n = SCALAR_BYTES[type];
    for (int k = 0; k < n; k++)
        bits |= (uint64_t)bytes[big ? n - 1 - k : k] << (8 * k);
    uint32_t bits32 = (uint32_t)bits;
    float single;
    double value;
    memcpy(&single, &bits32, sizeof single);
    memcpy(&value, &bits, sizeof value);
    switch (type) {
    case INT8:
        return (int8_t)bits;
    case INT16:
        return (int16_t)bits;
    case INT32:
        return (int32_t)bits;
    case FLOAT32:
        return (double)single;
    case FLOAT64:
        return value;
    default:
        return (double)bits;
    }
}

// The next value of the body. In ascii files words that are no numbers become nan, which matters only if they are used.
static mn_Result read_value(Ply* ply, Scalar type, double* value)
{
    Text* text = &ply->text;
    if (ply->format == ASCII) {
        text_skip_space(text);
        Word word = text_word(text);
        if (word.length == 0)
            return body_error(ply, word, "the file ends before all elements of the header are there");
        if (!word_number(word, value))
            *value = NAN;
        return MN_OK;
    }
    if (text->end - text->at < SCALAR_BYTES[type])
        return body_error(ply, (Word){0}, "the file ends before all elements of the header are there");
    *value = decode((const unsigned char*)text->at, type, ply->format == BIG);
    text->at += SCALAR_BYTES[type];
    return MN_OK;
}

static mn_Result read_index(Ply* ply, Scalar type, uint32_t* index)
{
    double value;
    mn_Result result = read_value(ply, type, &value);
    if (result != MN_OK)
        return result;
    if (!(value >= 0 && value < (double)ply->vertices && value == floor(value)))
        return body_error(ply, (Word){0}, "vertex index %g is out of range; the header says %lld vertices", value,
                          (long long)ply->vertices);
    *index = (uint32_t)value;
    return MN_OK;
}

static mn_Result read_polygon(Ply* ply, Scalar type, uint32_t corners)
{
    uint32_t first = 0, last = 0, corner = 0;
    size_t before = ply->mesh->triangle_count;
    if (corners < 3)
        return body_error(ply, (Word){0}, "a face needs at least 3 vertices, not %u", corners);
    for (uint32_t k = 0; k < corners; k++) {
        mn_Result result = read_index(ply, type, &corner);
        if (result != MN_OK)
            return result;
        if (k == 0)
            first = corner;
        bool distinct = corner != last && corner != first && last != first;
        if (k >= 2 && distinct && !tri_mesh_add_triangle(ply->mesh, first, last, corner))
            return mesh_no_memory(ply->text.name, ply->text.error);
        last = corner;
    }
    return mesh_recut_fan(ply->mesh, before) ? MN_OK : mesh_no_memory(ply->text.name, ply->text.error);
}

static mn_Result skip_values(Ply* ply, Scalar type, uint32_t count)
{
    double unused;
    for (uint32_t k = 0; k < count; k++) {
        mn_Result result = read_value(ply, type, &unused);
        if (result != MN_OK)
            return result;
    }
    return MN_OK;
}

static mn_Result read_list(Ply* ply, const Property* property)
{
    double count;
    mn_Result result = read_value(ply, property->count_type, &count);
    if (result != MN_OK)
        return result;
    if (!(count >= 0 && count <= UINT32_MAX && count == floor(count)))
        return body_error(ply, (Word){0}, "the length of a list must be a whole number, not %g", count);
    if (property->role == INDICES)
        return read_polygon(ply, property->type, (uint32_t)count);
    return skip_values(ply, property->type, (uint32_t)count);
}

static mn_Result read_item(Ply* ply, const Element* element)
{
    double xyz[3] = {0, 0, 0};
    for (size_t k = 0; k < element->properties; k++) {
        const Property* property = &ply->property[element->first + k];
        double value = 0;
        mn_Result result = property->list ? read_list(ply, property) : read_value(ply, property->type, &value);
        if (result != MN_OK)
            return result;
        if (property->list || property->role == SKIPPED)
            continue;
        if (!(fabs(value) <= MESH_COORDINATE_MAX))
            return body_error(ply, (Word){0}, "vertex coordinates must be finite numbers of at most %g", MESH_COORDINATE_MAX);
        xyz[property->role - COORDINATE_X] = value;
    }
    if (element->kind == VERTEX && !tri_mesh_add_vertex(ply->mesh, vec3d(xyz[0], xyz[1], xyz[2])))
        return mesh_no_memory(ply->text.name, ply->text.error);
    return MN_OK;
}

static mn_Result read_body(Ply* ply)
{
    for (size_t k = 0; k < ply->elements; k++) {
        const Element* element = &ply->element[k];
        // an element without properties has no bytes, whatever its count
        for (int64_t i = 0; i < element->count && element->properties > 0; i++) {
            mn_Result result = read_item(ply, element);
            if (result != MN_OK)
                return result;
        }
    }
    if (ply->mesh->triangle_count == 0)
        return body_error(ply, (Word){0}, "the file has no triangles with three different corners");
    return MN_OK;
}

bool ply_recognise(const char* data, size_t size)
{
    return size >= 3 && memcmp(data, "ply", 3) == 0 && (size == 3 || data[3] == '\n' || data[3] == '\r' || data[3] == ' ');
}

mn_Result ply_read(const char* data, size_t size, const char* name, TriMesh* mesh, mn_Error* error)
{
    Ply ply = {.text = text_open(data, size, name, error), .data = data, .mesh = mesh};
    mn_Result result = read_header(&ply);
    return result == MN_OK ? read_body(&ply) : result;
}
