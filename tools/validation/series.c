// SPDX-License-Identifier: MIT
#include "series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

Series series_of(const Table* table, const char* x, const char* y)
{
    Series series = {0};
    size_t cx = table_column(table, x), cy = table_column(table, y);
    for (size_t row = 0; row < table->rows; row++)
        if (!isnan(table_get(table, row, cy)))
            series_add(&series, table_get(table, row, cx), table_get(table, row, cy));
    return series;
}

void series_add(Series* series, double x, double y)
{
    size_t n = series->count++;
    if ((n & (n - 1)) == 0) { // full at every power of two
        size_t size = (n ? 2 * n : 1) * sizeof(double);
        series->x = grow(series->x, size);
        series->y = grow(series->y, size);
    }
    series->x[n] = x;
    series->y[n] = y;
}

void series_free(Series* series)
{
    free(series->x);
    free(series->y);
    *series = (Series){0};
}

void series_write(const Series* series, const char* path, const char* heading)
{
    FILE* file = fopen(path, "w");
    if (!file)
        give_up("cannot write %s", path);
    fprintf(file, "%s\n", heading);
    for (size_t k = 0; k < series->count; k++)
        fprintf(file, "%g,%g\n", series->x[k], series->y[k]);
    fclose(file);
}

double series_at(const Series* series, double x)
{
    if (!series->count)
        return NAN;
    size_t k = 0;
    while (k < series->count && series->x[k] < x)
        k++;
    if (k == 0 || k == series->count)
        return series->y[k ? k - 1 : 0];
    double t = (x - series->x[k - 1]) / (series->x[k] - series->x[k - 1]);
    return series->y[k - 1] + t * (series->y[k] - series->y[k - 1]);
}

double series_reach(const Series* series, double y)
{
    if (series->count && series->y[0] >= y)
        return series->x[0];
    for (size_t k = 1; k < series->count; k++)
        if (series->y[k] >= y)
            return series->x[k - 1] +
                   (series->x[k] - series->x[k - 1]) * (y - series->y[k - 1]) / (series->y[k] - series->y[k - 1]);
    return NAN;
}

double series_max(const Series* series, double from, double to)
{
    double most = NAN;
    for (size_t k = 0; k < series->count; k++)
        if (series->x[k] >= from && series->x[k] <= to)
            most = fmax(most, series->y[k]);
    return most;
}

double series_mean(const Series* series, double from, double to)
{
    double sum = 0;
    size_t n = 0;
    for (size_t k = 0; k < series->count; k++)
        if (series->x[k] >= from && series->x[k] <= to) {
            sum += series->y[k];
            n++;
        }
    return n ? sum / (double)n : (double)NAN;
}

Series series_bins(const Series* series, double width)
{
    Series bins = {0};
    for (size_t k = 0; k < series->count;) {
        // the small term keeps a point that rounding put just below a border out of the bin before
        double bin = floor(series->x[k] / width + 1e-6), sum = 0;
        size_t n = 0;
        for (; k < series->count && floor(series->x[k] / width + 1e-6) == bin; k++, n++)
            sum += series->y[k];
        series_add(&bins, (bin + 0.5) * width, sum / (double)n);
    }
    return bins;
}

double series_rms(const Series* curve, const Series* reference, double shift, double from, double to)
{
    double sum = 0;
    size_t n = 0;
    for (size_t k = 0; k < reference->count; k++)
        if (reference->x[k] >= from && reference->x[k] <= to) {
            double e = series_at(curve, reference->x[k] + shift) - reference->y[k];
            sum += e * e;
            n++;
        }
    return n ? sqrt(sum / (double)n) : (double)NAN;
}

double series_best_shift(const Series* curve, const Series* reference, double most, double from, double to)
{
    double best = 0, least = INFINITY;
    int steps = 400;
    for (int k = -steps; k <= steps; k++) {
        double shift = most * k / steps, error = series_rms(curve, reference, shift, from, to);
        if (error < least) {
            least = error;
            best = shift;
        }
    }
    return best;
}

double series_slope(const Series* series, double low, double high)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (size_t k = 0; k < series->count; k++) {
        double x = series->x[k], y = series->y[k];
        if (y < low || y > high)
            continue;
        n++;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return n >= 2 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : (double)NAN;
}
