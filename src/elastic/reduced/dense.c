// SPDX-License-Identifier: MIT
#include "elastic/reduced/dense.h"

#include <math.h>
#include <string.h>

enum { STRIPE = 4 }; // rows that are taken from all others in one pass, so that a matrix goes through the cache a quarter as often

// row -= sum of factor[k] * from[k]
static void take_rows(double* restrict row, const double factor[STRIPE], const double* restrict f0, const double* restrict f1,
                      const double* restrict f2, const double* restrict f3, size_t count)
{
    double a = factor[0], b = factor[1], c = factor[2], d = factor[3];
    for (size_t j = 0; j < count; j++)
        row[j] = row[j] - a * f0[j] - b * f1[j] - c * f2[j] - d * f3[j];
}

static void take_row(double* restrict row, double factor, const double* restrict from, size_t count)
{
    for (size_t j = 0; j < count; j++)
        row[j] -= factor * from[j];
}

// Rows first .. first + STRIPE - 1 become rows of U. False: not positive.
static bool factor_stripe(double* a, size_t n, size_t first, size_t count)
{
    for (size_t k = first; k < first + count; k++) {
        double* row = a + k * n;
        for (size_t m = first; m < k; m++)
            take_row(row + k, a[m * n + k], a + m * n + k, n - k);
        if (!(row[k] > 0))
            return false;
        double scale = 1 / sqrt(row[k]);
        for (size_t j = k; j < n; j++)
            row[j] *= scale;
    }
    return true;
}

bool dense_factor(double* a, size_t n)
{
    for (size_t first = 0; first < n; first += STRIPE) {
        size_t count = n - first < STRIPE ? n - first : STRIPE;
        if (!factor_stripe(a, n, first, count))
            return false;
        if (count < STRIPE)
            break;
        const double* u = a + first * n;
        for (size_t i = first + STRIPE; i < n; i++) {
            const double factor[STRIPE] = {u[i], u[n + i], u[2 * n + i], u[3 * n + i]};
            take_rows(a + i * n + i, factor, u + i, u + n + i, u + 2 * n + i, u + 3 * n + i, n - i);
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            a[i * n + j] = a[j * n + i];
    return true;
}

// row -= sum over k of u[k] times row k of b, for k from `begin` to `end`, `count` entries of each
static void take_range(double* row, const double* u, const double* b, size_t n, size_t begin, size_t end, size_t count)
{
    size_t k = begin;
    for (; k + STRIPE <= end; k += STRIPE) {
        const double* from = b + k * n;
        take_rows(row, u + k, from, from + n, from + 2 * n, from + 3 * n, count);
    }
    for (; k < end; k++)
        take_row(row, u[k], b + k * n, count);
}

// U^T Y = 1 makes Y lower triangular, U X = Y is then solved for its lower half, and X is symmetric.
void dense_inverse(const double* factor, size_t n, double* x)
{
    memset(x, 0, n * n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        double *row = x + i * n, scale = 1 / factor[i * n + i];
        take_range(row, factor + i * n, x, n, 0, i, i);
        for (size_t j = 0; j < i; j++)
            row[j] *= scale;
        row[i] = scale;
    }
    for (size_t i = n; i-- > 0;) {
        double *row = x + i * n, scale = 1 / factor[i * n + i];
        take_range(row, factor + i * n, x, n, i + 1, n, i + 1);
        for (size_t j = 0; j <= i; j++)
            row[j] *= scale;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            x[i * n + j] = x[j * n + i];
}

void dense_solve3(const double* factor, size_t n, double* b)
{
    double* restrict x = b, * restrict y = b + n, * restrict z = b + 2 * n;
    for (size_t i = 0; i < n; i++) {
        const double* restrict u = factor + i * n;
        double p = x[i] /= u[i], q = y[i] /= u[i], r = z[i] /= u[i];
        for (size_t j = i + 1; j < n; j++) {
            x[j] -= u[j] * p;
            y[j] -= u[j] * q;
            z[j] -= u[j] * r;
        }
    }
    for (size_t i = n; i-- > 0;) {
        const double* restrict u = factor + i * n;
        double p = x[i] /= u[i], q = y[i] /= u[i], r = z[i] /= u[i];
        for (size_t j = 0; j < i; j++) {
            x[j] -= u[j] * p;
            y[j] -= u[j] * q;
            z[j] -= u[j] * r;
        }
    }
}

void dense_times3(const double* a, size_t n, const double* in, double* out)
{
    double* restrict x = out, * restrict y = out + n, * restrict z = out + 2 * n;
    memset(out, 0, 3 * n * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        const double* restrict row = a + i * n;
        double p = in[i], q = in[n + i], r = in[2 * n + i];
        for (size_t j = 0; j < n; j++) {
            x[j] += row[j] * p;
            y[j] += row[j] * q;
            z[j] += row[j] * r;
        }
    }
}
