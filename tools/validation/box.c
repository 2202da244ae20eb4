// SPDX-License-Identifier: MIT
// Dam break on a box (SPHERIC test 2): pressures on the box and water levels against the experiment of Kleefsman et al. (2005).
// Both are means over 10 ms, the width of the published table: shorter peaks of an impact are not repeatable, in either.
#include "cases.h"
#include "run.h"
#include "series.h"
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Pair {
    Series measured, simulated;
} Pair;

static Pair pair_of(const Table* experiment, const Table* probes, const char* column)
{
    Pair pair = {.measured = series_of(experiment, "t", column)};
    Series raw = series_of(probes, "time", column);
    pair.simulated = series_bins(&raw, 0.01);
    series_free(&raw);
    return pair;
}

static void pair_free(Pair* pair)
{
    series_free(&pair->measured);
    series_free(&pair->simulated);
}

static void compare_level(const char* name, const char* column, const Pair* pair, double end, double limit)
{
    char quantity[64];
    snprintf(quantity, sizeof quantity, "%s rms error [m]", column);
    judge_below(name, quantity, series_rms(&pair->simulated, &pair->measured, 0, 0, end), limit);
}

// When water of a hand's height is there: the film that runs ahead is thinner than a particle.
static void compare_arrival(const char* name, const char* column, const Pair* pair)
{
    char quantity[64];
    const double level = 0.05;
    snprintf(quantity, sizeof quantity, "%s reaches %g m [s]", column, level);
    judge_absolute(name, quantity, series_reach(&pair->simulated, level), series_reach(&pair->measured, level), 0.1);
}

static void compare_pressure(const char* name, const char* column, const Pair* pair, double end)
{
    char quantity[64];
    snprintf(quantity, sizeof quantity, "%s rms error [Pa]", column);
    judge_below(name, quantity, series_rms(&pair->simulated, &pair->measured, 0, 0, end), 1000);
}

static void compare_impact(const char* name, const char* column, const Pair* pair)
{
    char quantity[64];
    snprintf(quantity, sizeof quantity, "%s impact [s]", column);
    judge_absolute(name, quantity, series_reach(&pair->simulated, 1000), series_reach(&pair->measured, 1000), 0.05);
    snprintf(quantity, sizeof quantity, "%s impulse 0.4-1.2 s [Pa s]", column);
    judge_relative(name, quantity, 0.8 * series_mean(&pair->simulated, 0.4, 1.2), 0.8 * series_mean(&pair->measured, 0.4, 1.2),
                   0.25);
    snprintf(quantity, sizeof quantity, "%s peak of 10 ms means [Pa]", column);
    judge_info(name, quantity, series_max(&pair->simulated, 0, 1.2), series_max(&pair->measured, 0, 1.2));
}

static void write_row(FILE* file, double time, const Pair* pair)
{
    fprintf(file, "%.3f", time);
    for (int k = 0; k < 12; k++)
        fprintf(file, ",%.6g", series_at(&pair[k].simulated, time));
    fputc('\n', file);
}

static void write_curves(const Pair* pair, const char* const* column, double end, const char* path)
{
    FILE* file = fopen(path, "w");
    if (!file)
        give_up("cannot write %s", path);
    fprintf(file, "t");
    for (int k = 0; k < 12; k++)
        fprintf(file, ",%s", column[k]);
    fputc('\n', file);
    for (double time = 0.005; time < end; time += 0.01)
        write_row(file, time, pair);
    fclose(file);
}

// arguments: CASE RUN EXPERIMENT.csv CURVES.csv
void compare_box(char** arguments)
{
    static const char* const column[12] = {"P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "H1", "H2", "H3", "H4"};
    const char* name = arguments[0];
    Table probes = run_probes(arguments[1]), experiment = table_read(arguments[2]);
    double end = table_get(&probes, probes.rows - 1, table_column(&probes, "time"));
    Pair pair[12];
    for (int k = 0; k < 12; k++)
        pair[k] = pair_of(&experiment, &probes, column[k]);
    for (int k = 8; k < 12; k++)
        compare_level(name, column[k], &pair[k], end, 0.05);
    for (int k = 8; k < 11; k++)
        compare_arrival(name, column[k], &pair[k]);
    for (int k = 0; k < 4; k++)
        compare_impact(name, column[k], &pair[k]);
    for (int k = 0; k < 8; k++)
        compare_pressure(name, column[k], &pair[k], end);
    write_curves(pair, column, end, arguments[3]);
    for (int k = 0; k < 12; k++)
        pair_free(&pair[k]);
    table_free(&probes);
    table_free(&experiment);
}
