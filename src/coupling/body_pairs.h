// SPDX-License-Identifier: MIT
// Pairs of chunks of fluid and bodies, and passes over them. A pass goes through the blocks of pairs in parallel and leaves sums
// per body, which are added in the order of the blocks.
#ifndef COUPLING_BODY_PAIRS_H
#define COUPLING_BODY_PAIRS_H

#include "coupling/response_body.h"

typedef struct BodyPass {
    Sph* sph;
    BodyResponse* response;
    const PressureStep* step;
    float* out;
    float dt;
    WorkFn* work; // for a block
    int width;    // so many sums; 0: none
    bool begin;   // an iteration
    bool steps;   // and steps are others than before
    bool matrix;  // wanted too
} BodyPass;

// Finds the pairs, for the neighbours at hand. False: out of memory.
bool body_pairs_build(BodyResponse* response);

void body_pass(BodyResponse* response, WorkFn* work, BodyPass* pass);
// The same with `width` sums: cleared before, in response->total afterwards.
void body_sums(BodyResponse* response, WorkFn* work, int width, BodyPass* pass);

// Takes back what makes a light body leave faster than the fluid that pushed it. See rebound.c.
void rebound_soften(BodyResponse* response, float dt);

static inline void twist_to(const Twist* t, double out[6])
{
    out[0] = t->linear.x, out[1] = t->linear.y, out[2] = t->linear.z;
    out[3] = t->angular.x, out[4] = t->angular.y, out[5] = t->angular.z;
}

static inline Twist twist_from(const double in[6])
{
    return (Twist){{in[0], in[1], in[2]}, {in[3], in[4], in[5]}};
}

static inline Twist twist_mad(Twist a, double s, Twist b)
{
    return (Twist){vec3d_mad(a.linear, s, b.linear), vec3d_mad(a.angular, s, b.angular)};
}

// m f
static inline Twist twist_by(const double m[6][6], Twist f)
{
    double in[6], out[6];
    twist_to(&f, in);
    for (int i = 0; i < 6; i++) {
        out[i] = 0;
        for (int j = 0; j < 6; j++)
            out[i] += m[i][j] * in[j];
    }
    return twist_from(out);
}

// Solves a x = b for n right-hand sides in place (Gaussian elimination with pivoting); a is not kept.
void solve_6x6(double a[6][6], double b[6][6], int n);

// Where the second vector and the matrix begin in a body's sums.
enum { SUM_SECOND = 6, SUM_MATRIX = 12 };

// Entry of the symmetric matrix.
static inline int sum_entry(int i, int j)
{
    int hi = i > j ? i : j, lo = i > j ? j : i;
    return SUM_MATRIX + hi * (hi + 1) / 2 + lo;
}

// Where the particles of a chunk are, seen from a body [m].
typedef struct Arms {
    F8 x, y, z;
} Arms;

static inline Arms pair_arms(const BodyPair* t)
{
    return (Arms){f8_load(t->arm[0]), f8_load(t->arm[1]), f8_load(t->arm[2])};
}

static inline F8 pair_pressures(const BodyPass* pass, const BodyPair* t)
{
    F8 unused, p;
    f8_load4(pass->sph->fluid.position + (size_t)LANES * t->chunk, &unused, &unused, &unused, &p);
    return p;
}

// U of a chunk in full.
static inline void pair_u(const BodyPair* t, const Arms* a, F8 u[6])
{
    u[0] = f8_load(t->u[0]);
    u[1] = f8_load(t->u[1]);
    u[2] = f8_load(t->u[2]);
    u[3] = f8_nmad(a->z, u[1], f8_mul(a->y, u[2]));
    u[4] = f8_nmad(a->x, u[2], f8_mul(a->z, u[0]));
    u[5] = f8_nmad(a->y, u[0], f8_mul(a->x, u[1]));
}

// v + w x a of the body's motion at the particles of a chunk
static inline void pair_motion(const double motion[6], const Arms* a, F8 v[3])
{
    F8 wx = f8_set((float)motion[3]), wy = f8_set((float)motion[4]), wz = f8_set((float)motion[5]);
    v[0] = f8_nmad(wz, a->y, f8_mad(wy, a->z, f8_set((float)motion[0])));
    v[1] = f8_nmad(wx, a->z, f8_mad(wz, a->x, f8_set((float)motion[1])));
    v[2] = f8_nmad(wy, a->x, f8_mad(wx, a->y, f8_set((float)motion[2])));
}

// (v, w) . U
static inline F8 pair_dot(const double motion[6], const Arms* a, const BodyPair* t)
{
    F8 v[3];
    pair_motion(motion, a, v);
    return f8_mad(v[2], f8_load(t->u[2]), f8_mad(v[1], f8_load(t->u[1]), f8_mul(v[0], f8_load(t->u[0]))));
}

// Lanes go to the sums.
void body_sum_end(BodySum* sum, int width);

// What is to be added for a pair goes to the lanes of this.
static inline BodySum* body_sum_of(const BodyPass* pass, const PairBlock* block, const BodyPair* t)
{
    enum { OFTEN = 64 };
    BodySum* sum = &block->sum[t->place];
    if (++sum->terms == OFTEN)
        body_sum_end(sum, pass->width);
    return sum;
}

static inline void lane_mad(float lane[LANES], F8 a, F8 b)
{
    f8_store(lane, f8_mad(a, b, f8_load(lane)));
}

static inline void lane_add(float lane[LANES], F8 a)
{
    f8_store(lane, f8_add(f8_load(lane), a));
}

#endif
