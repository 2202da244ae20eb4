// SPDX-License-Identifier: MIT
// A curve y(x) of points in ascending x, and how two of them are compared.
#pragma once

#include "table.h"

typedef struct Series {
    size_t count;
    double *x, *y;
} Series;

Series series_of(const Table* table, const char* x, const char* y);
void series_add(Series* series, double x, double y);
void series_free(Series* series);
// As a CSV file with the two column names of the heading ("t,v"); ends the program if it cannot be written.
void series_write(const Series* series, const char* path, const char* heading);

// Value by linear interpolation; the end values beyond the ends.
double series_at(const Series* series, double x);
// x at which the curve first reaches y, by linear interpolation; NaN if never.
double series_reach(const Series* series, double y);
double series_max(const Series* series, double from, double to);
double series_mean(const Series* series, double from, double to);

// Means of the points in [k width, (k + 1) width), at the middle of each such bin; bins without points are left out.
Series series_bins(const Series* series, double width);

// Root mean square of curve(x + shift) - reference over the reference points with x in [from, to].
double series_rms(const Series* curve, const Series* reference, double shift, double from, double to);
// The shift in [-most, most] that makes series_rms least.
double series_best_shift(const Series* curve, const Series* reference, double most, double from, double to);
// Slope dy/dx of the least-squares line through the points with y in [low, high].
double series_slope(const Series* series, double low, double high);
