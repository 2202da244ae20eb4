// SPDX-License-Identifier: MIT
// The first standing wave in a tank of length L and depth D: water without viscosity loses none of it, and it swings with
//   omega^2 = g k tanh(k D),  k = pi / L.
// The momentum along the tank is that of the wave. Its amplitude and phase are taken over two periods at a time, weighted with
// 1 - cos so that other waves hardly count, and from their slopes over time come the loss and the period.
#include "cases.h"
#include "series.h"
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846, gravity = 9.81;

typedef struct Wave {
    double amplitude, phase;
} Wave;

// What swings with `omega` in the two periods from `begin` on.
static Wave wave_between(const Series* momentum, double begin, double omega)
{
    double length = 4 * pi / omega, c = 0, s = 0, weights = 0;
    for (size_t k = 0; k < momentum->count; k++) {
        double t = momentum->x[k] - begin;
        if (t < 0 || t > length)
            continue;
        double weight = 1 - cos(2 * pi * t / length);
        c += weight * momentum->y[k] * cos(omega * momentum->x[k]);
        s -= weight * momentum->y[k] * sin(omega * momentum->x[k]);
        weights += weight;
    }
    return (Wave){2 * sqrt(c * c + s * s) / weights, atan2(s, c)};
}

static double near_phase(double phase, double last)
{
    return phase - 2 * pi * round((phase - last) / (2 * pi));
}

// arguments: CASE STATS.csv LENGTH DEPTH MOST_LOSS MOST_PERIOD_ERROR
void compare_wave(char** arguments)
{
    double length = atof(arguments[2]), depth = atof(arguments[3]), k = pi / length;
    double omega = sqrt(gravity * k * tanh(k * depth)), period = 2 * pi / omega;
    Table table = table_read(arguments[1]);
    Series momentum = series_of(&table, "time", "momentum_x"), logarithm = {0}, phase = {0};
    double end = momentum.x[momentum.count - 1], last = 0;
    for (double begin = 0; begin + 2 * period <= end; begin += period / 8) {
        Wave wave = wave_between(&momentum, begin, omega);
        last = phase.count ? near_phase(wave.phase, last) : wave.phase;
        series_add(&logarithm, begin, log(wave.amplitude));
        series_add(&phase, begin, last);
    }
    double loss = 1 - exp(period * series_slope(&logarithm, -INFINITY, INFINITY));
    double found = 2 * pi / (omega + series_slope(&phase, -INFINITY, INFINITY));
    judge_below(arguments[0], "loss of amplitude per period", loss, atof(arguments[4]));
    judge_relative(arguments[0], "period [s]", found, period, atof(arguments[5]));
    series_free(&logarithm);
    series_free(&phase);
    series_free(&momentum);
    table_free(&table);
}
