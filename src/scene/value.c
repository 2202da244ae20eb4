// SPDX-License-Identifier: MIT
// Single values: numbers, words, strings, vectors, rotations, shapes.
//
// Rotations, all stored as unit quaternions:
//   [w, x, y, z]                          a quaternion, normalised
//   {"axis": [x, y, z], "angle": a}       by a degrees about an axis; in 2D the axis is z and may be left out
//   {"euler": [x, y, z]}                  degrees about the fixed axes x, then y, then z
#include "scene/read.h"

#include "base/error.h"
#include "base/vec.h"
#include "defs/check.h"
#include "defs/material.h"
#include "defs/shapes.h"
#include "mesh/mesh_file.h"
#include "mesh/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int dimension_of(const Reader* reader)
{
    return reader->scene->world.dimension;
}

// --- numbers

static bool read_number(Reader* reader, const Key* key, json_t* node, double* out)
{
    if (!json_is_number(node))
        return reader_unexpected(reader, key, node);
    double value = json_number_value(node);
    if (!isfinite(value) || !range_allows(&key->range, value))
        return reader_unexpected(reader, key, node);
    *out = value == 0 ? 0 : value; // no negative zeros
    return true;
}

static bool read_whole(Reader* reader, const Key* key, json_t* node, double* out)
{
    double value = 0;
    if (!read_number(reader, key, node, &value))
        return false;
    if (value != floor(value))
        return reader_unexpected(reader, key, node);
    *out = value;
    return true;
}

static bool read_integer(Reader* reader, const Key* key, json_t* node, int* out)
{
    double value = 0;
    if (!read_whole(reader, key, node, &value))
        return false;
    if (value < -2147483648.0 || value > 2147483647.0)
        return reader_unexpected(reader, key, node);
    *out = (int)value;
    return true;
}

static bool read_count(Reader* reader, const Key* key, json_t* node, int64_t* out)
{
    double value = 0;
    if (!read_whole(reader, key, node, &value))
        return false;
    *out = (int64_t)value; // the key's range keeps it exact
    return true;
}

// `count` numbers of an array; a failing one is named by its index.
static bool read_numbers(Reader* reader, const Key* key, json_t* node, size_t count, double* out)
{
    Key element = {.name = key->name, .type = KEY_NUMBER, .unit = key->unit, .range = key->range};
    for (size_t k = 0; k < count; k++) {
        path_push_index(&reader->path, k);
        if (!read_number(reader, &element, json_array_get(node, k), &out[k]))
            return false;
        path_pop(&reader->path);
    }
    return true;
}

// --- vectors

static bool read_vector(Reader* reader, const Key* key, json_t* node, mn_Vec3* out)
{
    size_t count = json_is_array(node) ? json_array_size(node) : 0;
    bool flat = dimension_of(reader) == 2;
    double v[3] = {0, 0, 0};
    if (count != 3 && !(flat && count == 2))
        return reader_unexpected(reader, key, node);
    if (!read_numbers(reader, key, node, count, v))
        return false;
    if (flat && v[2] != 0)
        return reader_fail(reader, "z is %g, but the scene has dimension 2: expected [x, y]", v[2]);
    *out = (mn_Vec3){v[0], v[1], v[2]};
    return true;
}

static bool read_point(Reader* reader, const Key* key, json_t* node, mn_Vec3* out)
{
    double v[3] = {0};
    if (!json_is_array(node) || json_array_size(node) != 3)
        return reader_unexpected(reader, key, node);
    if (!read_numbers(reader, key, node, 3, v))
        return false;
    *out = (mn_Vec3){v[0], v[1], v[2]};
    return true;
}

static bool read_colour(Reader* reader, const Key* key, json_t* node, mn_Vec3* out)
{
    Key bounded = *key;
    bounded.range = (Range){0, 1, false};
    return read_point(reader, &bounded, node, out);
}

static bool read_scale(Reader* reader, const Key* key, json_t* node, mn_Vec3* out)
{
    if (json_is_number(node)) {
        double s = 0;
        if (!read_number(reader, key, node, &s))
            return false;
        *out = (mn_Vec3){s, s, s};
    } else {
        double v[3] = {1, 1, 1};
        size_t count = json_is_array(node) ? json_array_size(node) : 0;
        if (count != 3 && !(dimension_of(reader) == 2 && count == 2))
            return reader_unexpected(reader, key, node);
        if (!read_numbers(reader, key, node, count, v))
            return false;
        *out = (mn_Vec3){v[0], v[1], v[2]};
    }
    if (dimension_of(reader) == 2)
        out->z = 1;
    if (out->x == 0 || out->y == 0 || out->z == 0)
        return reader_unexpected(reader, key, node);
    return true;
}

