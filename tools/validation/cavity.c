// SPDX-License-Identifier: MIT
// The lid-driven cavity against Ghia, Ghia and Shin (1982): u along the vertical and v along the horizontal centre line of the unit
// square, as means over the end of the run, when the flow is steady.
#include "cases.h"
#include "field.h"
#include "series.h"
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 99 };

static Series profile(const char* run, double radius, double from_time, bool vertical)
{
    Sample sample[POINTS];
    Series series = {0};
    for (int k = 0; k < POINTS; k++) {
        double s = (k + 1.0) / (POINTS + 1);
        sample[k] = vertical ? (Sample){.x = 0.5, .y = s} : (Sample){.x = s, .y = 0.5};
    }
    field_samples(run, radius, from_time, sample, POINTS);
    for (int k = 0; k < POINTS; k++)
        series_add(&series, vertical ? sample[k].y : sample[k].x, vertical ? sample[k].vx : sample[k].vy);
    return series;
}

static void write_profiles(const Series* u, const Series* v, const char* path)
{
    FILE* file = fopen(path, "w");
    if (!file)
        give_up("cannot write %s", path);
    fprintf(file, "s,u,v\n");
    for (size_t k = 0; k < u->count; k++)
        fprintf(file, "%.6g,%.6g,%.6g\n", u->x[k], u->y[k], v->y[k]);
    fclose(file);
}

static double least(const Series* series)
{
    double value = INFINITY;
    for (size_t k = 0; k < series->count; k++)
        value = fmin(value, series->y[k]);
    return value;
}

static void compare_profile(const char* name, const char* what, const Series* profile, const char* path, const char* column,
                            double limit)
{
    char quantity[64];
    Table table = table_read(path);
    Series ghia = series_of(&table, "s", column);
    snprintf(quantity, sizeof quantity, "%s rms error [lid speed]", what);
    judge_below(name, quantity, series_rms(profile, &ghia, 0, 0.01, 0.99), limit);
    snprintf(quantity, sizeof quantity, "least %s", what);
    judge_relative(name, quantity, least(profile), least(&ghia), 0.1);
    series_free(&ghia);
    table_free(&table);
}

// arguments: CASE RUN RADIUS FROM_TIME REYNOLDS U.csv V.csv PROFILES.csv
void compare_cavity(char** arguments)
{
    double radius = atof(arguments[2]), from_time = atof(arguments[3]);
    char column[32];
    snprintf(column, sizeof column, "Re%s", arguments[4]);
    Series u = profile(arguments[1], radius, from_time, true), v = profile(arguments[1], radius, from_time, false);
    compare_profile(arguments[0], "u", &u, arguments[5], column, 0.03);
    compare_profile(arguments[0], "v", &v, arguments[6], column, 0.03);
    write_profiles(&u, &v, arguments[7]);
    series_free(&u);
    series_free(&v);
}
