// SPDX-License-Identifier: MIT
// The buoyancy scene of Brandt 2019 (table 1, first column): a figure of 137 thousand tetrahedra falls into 190 thousand particles
// of water, in steps of 1/60 s. Time of whole steps, and of each stage on average.
#include "bench.h"

#include "base/error.h"
#include "world/world_parts.h"
#include <stdlib.h>

enum { STEPS_MOST = 600 };

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

static void report(FILE* out, const mn_World* world, double* step, int steps, int threads, double setup)
{
    const mn_StageTime* stage;
    size_t stages = mn_world_timing(world, &stage);
    mn_Stats stats = mn_world_stats(world);
    qsort(step, (size_t)steps, sizeof *step, by_value);
    fprintf(out,
            "Immersed buoyancy: %zu fluid particles, %d threads, %d steps of 1/60 s, set-up %.2f s, %llu lost, %llu leaked\n\n",
            stats.fluid_particles, threads, steps, setup, (unsigned long long)stats.lost_particles,
            (unsigned long long)stats.leaked_particles);
    fprintf(out, "| stage | ms per step |\n| --- | --- |\n");
    for (size_t k = 0; k < stages; k++)
        fprintf(out, "| %s | %.2f |\n", stage[k].name, 1e3 * stage[k].seconds / (double)(stage[k].calls ? stage[k].calls : 1));
    fprintf(out, "| whole step, median | %.2f |\n", 1e3 * step[steps / 2]);
    fprintf(out, "| whole step, 99 %% | %.2f |\n", 1e3 * step[steps * 99 / 100]);
}

void bench_immersed(FILE* out, const BenchChoice* choice)
{
    static double step[STEPS_MOST];
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
    for (int k = 0; k < steps && result == MN_OK; k++) {
        start = bench_clock(); // the step alone: views are made by the public calls
        result = world_step(world, INFINITY, INFINITY, &error);
        step[k] = bench_clock() - start;
    }
    char text[512];
    if (result == MN_OK)
        report(out, world, step, steps, choice->threads, setup);
    else
        fprintf(out, "immersed: %s\n", mn_error_text(&error, text, sizeof text));
    mn_world_destroy(world);
}
