// SPDX-License-Identifier: MIT
// Shapes and helpers that several mesh tests share.
#ifndef TESTS_MESH_SUPPORT_H
#define TESTS_MESH_SUPPORT_H

#include "support.h"

#include "base/random.h"
#include "mesh/shape.h"

// A shape that must succeed.
static inline TriMesh build_shape(mn_ShapeType type, Vec3d size, int dimension, double tolerance)
{
    mn_Shape shape = {.type = type, .size = size, .cells = {3, 5}};
    mn_Error error = {0};
    TriMesh mesh = {0};
    if (shape_build(&shape, dimension, tolerance, NULL, &mesh, &error) != MN_OK)
        fail_msg("shape %d: %s", (int)type, error.message);
    return mesh;
}

static inline Vec3d random_point(Random* random, double half)
{
    double x = random_range(random, -half, half), y = random_range(random, -half, half);
    return vec3d(x, y, random_range(random, -half, half));
}

#endif
