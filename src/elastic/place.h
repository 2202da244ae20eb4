// SPDX-License-Identifier: MIT
// Where a point is over the plane of a triangle.
#ifndef ELASTIC_PLACE_H
#define ELASTIC_PLACE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Place {
    Vec3d normal;     // unit
    double height;    // [m] of the point above the plane
    double weight[3]; // of the corners at the point's foot
} Place;

// Weights below 0 and no normal: the triangle has no area.
static inline Place place_over(const Vec3d* x, const uint32_t t[3], Vec3d p)
{
    Vec3d a = vec3d_sub(x[t[1]], x[t[0]]), b = vec3d_sub(x[t[2]], x[t[0]]), r = vec3d_sub(p, x[t[0]]), n = vec3d_cross(a, b);
    double nn = vec3d_dot(n, n);
    Place place = {.normal = {0, 0, 0}, .weight = {-1, -1, -1}};
    if (!(nn > 0))
        return place;
    place.weight[1] = vec3d_dot(vec3d_cross(r, b), n) / nn;
    place.weight[2] = vec3d_dot(vec3d_cross(a, r), n) / nn;
    place.weight[0] = 1 - place.weight[1] - place.weight[2];
    place.normal = vec3d_scale(n, 1 / sqrt(nn));
    place.height = vec3d_dot(place.normal, r);
    return place;
}

static inline bool place_is_over(const Place* place, double margin)
{
    return place->weight[0] > -margin && place->weight[1] > -margin && place->weight[2] > -margin;
}

// Weights from 0 to 1 with the sum 1; those of corners on the other side of the foot are 0.
static inline void place_clamp(const Place* place, double weight[3])
{
    double total = 0;
    for (int k = 0; k < 3; k++)
        total += place->weight[k] > 0 ? place->weight[k] : 0;
    for (int k = 0; k < 3; k++)
        weight[k] = place->weight[k] > 0 ? place->weight[k] / total : 0;
}

#endif
