// SPDX-License-Identifier: MIT
// The buoyancy scene of Brandt 2019 (table 1, first column): a figure of 137 thousand tetrahedra falls into 190 thousand particles
// of water, in steps of 1/60 s. Medians of whole steps and of each stage.
#include "bench.h"

#include "base/error.h"
#include "world/world_parts.h"
#include <stdlib.h>

enum { STEPS_MOST = 600 };

// [s] of all steps
typedef struct Times {
    double step[STEPS_MOST], stage[STAGES_MOST][STEPS_MOST];
    int steps;
} Times;

static bool fill(mn_World* world, bool quick, mn_Error* error)
{
    double d = 2 * world->def.particle_radius, wide = quick ? 26 * d : 53 * d, deep = quick ? 33 * d : 67 * d;
    mn_SolidDef tank = mn_default_solid_def();
    tank.shape.size = (mn_Vec3){wide, 5, wide};
    tank.pose.position = (mn_Vec3){0, 2.5, 0};
    tank.inside = true;
    mn_SolidDef figure = mn_default_solid_def();
    figure.type = MN_SOLID_ELASTIC;
    figure.model = MN_ELASTIC_REDUCED;
    figure.shape = (mn_Shape){.type = MN_SHAPE_FIGURE, .size = {0, quick ? 0.8 : 1.6, 0}};
    figure.resolution = 0.0234;
    figure.pose.position = (mn_Vec3){0, deep + (quick ? 0.5 : 1.0), 0};
    figure.pose.rotation = quat_normalise((mn_Quat){0.85, 0.3, 0.1, 0.4});
    figure.density = 540;
    figure.young = 1e5;
    figure.poisson = 0.4;
    figure.handles = 99;
    figure.projections = 1500;
    figure.iterations = 10;
    mn_Block block = {{-wide / 2, 0, -wide / 2}, {wide / 2, deep, wide / 2}, {0, 0, 0}};
    mn_FluidDef water = mn_default_fluid_def();
    water.blocks = &block;
    water.block_count = 1;
    return mn_world_add_solid(world, &tank, error) && mn_world_add_solid(world, &figure, error) &&
           mn_world_add_fluid(world, &water, error) && mn_world_prepare(world, error) == MN_OK;
}

static int by_value(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static double quantile(double* value, int count, double share)
{
    qsort(value, (size_t)count, sizeof *value, by_value);
    return value[(int)(share * (count - 1))];
}

// One step, and what each of its stages took.
static mn_Result take_step(mn_World* world, Times* times, mn_Error* error)
{
    const mn_StageTime* stage;
    double before[STAGES_MOST] = {0};
    size_t stages = mn_world_timing(world, &stage);
    for (size_t k = 0; k < stages && k < STAGES_MOST; k++)
        before[k] = stage[k].seconds;
    double start = bench_clock(); // the step alone: views are made by the public calls
    mn_Result result = world_step(world, INFINITY, INFINITY, error);
    times->step[times->steps] = bench_clock() - start;
    for (size_t k = 0; k < stages && k < STAGES_MOST; k++)
        times->stage[k][times->steps] = stage[k].seconds - before[k];
    times->steps++;
    return result;
}

static void report(FILE* out, const mn_World* world, Times* times, int threads, double setup)
{
    const mn_StageTime* stage;
    size_t stages = mn_world_timing(world, &stage);
    mn_Stats stats = mn_world_stats(world);
    fprintf(out,
            "Immersed buoyancy: %zu fluid particles, %d threads, %d steps of 1/60 s, set-up %.2f s, %llu lost, %llu leaked\n\n",
            stats.fluid_particles, threads, times->steps, setup, (unsigned long long)stats.lost_particles,
            (unsigned long long)stats.leaked_particles);
    fprintf(out, "| stage | ms, median |\n| --- | --- |\n");
    for (size_t k = 0; k < stages && k < STAGES_MOST; k++)
        fprintf(out, "| %s | %.2f |\n", stage[k].name, 1e3 * quantile(times->stage[k], times->steps, 0.5));
    fprintf(out, "| whole step, median | %.2f |\n", 1e3 * quantile(times->step, times->steps, 0.5));
    fprintf(out, "| whole step, 99 %% | %.2f |\n", 1e3 * quantile(times->step, times->steps, 0.99));
}

void bench_immersed(FILE* out, const BenchChoice* choice)
{
    static Times times;
    int steps = choice->quick ? 60 : STEPS_MOST;
    mn_Error error = {0};
    mn_WorldDef def = mn_default_world_def();
    def.particle_radius = 0.015;
    def.threads = choice->threads;
    def.solver.method = MN_PRESSURE_FLIP;
    def.solver.tolerance = 1e-2;
    def.solver.time_step = 1.0 / 60;
    double start = bench_clock();
    mn_World* world = mn_world_create(&def, NULL, &error);
    mn_Result result = world && fill(world, choice->quick, &error) ? MN_OK : MN_OUT_OF_MEMORY;
    double setup = bench_clock() - start;
    times.steps = 0;
    for (int k = 0; k < steps && result == MN_OK; k++)
        result = take_step(world, &times, &error);
    char text[512];
    if (result == MN_OK)
        world->fluid->show(world);
    if (result == MN_OK)
        report(out, world, &times, choice->threads, setup);
    else
        fprintf(out, "immersed: %s\n", mn_error_text(&error, text, sizeof text));
    mn_world_destroy(world);
}
