// SPDX-License-Identifier: MIT
// Small vectors by value. Vec3 (float) is for particles, Vec3d (double, the public mn_Vec3) for geometry and set-up.
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <math.h>
#include <meniscus/base.h>

typedef mn_Vec3 Vec3d;
typedef mn_Quat Quat;

typedef struct Vec3 {
    float x, y, z;
} Vec3;

// Sixteen bytes that travel together: a vector and one value that the same loop needs.
typedef struct __attribute__((aligned(16))) Vec4 {
    float x, y, z, w;
} Vec4;

typedef struct Box3d {
    Vec3d min, max;
} Box3d;

static inline Vec3d vec3d(double x, double y, double z)
{
    return (Vec3d){x, y, z};
}
static inline Vec3d vec3d_add(Vec3d a, Vec3d b)
{
    return (Vec3d){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline Vec3d vec3d_sub(Vec3d a, Vec3d b)
{
    return (Vec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline Vec3d vec3d_scale(Vec3d a, double s)
{
    return (Vec3d){a.x * s, a.y * s, a.z * s};
}
static inline Vec3d vec3d_mul(Vec3d a, Vec3d b)
{
    return (Vec3d){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline Vec3d vec3d_mad(Vec3d a, double s, Vec3d b) // a + s b
{
    return (Vec3d){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline Vec3d vec3d_lerp(Vec3d a, Vec3d b, double t)
{
    return vec3d_mad(a, t, vec3d_sub(b, a));
}
static inline double vec3d_dot(Vec3d a, Vec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Vec3d vec3d_cross(Vec3d a, Vec3d b)
{
    return (Vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double vec3d_length(Vec3d a)
{
    return sqrt(vec3d_dot(a, a));
}
static inline double vec3d_distance(Vec3d a, Vec3d b)
{
    return vec3d_length(vec3d_sub(a, b));
}
static inline Vec3d vec3d_normalise(Vec3d a) // zero stays zero
{
    double l = vec3d_length(a);
    return l > 0 ? vec3d_scale(a, 1 / l) : a;
}
// Plain comparisons: fmin and fmax are library calls, and slow ones next to AVX code. A nan in b is passed over.
static inline Vec3d vec3d_min(Vec3d a, Vec3d b)
{
    return (Vec3d){b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z};
}
static inline Vec3d vec3d_max(Vec3d a, Vec3d b)
{
    return (Vec3d){b.x > a.x ? b.x : a.x, b.y > a.y ? b.y : a.y, b.z > a.z ? b.z : a.z};
}
static inline bool vec3d_finite(Vec3d a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline Quat quat_identity(void)
{
    return (Quat){1, 0, 0, 0};
}
static inline Quat quat_mul(Quat a, Quat b)
{
    return (Quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline Quat quat_conjugate(Quat q)
{
    return (Quat){q.w, -q.x, -q.y, -q.z};
}
static inline Quat quat_normalise(Quat q) // zero becomes identity
{
    double l = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return l > 0 ? (Quat){q.w / l, q.x / l, q.y / l, q.z / l} : quat_identity();
}
static inline Vec3d mat3d_times(const double m[3][3], Vec3d v)
{
    return (Vec3d){m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                   m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z};
}
static inline Vec3d quat_rotate(Quat q, Vec3d v)
{
    Vec3d u = {q.x, q.y, q.z};
    Vec3d t = vec3d_scale(vec3d_cross(u, v), 2);
    return vec3d_add(vec3d_mad(v, q.w, t), vec3d_cross(u, t));
}
static inline Vec3d quat_unrotate(Quat q, Vec3d v)
{
    return quat_rotate(quat_conjugate(q), v);
}

#endif
