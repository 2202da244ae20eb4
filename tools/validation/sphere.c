// SPDX-License-Identifier: MIT
// A sphere that settles in oil: its fastest fall against the values that ten Cate et al. (2002) print, and the shape of its fall
// against their curve. Times count from the release.
#include "cases.h"
#include "series.h"
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Downward speeds as means over 50 ms: a sphere of a few particles trembles a little.
static Series fall_of(const char* body, double release)
{
    Table bodies = table_read(body);
    Series all = {0};
    size_t time = table_column(&bodies, "time"), vy = table_column(&bodies, "vy");
    for (size_t k = 0; k < bodies.rows; k++)
        if (table_get(&bodies, k, time) >= release)
            series_add(&all, table_get(&bodies, k, time) - release, -table_get(&bodies, k, vy));
    Series fall = series_bins(&all, 0.05);
    series_free(&all);
    table_free(&bodies);
    return fall;
}

// arguments: CASE BODY.csv RELEASE_TIME PEAK LIMIT EXPERIMENT.csv CURVE.csv; with limit 0 the peak is told, not judged
void compare_sphere(char** arguments)
{
    const char* name = arguments[0];
    double release = atof(arguments[2]), peak = atof(arguments[3]), limit = atof(arguments[4]);
    Series fall = fall_of(arguments[1], release);
    double fastest = series_max(&fall, 0, INFINITY);
    judge_relative(name, "fastest fall [m/s]", fastest, peak, limit);
    Table experiment = table_read(arguments[5]);
    Series curve = series_of(&experiment, "t", "v");
    double end = fall.x[fall.count - 1];
    judge_told(name, "rms distance from the curve / peak", series_rms(&fall, &curve, 0, 0, end) / peak);
    series_write(&fall, arguments[6], "t,v");
    series_free(&fall);
    series_free(&curve);
    table_free(&experiment);
}
