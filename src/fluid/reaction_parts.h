// SPDX-License-Identifier: MIT
// Passes over the chunks that touch movers, shared by touch.c, reaction.c, rebound.c and rub.c. A pass goes through the blocks of
// touches in parallel and leaves sums per mover, which are added in the order of the blocks.
#ifndef FLUID_REACTION_PARTS_H
#define FLUID_REACTION_PARTS_H

#include "fluid/reaction.h"

typedef struct TouchPass {
    Sph* sph;
    Reaction* reaction;
    const PressureStep* step;
    float* out;
    float dt;
    WorkFn* work; // for a block
    int width;    // so many sums; 0: none
    bool begin;   // an iteration
    bool steps;   // and steps are others than before
    bool matrix;  // wanted too
} TouchPass;

// Lists who touches whom, for the neighbours at hand. False: out of memory.
bool touch_build(Reaction* reaction);

void touch_pass(Reaction* reaction, WorkFn* work, TouchPass* pass);
// The same with `width` sums: cleared before, in reaction->total afterwards.
void touch_sums(Reaction* reaction, WorkFn* work, int width, TouchPass* pass);

// Takes back what makes a light body leave faster than the fluid that pushed it. See rebound.c.
void rebound_soften(Reaction* reaction, float dt);

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

// Where the second vector and the matrix begin in a mover's sums.
enum { TOUCH_SECOND = 6, TOUCH_MATRIX = 12 };

// Entry of the symmetric matrix.
static inline int touch_entry(int i, int j)
{
    int hi = i > j ? i : j, lo = i > j ? j : i;
    return TOUCH_MATRIX + hi * (hi + 1) / 2 + lo;
}

// Where the particles of a chunk are, seen from a mover [m].
typedef struct Arms {
    F8 x, y, z;
} Arms;

static inline Arms touch_arms(const Touch* t)
{
    return (Arms){f8_load(t->arm[0]), f8_load(t->arm[1]), f8_load(t->arm[2])};
}

static inline F8 touch_pressures(const TouchPass* pass, const Touch* t)
{
    F8 unused, p;
    f8_load4(pass->sph->fluid.position + (size_t)LANES * t->chunk, &unused, &unused, &unused, &p);
    return p;
}

// U of a chunk in full.
static inline void touch_u(const Touch* t, const Arms* a, F8 u[6])
{
    u[0] = f8_load(t->u[0]);
    u[1] = f8_load(t->u[1]);
    u[2] = f8_load(t->u[2]);
    u[3] = f8_nmad(a->z, u[1], f8_mul(a->y, u[2]));
    u[4] = f8_nmad(a->x, u[2], f8_mul(a->z, u[0]));
    u[5] = f8_nmad(a->y, u[0], f8_mul(a->x, u[1]));
}

// v + w x a of the mover's motion at the particles of a chunk
static inline void touch_motion(const double motion[6], const Arms* a, F8 v[3])
{
    F8 wx = f8_set((float)motion[3]), wy = f8_set((float)motion[4]), wz = f8_set((float)motion[5]);
    v[0] = f8_nmad(wz, a->y, f8_mad(wy, a->z, f8_set((float)motion[0])));
    v[1] = f8_nmad(wx, a->z, f8_mad(wz, a->x, f8_set((float)motion[1])));
    v[2] = f8_nmad(wy, a->x, f8_mad(wx, a->y, f8_set((float)motion[2])));
}

// (v, w) . U
static inline F8 touch_dot(const double motion[6], const Arms* a, const Touch* t)
{
    F8 v[3];
    touch_motion(motion, a, v);
    return f8_mad(v[2], f8_load(t->u[2]), f8_mad(v[1], f8_load(t->u[1]), f8_mul(v[0], f8_load(t->u[0]))));
}

// Lanes go to the sums.
void touch_sum_end(TouchSum* sum, int width);

// What is to be added for a touch goes to the lanes of this.
static inline TouchSum* touch_sum_of(const TouchPass* pass, const TouchBlock* block, const Touch* t)
{
    enum { OFTEN = 64 };
    TouchSum* sum = &block->sum[t->place];
    if (++sum->terms == OFTEN)
        touch_sum_end(sum, pass->width);
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