static bool read_pair(Reader* reader, const Key* key, json_t* node, double* out)
{
    if (!json_is_array(node) || json_array_size(node) != 2)
        return reader_unexpected(reader, key, node);
    return read_numbers(reader, key, node, 2, out);
}

// A pair whose second number means nothing in 2D.
static bool read_nozzle(Reader* reader, const Key* key, json_t* node, double* out)
{
    if (dimension_of(reader) == 3 || (json_is_array(node) && json_array_size(node) == 2))
        return read_pair(reader, key, node, out);
    if (!read_number(reader, key, json_is_array(node) ? json_array_get(node, 0) : node, &out[0]))
        return false;
    out[1] = out[0];
    return true;
}

static bool read_axes(Reader* reader, const Key* key, json_t* node, bool out[3])
{
    size_t count = json_is_array(node) ? json_array_size(node) : 0, most = (size_t)dimension_of(reader);
    if (count != 3 && count != most)
        return reader_unexpected(reader, key, node);
    for (size_t k = 0; k < 3; k++) {
        const json_t* item = k < count ? json_array_get(node, k) : json_false();
        if (!json_is_boolean(item) || (k >= most && json_is_true(item)))
            return reader_unexpected(reader, key, node);
        out[k] = json_is_true(item);
    }
    return true;
}

static bool read_integer_pair(Reader* reader, const Key* key, json_t* node, int* out)
{
    if (!json_is_array(node) || json_array_size(node) != 2)
        return reader_unexpected(reader, key, node);
    Key element = {.name = key->name, .type = KEY_INTEGER, .unit = key->unit, .range = key->range};
    for (size_t k = 0; k < 2; k++) {
        path_push_index(&reader->path, k);
        if (!read_integer(reader, &element, json_array_get(node, k), &out[k]))
            return false;
        path_pop(&reader->path);
    }
    return true;
}

// --- rotations

static const Key quaternion_key = {.name = "quaternion", .type = KEY_NUMBER, .range = {-1e6, 1e6, false}};
static const Key angle_key = {.name = "angle", .type = KEY_NUMBER, .unit = "degrees", .range = {-1e6, 1e6, false}};
static const Key axis_key = {.name = "axis", .type = KEY_POINT, .range = {-1e6, 1e6, false}};
static const Key euler_key = {.name = "euler", .type = KEY_POINT, .unit = "degrees", .range = {-1e6, 1e6, false}};

static Quat about_axis(Vec3d axis, double degrees)
{
    double half = degrees * (M_PI / 360);
    Vec3d n = vec3d_scale(vec3d_normalise(axis), sin(half));
    return (Quat){cos(half), n.x, n.y, n.z};
}

// No negative zeros, so that a resolved scene reads back to the same bits.
static Quat tidy(Quat q)
{
    return (Quat){q.w + 0, q.x + 0, q.y + 0, q.z + 0};
}

static bool read_quaternion(Reader* reader, const Key* key, json_t* node, Quat* out)
{
    double q[4] = {0};
    if (json_array_size(node) != 4)
        return reader_unexpected(reader, key, node);
    if (!read_numbers(reader, &quaternion_key, node, 4, q))
        return false;
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(square > 1e-24))
        return reader_fail(reader, "a quaternion must not be zero");
    *out = (Quat){q[0], q[1], q[2], q[3]};
    // one that is as good as normalised stays as it is, so that a resolved scene reads back to the same bits
    if (fabs(square - 1) > 1e-12)
        *out = quat_normalise(*out);
    return true;
}

static bool read_axis_angle(Reader* reader, json_t* axis, json_t* angle, Quat* out)
{
    Vec3d n = {0, 0, 1};
    double degrees = 0;
    if (axis) {
        path_push_key(&reader->path, "axis");
        if (!read_point(reader, &axis_key, axis, &n))
            return false;
        if (!(vec3d_length(n) > 1e-12))
            return reader_fail(reader, "the axis must not be zero");
        path_pop(&reader->path);
    }
    path_push_key(&reader->path, "angle");
    if (!read_number(reader, &angle_key, angle, &degrees))
        return false;
    path_pop(&reader->path);
    *out = about_axis(n, degrees);
    return true;
}

