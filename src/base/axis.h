// SPDX-License-Identifier: MIT
// Vectors by the number of an axis.
#ifndef BASE_AXIS_H
#define BASE_AXIS_H

#include "base/vec.h"

static inline double vec3d_along(Vec3d a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

#endif
