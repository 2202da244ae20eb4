// SPDX-License-Identifier: MIT
// Walks over the keys of an object and looks whether each value is one that the table allows.
#include "defs/check.h"

#include "base/error.h"
#include "base/vec.h"
#include "defs/material.h"
#include "defs/shapes.h"
#include "mesh/mesh_file.h"
#include "mesh/shape.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

mn_Result def_bad(mn_Error* error, const char* key, const char* format, ...)
{
    char message[sizeof error->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    error_set(error, MN_BAD_INPUT, "%s", message);
    error_key(error, "%s", key);
    return MN_BAD_INPUT;
}

// Puts the place of an object in front of the key that failed in it.
static mn_Result fail_in(mn_Error* error, const char* place)
{
    if (!error)
        return MN_BAD_INPUT;
    char key[sizeof error->key];
    memcpy(key, error->key, sizeof key);
    int room = (int)(sizeof error->key - strlen(place)) - 2;
    error_key(error, "%s%s%.*s", place, key[0] ? "." : "", room > 0 ? room : 0, key);
    return MN_BAD_INPUT;
}

static mn_Result unexpected(const Key* key, const DefContext* context, const char* got, mn_Error* error)
{
    char allowed[256];
    return def_bad(error, key->name, "got %s, expected %s", got, key_allowed(key, context->dimension, allowed, sizeof allowed));
}

// --- numbers

static mn_Result check_numbers(const Key* key, const DefContext* context, const double* value, int count, mn_Error* error)
{
    Range range = key->type == KEY_COLOUR ? (Range){0, 1, false} : key->range;
    for (int k = 0; k < count; k++)
        if (!isfinite(value[k]) || !range_allows(&range, value[k])) {
            char got[32];
            snprintf(got, sizeof got, "%.12g", value[k]);
            return unexpected(key, context, got, error);
        }
    return MN_OK;
}

static mn_Result check_vector(const Key* key, const DefContext* context, const mn_Vec3* v, mn_Error* error)
{
    if (key->type == KEY_VECTOR && context->dimension == 2 && v->z != 0)
        return def_bad(error, key->name, "z is %g, but the scene has dimension 2: expected [x, y]", v->z);
    return check_numbers(key, context, (const double[]){v->x, v->y, v->z}, 3, error);
}

static mn_Result check_scale(const Key* key, const DefContext* context, const mn_Vec3* v, mn_Error* error)
{
    const double scale[] = {v->x, v->y, v->z};
    for (int k = 0; k < context->dimension; k++)
        if (scale[k] == 0)
            return unexpected(key, context, "0", error);
    return check_numbers(key, context, scale, context->dimension, error);
}

static mn_Result check_rotation(const Key* key, const DefContext* context, const mn_Quat* q, mn_Error* error)
{
    double square = q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z;
    if (!(square > 1e-24) || !isfinite(square))
        return def_bad(error, key->name, "a quaternion must be finite and not zero");
    if (context->dimension == 2 && (q->x != 0 || q->y != 0))
        return def_bad(error, key->name, "the scene has dimension 2: only rotations about z are possible");
    return MN_OK;
}

// --- words

static mn_Result check_enum(const Key* key, const DefContext* context, int value, mn_Error* error)
{
    int count = 0;
    while (key->words[count])
        count++;
    char got[32];
    snprintf(got, sizeof got, "%d", value);
    return value >= 0 && value < count ? MN_OK : unexpected(key, context, got, error);
}

bool def_good_name(const char* name)
{
    size_t length = strlen(name);
    if (length == 0 || length > LONGEST_NAME || name[0] == ' ' || name[0] == '.' || name[length - 1] == ' ')
        return false;
    for (const char* c = name; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f || strchr("/\\\",;:*?<>|", *c))
            return false;
    }
    return true;
}

// What is missing is found by whoever looks for it.
static mn_Result check_string(const Key* key, const DefContext* context, const char* string, mn_Error* error)
{
    if (!string)
        return MN_OK;
    bool good = key->type == KEY_NAME       ? def_good_name(string)
                : key->type == KEY_MATERIAL ? material_find(string) != NULL
                                            : strlen(string) <= LONGEST_STRING || mesh_text_of(string);
    char got[80];
    snprintf(got, sizeof got, "\"%.64s\"", string);
    return good ? MN_OK : unexpected(key, context, got, error);
}

// --- shapes

static mn_Result check_cells(const mn_Shape* shape, mn_Error* error)
{
    for (int k = 0; k < 2; k++)
        if (shape->cells[k] < 1 || shape->cells[k] > SHAPE_CELLS_MAX)
            return def_bad(error, "cells", "got %d, expected a whole number from 1 to %d", shape->cells[k], SHAPE_CELLS_MAX);
    if ((double)shape->cells[0] * shape->cells[1] > SHAPE_CELLS_MAX)
        return def_bad(error, "cells", "got %d x %d cells, expected at most %d in all", shape->cells[0], shape->cells[1],
                       SHAPE_CELLS_MAX);
    return MN_OK;
}

