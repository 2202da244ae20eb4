// SPDX-License-Identifier: MIT
// A tank free to roll with sloshing water (SPHERIC test 9): its roll angle against the experiment of Bulian et al. (2010).
#include "cases.h"
#include "series.h"
#include "verdict.h"

#include <math.h>
#include <stdlib.h>

// That of a sine with the same mean square: the highest of a few points would miss the peaks.
static double amplitude(const Series* series, double from, double to)
{
    double sum = 0, count = 0;
    for (double t = from; t <= to; t += 0.005, count++)
        sum += series_at(series, t) * series_at(series, t);
    return sqrt(2 * sum / count);
}

// arguments: CASE ROLL.csv (t, roll) EXPERIMENT.csv COLUMN LIMIT; a limit of 0 tells without a verdict
void compare_damper(char** arguments)
{
    const char* name = arguments[0];
    const double period = 1.94;
    Table simulated = table_read(arguments[1]), table = table_read(arguments[2]);
    Series roll = series_of(&simulated, "t", "roll"), measured = series_of(&table, "t", arguments[3]);
    double end = roll.x[roll.count - 1], limit = atof(arguments[4]);
    double last = amplitude(&roll, end - 4 * period, end), wanted = amplitude(&measured, end - 4 * period, end);
    double shift = fabs(series_best_shift(&roll, &measured, period / 2, end - 4 * period, end - period)) / period;
    judge_relative(name, "roll amplitude, last 4 periods [degrees]", last, wanted, limit);
    judge_info(name, "roll amplitude, 4 to 12 s [degrees]", amplitude(&roll, 4, fmin(12, end)),
               amplitude(&measured, 4, fmin(12, end)));
    judge_below(name, "phase, as a share of the period", shift, limit > 0 ? 0.05 : 0);
    series_free(&roll);
    series_free(&measured);
    table_free(&simulated);
    table_free(&table);
}
