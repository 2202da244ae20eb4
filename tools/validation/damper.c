// SPDX-License-Identifier: MIT
// A tank free to roll with sloshing water (SPHERIC test 9): its roll angle against the experiment of Bulian et al. (2010).
#include "cases.h"
#include "series.h"
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static Series roll_of(const char* body) // [degrees]
{
    Table bodies = table_read(body);
    Series roll = {0};
    size_t time = table_column(&bodies, "time"), w = table_column(&bodies, "qw"), z = table_column(&bodies, "qz");
    for (size_t k = 0; k < bodies.rows; k++) {
        double angle = 2 * atan2(table_get(&bodies, k, z), table_get(&bodies, k, w));
        series_add(&roll, table_get(&bodies, k, time), remainder(angle, 2 * M_PI) * 180 / M_PI);
    }
    table_free(&bodies);
    return roll;
}

// That of a sine with the same mean square: the highest of a few points would miss the peaks.
static double amplitude(const Series* series, double from, double to)
{
    double sum = 0, count = 0;
    for (double t = from; t <= to; t += 0.005, count++)
        sum += series_at(series, t) * series_at(series, t);
    return sqrt(2 * sum / count);
}

// arguments: CASE BODY.csv EXPERIMENT.csv COLUMN LIMIT CURVE.csv
void compare_damper(char** arguments)
{
    const char* name = arguments[0];
    const double period = 1.94;
    Series roll = roll_of(arguments[1]);
    Table table = table_read(arguments[2]);
    Series measured = series_of(&table, "t", arguments[3]);
    double end = roll.x[roll.count - 1], limit = atof(arguments[4]);
    judge_relative(name, "roll amplitude, last 4 periods [degrees]", amplitude(&roll, end - 4 * period, end),
                   amplitude(&measured, end - 4 * period, end), limit);
    judge_info(name, "roll amplitude, 4 to 12 s [degrees]", amplitude(&roll, 4, fmin(12, end)),
               amplitude(&measured, 4, fmin(12, end)));
    double shift = series_best_shift(&roll, &measured, period / 2, end - 4 * period, end - period);
    judge_below(name, "phase, as a share of the period", fabs(shift) / period, 0.05);
    FILE* file = fopen(arguments[5], "w");
    if (!file)
        give_up("cannot write %s", arguments[5]);
    fprintf(file, "t,roll\n");
    for (size_t k = 0; k < roll.count; k++)
        fprintf(file, "%g,%g\n", roll.x[k], roll.y[k]);
    fclose(file);
    series_free(&roll);
    series_free(&measured);
    table_free(&table);
}
