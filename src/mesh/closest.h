// SPDX-License-Identifier: MIT
// The point of a segment or triangle that is closest to another point. Degenerate ones are what is left of them.
#ifndef MESH_CLOSEST_H
#define MESH_CLOSEST_H

#include "base/vec.h"

static inline Vec3d closest_on_segment(Vec3d p, Vec3d a, Vec3d b)
{
    Vec3d ab = vec3d_sub(b, a);
    double along = vec3d_dot(vec3d_sub(p, a), ab), square = vec3d_dot(ab, ab);
    if (!(along > 0))
        return a;
    return along >= square ? b : vec3d_mad(a, along / square, ab);
}

// The projection if it falls into the triangle, else the nearest point of the edges.
static inline Vec3d closest_on_triangle(Vec3d p, Vec3d a, Vec3d b, Vec3d c)
{
    Vec3d ab = vec3d_sub(b, a), ac = vec3d_sub(c, a), ap = vec3d_sub(p, a);
    Vec3d n = vec3d_cross(ab, ac);
    double nn = vec3d_dot(n, n);
    double v = vec3d_dot(vec3d_cross(ap, ac), n), w = vec3d_dot(vec3d_cross(ab, ap), n); // barycentric, times nn
    if (nn > 0 && v >= 0 && w >= 0 && v + w <= nn)
        return vec3d_mad(vec3d_mad(a, v / nn, ab), w / nn, ac);
    Vec3d best = closest_on_segment(p, a, b);
    Vec3d other[2] = {closest_on_segment(p, b, c), closest_on_segment(p, c, a)};
    double least = vec3d_dot(vec3d_sub(best, p), vec3d_sub(best, p));
    for (int k = 0; k < 2; k++) {
        Vec3d d = vec3d_sub(other[k], p);
        if (vec3d_dot(d, d) < least) {
            least = vec3d_dot(d, d);
            best = other[k];
        }
    }
    return best;
}

#endif
