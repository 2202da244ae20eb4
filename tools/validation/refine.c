// SPDX-License-Identifier: MIT
// Water at rest, and whether errors fall when the particles become smaller.
#include "cases.h"
#include "run.h"
#include "series.h"
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROW = 5 }; // pressure probes at one depth

// Mean of the last half second of a probe.
static double settled(const Table* probes, const char* column)
{
    Series series = series_of(probes, "time", column);
    double end = series.x[series.count - 1], mean = series_mean(&series, end - 0.5, end);
    series_free(&series);
    return mean;
}

typedef struct Row {
    double mean, spread; // over the probes of a depth, root mean square for the spread
} Row;

// Particles at rest lie in no order and carry unequal loads, like stones: one point tells less than a row of them.
static Row settled_row(const Table* probes, char letter)
{
    double sum = 0, square = 0;
    for (int k = 1; k <= ROW; k++) {
        char column[8];
        snprintf(column, sizeof column, "%c%d", letter, k);
        double p = settled(probes, column);
        sum += p;
        square += p * p;
    }
    double mean = sum / ROW;
    return (Row){mean, sqrt(fmax(0, square / ROW - mean * mean))};
}

static void compare_row(const char* name, const char* what, Row row, double radius, double depth)
{
    char quantity[96];
    snprintf(quantity, sizeof quantity, "pressure %s [Pa], r = %g m", what, radius);
    judge_absolute(name, quantity, row.mean, 9810 * depth, 9810 * 2 * radius); // a spacing of water
    snprintf(quantity, sizeof quantity, "its spread along the row [Pa], r = %g m", radius);
    judge_told(name, quantity, row.spread);
}

// arguments: CASE RUN RADIUS LEVEL DEPTH_OF_A DEPTH_OF_B
void compare_rest(char** arguments)
{
    const char* name = arguments[0];
    double radius = atof(arguments[2]), level = atof(arguments[3]);
    Table probes = run_probes(arguments[1]);
    double depth_a = atof(arguments[4]), depth_b = atof(arguments[5]), h = settled(&probes, "H");
    Row a = settled_row(&probes, 'A'), b = settled_row(&probes, 'B');
    char quantity[96];
    snprintf(quantity, sizeof quantity, "level [m], r = %g m", radius);
    judge_absolute(name, quantity, h, level, radius);
    compare_row(name, "near the floor", a, radius, depth_a);
    compare_row(name, "at half depth", b, radius, depth_b);
    snprintf(quantity, sizeof quantity, "pressure error / rho g H, r = %g m", radius);
    double ea = a.mean - 9810 * depth_a, eb = b.mean - 9810 * depth_b;
    judge_told(name, quantity, sqrt(0.5 * (ea * ea + eb * eb)) / (9810 * level));
    table_free(&probes);
}

// arguments: CASE QUANTITY LEAST_ORDER [SPACING ERROR]..., from coarse to fine
void compare_order(char** arguments)
{
    double least = atof(arguments[2]), first_s = NAN, first_e = NAN, s = NAN, e = NAN;
    bool falls = true;
    for (char** at = arguments + 3; at[0] && at[1]; at += 2) {
        double last = e;
        s = atof(at[0]);
        e = atof(at[1]);
        if (isnan(first_s)) {
            first_s = s;
            first_e = e;
        } else {
            falls = falls && e < last;
        }
    }
    char quantity[160];
    snprintf(quantity, sizeof quantity, "%s: error falls by r^p, p", arguments[1]);
    judge_above(arguments[0], quantity, falls ? log(first_e / e) / log(first_s / s) : (double)NAN, least);
}
