// SPDX-License-Identifier: MIT
// Four doubles in one register: a point and its inverse mass travel together. Plain IEEE operations lane by lane, so that
// every build gives the same bits.
#ifndef ELASTIC_QUAD_H
#define ELASTIC_QUAD_H

#include "elastic/mat3.h"
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

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
#ifdef __AVX__ // the compiler makes four of it
    return _mm256_sqrt_pd(q);
#else
    return (Quad){sqrt(q[0]), sqrt(q[1]), sqrt(q[2]), sqrt(q[3])};
#endif
}
// x + y + z of each of four, whose w must be 0; added as quad_dot3 does
static inline Quad quad_sums(Quad a, Quad b, Quad c, Quad d)
{
    Quad ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    Quad cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// --- anywhere in memory

static inline Quad quad_load(const double* from)
{
    Quad q;
    memcpy(&q, from, sizeof q);
    return q;
}
static inline void quad_store(double* to, Quad q)
{
    memcpy(to, &q, sizeof q);
}
static inline void quad_store3(double* to, Quad q) // without w
{
    memcpy(to, &q, 3 * sizeof *to);
}

// --- three by three matrices: a row in each, and nothing of meaning in w

typedef struct QuadMat {
    Quad row[3];
} QuadMat;

// The last row comes with the number before it, since there may be nothing behind it: matrices may be added up like this, and are
// put right by quad_mat_shifted_back().
static inline QuadMat quad_mat_shifted(const Mat3* a)
{
    const double* m = a->m[0];
    return (QuadMat){{quad_load(m), quad_load(m + 3), quad_load(m + 5)}};
}
static inline QuadMat quad_mat_shifted_back(QuadMat a)
{
    return (QuadMat){{a.row[0], a.row[1], __builtin_shufflevector(a.row[2], a.row[2], 1, 2, 3, 3)}};
}
static inline QuadMat quad_mat_load(const Mat3* a)
{
    return quad_mat_shifted_back(quad_mat_shifted(a));
}
static inline QuadMat quad_mat_add(QuadMat a, QuadMat b)
{
    return (QuadMat){{a.row[0] + b.row[0], a.row[1] + b.row[1], a.row[2] + b.row[2]}};
}
static inline QuadMat quad_mat_scale(QuadMat a, double s)
{
    return (QuadMat){{a.row[0] * s, a.row[1] * s, a.row[2] * s}};
}
static inline void quad_mat_store(Mat3* to, QuadMat a)
{
    double* m = to->m[0];
    quad_store(m, a.row[0]);
    quad_store(m + 3, a.row[1]);
    quad_store3(m + 6, a.row[2]);
}
static inline QuadMat quad_mat_transposed(QuadMat a)
{
    Quad even = __builtin_shufflevector(a.row[0], a.row[1], 0, 4, 2, 6);
    Quad odd = __builtin_shufflevector(a.row[0], a.row[1], 1, 5, 3, 7);
    return (QuadMat){{__builtin_shufflevector(even, a.row[2], 0, 1, 4, 4), __builtin_shufflevector(odd, a.row[2], 0, 1, 5, 5),
                      __builtin_shufflevector(even, a.row[2], 2, 3, 6, 6)}};
}
static inline QuadMat quad_mat_mul(const Mat3* a, QuadMat b) // added as mat3_mul() does
{
    QuadMat c;
    for (int i = 0; i < 3; i++)
        c.row[i] = a->m[i][0] * b.row[0] + a->m[i][1] * b.row[1] + a->m[i][2] * b.row[2];
    return c;
}
static inline QuadMat quad_mat_mul_left_transposed(const Mat3* a, QuadMat b) // a^T b
{
    QuadMat c;
    for (int i = 0; i < 3; i++)
        c.row[i] = a->m[0][i] * b.row[0] + a->m[1][i] * b.row[1] + a->m[2][i] * b.row[2];
    return c;
}

#endif
