// SPDX-License-Identifier: MIT
// How strongly particles at a distance r = q h attract each other, in dimensionless form:
//   C(r) = scale / h^d c(q),   c = (1 - q)^3 q^3 (q > 1/2),  2 (1 - q)^3 q^3 - 1/64 (q <= 1/2)     (Akinci 2014, eq. 5.2)
//   A(r) = scale / h^d a(q),   a = (-4 q^2 + 6 q - 2)^(1/4) (1/2 < q <= 1)                         (eq. 5.7)
// and the shapes of two older methods, in which the force also grows with the distance:
//   becker       w(q) q, w the smoothing kernel (Becker and Teschner 2007)
//   tartakovsky  -cos(3/2 pi q) q (Tartakovsky and Meakin 2005)
// In 3D the scale of C is the paper's, 32 / pi. That of A is six times the paper's 0.007: it was chosen there such that beta =
// gamma makes a solid moderately hydrophilic, which with our boundary particles, half a spacing behind the surface, needs 0.042 (79
// degrees; 0.007 gives 180). All others are chosen such that a particle on the surface of a
// half-space is pulled alike: pi scale int c q^2 dq in 3D and 2 scale int c q dq in 2D are the same number.
#ifndef FLUID_TENSION_COHESION_H
#define FLUID_TENSION_COHESION_H

#include "particles/kernel.h"

#define COHESION_SCALE_3D (32 / M_PI)
#define COHESION_SCALE_2D (6320.0 / 627.0) // 16 int c q^2 / int c q = 16 (79 / 43008) / (209 / 71680)
#define COHESION_PULL (32 * 79 / 43008.0)  // [1] on the surface of a half-space
#define ADHESION_SCALE_3D 0.042
#define ADHESION_SCALE_2D (0.042 * 65 * M_PI / 168) // pi / 2 int a q^2 / int a q = pi / 2 (65 / 84)

typedef F8 ShapeFn(mn_Kernel kernel, F8 q);

static inline F8 cohesion8_akinci(mn_Kernel kernel, F8 q)
{
    F8 u = f8_max(f8_mul(f8_sub(f8_set(1), q), q), f8_zero()), u3 = f8_mul(f8_mul(u, u), u);
    return f8_pick(f8_less(f8_set(0.5f), q), u3, f8_sub(f8_add(u3, u3), f8_set(1.0f / 64)));
}

static inline F8 cohesion8_becker(mn_Kernel kernel, F8 q)
{
    return f8_mul(kernel8_w(kernel, q), q);
}

// cos by the odd polynomial of sin, which is good to 1e-7 on a quarter turn.
static inline F8 cohesion8_tartakovsky(mn_Kernel kernel, F8 q)
{
    const float pi = (float)M_PI;
    F8 y = f8_mad(f8_set(1.5f * pi), f8_min(q, f8_set(1)), f8_set(-0.5f * pi)); // -cos(y + pi/2) = sin(y)
    F8 x = f8_min(y, f8_sub(f8_set(pi), y)), x2 = f8_mul(x, x);
    F8 p = f8_set(1 / 6227020800.0f);
    p = f8_mad(p, x2, f8_set(-1 / 39916800.0f));
    p = f8_mad(p, x2, f8_set(1 / 362880.0f));
    p = f8_mad(p, x2, f8_set(-1 / 5040.0f));
    p = f8_mad(p, x2, f8_set(1 / 120.0f));
    p = f8_mad(p, x2, f8_set(-1 / 6.0f));
    p = f8_mad(p, x2, f8_set(1));
    return f8_mul(f8_mul(p, x), q);
}

static inline F8 adhesion8(F8 q)
{
    F8 square = f8_mad(f8_mad(f8_set(-4), q, f8_set(6)), q, f8_set(-2));
    square = f8_and(f8_max(square, f8_zero()), f8_less(f8_set(0.5f), q));
    return f8_sqrt(f8_sqrt(square));
}

// The scale that gives a shape the pull COHESION_PULL.
double cohesion_scale(ShapeFn* shape, mn_Kernel kernel, int dimension);

#endif
