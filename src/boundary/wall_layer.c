// SPDX-License-Identifier: MIT
#include "boundary/wall_layer.h"

static const double STRENGTH_MOST = 1.2;

// sum of W over a plane lattice (2D: a line) seen from distance z
static double layer_sum(const Kernel* kernel, double spacing, double z)
{
    int n = (int)ceil((double)kernel->h / spacing), m = kernel->dimension == 3 ? n : 0;
    double sum = 0;
    for (int j = -m; j <= m; j++)
        for (int i = -n; i <= n; i++)
            sum += kernel_w(kernel, sqrt(z * z + spacing * spacing * (double)(i * i + j * j)));
    return sum;
}

// integral of W over a plane (2D: a line) at distance z
static double plane_sum(const Kernel* kernel, double z)
{
    enum { STEPS = 200 };
    double h = (double)kernel->h, width = sqrt(fmax(h * h - z * z, 0)), step = width / STEPS, sum = 0;
    for (int k = 0; k < STEPS; k++) {
        double a = (k + 0.5) * step;
        sum += (kernel->dimension == 3 ? 2 * M_PI * a : 2) * kernel_w(kernel, sqrt(a * a + z * z)) * step;
    }
    return sum;
}

// integral of plane_sum, or of z times it, beyond `from`
static double beyond(const Kernel* kernel, double from, bool moment)
{
    enum { STEPS = 200 };
    double step = ((double)kernel->h - from) / STEPS, sum = 0;
    for (int k = 0; k < STEPS; k++) {
        double z = from + (k + 0.5) * step;
        sum += (moment ? z : 1) * plane_sum(kernel, z) * step;
    }
    return sum;
}

// One layer of boundary particles stands for a half-space of fluid layers. Two things must hold, and there are two numbers to
// choose, how far back the layer lies and how much more volume its particles have than the layer itself would say:
// - a lattice at rest half a spacing in front of the surface has its rest density: the layer contributes what is missing;
// - fluid in disorder comes as near as the lattice: summed over the outside, the layer contributes what displaced fluid would
//   (curvature.h). With the first alone a stirred tank of 20 x 15 x 10 particles stands 1.1 % too low.
// Both together want a layer far back with large volumes (cubic spline: 0.67 spacings, 1.34), at which impacts at walls cost
// pcisph its convergence; STRENGTH_MOST is half of that, and the tank stands 0.6 % too low. Rigid bodies get the other
// half by their own factors.
WallLayer boundary_layer(const Kernel* kernel, double volume, double spacing)
{
    double h = (double)kernel->h, missing = 0, displaced = beyond(kernel, 0, true), own = layer_sum(kernel, spacing, 0);
    double area = kernel->dimension == 3 ? spacing * spacing : spacing;
    for (int layer = 1; layer * spacing < h; layer++)
        missing += volume * layer_sum(kernel, spacing, layer * spacing);
    double low = spacing / 2, high = h;
    for (int k = 0; k < 40; k++) {
        double middle = (low + high) / 2, wanted = missing / layer_sum(kernel, spacing, middle); // volume per particle
        bool enough = wanted / area * beyond(kernel, middle - spacing / 2, false) > displaced || wanted * own > STRENGTH_MOST;
        if (enough)
            high = middle;
        else
            low = middle;
    }
    return (WallLayer){low - spacing / 2, missing / layer_sum(kernel, spacing, low) * own};
}

// integral over a plane (2D: a line) at distance z of x^2 (dW/dr) / r / (r^2 + 0.01 h^2): the pair term of laplace viscosity for
// shear along x. Integrals and not lattice sums, because fluid in motion is no lattice.
static double shear_of_plane(const Kernel* kernel, double z)
{
    enum { STEPS = 200 };
    double h = (double)kernel->h, step = h / STEPS, sum = 0;
    for (int k = 0; k < STEPS; k++) {
        double a = (k + 0.5) * step, r2 = a * a + z * z, r = sqrt(r2);
        double around = kernel->dimension == 3 ? 3.14159265358979323846 * a * a * a : 2 * a * a; // x^2 over the ring at a
        sum += r < h ? around * kernel_slope(kernel, r) / r / (r2 + 0.01 * h * h) * step : 0;
    }
    return sum;
}

double boundary_drag(const Kernel* kernel, double spacing, WallLayer layer)
{
    enum { STEPS = 200 };
    double area = kernel->dimension == 3 ? spacing * spacing : spacing;
    double at = spacing / 2, step = (double)kernel->h / STEPS, ghosts = 0;
    for (int k = 0; k < STEPS; k++) {
        double behind = (k + 0.5) * step;
        ghosts += (at + behind) * shear_of_plane(kernel, at + behind) * step;
    }
    double wall = layer.strength * at * shear_of_plane(kernel, at + layer.offset) / (area * layer_sum(kernel, spacing, 0));
    return fabs(wall) > 0 ? ghosts / wall : 1;
}

WallGrip boundary_grip(const Kernel* kernel, double spacing, WallLayer layer)
{
    double area = kernel->dimension == 3 ? spacing * spacing : spacing, volume = layer.strength / layer_sum(kernel, spacing, 0);
    double drag = 0, share = 0;
    for (double at = spacing / 2; at + layer.offset < (double)kernel->h; at += spacing) {
        drag -= 2 * (kernel->dimension + 2) * spacing * at * volume / area * shear_of_plane(kernel, at + layer.offset);
        share += volume / area * plane_sum(kernel, at + layer.offset);
    }
    return (WallGrip){drag > 0 ? 1 / drag : 1, share > 0 ? 0.5 / share : 0};
}
