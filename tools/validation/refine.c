// SPDX-License-Identifier: MIT
// Water at rest, and whether errors fall when the particles become smaller.
#include "cases.h"
#include "run.h"
#include "series.h"
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Mean of the last half second of a probe.
static double settled(const Table* probes, const char* column)
{
    Series series = series_of(probes, "time", column);
    double end = series.x[series.count - 1], mean = series_mean(&series, end - 0.5, end);
    series_free(&series);
    return mean;
}

// arguments: CASE RUN RADIUS LEVEL DEPTH_OF_P1 DEPTH_OF_P2
void compare_rest(char** arguments)
{
    const char* name = arguments[0];
    double radius = atof(arguments[2]), level = atof(arguments[3]);
    Table probes = run_probes(arguments[1]);
    double p1 = settled(&probes, "P1"), p2 = settled(&probes, "P2"), h = settled(&probes, "H1");
    double e1 = 9810 * atof(arguments[4]), e2 = 9810 * atof(arguments[5]);
    char quantity[96];
    snprintf(quantity, sizeof quantity, "level [m], r = %g m", radius);
    judge_absolute(name, quantity, h, level, radius);
    snprintf(quantity, sizeof quantity, "pressure below [Pa], r = %g m", radius);
    judge_relative(name, quantity, p1, e1, 0.02);
    snprintf(quantity, sizeof quantity, "pressure at half depth [Pa], r = %g m", radius);
    judge_relative(name, quantity, p2, e2, 0.02);
    snprintf(quantity, sizeof quantity, "pressure error / rho g H, r = %g m", radius);
    judge_below(name, quantity, sqrt(0.5 * (pow(p1 - e1, 2) + pow(p2 - e2, 2))) / (9810 * level), 0.02);
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