mn_Result def_check_shape(const mn_Shape* shape, int dimension, mn_Error* error)
{
    if ((int)shape->type < 0 || (int)shape->type >= SHAPE_KIND_COUNT)
        return def_bad(error, "", "there is no shape %d", (int)shape->type);
    const ShapeKind* kind = &shape_kinds[shape->type];
    if (shape_is_file(shape->type))
        return shape->file ? MN_OK : def_bad(error, kind->name, "the name of a file is missing");
    for (int k = 0; k < shape_number_count(kind, dimension); k++) {
        double size = shape_number(kind, shape, k);
        if (!(size >= SHAPE_SIZE_MIN && size <= SHAPE_SIZE_MAX))
            return def_bad(error, kind->name, "got %.12g, expected a number from %g to %g [m]", size, SHAPE_SIZE_MIN,
                           SHAPE_SIZE_MAX);
    }
    if (shape->type == MN_SHAPE_TORUS && shape->size.x <= shape->size.y)
        return def_bad(error, kind->name, "the ring radius %g must be above the tube radius %g", shape->size.x, shape->size.y);
    return shape->type == MN_SHAPE_GRID ? check_cells(shape, error) : MN_OK;
}

// --- keys

static mn_Result check_list(const Key* key, const DefContext* context, const void* object, mn_Error* error)
{
    const char* items;
    memcpy(&items, key_at_const(key, object), sizeof items);
    size_t count = *(const size_t*)((const char*)object + key->count_offset);
    if (key->range.high > 0 && (double)count > key->range.high)
        return def_bad(error, key->name, "got %zu entries, expected at most %g", count, key->range.high);
    for (size_t k = 0; k < count; k++)
        if (def_check(key->section, context, items + k * key->section->size, error) != MN_OK) {
            char place[96];
            snprintf(place, sizeof place, "%s.%zu", key->name, k);
            return fail_in(error, place);
        }
    return MN_OK;
}

static mn_Result check_key(const Key* key, const DefContext* context, const void* object, mn_Error* error)
{
    if (key_holds_word(key, object))
        return MN_OK;
    const void* at = key_at_const(key, object);
    switch (key->type) {
    case KEY_NUMBER:
        return check_numbers(key, context, at, 1, error);
    case KEY_INTEGER:
        return check_numbers(key, context, (const double[]){*(const int*)at}, 1, error);
    case KEY_COUNT:
        return check_numbers(key, context, (const double[]){(double)*(const int64_t*)at}, 1, error);
    case KEY_STRING:
    case KEY_NAME:
    case KEY_FILE:
    case KEY_IMAGE:
    case KEY_MATERIAL:
        return check_string(key, context, *(const char* const*)at, error);
    case KEY_ENUM:
        return check_enum(key, context, *(const int*)at, error);
    case KEY_VECTOR:
    case KEY_POINT:
    case KEY_COLOUR:
        return check_vector(key, context, at, error);
    case KEY_SCALE:
        return check_scale(key, context, at, error);
    case KEY_PAIR:
        return check_numbers(key, context, at, 2, error);
    case KEY_NOZZLE: // its depth means nothing in 2D
        return check_numbers(key, context, at, context->dimension - 1, error);
    case KEY_INTEGER_PAIR:
        return check_numbers(key, context, (const double[]){((const int*)at)[0], ((const int*)at)[1]}, 2, error);
    case KEY_ROTATION:
        return check_rotation(key, context, at, error);
    case KEY_SHAPE:
        return def_check_shape(at, context->dimension, error) == MN_OK ? MN_OK : fail_in(error, key->name);
    case KEY_OBJECT:
        return def_check(key->section, context, at, error) == MN_OK ? MN_OK : fail_in(error, key->name);
    case KEY_LIST:
        return check_list(key, context, object, error);
    case KEY_BOOLEAN:
    case KEY_AXES:
    case KEY_DIRECTION:
    case KEY_LATER:
    case KEY_LATER_LIST:
        break;
    }
    return MN_OK;
}

mn_Result def_check(const Section* section, const DefContext* context, const void* object, mn_Error* error)
{
    for (size_t k = 0; k < section->key_count; k++) {
        const Key* key = &section->keys[k];
        if (key_applies(key, object) && check_key(key, context, object, error) != MN_OK)
            return MN_BAD_INPUT;
    }
    return section->check ? section->check(context, object, error) : MN_OK;
}

mn_Result def_check_world(const mn_WorldDef* def, mn_Error* error)
{
    // its keys are those of an otherwise empty scene
    mn_Scene scene = mn_default_scene();
    scene.world = *def;
    if (def->threads != MN_AUTO && def->threads < 1)
        return def_bad(error, "threads", "got %d, expected a number from 1, or MN_AUTO: all cores", def->threads);
    return def_check(&scene_section, &(DefContext){def->dimension, def->particle_radius}, &scene, error);
}

mn_Result def_check_count(const char* list, size_t count, mn_Error* error)
{
    double most = section_find(&scene_section, list)->range.high;
    return (double)count <= most ? MN_OK : def_bad(error, "", "more than %g %s", most, list);
}
