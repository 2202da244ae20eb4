// SPDX-License-Identifier: MIT
// Smoothing kernels with compact support h, in 2D and 3D, in dimensionless form:
//   W(r) = norm w(q),   grad W = norm / h^2 c(q) x_ij,   q = r / h,   c(q) = w'(q) / q
//   cubic     w = 6 q^3 - 6 q^2 + 1 (q <= 1/2), 2 (1 - q)^3 (q <= 1)        (Akinci 2014, eq. 2.5; norm corrected)
//   wendland  w = (1 - q)^4 (4 q + 1)
//   poly6     w = (1 - q^2)^3
//   spiky     w = (1 - q)^3
// They live with the particles, not with the fluid, because neighbour lists store c(q) of every pair.
#ifndef PARTICLES_KERNEL_H
#define PARTICLES_KERNEL_H

#include "base/simd.h"
#include <meniscus/defs.h>

typedef struct Kernel {
    mn_Kernel type;
    int dimension;
    float h;        // [m] support radius
    float norm;     // [1/m^d] W(0) for kernels with w(0) = 1
    float gradient; // [1/m^(d+2)] norm / h^2
    float reach2;   // [m2] square of the distance from which on c(q) is 0 in half precision: such pairs need no place in a list
} Kernel;

Kernel kernel_create(mn_Kernel type, int dimension, double h);

// In double, for set-up and tests.
double kernel_w(const Kernel* kernel, double r);     // [1/m^d] W(r)
double kernel_slope(const Kernel* kernel, double r); // [1/m^(d+1)] dW/dr

// The spiky kernel's c grows without bound towards q = 0; this keeps it finite in half precision.
#define KERNEL_LEAST_Q 1e-3f

static inline F8 kernel8_w(mn_Kernel type, F8 q)
{
    F8 u = f8_max(f8_sub(f8_set(1), q), f8_zero());
    switch (type) {
    case MN_KERNEL_WENDLAND: {
        F8 u2 = f8_mul(u, u);
        return f8_mul(f8_mul(u2, u2), f8_mad(f8_set(4), q, f8_set(1)));
    }
    case MN_KERNEL_POLY6: {
        F8 p = f8_max(f8_nmad(q, q, f8_set(1)), f8_zero());
        return f8_mul(f8_mul(p, p), p);
    }
    case MN_KERNEL_SPIKY:
        return f8_mul(f8_mul(u, u), u);
    default: {
        F8 s = f8_max(f8_sub(f8_set(0.5f), q), f8_zero());
        F8 s3 = f8_mul(f8_mul(s, s), s), u3 = f8_mul(f8_mul(u, u), u);
        return f8_nmad(f8_set(8), s3, f8_add(u3, u3));
    }
    }
}

static inline F8 kernel8_c(mn_Kernel type, F8 q)
{
    F8 u = f8_max(f8_sub(f8_set(1), q), f8_zero());
    F8 u2 = f8_mul(u, u);
    switch (type) {
    case MN_KERNEL_WENDLAND:
        return f8_mul(f8_set(-20), f8_mul(u2, u));
    case MN_KERNEL_POLY6: {
        F8 p = f8_max(f8_nmad(q, q, f8_set(1)), f8_zero());
        return f8_mul(f8_set(-6), f8_mul(p, p));
    }
    case MN_KERNEL_SPIKY:
        return f8_div(f8_mul(f8_set(-3), u2), f8_max(q, f8_set(KERNEL_LEAST_Q)));
    default: {
        F8 near = f8_mad(f8_set(18), q, f8_set(-12));
        F8 far = f8_div(f8_mul(f8_set(-6), u2), f8_max(q, f8_set(0.5f)));
        return f8_pick(f8_less(q, f8_set(0.5f)), near, far);
    }
    }
}

#endif