static bool read_euler(Reader* reader, json_t* euler, Quat* out)
{
    Vec3d e = {0};
    path_push_key(&reader->path, "euler");
    if (!read_point(reader, &euler_key, euler, &e))
        return false;
    path_pop(&reader->path);
    Quat x = about_axis(vec3d(1, 0, 0), e.x), y = about_axis(vec3d(0, 1, 0), e.y), z = about_axis(vec3d(0, 0, 1), e.z);
    *out = quat_mul(z, quat_mul(y, x));
    return true;
}

static bool read_rotation_object(Reader* reader, const Key* key, json_t* node, Quat* out)
{
    static const char* const known[] = {"axis", "angle", "euler"};
    const char* name;
    json_t* value;
    json_object_foreach(node, name, value)
    {
        char quoted[80];
        if (strcmp(name, known[0]) && strcmp(name, known[1]) && strcmp(name, known[2]))
            return reader_fail_name(reader, name, "unknown key %s; known here: axis and angle, or euler",
                                    quoted_text(name, quoted, sizeof quoted));
    }
    json_t *axis = json_object_get(node, "axis"), *angle = json_object_get(node, "angle"), *euler = json_object_get(node, "euler");
    if (euler && !axis && !angle)
        return read_euler(reader, euler, out);
    if (angle && !euler && (axis || dimension_of(reader) == 2))
        return read_axis_angle(reader, axis, angle, out);
    return reader_unexpected(reader, key, node);
}

static bool read_rotation(Reader* reader, const Key* key, json_t* node, Quat* out)
{
    bool ok;
    if (json_is_array(node))
        ok = read_quaternion(reader, key, node, out);
    else if (json_is_object(node))
        ok = read_rotation_object(reader, key, node, out);
    else
        ok = reader_unexpected(reader, key, node);
    if (ok && dimension_of(reader) == 2 && (out->x != 0 || out->y != 0))
        return reader_fail(reader, "the scene has dimension 2: only rotations about z are possible");
    *out = tidy(*out);
    return ok;
}

// The shortest turn from +y to the given direction; straight down turns about z, which is also right in 2D.
static bool read_direction(Reader* reader, const Key* key, json_t* node, Quat* out)
{
    Vec3d d = {0};
    if (!read_vector(reader, key, node, &d))
        return false;
    if (!(vec3d_length(d) > 1e-12))
        return reader_fail(reader, "a direction must not be zero");
    d = vec3d_normalise(d);
    if (d.y < -1 + 1e-12)
        *out = (Quat){0, 0, 0, 1};
    else
        *out = tidy(quat_normalise((Quat){1 + d.y, d.z, 0, -d.x}));
    return true;
}

// --- words and strings

static size_t word_count(const char* const* words)
{
    size_t count = 0;
    while (words && words[count])
        count++;
    return count;
}

static int word_index(const char* const* words, const char* word)
{
    for (int k = 0; words && words[k]; k++) {
        if (!strcmp(words[k], word))
            return k;
    }
    return -1;
}

static bool fail_word(Reader* reader, const Key* key, json_t* node, const char* const* words, size_t count)
{
    char got[80], allowed[256];
    const char* nearest = nearest_word(json_string_value(node), words, count);
    return reader_fail(reader, "got %s, expected %s%s%s%s", value_text(node, got, sizeof got),
                       key_allowed(key, dimension_of(reader), allowed, sizeof allowed), nearest ? "; did you mean \"" : "",
                       nearest ? nearest : "", nearest ? "\"?" : "");
}

static bool read_enum(Reader* reader, const Key* key, json_t* node, void* object)
{
    if (!json_is_string(node))
        return reader_unexpected(reader, key, node);
    const char* word = json_string_value(node);
    char allowed[256];
    if (word_index(key->later, word) >= 0)
        return reader_fail(reader, "\"%s\" is not available in this version, expected %s", word,
                           key_allowed(key, dimension_of(reader), allowed, sizeof allowed));
    int index = word_index(key->words, word);
    if (index < 0)
        return fail_word(reader, key, node, key->words, word_count(key->words));
    *(int*)key_at(key, object) = index;
    return true;
}

static bool keep_string(Reader* reader, const char* string, const char** out)
{
    *out = strdup(string);
    return *out ? true : reader_no_memory(reader);
}

static bool read_string(Reader* reader, const Key* key, json_t* node, const char** out)
{
    if (!json_is_string(node) || json_string_length(node) > LONGEST_STRING)
        return reader_unexpected(reader, key, node);
    return keep_string(reader, json_string_value(node), out);
}

