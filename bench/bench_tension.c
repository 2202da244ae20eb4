// SPDX-License-Identifier: MIT
// What surface tension and adhesion add to a step: the same pool of water with and without them, dfsph.
#include "base/clock.h"
#include "bench.h"
#include "world/world_parts.h"

#include <math.h>
#include <meniscus/world.h>
#include <string.h>

typedef struct Cost {
    double forces;    // [s] per step
    double rest;      // [s] per step, all but forces and pressure
    double iteration; // [s] of a pressure solve
    size_t particles;
} Cost;

static mn_World* pool_new(double radius, int threads, double gamma)
{
    mn_Error error = {0};
    mn_WorldDef def = mn_default_world_def();
    def.particle_radius = radius;
    def.threads = threads;
    mn_World* world = mn_world_create(&def, NULL, &error);
    if (!world)
        return NULL;
    mn_SolidDef tank = mn_default_solid_def();
    tank.name = (char*)"tank";
    tank.inside = true;
    tank.shape.size = (mn_Vec3){1, 1.2, 1};
    tank.pose.position = (mn_Vec3){0.5, 0.6, 0.5};
    mn_Block block = {{0, 0, 0}, {1, 1, 1}, {0, 0, 0}};
    mn_FluidDef water = mn_default_fluid_def();
    water.tension.gamma = gamma;
    water.blocks = &block;
    water.block_count = 1;
    if (mn_world_add_solid(world, &tank, &error) && mn_world_add_fluid(world, &water, &error) &&
        mn_world_prepare(world, &error) == MN_OK)
        return world;
    mn_world_destroy(world);
    return NULL;
}

static double seconds_of(const mn_World* world, const char* name)
{
    const mn_StageTime* stage;
    size_t count = mn_world_timing(world, &stage);
    for (size_t k = 0; k < count; k++)
        if (!strcmp(stage[k].name, name))
            return stage[k].seconds;
    return 0;
}

typedef struct Clocks {
    double all, forces, solves;
    uint64_t iterations;
} Clocks;

static Clocks clocks_of(const mn_World* world)
{
    mn_Stats stats = mn_world_stats(world);
    return (Clocks){clock_seconds(), seconds_of(world, "forces"), seconds_of(world, "pressure") + seconds_of(world, "divergence"),
                    stats.iterations_total + stats.divergence_iterations_total};
}

// Best of some steps after the first, because other programs only ever make it slower.
static Cost measure(double radius, int threads, double gamma)
{
    enum { STEPS = 8 };
    Cost best = {INFINITY, INFINITY, INFINITY, 0};
    mn_World* world = pool_new(radius, threads, gamma);
    mn_Error error = {0};
    bool ok = world && mn_world_step(world, INFINITY, &error) == MN_OK; // the first one is not measured
    for (int k = 0; k < STEPS && ok; k++) {
        Clocks a = clocks_of(world);
        a.all = clock_seconds();
        ok = world_step(world, INFINITY, INFINITY, &error) == MN_OK;
        double end = clock_seconds();
        Clocks b = clocks_of(world);
        best.forces = fmin(best.forces, b.forces - a.forces);
        best.rest = fmin(best.rest, end - a.all - (b.forces - a.forces) - (b.solves - a.solves));
        best.iteration = fmin(best.iteration, (b.solves - a.solves) / (double)(b.iterations - a.iterations));
    }
    best.particles = world ? mn_world_particles(world).count : 0;
    mn_world_destroy(world);
    return best;
}

void bench_tension(FILE* out, const BenchChoice* choice)
{
    enum { ITERATIONS = 10 }; // of a usual step
    fprintf(out, "surface tension (akinci) and adhesion, dfsph, %d threads, ns per particle (best of 8 steps)\n", choice->threads);
    fprintf(out, "%10s %15s %12s %10s %12s %10s\n", "particles", "forces without", "forces with", "added", "10-it. step", "share");
    double radius = choice->quick ? 0.0108 : 0.005;
    Cost without = measure(radius, choice->threads, 0), with = measure(radius, choice->threads, 1);
    double ns = 1e9 / (double)without.particles, added = with.forces - without.forces;
    double step = without.rest + without.forces + ITERATIONS * without.iteration;
    if (isfinite(with.forces) && isfinite(step))
        fprintf(out, "%10zu %15.1f %12.1f %10.1f %12.1f %8.1f %%\n", without.particles, ns * without.forces, ns * with.forces,
                ns * added, ns * step, 100 * added / step);
    else
        fprintf(out, "out of memory\n");
}
