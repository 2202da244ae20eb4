// SPDX-License-Identifier: MIT
// Iterations per step and seconds per simulated second of columns of water, at rest and let go, by their depth.
#include "bench.h"

#include "base/error.h"
#include <meniscus/world.h>

typedef struct Column {
    double steps, iterations, seconds; // iterations per step; [s] per simulated second
    mn_Result result;
} Column;

typedef struct ColumnCase {
    int dimension, wide, layers; // particles; as deep as wide in 3D
    mn_Pressure method;
    bool breaks;
} ColumnCase;

static mn_World* fill_column(const ColumnCase* c, int threads, mn_Error* error)
{
    mn_WorldDef def = mn_default_world_def();
    def.dimension = c->dimension;
    def.particle_radius = 0.01;
    def.solver.method = c->method;
    def.threads = threads;
    double d = 2 * def.particle_radius, wide = c->wide * d, high = c->layers * d, length = c->breaks ? 3 * wide : wide;
    double deep = c->dimension == 3 ? wide : 0;
    mn_SolidDef tank = mn_default_solid_def();
    tank.shape.size = (mn_Vec3){length, 1.5 * high, deep};
    tank.pose.position = (mn_Vec3){length / 2, 0.75 * high, deep / 2};
    tank.inside = true;
    mn_Block block = {{0, 0, 0}, {wide, high, deep}, {0, 0, 0}};
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
static Column run_column(const ColumnCase* c, int threads, mn_Error* error)
{
    static const double START = 0.1, END = 0.3; // [s]
    Column column = {.result = MN_INVALID};
    mn_World* world = fill_column(c, threads, error);
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

static void show(FILE* out, const ColumnCase* c, int threads)
{
    mn_Error error = {0};
    Column column = run_column(c, threads, &error);
    char text[256];
    if (column.result == MN_OK)
        fprintf(out, "%4dD %7d %7s %10s %7.0f %17.2f %22.2f\n", c->dimension, c->layers,
                c->method == MN_PRESSURE_IISPH ? "iisph" : "dfsph", c->breaks ? "dam break" : "at rest", column.steps,
                column.iterations, column.seconds);
    else
        fprintf(out, "%4dD %7d %s\n", c->dimension, c->layers, mn_error_text(&error, text, sizeof text));
}

void bench_depth(FILE* out, const BenchChoice* choice)
{
    static const int layers[] = {25, 50, 100, 250}, wide[] = {40, 12};
    static const mn_Pressure methods[] = {MN_PRESSURE_DFSPH, MN_PRESSURE_IISPH};
    fprintf(out, "columns of water, %d particles wide (3D: %d x %d), default tolerances, from 0.1 to 0.3 s\n", wide[0], wide[1],
            wide[1]);
    fprintf(out, "%5s %7s %7s %10s %7s %17s %22s\n", "", "layers", "method", "what", "steps", "iterations a step",
            "s per simulated second");
    for (int d = 0; d < 2; d++)
        for (int k = 0; k < (choice->quick ? 2 : 4); k++)
            for (int m = 0; m < 2; m++)
                for (int breaks = 0; breaks < 2; breaks++)
                    show(out, &(ColumnCase){2 + d, wide[d], layers[k], methods[m], breaks}, choice->threads);
}
