// SPDX-License-Identifier: MIT
#include "field.h"

#include <math.h>

// Sums of the weighted least-squares fit v(x) = a + b (x - x0) + c (y - y0); a is the value wanted.
typedef struct Fit {
    double m[3][3], u[3], v[3];
} Fit;

static void fit_add(Fit* fit, double dx, double dy, double weight, double vx, double vy)
{
    double basis[3] = {1, dx, dy};
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++)
            fit->m[a][b] += weight * basis[a] * basis[b];
        fit->u[a] += weight * basis[a] * vx;
        fit->v[a] += weight * basis[a] * vy;
    }
}

static double determinant(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// First unknown of m a = r by Cramer's rule.
static double first_unknown(double m[3][3], const double r[3])
{
    double n[3][3];
    for (int a = 0; a < 3; a++) {
        n[a][0] = r[a];
        n[a][1] = m[a][1];
        n[a][2] = m[a][2];
    }
    return determinant(n) / determinant(m);
}

static void sample_add(const Particles* particles, double radius, Sample* sample)
{
    Fit fit = {0};
    const double support = 4 * radius;
    for (size_t i = 0; i < particles->table.rows; i++) {
        // in units of the support, so that the fit's matrix is well scaled
        double dx = (table_get(&particles->table, i, particles->x) - sample->x) / support;
        double dy = (table_get(&particles->table, i, particles->y) - sample->y) / support;
        double q = sqrt(dx * dx + dy * dy);
        if (q >= 1)
            continue;
        double weight = pow(1 - q, 4) * (1 + 4 * q);
        fit_add(&fit, dx, dy, weight, table_get(&particles->table, i, particles->vx),
                table_get(&particles->table, i, particles->vy));
    }
    sample->vx += first_unknown(fit.m, fit.u);
    sample->vy += first_unknown(fit.m, fit.v);
}

size_t field_samples(const char* run, double radius, double from_time, Sample* sample, size_t count)
{
    Frames frames = frames_list(run);
    size_t used = 0;
    for (size_t k = 0; k < count; k++)
        sample[k].vx = sample[k].vy = 0;
    for (size_t f = frames.count; f-- > 0;) {
        Particles particles = particles_read(frames.path[f]);
        bool wanted = particles.time >= from_time;
        for (size_t k = 0; wanted && k < count; k++)
            sample_add(&particles, radius, &sample[k]);
        used += wanted;
        particles_free(&particles);
        if (!wanted)
            break;
    }
    frames_free(&frames);
    for (size_t k = 0; k < count; k++) {
        sample[k].vx /= (double)used;
        sample[k].vy /= (double)used;
    }
    return used;
}
