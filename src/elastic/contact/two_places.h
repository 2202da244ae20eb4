// SPDX-License-Identifier: MIT
// Where a point was before a step and where it is after it, side by side: what is computed for both takes one instruction.
#ifndef ELASTIC_CONTACT_TWO_PLACES_H
#define ELASTIC_CONTACT_TWO_PLACES_H

#include "base/vec.h"

typedef double Two __attribute__((vector_size(16)));
typedef struct TwoPlaces {
    Two x, y, z;
} TwoPlaces;

static inline TwoPlaces two_places(Vec3d before, Vec3d after)
{
    return (TwoPlaces){{before.x, after.x}, {before.y, after.y}, {before.z, after.z}};
}

static inline TwoPlaces two_sub(const TwoPlaces* a, const TwoPlaces* b)
{
    return (TwoPlaces){a->x - b->x, a->y - b->y, a->z - b->z};
}

static inline TwoPlaces two_cross(const TwoPlaces* a, const TwoPlaces* b)
{
    return (TwoPlaces){a->y * b->z - a->z * b->y, a->z * b->x - a->x * b->z, a->x * b->y - a->y * b->x};
}

static inline Two two_dot(const TwoPlaces* a, const TwoPlaces* b)
{
    return a->x * b->x + a->y * b->y + a->z * b->z;
}

static inline Vec3d two_place(const TwoPlaces* p, int when) // 0: before, 1: after
{
    return vec3d(p->x[when], p->y[when], p->z[when]);
}

#endif
