// SPDX-License-Identifier: MIT
#include "particles/kernel.h"

#define PI 3.14159265358979323846

// Integral of w over the unit ball (disc) inverted: so that W integrates to 1.
static double kernel_norm(mn_Kernel type, int dimension)
{
    switch (type) {
    case MN_KERNEL_WENDLAND:
        return dimension == 3 ? 21 / (2 * PI) : 7 / PI;
    case MN_KERNEL_POLY6:
        return dimension == 3 ? 315 / (64 * PI) : 4 / PI;
    case MN_KERNEL_SPIKY:
        return dimension == 3 ? 15 / PI : 10 / PI;
    default:
        return dimension == 3 ? 8 / PI : 40 / (7 * PI);
    }
}

// 1 - q from which on |c(q)| is at most 2^-25 and rounds to 0 in half precision. Water that stands in a lattice of half the support
// has six of its 32 neighbours there.
static double kernel_rim(mn_Kernel type)
{
    switch (type) {
    case MN_KERNEL_WENDLAND: // 20 u^3
        return 1.14e-3;
    case MN_KERNEL_POLY6: // 24 u^2
        return 3.5e-5;
    case MN_KERNEL_SPIKY: // 3 u^2
        return 9.9e-5;
    default: // 6 u^2
        return 7e-5;
    }
}

Kernel kernel_create(mn_Kernel type, int dimension, double h)
{
    double norm = kernel_norm(type, dimension) / (dimension == 3 ? h * h * h : h * h);
    double reach = h * (1 - kernel_rim(type));
    return (Kernel){.type = type,
                    .dimension = dimension,
                    .h = (float)h,
                    .norm = (float)norm,
                    .gradient = (float)(norm / (h * h)),
                    .reach2 = (float)(reach * reach)};
}

double kernel_w(const Kernel* kernel, double r)
{
    double h = (double)kernel->h, q = r / h;
    double norm = kernel_norm(kernel->type, kernel->dimension) / (kernel->dimension == 3 ? h * h * h : h * h);
    if (q >= 1)
        return 0;
    double u = 1 - q;
    switch (kernel->type) {
    case MN_KERNEL_WENDLAND:
        return norm * u * u * u * u * (4 * q + 1);
    case MN_KERNEL_POLY6:
        return norm * (1 - q * q) * (1 - q * q) * (1 - q * q);
    case MN_KERNEL_SPIKY:
        return norm * u * u * u;
    default:
        return norm * (q < 0.5 ? 6 * q * q * q - 6 * q * q + 1 : 2 * u * u * u);
    }
}

double kernel_slope(const Kernel* kernel, double r)
{
    double h = (double)kernel->h, q = r / h;
    double norm = kernel_norm(kernel->type, kernel->dimension) / (kernel->dimension == 3 ? h * h * h * h : h * h * h);
    if (q >= 1)
        return 0;
    double u = 1 - q;
    switch (kernel->type) {
    case MN_KERNEL_WENDLAND:
        return norm * -20 * q * u * u * u;
    case MN_KERNEL_POLY6:
        return norm * -6 * q * (1 - q * q) * (1 - q * q);
    case MN_KERNEL_SPIKY:
        return norm * -3 * u * u;
    default:
        return norm * (q < 0.5 ? 18 * q * q - 12 * q : -6 * u * u);
    }
}
