// SPDX-License-Identifier: MIT
// The front of a dam break on a dry bed, in the scales of Martin and Moyce (1952): T = t sqrt(2 g / L), Z = x / L, for a column of
// width L and height 2 L. Experiments lift a gate, which delays them by a time of their own, and rub on the bed. So each is
// compared after one shift in time, the best one: what counts is the speed of the front and the shape of the curve.
#include "cases.h"
#include "run.h"
#include "series.h"
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double low = 1.4, high = 3.6; // range of Z for speeds: the gate has gone, the wall at Z = 4 is not yet there

static int ascending(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Where the layer of water on the bed that hangs together from the wall at x = 0 ends; drops that run ahead do not count.
static double toe(const Particles* particles, double radius)
{
    double* x = grow(NULL, particles->table.rows * sizeof *x);
    size_t n = 0;
    for (size_t i = 0; i < particles->table.rows; i++)
        if (table_get(&particles->table, i, particles->y) < 4 * radius)
            x[n++] = table_get(&particles->table, i, particles->x);
    qsort(x, n, sizeof *x, ascending);
    double front = 0;
    for (size_t k = 0; k < n && x[k] - front < 6 * radius; k++)
        front = x[k];
    free(x);
    return front + radius;
}

static Series front_of(const char* run, double radius, double width, double gravity)
{
    Series front = {0};
    Frames frames = frames_list(run);
    for (size_t k = 0; k < frames.count; k++) {
        Particles particles = particles_read(frames.path[k]);
        series_add(&front, particles.time * sqrt(2 * gravity / width), toe(&particles, radius) / width);
        particles_free(&particles);
    }
    frames_free(&frames);
    return front;
}

static void write_curve(const Series* front, const char* path)
{
    FILE* file = fopen(path, "w");
    if (!file)
        give_up("cannot write %s", path);
    fprintf(file, "T,Z\n");
    for (size_t k = 0; k < front->count; k++)
        fprintf(file, "%.6g,%.6g\n", front->x[k], front->y[k]);
    fclose(file);
}

// Returns the speed in the experiment. The experiments differ among themselves by a fifth, so only their mean is judged.
static double compare_with(const char* name, const Series* front, const char* path, const char* label)
{
    Table table = table_read(path);
    Series experiment = series_of(&table, "T", "Z");
    double end = fmin(series_reach(&experiment, high), experiment.x[experiment.count - 1]);
    double shift = series_best_shift(front, &experiment, 1, 0, end);
    char quantity[160];
    snprintf(quantity, sizeof quantity, "front speed dZ/dT, %s", label);
    double speed = series_slope(&experiment, low, high);
    judge_info(name, quantity, series_slope(front, low, high), speed);
    snprintf(quantity, sizeof quantity, "rms distance / L after time shift, %s", label);
    judge_below(name, quantity, series_rms(front, &experiment, shift, 0, end), 0.1);
    snprintf(quantity, sizeof quantity, "rms distance / L as it is, %s", label);
    judge_told(name, quantity, series_rms(front, &experiment, 0, 0, end));
    snprintf(quantity, sizeof quantity, "time shift in T, %s", label);
    judge_below(name, quantity, fabs(shift), 0.5);
    series_free(&experiment);
    table_free(&table);
    return speed;
}

// arguments: CASE RUN RADIUS WIDTH CURVE.csv [EXPERIMENT.csv LABEL]...
void compare_front(char** arguments)
{
    Series front = front_of(arguments[1], atof(arguments[2]), atof(arguments[3]), 9.81);
    write_curve(&front, arguments[4]);
    double sum = 0, n = 0;
    for (char** at = arguments + 5; at[0] && at[1]; at += 2, n++)
        sum += compare_with(arguments[0], &front, at[0], at[1]);
    if (n > 0)
        judge_relative(arguments[0], "front speed dZ/dT, mean of the experiments", series_slope(&front, low, high), sum / n, 0.1);
    series_free(&front);
}
