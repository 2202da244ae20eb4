// SPDX-License-Identifier: MIT
#include "mesh/crossing.h"

#include <stdbool.h>

// Weights this far below zero still count as inside: rounding must not open a gap along an edge.
static const double EDGE = 1e-9;
enum { HALVINGS = 60 };

static bool is_above(double f)
{
    return f >= 0;
}

// Weights of the corners at the foot of x. False: no area.
static bool find_weights(const Vec3d p[3], Vec3d x, double weight[3])
{
    Vec3d a = vec3d_sub(p[1], p[0]), b = vec3d_sub(p[2], p[0]), r = vec3d_sub(x, p[0]), n = vec3d_cross(a, b);
    double nn = vec3d_dot(n, n);
    if (!(nn > 0))
        return false;
    weight[1] = vec3d_dot(vec3d_cross(r, b), n) / nn;
    weight[2] = vec3d_dot(vec3d_cross(a, r), n) / nn;
    weight[0] = 1 - weight[1] - weight[2];
    return true;
}

// Three vectors, each at the times 0 and 1.
typedef struct Moving {
    Vec3d q[2], a[2], b[2];
} Moving;

// f = q . (a x b) in Bernstein's form: between its coefficients, which split in two by means.
static void find_cubic(const Moving* m, double f[4])
{
    Vec3d n0 = vec3d_cross(m->a[0], m->b[0]), n2 = vec3d_cross(m->a[1], m->b[1]);
    Vec3d n1 = vec3d_scale(vec3d_add(vec3d_cross(m->a[0], m->b[1]), vec3d_cross(m->a[1], m->b[0])), 0.5);
    f[0] = vec3d_dot(m->q[0], n0);
    f[1] = (2 * vec3d_dot(m->q[0], n1) + vec3d_dot(m->q[1], n0)) / 3;
    f[2] = (vec3d_dot(m->q[0], n2) + 2 * vec3d_dot(m->q[1], n1)) / 3;
    f[3] = vec3d_dot(m->q[1], n2);
}

static double cubic_at(const double f[4], double t)
{
    double s = 1 - t;
    return s * s * s * f[0] + 3 * s * s * t * f[1] + 3 * s * t * t * f[2] + t * t * t * f[3];
}

// The zero between t0 and t1, where f changes its sign once.
static double find_zero(const double f[4], double t0, double t1)
{
    bool above = is_above(cubic_at(f, t0));
    for (int k = 0; k < HALVINGS; k++) {
        double middle = 0.5 * (t0 + t1);
        if (is_above(cubic_at(f, middle)) == above)
            t0 = middle;
        else
            t1 = middle;
    }
    return 0.5 * (t0 + t1);
}

// Where f stops to rise or to fall, within 0 to 1, in order.
static int find_turns(const double f[4], double turn[2])
{
    // f' / 3 = a t^2 + 2 b t + c
    double a = f[3] - 3 * f[2] + 3 * f[1] - f[0], b = f[2] - 2 * f[1] + f[0], c = f[1] - f[0];
    double root = b * b - a * c, found[2];
    if (!(root > 0))
        return 0;
    // without cancellation
    double q = b < 0 ? -b + sqrt(root) : -b - sqrt(root);
    found[0] = q != 0 ? c / q : -1;
    found[1] = a != 0 ? q / a : -1;
    if (found[0] > found[1]) {
        double swap = found[0];
        found[0] = found[1];
        found[1] = swap;
    }
    int count = 0;
    for (int k = 0; k < 2; k++)
        if (found[k] > 0 && found[k] < 1)
            turn[count++] = found[k];
    return count;
}

typedef struct Zero {
    double time;
    int direction; // +1: f rises
} Zero;

// The zeros of f within 0 to 1, in order.
static int find_zeros(const double f[4], Zero out[3])
{
    double stop[4] = {0};
    bool above = is_above(f[0]);
    if (is_above(f[1]) == above && is_above(f[2]) == above && is_above(f[3]) == above)
        return 0;
    int stops = 1 + find_turns(f, stop + 1), count = 0;
    stop[stops] = 1;
    for (int k = 0; k < stops; k++) {
        // the ends themselves, not what rounding makes of them: the next step begins with the same sign
        bool before = k == 0 ? above : is_above(cubic_at(f, stop[k]));
        bool after = k + 1 == stops ? is_above(f[3]) : is_above(cubic_at(f, stop[k + 1]));
        if (before != after)
            out[count++] = (Zero){find_zero(f, stop[k], stop[k + 1]), after ? 1 : -1};
    }
    return count;
}

int crossing_find(const Vec3d from[3], const Vec3d to[3], Vec3d x0, Vec3d x1, Crossing out[3])
{
    Moving m = {{vec3d_sub(x0, from[0]), vec3d_sub(x1, to[0])},
                {vec3d_sub(from[1], from[0]), vec3d_sub(to[1], to[0])},
                {vec3d_sub(from[2], from[0]), vec3d_sub(to[2], to[0])}};
    double f[4];
    Zero zero[3];
    find_cubic(&m, f);
    int count = 0, zeros = find_zeros(f, zero);
    for (int k = 0; k < zeros; k++) {
        Crossing c = {.time = zero[k].time, .direction = zero[k].direction};
        Vec3d p[3];
        for (int i = 0; i < 3; i++)
            p[i] = vec3d_lerp(from[i], to[i], c.time);
        if (find_weights(p, vec3d_lerp(x0, x1, c.time), c.weight) && c.weight[0] >= -EDGE && c.weight[1] >= -EDGE &&
            c.weight[2] >= -EDGE)
            out[count++] = c;
    }
    return count;
}

int crossing_find_edges(const Vec3d a0[2], const Vec3d a1[2], const Vec3d b0[2], const Vec3d b1[2], EdgeCrossing out[3])
{
    Moving m = {{vec3d_sub(b0[0], a0[0]), vec3d_sub(b1[0], a1[0])},
                {vec3d_sub(a0[1], a0[0]), vec3d_sub(a1[1], a1[0])},
                {vec3d_sub(b0[1], b0[0]), vec3d_sub(b1[1], b1[0])}};
    double f[4];
    Zero zero[3];
    find_cubic(&m, f);
    int count = 0, zeros = find_zeros(f, zero);
    for (int k = 0; k < zeros; k++) {
        EdgeCrossing c = {.time = zero[k].time, .direction = zero[k].direction};
        Vec3d q = vec3d_lerp(m.q[0], m.q[1], c.time), a = vec3d_lerp(m.a[0], m.a[1], c.time),
              b = vec3d_lerp(m.b[0], m.b[1], c.time), n = vec3d_cross(a, b);
        double nn = vec3d_dot(n, n);
        if (!(nn > 0))
            continue; // parallel: they meet with their ends, if at all
        c.along[0] = vec3d_dot(vec3d_cross(q, b), n) / nn;
        c.along[1] = vec3d_dot(vec3d_cross(q, a), n) / nn;
        c.normal = vec3d_scale(n, 1 / sqrt(nn));
        if (c.along[0] >= -EDGE && c.along[0] <= 1 + EDGE && c.along[1] >= -EDGE && c.along[1] <= 1 + EDGE)
            out[count++] = c;
    }
    return count;
}
