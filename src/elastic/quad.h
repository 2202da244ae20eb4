// SPDX-License-Identifier: MIT
// Four doubles in one register: a point and its inverse mass travel together. Plain IEEE operations lane by lane, so that
// every build gives the same bits.
#ifndef ELASTIC_QUAD_H
#define ELASTIC_QUAD_H

#include "base/vec.h"

// No Quad crosses a file, so it does not matter how builds without AVX would pass one.
#pragma GCC diagnostic ignored "-Wpsabi"

typedef double Quad __attribute__((vector_size(32)));
typedef int64_t QuadMask __attribute__((vector_size(32)));

static inline Quad quad(Vec3d v, double w)
{
    return (Quad){v.x, v.y, v.z, w};
}
static inline Vec3d quad_vec(Quad q)
{
    return vec3d(q[0], q[1], q[2]);
}
static inline Quad quad_xyz(Quad q) // w becomes 0
{
    return (Quad)((QuadMask)q & (QuadMask){-1, -1, -1, 0});
}
static inline double quad_dot3(Quad a, Quad b)
{
    Quad p = a * b;
    return p[0] + p[1] + p[2];
}
static inline Quad quad_all(double a)
{
    return (Quad){a, a, a, a};
}
static inline Quad quad_w(Quad q) // w in all lanes
{
    return __builtin_shufflevector(q, q, 3, 3, 3, 3);
}
static inline Quad quad_sqrt(Quad q)
{
    return (Quad){sqrt(q[0]), sqrt(q[1]), sqrt(q[2]), sqrt(q[3])};
}
// x + y + z of each of four, whose w must be 0; added as quad_dot3 does
static inline Quad quad_sums(Quad a, Quad b, Quad c, Quad d)
{
    Quad ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    Quad cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

#endif