static bool read_name(Reader* reader, const Key* key, json_t* node, const char** out)
{
    if (!json_is_string(node) || !def_good_name(json_string_value(node)))
        return reader_unexpected(reader, key, node);
    return keep_string(reader, json_string_value(node), out);
}

static bool read_material(Reader* reader, const Key* key, json_t* node, const char** out)
{
    if (!json_is_string(node))
        return reader_unexpected(reader, key, node);
    if (!material_find(json_string_value(node))) {
        const char* names[MATERIAL_COUNT];
        for (int k = 0; k < MATERIAL_COUNT; k++)
            names[k] = materials[k].name;
        return fail_word(reader, key, node, names, MATERIAL_COUNT);
    }
    return keep_string(reader, json_string_value(node), out);
}

static bool read_file(Reader* reader, const Key* key, json_t* node, const char** out)
{
    if (json_is_string(node) && mesh_text_of(json_string_value(node)) && key->type != KEY_IMAGE)
        return keep_string(reader, json_string_value(node), out);
    if (!json_is_string(node) || json_string_length(node) == 0 || json_string_length(node) > LONGEST_STRING)
        return reader_unexpected(reader, key, node);
    const char* file = json_string_value(node);
    const char* folder = reader->scene->folder;
    char path[2 * LONGEST_STRING + 2];
    if (file[0] == '/' || !folder || !folder[0])
        snprintf(path, sizeof path, "%s", file);
    else
        snprintf(path, sizeof path, "%.*s/%s", LONGEST_STRING, folder, file);
    if (access(path, R_OK) != 0)
        return reader_fail(reader, "cannot read the %s file \"%.300s\"", key->type == KEY_IMAGE ? "picture" : "mesh", path);
    return keep_string(reader, file, out);
}

// --- shapes

static bool read_shape_numbers(Reader* reader, const ShapeKind* kind, json_t* node, mn_Shape* shape)
{
    int dimension = dimension_of(reader), count = shape_number_count(kind, dimension);
    double v[3] = {0, 0, 0};
    Key size = {.name = kind->name, .type = KEY_NUMBER, .unit = "m", .range = {SHAPE_SIZE_MIN, SHAPE_SIZE_MAX, false}};
    bool array = json_is_array(node);
    int given = array ? (int)json_array_size(node) : 1;
    // 3D sizes may stand in a 2D scene: the depth means nothing there
    bool enough = given == count || (dimension == 2 && given == shape_number_count(kind, 3));
    if (!enough || (!array && !json_is_number(node))) {
        char got[80];
        return reader_fail(reader, "got %s, expected %s in m, all above 0", value_text(node, got, sizeof got),
                           shape_form(kind, dimension));
    }
    if (array ? !read_numbers(reader, &size, node, (size_t)given, v) : !read_number(reader, &size, node, &v[0]))
        return false;
    shape->size = (mn_Vec3){1, 1, 1};
    for (int k = 0; k < count; k++)
        shape_set_number(kind, shape, k, v[k]);
    return true;
}

static bool read_cells(Reader* reader, json_t* node, int* cells)
{
    static const Key cells_key = {.name = "cells", .type = KEY_INTEGER_PAIR, .range = {1, SHAPE_CELLS_MAX, false}};
    if (!node)
        return true;
    path_push_key(&reader->path, "cells");
    if (!read_integer_pair(reader, &cells_key, node, cells))
        return false;
    path_pop(&reader->path);
    return true;
}

