// SPDX-License-Identifier: MIT
// Spreads particles evenly over a space of any form, each with the same share of it.
#ifndef FLUID_SPREAD_H
#define FLUID_SPREAD_H

#include "base/vec.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct SpreadDef {
    const Vec3d* sample; // of the space, evenly
    size_t sample_count;
    double spacing; // [m] that particles should be apart
    int dimension;
    Vec3d up;                                    // of unit length: what is too much is taken from above
    Vec3d (*keep)(const void* context, Vec3d p); // moves a point off the walls; may be NULL
    const void* context;
} SpreadDef;

// Adds to *points, or takes from them, until there are `wanted`, or as many as find room, and evens them out. *points is from
// malloc() and may be made larger. False: out of memory.
bool spread_points(const SpreadDef* def, Vec3d** points, size_t* count, size_t wanted);

#endif
