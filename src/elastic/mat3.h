// SPDX-License-Identifier: MIT
// Three by three matrices by value, rows first, the rotation nearest to one, and turns.
#ifndef ELASTIC_MAT3_H
#define ELASTIC_MAT3_H

#include "base/vec.h"

typedef struct Mat3 {
    double m[3][3];
} Mat3;

static inline Vec3d mat3_times(const Mat3* a, Vec3d v)
{
    return mat3d_times(a->m, v);
}
static inline Mat3 mat3_mul(const Mat3* a, const Mat3* b)
{
    Mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return c;
}
static inline Mat3 mat3_mul_left_transposed(const Mat3* a, const Mat3* b) // a^T b
{
    Mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[0][i] * b->m[0][j] + a->m[1][i] * b->m[1][j] + a->m[2][i] * b->m[2][j];
    return c;
}
static inline Mat3 mat3_mul_right_transposed(const Mat3* a, const Mat3* b) // a b^T
{
    Mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[i][0] * b->m[j][0] + a->m[i][1] * b->m[j][1] + a->m[i][2] * b->m[j][2];
    return c;
}
static inline double mat3_determinant(const Mat3* a)
{
    return a->m[0][0] * (a->m[1][1] * a->m[2][2] - a->m[1][2] * a->m[2][1]) -
           a->m[0][1] * (a->m[1][0] * a->m[2][2] - a->m[1][2] * a->m[2][0]) +
           a->m[0][2] * (a->m[1][0] * a->m[2][1] - a->m[1][1] * a->m[2][0]);
}
// Transposed matrix of cofactors: the inverse times the determinant.
static inline Mat3 mat3_adjugate(const Mat3* a)
{
    const double(*m)[3] = a->m;
    return (Mat3){
        {{m[1][1] * m[2][2] - m[1][2] * m[2][1], m[0][2] * m[2][1] - m[0][1] * m[2][2], m[0][1] * m[1][2] - m[0][2] * m[1][1]},
         {m[1][2] * m[2][0] - m[1][0] * m[2][2], m[0][0] * m[2][2] - m[0][2] * m[2][0], m[0][2] * m[1][0] - m[0][0] * m[1][2]},
         {m[1][0] * m[2][1] - m[1][1] * m[2][0], m[0][1] * m[2][0] - m[0][0] * m[2][1], m[0][0] * m[1][1] - m[0][1] * m[1][0]}}};
}

static inline Mat3 mat3_inverse(const Mat3* a)
{
    Mat3 out = mat3_adjugate(a);
    double scale = 1 / mat3_determinant(a);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out.m[i][j] *= scale;
    return out;
}
// Adds the inertia of a mass at an arm from the centre.
static inline void mat3_add_inertia(Mat3* to, double mass, Vec3d arm)
{
    double a[3] = {arm.x, arm.y, arm.z}, square = vec3d_dot(arm, arm);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            to->m[i][j] += mass * ((i == j ? square : 0) - a[i] * a[j]);
}

// The turn by an angle [rad] about an axis, both given by a vector.
static inline Quat turn_by(Vec3d angle)
{
    double length = vec3d_length(angle), share = length > 1e-9 ? sin(0.5 * length) / length : 0.5;
    return (Quat){cos(0.5 * length), share * angle.x, share * angle.y, share * angle.z};
}

// The rotation R (determinant +1) of f = R S, also where f is flat or turned inside out: then the direction that is squeezed
// most is the one that is taken to be inverted.
Mat3 mat3_rotation(const Mat3* f);
// f = u diag(s) v^T with rotations u and v; the last s is the smallest, and negative where f is turned inside out.
void mat3_svd(const Mat3* f, Mat3* u, double s[3], Mat3* v);

#endif
