// SPDX-License-Identifier: MIT
// What surface tension and adhesion add to a step: the same pool of water with and without them, dfsph.
#include "base/clock.h"
#include "bench.h"

#include <math.h>
#include <meniscus/world.h>
#include <string.h>

typedef struct Cost {
    double forces, step; // [s] per step
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
    tank.shape.size = (mn_Vec3){1.5, 1, 1};
    tank.pose.position = (mn_Vec3){0.75, 0.5, 0.5};
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

static double forces_of(const mn_World* world)
{
    const mn_StageTime* stage;
    size_t count = mn_world_timing(world, &stage);
    for (size_t k = 0; k < count; k++)
        if (!strcmp(stage[k].name, "forces"))
            return stage[k].seconds;
    return 0;
}

// Best of some steps after the first, because other programs only ever make it slower.
static Cost measure(double radius, int threads, double gamma)
{
    enum { STEPS = 8 };
    Cost best = {INFINITY, INFINITY, 0};
    mn_World* world = pool_new(radius, threads, gamma);
    mn_Error error = {0};
    bool ok = world && mn_world_step(world, INFINITY, &error) == MN_OK;
    for (int k = 0; k < STEPS && ok; k++) {
        double t = clock_seconds(), before = forces_of(world);
        ok = mn_world_step(world, INFINITY, &error) == MN_OK;
        best.step = fmin(best.step, clock_seconds() - t);
        best.forces = fmin(best.forces, forces_of(world) - before);
    }
    best.particles = world ? mn_world_particles(world).count : 0;
    mn_world_destroy(world);
    return best;
}

void bench_tension(FILE* out, int threads, int quick)
{
    fprintf(out, "surface tension (akinci) and adhesion, dfsph, %d threads, ns per particle (best of 8 steps)\n", threads);
    fprintf(out, "%10s %12s %18s %18s %14s\n", "particles", "step without", "forces without", "forces with", "tension/step");
    double radius = quick ? 0.0108 : 0.005;
    Cost without = measure(radius, threads, 0), with = measure(radius, threads, 1);
    double ns = 1e9 / (double)without.particles;
    if (isfinite(with.step))
        fprintf(out, "%10zu %12.1f %18.1f %18.1f %12.1f %%\n", without.particles, ns * without.step, ns * without.forces,
                ns * with.forces, 100 * (with.forces - without.forces) / without.step);
    else
        fprintf(out, "out of memory\n");
}
