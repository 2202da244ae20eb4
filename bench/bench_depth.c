// SPDX-License-Identifier: MIT
// Iterations per step and seconds per simulated second of columns of water, at rest and let go, by their depth.
#include "bench.h"

#include "base/error.h"
#include <meniscus/world.h>

typedef struct Column {
    double steps, iterations, seconds; // iterations per step; [s] per simulated second
    mn_Result result;
} Column;

static mn_World* fill_column(mn_Pressure method, int layers, bool breaks, int threads, mn_Error* error)
{
    enum { WIDE = 40 }; // particles
    mn_WorldDef def = mn_default_world_def();
    def.dimension = 2;
    def.particle_radius = 0.01;
    def.solver.method = method;
    def.threads = threads;
    double d = 2 * def.particle_radius, wide = WIDE * d, high = layers * d, length = breaks ? 3 * wide : wide;
    mn_SolidDef tank = mn_default_solid_def();
    tank.shape.size = (mn_Vec3){length, 1.5 * high, 0};
    tank.pose.position = (mn_Vec3){length / 2, 0.75 * high, 0};
    tank.inside = true;
    mn_Block block = {{0, 0, 0}, {wide, high, 0}, {0, 0, 0}};
    mn_FluidDef water = mn_default_fluid_def();
    water.blocks = &block;
    water.block_count = 1;
    mn_World* world = mn_world_create(&def, NULL, error);
    if (world && mn_world_add_solid(world, &tank, error) && mn_world_add_fluid(world, &water, error) &&
        mn_world_prepare(world, error) == MN_OK)
        return world;
    mn_world_destroy(world);
    return NULL;
}

// The start, from a lattice without pressures, is not measured.
static Column run_column(mn_Pressure method, int layers, bool breaks, int threads, mn_Error* error)
{
    static const double START = 0.1, END = 0.3; // [s]
    Column column = {.result = MN_INVALID};
    mn_World* world = fill_column(method, layers, breaks, threads, error);
    if (!world)
        return column;
    column.result = mn_world_advance(world, START, NULL, NULL, error);
    mn_Stats before = mn_world_stats(world);
    double clock = bench_clock();
    if (column.result == MN_OK)
        column.result = mn_world_advance(world, END, NULL, NULL, error);
    mn_Stats after = mn_world_stats(world);
    column.seconds = (bench_clock() - clock) / (END - START);
    column.steps = (double)(after.steps - before.steps);
    column.iterations = (double)(after.iterations_total - before.iterations_total) / column.steps;
    mn_world_destroy(world);
    return column;
}

void bench_depth(FILE* out, const BenchChoice* choice)
{
    static const int layers[] = {25, 50, 100, 250};
    static const mn_Pressure methods[] = {MN_PRESSURE_DFSPH, MN_PRESSURE_IISPH};
    fprintf(out, "columns of water, 2D, 40 particles wide, default tolerances, from 0.1 to 0.3 s\n");
    fprintf(out, "%7s %7s %10s %7s %17s %22s\n", "layers", "method", "what", "steps", "iterations a step",
            "s per simulated second");
    for (int k = 0; k < (choice->quick ? 2 : 4); k++)
        for (int m = 0; m < 2; m++)
            for (int breaks = 0; breaks < 2; breaks++) {
                mn_Error error = {0};
                Column c = run_column(methods[m], layers[k], breaks, choice->threads, &error);
                char text[256];
                if (c.result == MN_OK)
                    fprintf(out, "%7d %7s %10s %7.0f %17.2f %22.2f\n", layers[k], m ? "iisph" : "dfsph",
                            breaks ? "dam break" : "at rest", c.steps, c.iterations, c.seconds);
                else
                    fprintf(out, "%7d %s\n", layers[k], mn_error_text(&error, text, sizeof text));
            }
}
