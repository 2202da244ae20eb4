// SPDX-License-Identifier: MIT
// Water with bodies of its own density below its surface, so that they stay where they are and the fluid's work is the same
// whether they are static, free or soft: the difference is what coupling costs. Bodies of all kinds have the same number of
// boundary particles, and every step takes the same number of iterations, so that trembling bodies do not matter. The kinds take
// turns step by step. What soft bodies take for their own step, contacts between solids included, is told apart and taken off.
// Medians over the steps count; the overhead is that of the ratios of neighbouring steps, so that a machine that is now faster
// and now slower does not matter.
#include "bench_rigid.h"

#include "fluid/pressure/bulk.h"
#include "world/sph_parts.h"
#include <math.h>
#include <meniscus/meniscus.h>
#include <stdlib.h>

enum { WAYS = 3, WARM_UP = 10, ROUNDS = 48, ITERATIONS = 12 };

// Boxes of 30 cm in a pool of 2 m x 0.92 m x 1 m: 200 000 particles with a radius of 1 cm, 10 000 on the boxes.
static bool fill(mn_World* world, const BodyWay* way, mn_Error* error)
{
    mn_SolidDef tank = mn_default_solid_def();
    tank.shape.size = (mn_Vec3){2, 1.4, 1};
    tank.pose.position = (mn_Vec3){1, 0.7, 0.5};
    tank.inside = true;
    if (!mn_world_add_solid(world, &tank, error))
        return false;
    for (int k = 0; k < 8; k++) {
        mn_SolidDef box = mn_default_solid_def();
        box.type = way->type;
        box.density = 1000;
        box.model = MN_ELASTIC_MASS_POINTS;
        box.young = 1e5;
        box.substeps = 2;
        box.resolution = 0.3 / 14 * world->def.particle_radius / 0.01; // the spacing that rigid ones of this size are sampled with
        box.shape.size = (mn_Vec3){0.3, 0.3, 0.3};
        box.pose.position = (mn_Vec3){0.26 + 0.49 * (k % 4), 0.4, 0.26 + 0.48 * (double)(k / 4)};
        if (!mn_world_add_solid(world, &box, error))
            return false;
    }
    mn_Block block = {{0, 0, 0}, {2, 0.92, 1}, {0, 0, 0}};
    mn_FluidDef water = mn_default_fluid_def();
    water.blocks = &block;
    water.block_count = 1;
    return mn_world_add_fluid(world, &water, error) && mn_world_prepare(world, error) == MN_OK;
}

// Water beside bodies that give way has no bulk level: none has one here, and the same work is compared.
static void drop_extras(Sph* sph)
{
    sph->solver.max_divergence_error = 1; // no other solve: more than scenes may ask for
    bulk_free(sph->bulk);
    sph->bulk = NULL;
}

static mn_World* build(const BodyWay* way, double radius, int threads, mn_Error* error)
{
    mn_WorldDef def = mn_default_world_def();
    def.particle_radius = radius;
    def.threads = threads;
    def.coupling.strong = way->strong;
    def.solver.time_step = 0.1 * radius;
    def.solver.min_iterations = def.solver.max_iterations = ITERATIONS;
    mn_World* world = mn_world_create(&def, NULL, error);
    if (world)
        drop_extras(world_sph(world));
    if (world && fill(world, way, error))
        return world;
    mn_world_destroy(world);
    return NULL;
}

static mn_Result step(mn_World* world, int steps, mn_Error* error)
{
    mn_Result result = mn_world_prepare(world, error);
    for (int k = 0; k < steps && result == MN_OK; k++) // the step alone: views are made by the public calls
        result = world_step(world, INFINITY, INFINITY, error);
    return result;
}

// [s] that soft bodies took for their own steps so far.
static double own_time(const mn_World* world)
{
    double sum = 0;
    for (size_t k = 0; k < world->systems.count; k++)
        sum += world->systems.system[k].kind == &elastic_system ? world->systems.system[k].seconds : 0;
    return sum;
}

typedef struct Times {
    double step[ROUNDS], own[ROUNDS]; // [s]
    double iterations;                // per step
} Times;

