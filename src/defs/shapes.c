// SPDX-License-Identifier: MIT
#include "defs/shapes.h"

#include <math.h>
#include <string.h>

const ShapeKind shape_kinds[SHAPE_KIND_COUNT] = {
    [MN_SHAPE_BOX] = {"box", {2, 3}, "xyz", true, "[width, height, depth]", "[width, height]", "edges along x, y, z"},
    [MN_SHAPE_SPHERE] = {"sphere", {1, 1}, "x", true, "radius", NULL, "a disc in 2D"},
    [MN_SHAPE_CAPSULE] =
        {"capsule", {2, 2}, "xy", true, "[radius, length]", NULL, "axis y; length between the centres of its caps"},
    [MN_SHAPE_CYLINDER] = {"cylinder", {2, 2}, "xy", true, "[radius, height]", NULL, "axis y"},
    [MN_SHAPE_CONE] = {"cone", {2, 2}, "xy", true, "[radius, height]", NULL, "axis y, tip up, origin at half height"},
    [MN_SHAPE_TORUS] = {"torus", {2, 2}, "xy", true, "[ring radius, tube radius]", NULL, "axis y"},
    [MN_SHAPE_PLANE] = {"plane", {1, 2}, "xz", false, "[width, depth]", "width", "an open rectangle, normal +y"},
    [MN_SHAPE_GRID] = {"grid", {1, 2}, "xz", false, "[width, depth]", "width", "a plane of cells[0] x cells[1] quads"},
    [MN_SHAPE_ROD] = {"rod", {1, 1}, "y", false, "length", NULL, "a line along y"},
    [MN_SHAPE_HULL] =
        {"hull", {2, 3}, "xyz", true, "[length, height, beam]", "[length, height]", "a decked ship, full; bow at +x, keel down"},
    [MN_SHAPE_BOAT] = {"boat",
                       {2, 3},
                       "xyz",
                       true,
                       "[length, height, beam]",
                       "[length, height]",
                       "the same, open, with walls of 8 % of height or beam"},
    [MN_SHAPE_FIGURE] = {"figure", {1, 1}, "y", true, "height", NULL, "a figure with arms and legs, upright, looks along +z"},
    [MN_SHAPE_MESH] =
        {"mesh", {0, 0}, "", true, "\"file\"", NULL, "obj, ply or stl; a relative path starts at the scene file's folder"},
    [MN_SHAPE_TETS] = {"tets", {0, 0}, "", true, "\"file\"", NULL, "tetrahedra: Gmsh msh, or TetGen node with its ele; in 3D only"},
};

const ShapeKind* shape_kind_find(const char* name)
{
    for (int k = 0; k < SHAPE_KIND_COUNT; k++) {
        if (!strcmp(shape_kinds[k].name, name))
            return &shape_kinds[k];
    }
    return NULL;
}

double shape_number(const ShapeKind* kind, const mn_Shape* shape, int k)
{
    return kind->slot[k] == 'x' ? shape->size.x : kind->slot[k] == 'y' ? shape->size.y : shape->size.z;
}

void shape_set_number(const ShapeKind* kind, mn_Shape* shape, int k, double number)
{
    *(kind->slot[k] == 'x' ? &shape->size.x : kind->slot[k] == 'y' ? &shape->size.y : &shape->size.z) = number;
}

static double outline_2d(const mn_Shape* shape)
{
    double x = shape->size.x, y = shape->size.y;
    switch (shape->type) {
    case MN_SHAPE_BOX:
        return 2 * (x + y);
    case MN_SHAPE_ROD:
        return y;
    case MN_SHAPE_PLANE:
    case MN_SHAPE_GRID:
        return x;
    case MN_SHAPE_MESH:
    case MN_SHAPE_TETS:
        return 0;
    case MN_SHAPE_HULL:
    case MN_SHAPE_BOAT:
        return 4 * (x + y);
    case MN_SHAPE_FIGURE:
        return 5 * y;
    default:
        return 7 * x + 2 * y;
    }
}

double shape_extent(const mn_Shape* shape, int dimension)
{
    double x = shape->size.x, y = shape->size.y, z = shape->size.z;
    if (dimension == 2)
        return outline_2d(shape);
    switch (shape->type) {
    case MN_SHAPE_BOX:
        return 2 * (x * y + y * z + z * x);
    case MN_SHAPE_SPHERE:
        return 4 * M_PI * x * x;
    case MN_SHAPE_CAPSULE:
        return 4 * M_PI * x * x + 2 * M_PI * x * y;
    case MN_SHAPE_CYLINDER:
        return 2 * M_PI * x * (x + y);
    case MN_SHAPE_CONE:
        return M_PI * x * (x + sqrt(x * x + y * y));
    case MN_SHAPE_TORUS:
        return 4 * M_PI * M_PI * x * y;
    case MN_SHAPE_PLANE:
    case MN_SHAPE_GRID:
        return x * z;
    case MN_SHAPE_HULL:
        return 2 * (x * y + y * z + z * x);
    case MN_SHAPE_BOAT:
        return 4 * (x * y + y * z + z * x);
    case MN_SHAPE_FIGURE:
        return 0.9 * y * y;
    case MN_SHAPE_ROD:
    case MN_SHAPE_MESH:
    case MN_SHAPE_TETS:
        break;
    }
    return 0;
}
