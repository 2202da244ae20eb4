// SPDX-License-Identifier: MIT
// Elastic solids in water: the deflection of a plate under a column at rest, and the free end of a gate that water pushes open.
#include "cases.h"
#include "series.h"
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static Table probes_of(const char* run)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/probes.csv", run);
    return table_read(path);
}

// arguments: CASE RUN FROM_TIME DEFLECTION LIMIT
void compare_plate(char** arguments)
{
    const char* name = arguments[0];
    double from = atof(arguments[2]), wanted = atof(arguments[3]), most = 0;
    Table table = probes_of(arguments[1]);
    Series middle = series_of(&table, "time", "middle_y");
    double mean = -series_mean(&middle, from, INFINITY);
    for (size_t k = 0; k < middle.count; k++)
        if (middle.x[k] >= from)
            most = fmax(most, fabs(-middle.y[k] - mean));
    judge_relative(name, "deflection of the middle [m]", mean, wanted, atof(arguments[4]));
    judge_told(name, "largest distance from the mean / mean", most / mean);
    series_free(&middle);
    table_free(&table);
}

// Where the free end was farthest [m], by the length of its displacement.
static double farthest(const Series tip[2], double until)
{
    double most = 0;
    for (size_t k = 0; k < tip[0].count; k++)
        if (tip[0].x[k] <= until)
            most = fmax(most, hypot(tip[0].y[k], series_at(&tip[1], tip[0].x[k])));
    return most;
}

static void tell_gate(const char* name, const char* axis, const Series* tip, const Series* wanted)
{
    char text[80];
    double peak = series_max(wanted, 0, INFINITY);
    snprintf(text, sizeof text, "largest displacement of the free end, %s [m]", axis);
    judge_info(name, text, series_max(tip, 0, 0.36), peak);
    snprintf(text, sizeof text, "rms distance from the measured %s / its peak, to 0.16 s", axis);
    judge_told(name, text, series_rms(tip, wanted, 0, 0, 0.17) / peak);
    snprintf(text, sizeof text, "rms distance from the measured %s / its peak, to 0.36 s", axis);
    judge_told(name, text, series_rms(tip, wanted, 0, 0, 0.37) / peak);
}

// arguments: CASE RUN RELEASED LIMIT X.csv Y.csv CURVE.csv; the gate is let go at the time RELEASED; with limit 0 everything is
// told, not judged
void compare_gate(char** arguments)
{
    const char* name = arguments[0];
    double released = atof(arguments[2]), limit = atof(arguments[3]);
    Table table = probes_of(arguments[1]);
    static const char* const column[] = {"tip_x", "tip_y"};
    static const char* const axis[] = {"x", "y"};
    Series tip[2], wanted[2];
    for (int k = 0; k < 2; k++) {
        Table measured = table_read(arguments[4 + k]);
        wanted[k] = series_of(&measured, "t", axis[k]);
        tip[k] = series_of(&table, "time", column[k]);
        for (size_t i = 0; i < tip[k].count; i++)
            tip[k].x[i] -= released;
        table_free(&measured);
    }
    judge_relative(name, "largest displacement of the free end [m]", farthest(tip, 0.36), farthest(wanted, 0.36), limit);
    FILE* file = fopen(arguments[6], "w");
    if (!file)
        give_up("cannot write %s", arguments[6]);
    fprintf(file, "t,x,y\n");
    for (size_t k = 0; k < tip[0].count; k++)
        fprintf(file, "%g,%g,%g\n", tip[0].x[k], tip[0].y[k], tip[1].y[k]);
    fclose(file);
    for (int k = 0; k < 2; k++) {
        tell_gate(name, axis[k], &tip[k], &wanted[k]);
        series_free(&wanted[k]);
        series_free(&tip[k]);
    }
    table_free(&table);
}