static int by_value(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static double median(double* value)
{
    qsort(value, ROUNDS, sizeof *value, by_value);
    return 0.5 * (value[ROUNDS / 2 - 1] + value[ROUNDS / 2]);
}

static double iterations_of(const mn_World* world)
{
    mn_Stats stats = mn_world_stats(world);
    return (double)(stats.iterations_total + stats.divergence_iterations_total);
}

static mn_Result measure(mn_World* world[WAYS], int ways, Times times[WAYS], mn_Error* error)
{
    mn_Result result = MN_OK;
    double before[WAYS] = {0};
    for (int w = 0; w < ways && result == MN_OK; w++) {
        result = step(world[w], WARM_UP, error);
        before[w] = iterations_of(world[w]);
    }
    for (int k = 0; k < ROUNDS; k++)
        for (int n = 0; n < ways && result == MN_OK; n++) {
            int w = k % 2 ? ways - 1 - n : n;
            double own = own_time(world[w]), start = bench_clock();
            result = step(world[w], 1, error);
            times[w].step[k] = bench_clock() - start;
            times[w].own[k] = own_time(world[w]) - own;
        }
    for (int w = 0; w < ways; w++)
        times[w].iterations = (iterations_of(world[w]) - before[w]) / ROUNDS;
    return result;
}

static size_t samples_of_bodies(const mn_World* world)
{
    mn_BoundaryView view = mn_world_boundary(world);
    size_t count = 0;
    for (size_t k = 0; k < view.count; k++)
        count += view.solid[k] > 0; // the first solid is the tank
    return count;
}

static void print_stages(FILE* out, const mn_World* world)
{
    const mn_StageTime* stage;
    size_t count = mn_world_timing(world, &stage);
    fprintf(out, "          ms per step:");
    for (size_t k = 0; k < count; k++)
        fprintf(out, " %s %.2f", stage[k].name, 1e3 * stage[k].seconds / (WARM_UP + ROUNDS));
    fprintf(out, "\n");
}

static void report(FILE* out, const BenchChoice* choice, const BodyWay* way, int ways, mn_World* world[WAYS], Times times[WAYS])
{
    fprintf(out, "eight bodies in water, %llu fluid particles, %d threads, medians of %d steps\n",
            (unsigned long long)mn_world_stats(world[0]).fluid_particles, choice->threads, ROUNDS);
    fprintf(out, "  %-8s %10s %10s %12s %12s %12s %10s\n", "bodies", "on bodies", "iterations", "ms/step", "own ms/step",
            "rest ms/step", "overhead");
    double share[WAYS][ROUNDS];
    for (int w = 0; w < ways; w++)
        for (int k = 0; k < ROUNDS; k++)
            share[w][k] = (times[w].step[k] - times[w].own[k]) / (times[0].step[k] - times[0].own[k]);
    for (int w = 0; w < ways; w++) {
        double whole = median(times[w].step), own = median(times[w].own);
        fprintf(out, "  %-8s %10zu %10.1f %12.2f %12.2f %12.2f %9.1f%%\n", way[w].name, samples_of_bodies(world[w]),
                times[w].iterations, 1e3 * whole, 1e3 * own, 1e3 * (whole - own), 100 * (median(share[w]) - 1));
        if (choice->stages)
            print_stages(out, world[w]);
    }
}

void bench_bodies(FILE* out, const BenchChoice* choice, const BodyWay* way, int ways)
{
    mn_Error error = {0};
    char text[1024];
    mn_World* world[WAYS] = {NULL};
    Times times[WAYS];
    bool ok = ways <= WAYS;
    for (int w = 0; w < ways && ok; w++)
        ok = (world[w] = build(&way[w], choice->quick ? 0.02 : 0.01, choice->threads, &error)) != NULL;
    ok = ok && measure(world, ways, times, &error) == MN_OK;
    if (ok)
        report(out, choice, way, ways, world, times);
    else
        fprintf(out, "bodies: %s\n", mn_error_text(&error, text, sizeof text));
    for (int w = 0; w < ways; w++)
        mn_world_destroy(world[w]);
}

void bench_rigid(FILE* out, const BenchChoice* choice)
{
    static const BodyWay ways[] = {
        {"static", MN_SOLID_STATIC, false}, {"weak", MN_SOLID_RIGID, false}, {"strong", MN_SOLID_RIGID, true}};
    bench_bodies(out, choice, ways, WAYS);
}
