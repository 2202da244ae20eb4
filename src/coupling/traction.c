// SPDX-License-Identifier: MIT
#include "coupling/traction.h"

#include <math.h>

enum { PARTS = 400 };

static void set_r0(Traction* t, double r0)
{
    t->r0 = r0;
    t->gain = t->k / (t->h * t->h * r0 * (2 * t->h - r0));
    t->g0 = (t->h - r0) * (t->h - r0);
}

double traction_at(const Traction* t, double s)
{
    double u = t->h - s, tau = t->gain * u * u * (u * u - t->g0);
    return u <= 0 ? 0 : fmax(tau, t->adhesion * tau);
}

// Rings around the foot of the particle: with s the distance, dA = 2 pi s ds, and the share of the normal is d / s. In 2D two
// points at x = sqrt(s^2 - d^2) each, dx = s ds / x; the substitution s = d + w^2 takes the singularity at the foot away.
double traction_of_plane(const Traction* t, double d)
{
    double end = sqrt(t->h - d), sum = 0;
    if (!(d > 0) || !(d < t->h))
        return 0;
    for (int k = 0; k < PARTS; k++) {
        double w = (k + 0.5) * end / PARTS, s = d + w * w;
        double measure = t->dimension == 3 ? 2 * M_PI * 2 * w : 4 / sqrt(s + d);
        sum += traction_at(t, s) * d * measure;
    }
    return sum * end / PARTS;
}

// What friction of the whole plane comes to for mu = 1 and a relative speed of 1, without Traction.drag (eqs. 17-19).
static double drag_of_plane(const Traction* t, double d)
{
    double end = sqrt(t->h - d), sum = 0;
    for (int k = 0; k < PARTS; k++) {
        double w = (k + 0.5) * end / PARTS, s = d + w * w;
        sum += (t->h - s) * (t->dimension == 3 ? 2 * M_PI * s * 2 * w : 4 * s / sqrt(s + d));
    }
    return sum * end / PARTS;
}

// The share of it with which fluid that fills the space from half a spacing nearer than its rest distance on, in a steady shear
// that ends at the plane, feels the shear stress mu du/dn in all, however its layers lie.
static double drag_scale(const Traction* t, double spacing)
{
    double begin = fmax(t->rest - 0.5 * spacing, 0), part = (t->h - begin) / PARTS, sum = 0;
    for (int k = 0; k < PARTS; k++) {
        double d = begin + (k + 0.5) * part;
        sum += drag_of_plane(t, d) * d * part;
    }
    return pow(spacing, t->dimension) / sum;
}

Traction traction_make(int dimension, double h, double k, double rest, double spacing, double adhesion)
{
    Traction t = {.dimension = dimension, .h = h, .k = k, .rest = rest, .adhesion = adhesion};
    double low = 1e-6 * h, high = (1 - 1e-6) * h; // the larger r0, the farther away the balance
    for (int n = 0; n < 60; n++) {
        double middle = 0.5 * (low + high);
        set_r0(&t, middle);
        if (traction_of_plane(&t, rest) > 1e-12 * k * h * h)
            high = middle;
        else
            low = middle;
    }
    set_r0(&t, high);
    t.drag = drag_scale(&t, spacing);
    return t;
}

double traction_peak(const Traction* t)
{
    double most = 0;
    for (int k = 1; k < 64; k++)
        most = fmax(most, traction_of_plane(t, t->h * k / 64));
    return most;
}

double traction_stiffness(const Traction* t)
{
    double most = 0, d = t->h / 64;
    for (int k = 1; k < 63; k++)
        most = fmax(most, fabs(traction_of_plane(t, d * (k + 1)) - traction_of_plane(t, d * k)) / d);
    return most;
}
