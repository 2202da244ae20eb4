// SPDX-License-Identifier: MIT
#include "elastic/reduced/accelerate.h"

#include <math.h>
#include <string.h>

static const double WORSE = 1;    // a residual that grew more than that, squared, tells that what is remembered is of no use
static const double RIDGE = 1e-4; // of the largest diagonal

bool accelerate_create(Accelerate* a, Memory* memory, size_t count)
{
    *a = (Accelerate){.count = count};
    a->last_value = memory_take(memory, count * sizeof(double));
    a->last_residual = memory_take(memory, count * sizeof(double));
    a->value = memory_take(memory, ACCELERATE_MOST * count * sizeof(double));
    a->residual = memory_take(memory, ACCELERATE_MOST * count * sizeof(double));
    return a->last_value && a->last_residual && a->value && a->residual;
}

void accelerate_free(Accelerate* a, Memory* memory)
{
    memory_give(memory, a->last_value);
    memory_give(memory, a->last_residual);
    memory_give(memory, a->value);
    memory_give(memory, a->residual);
    *a = (Accelerate){0};
}

void accelerate_begin(Accelerate* a)
{
    a->kept = a->next = 0;
    a->begun = false;
}

// Four sums side by side, added in the end: the order is the same everywhere, and the processor need not wait for each.
static double dot_of(const double* x, const double* y, size_t count)
{
    double sum[4] = {0, 0, 0, 0};
    size_t k = 0;
    for (; k + 4 <= count; k += 4)
        for (size_t i = 0; i < 4; i++)
            sum[i] += x[k + i] * y[k + i];
    for (; k < count; k++)
        sum[0] += x[k] * y[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Gaussian elimination of the few equations; positive by the ridge.
static void solve(double m[ACCELERATE_MOST][ACCELERATE_MOST], double* b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            double share = m[j][i] / m[i][i];
            for (size_t k = i; k < count; k++)
                m[j][k] -= share * m[i][k];
            b[j] -= share * b[i];
        }
    for (size_t i = count; i-- > 0;) {
        for (size_t k = i + 1; k < count; k++)
            b[i] -= m[i][k] * b[k];
        b[i] /= m[i][i];
    }
}

// The first of an iteration: there is nothing to compare with.
static void begin_with(Accelerate* a, const double* q, const double* g, double size)
{
    for (size_t k = 0; k < a->count; k++) {
        a->last_residual[k] = g[k] - q[k];
        a->last_value[k] = g[k];
    }
    a->last = size;
    a->begun = true;
}

// Keeps the differences to the iteration before.
static void remember(Accelerate* a, const double* q, const double* g, double size)
{
    size_t n = a->count, at = a->next;
    double *dv = a->value + at * n, *dr = a->residual + at * n;
    for (size_t k = 0; k < n; k++) {
        double residual = g[k] - q[k];
        dr[k] = residual - a->last_residual[k];
        dv[k] = g[k] - a->last_value[k];
        a->last_residual[k] = residual;
        a->last_value[k] = g[k];
    }
    a->last = size;
    a->next = (at + 1) % ACCELERATE_MOST;
    a->kept = a->kept < ACCELERATE_MOST ? a->kept + 1 : ACCELERATE_MOST;
    for (size_t j = 0; j < a->kept; j++)
        a->dot[at][j] = a->dot[j][at] = dot_of(dr, a->residual + j * n, n);
}

static double residual_size(const double* q, const double* g, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += (g[k] - q[k]) * (g[k] - q[k]);
    return sum;
}

void accelerate(Accelerate* a, const double* q, double* g)
{
    size_t n = a->count;
    double m[ACCELERATE_MOST][ACCELERATE_MOST], share[ACCELERATE_MOST], largest = 0, size = residual_size(q, g, n);
    if (a->begun && size > WORSE * a->last)
        accelerate_begin(a);
    if (!a->begun) {
        begin_with(a, q, g, size);
        return;
    }
    remember(a, q, g, size);
    for (size_t j = 0; j < a->kept; j++)
        largest = fmax(largest, a->dot[j][j]);
    if (!(largest > 0))
        return; // nothing changes any more
    for (size_t j = 0; j < a->kept; j++) {
        for (size_t k = 0; k < a->kept; k++)
            m[j][k] = a->dot[j][k] + (j == k ? RIDGE * largest : 0);
        share[j] = dot_of(a->residual + j * n, a->last_residual, n);
    }
    solve(m, share, a->kept);
    for (size_t j = 0; j < a->kept; j++) {
        const double* of = a->value + j * n;
        for (size_t k = 0; k < n; k++)
            g[k] -= share[j] * of[k];
    }
}
