// SPDX-License-Identifier: MIT
// Vectors, random numbers and directions for paths.
#ifndef TRACE_VECTOR_H
#define TRACE_VECTOR_H

#include "base/random.h"
#include "base/vec.h"

static inline Vec3 v3(float x, float y, float z)
{
    return (Vec3){x, y, z};
}
static inline Vec3 v3_add(Vec3 a, Vec3 b)
{
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline Vec3 v3_sub(Vec3 a, Vec3 b)
{
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline Vec3 v3_scale(Vec3 a, float s)
{
    return v3(a.x * s, a.y * s, a.z * s);
}
static inline Vec3 v3_mad(Vec3 a, float s, Vec3 b) // a + s b
{
    return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline Vec3 v3_mul(Vec3 a, Vec3 b)
{
    return v3(a.x * b.x, a.y * b.y, a.z * b.z);
}
static inline Vec3 v3_mix(Vec3 a, Vec3 b, float t)
{
    return v3_mad(a, t, v3_sub(b, a));
}
static inline float v3_dot(Vec3 a, Vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Vec3 v3_cross(Vec3 a, Vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline Vec3 v3_normalise(Vec3 a)
{
    float l2 = v3_dot(a, a);
    return l2 > 0 ? v3_scale(a, 1 / sqrtf(l2)) : v3(0, 1, 0);
}
static inline float v3_largest(Vec3 a)
{
    float m = a.x > a.y ? a.x : a.y;
    return m > a.z ? m : a.z;
}
static inline Vec3 v3_exp(Vec3 a)
{
    return v3(expf(a.x), expf(a.y), expf(a.z));
}

// Two directions at right angles to n and each other.
static inline void basis_of(Vec3 n, Vec3* a, Vec3* b)
{
    *a = v3_normalise(fabsf(n.x) > 0.7f ? v3_cross(n, v3(0, 1, 0)) : v3_cross(n, v3(1, 0, 0)));
    *b = v3_cross(n, *a);
}

// Within the cone of half angle `angle` about n, uniform.
static inline Vec3 cone_direction(Vec3 n, float angle, float u, float v)
{
    Vec3 a, b;
    basis_of(n, &a, &b);
    float c = 1 - u * (1 - cosf(angle)), s = sqrtf(fmaxf(0, 1 - c * c)), phi = 6.2831853f * v;
    return v3_add(v3_scale(n, c), v3_add(v3_scale(a, s * cosf(phi)), v3_scale(b, s * sinf(phi))));
}

// About n, more often near it: density cos / pi.
static inline Vec3 cosine_direction(Vec3 n, float u, float v)
{
    Vec3 a, b;
    basis_of(n, &a, &b);
    float s = sqrtf(u), phi = 6.2831853f * v;
    return v3_add(v3_scale(n, sqrtf(fmaxf(0, 1 - u))), v3_add(v3_scale(a, s * cosf(phi)), v3_scale(b, s * sinf(phi))));
}

#endif