static bool fail_shape(Reader* reader, const char* name)
{
    const char* names[SHAPE_KIND_COUNT];
    for (int k = 0; k < SHAPE_KIND_COUNT; k++)
        names[k] = shape_kinds[k].name;
    const char* nearest = nearest_word(name, names, SHAPE_KIND_COUNT);
    char quoted[80];
    return reader_fail_name(
        reader, name,
        "unknown shape %s%s%s%s; known: box, sphere, capsule, cylinder, cone, torus, plane, grid, rod, hull, boat, "
        "figure, mesh, tets",
        quoted_text(name, quoted, sizeof quoted), nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

// The one member that names the shape; `cells` may stand beside a grid.
static const ShapeKind* find_shape(Reader* reader, const Key* key, json_t* node)
{
    const ShapeKind* kind = NULL;
    const char* name;
    json_t* value;
    json_object_foreach(node, name, value)
    {
        const ShapeKind* found = shape_kind_find(name);
        if (!found && strcmp(name, "cells")) {
            fail_shape(reader, name);
            return NULL;
        }
        if (found && kind) {
            reader_fail_name(reader, name, "a shape is one thing: \"%s\" or \"%s\"", kind->name, name);
            return NULL;
        }
        if (found)
            kind = found;
    }
    if (!kind)
        reader_unexpected(reader, key, node);
    else if (kind != &shape_kinds[MN_SHAPE_GRID] && json_object_get(node, "cells")) {
        reader_fail_name(reader, "cells", "\"cells\" is only for grids");
        return NULL;
    }
    return kind;
}

static bool read_shape(Reader* reader, const Key* key, json_t* node, mn_Shape* shape)
{
    static const Key file_key = {.name = "mesh", .type = KEY_FILE};
    if (!json_is_object(node))
        return reader_unexpected(reader, key, node);
    const ShapeKind* kind = find_shape(reader, key, node);
    if (!kind)
        return false;
    shape->type = (mn_ShapeType)(kind - shape_kinds);
    json_t* value = json_object_get(node, kind->name);
    path_push_key(&reader->path, kind->name);
    bool ok = shape_is_file(shape->type) ? read_file(reader, &file_key, value, &shape->file)
                                         : read_shape_numbers(reader, kind, value, shape);
    if (!ok)
        return false;
    path_pop(&reader->path);
    mn_Error error = {0};
    return read_cells(reader, json_object_get(node, "cells"), shape->cells) &&
           reader_agrees(reader, def_check_shape(shape, dimension_of(reader), &error), &error);
}

// --- by type

// Stores what a key's word ("auto", "never", "none") stands for.
static void store_word(const Key* key, void* object)
{
    void* at = key_at(key, object);
    if (key->type == KEY_NUMBER)
        *(double*)at = key->word_value;
    else if (key->type == KEY_COUNT)
        *(int64_t*)at = (int64_t)key->word_value;
    else if (key->type == KEY_PAIR)
        memcpy(at, (double[]){isinf(key->word_value) ? -key->word_value : key->word_value, key->word_value}, 2 * sizeof(double));
    else if (key->type == KEY_VECTOR || key->type == KEY_POINT || key->type == KEY_COLOUR)
        *(mn_Vec3*)at = (mn_Vec3){key->word_value, key->word_value, key->word_value};
}

bool read_value(Reader* reader, const Key* key, json_t* node, void* object)
{
    if (key->word && json_is_string(node) && !strcmp(json_string_value(node), key->word)) {
        store_word(key, object);
        return true;
    }
    void* at = key_at(key, object);
    switch (key->type) {
    case KEY_NUMBER:
        return read_number(reader, key, node, at);
    case KEY_INTEGER:
        return read_integer(reader, key, node, at);
    case KEY_COUNT:
        return read_count(reader, key, node, at);
    case KEY_BOOLEAN:
        if (!json_is_boolean(node))
            return reader_unexpected(reader, key, node);
        *(bool*)at = json_is_true(node);
        return true;
    case KEY_STRING:
        return read_string(reader, key, node, at);
    case KEY_NAME:
        return read_name(reader, key, node, at);
    case KEY_FILE:
    case KEY_IMAGE:
        return read_file(reader, key, node, at);
    case KEY_MATERIAL:
        return read_material(reader, key, node, at);
    case KEY_ENUM:
        return read_enum(reader, key, node, object);
    case KEY_VECTOR:
        return read_vector(reader, key, node, at);
    case KEY_POINT:
        return read_point(reader, key, node, at);
    case KEY_COLOUR:
        return read_colour(reader, key, node, at);
    case KEY_SCALE:
        return read_scale(reader, key, node, at);
    case KEY_PAIR:
        return read_pair(reader, key, node, at);
    case KEY_NOZZLE:
        return read_nozzle(reader, key, node, at);
    case KEY_INTEGER_PAIR:
        return read_integer_pair(reader, key, node, at);
    case KEY_AXES:
        return read_axes(reader, key, node, at);
    case KEY_ROTATION:
        return read_rotation(reader, key, node, at);
    case KEY_DIRECTION:
        return read_direction(reader, key, node, at);
    case KEY_SHAPE:
        return read_shape(reader, key, node, at);
    case KEY_OBJECT:
    case KEY_LIST:
    case KEY_LATER:
    case KEY_LATER_LIST:
        break;
    }
    return true;
}
