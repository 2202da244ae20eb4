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

#endif
