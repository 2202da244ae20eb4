// SPDX-License-Identifier: MIT
// The shapes of a scene file, {"box": [1, 2, 3]}: which numbers each takes and where they go in mn_Shape.
#ifndef DEFS_SHAPES_H
#define DEFS_SHAPES_H

#include <meniscus/defs.h>

typedef struct ShapeKind {
    const char* name;  // in the order of mn_ShapeType
    int count[2];      // numbers in 2D and in 3D; 0: a file name
    char slot[4];      // component of mn_Shape.size that each number goes to
    bool closed;       // may hold fluid inside
    const char* form;  // numbers in words: "[width, height, depth]"
    const char* form2; // the same in 2D; NULL: as in 3D
    const char* doc;
} ShapeKind;

enum { SHAPE_KIND_COUNT = MN_SHAPE_TETS + 1 };
extern const ShapeKind shape_kinds[SHAPE_KIND_COUNT];

const ShapeKind* shape_kind_find(const char* name); // NULL: no such shape

static inline bool shape_is_file(mn_ShapeType type)
{
    return type == MN_SHAPE_MESH || type == MN_SHAPE_TETS;
}
static inline int shape_number_count(const ShapeKind* kind, int dimension)
{
    return kind->count[dimension == 3];
}
static inline const char* shape_form(const ShapeKind* kind, int dimension)
{
    return dimension == 2 && kind->form2 ? kind->form2 : kind->form;
}
double shape_number(const ShapeKind* kind, const mn_Shape* shape, int k);
void shape_set_number(const ShapeKind* kind, mn_Shape* shape, int k, double number);

// Surface [m2] (2D: outline [m]) of the unscaled shape, roughly; 0 for files.
double shape_extent(const mn_Shape* shape, int dimension);

#endif
