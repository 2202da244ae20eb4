// SPDX-License-Identifier: MIT
// Water with bodies of its own density below its surface, so that they stay where they are and the fluid's work is the same
// whether they are static, free or soft: the difference is what coupling costs. Time is that of the processors, all threads
// together, so that other programs matter little; the best of several rounds, which take turns. What soft bodies take for their
// own step, measured apart, is taken off. Bodies that are free to tremble make the water a little less regular, and a step takes
// more or fewer iterations; so rounds are compared by time per iteration too.
#include "bench_rigid.h"

#include "elastic/elastic.h"
#include "world/world_parts.h"
#include <math.h>
#include <meniscus/meniscus.h>
#include <time.h>

enum { WAYS = 3, WARM_UP = 10, ROUNDS = 16, STEPS = 5 };

// Boxes of 31 cm in a pool of 2 m x 0.92 m x 1 m: 200 000 particles with a radius of 1 cm, 10 000 on the boxes.
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
        box.resolution = 2 * world->def.particle_radius; // then both kinds have about as many particles
        box.shape.size = (mn_Vec3){0.31, 0.31, 0.31};
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

static mn_World* build(const BodyWay* way, double radius, int threads, mn_Error* error)
{
    mn_WorldDef def = mn_default_world_def();
    def.particle_radius = radius;
    def.threads = threads;
    def.coupling.strong = way->strong;
    def.solver.time_step = 0.1 * radius;
    mn_World* world = mn_world_create(&def, NULL, error);
    if (world && fill(world, way, error))
        return world;
    mn_world_destroy(world);
    return NULL;
}

static mn_Result step(mn_World* world, int steps, mn_Error* error)
{
    mn_Result result = MN_OK;
    for (int k = 0; k < steps && result == MN_OK; k++)
        result = mn_world_step(world, INFINITY, error);
    return result;
}

static double processor_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// [s] that soft bodies take for STEPS steps of their own; they are then where they were.
static double own_time(mn_World* world)
{
    if (!world->elastic)
        return 0;
    void* state = memory_take(NULL, elastic_state_bytes(world->elastic));
    if (!state)
        return 0;
    elastic_save(world->elastic, state);
    double start = processor_clock();
    for (int k = 0; k < STEPS; k++)
        elastic_step(world->elastic, world->last_dt);
    double seconds = processor_clock() - start;
    elastic_load(world->elastic, state);
    memory_give(NULL, state);
    return seconds;
}

typedef struct Best {
    double step, iteration; // [s] of the fastest round, without what bodies take for their own steps
    double own;             // [s] that, per step
} Best;

static double iterations_of(const mn_World* world)
{
    mn_Stats stats = mn_world_stats(world);
    return (double)(stats.iterations_total + stats.divergence_iterations_total);
}

static mn_Result measure(mn_World* world[WAYS], int ways, Best best[WAYS], mn_Error* error)
{
    mn_Result result = MN_OK;
    for (int w = 0; w < ways && result == MN_OK; w++) {
        best[w] = (Best){1e9, 1e9, 1e9};
        result = step(world[w], WARM_UP, error);
    }
    for (int k = 0; k < ROUNDS; k++)
        for (int w = 0; w < ways && result == MN_OK; w++) {
            double before = iterations_of(world[w]), start = processor_clock();
            result = step(world[w], STEPS, error);
            double seconds = processor_clock() - start, iterations = iterations_of(world[w]) - before;
            best[w].own = fmin(best[w].own, own_time(world[w]) / STEPS);
            seconds -= STEPS * best[w].own;
            best[w].step = fmin(best[w].step, seconds / STEPS);
            best[w].iteration = fmin(best[w].iteration, seconds / iterations);
        }
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

void bench_bodies(FILE* out, const BenchChoice* choice, const BodyWay* way, int ways)
{
    mn_Error error = {0};
    char text[1024];
    mn_World* world[WAYS] = {NULL};
    Best best[WAYS];
    bool ok = ways <= WAYS;
    for (int w = 0; w < ways && ok; w++)
        ok = (world[w] = build(&way[w], choice->quick ? 0.02 : 0.01, choice->threads, &error)) != NULL;
    ok = ok && measure(world, ways, best, &error) == MN_OK;
    if (ok) {
        mn_Stats stats = mn_world_stats(world[0]);
        fprintf(out, "eight bodies in water, %llu fluid particles, %d threads\n", (unsigned long long)stats.fluid_particles,
                choice->threads);
        fprintf(out, "  %-8s %10s %12s %12s %10s %10s %14s %10s\n", "bodies", "on bodies", "CPU ms/step", "own ms/step",
                "iterations", "overhead", "ms/iteration", "overhead");
    } else {
        fprintf(out, "bodies: %s\n", mn_error_text(&error, text, sizeof text));
    }
    for (int w = 0; w < ways; w++) {
        if (ok) {
            double iterations = iterations_of(world[w]) / (double)mn_world_stats(world[w]).steps;
            fprintf(out, "  %-8s %10zu %12.1f %12.1f %10.1f %9.1f%% %14.2f %9.1f%%\n", way[w].name, samples_of_bodies(world[w]),
                    1e3 * (best[w].step + best[w].own), 1e3 * best[w].own, iterations, 100 * (best[w].step / best[0].step - 1),
                    1e3 * best[w].iteration, 100 * (best[w].iteration / best[0].iteration - 1));
        }
        mn_world_destroy(world[w]);
    }
}

void bench_rigid(FILE* out, const BenchChoice* choice)
{
    static const BodyWay ways[] = {
        {"static", MN_SOLID_STATIC, false}, {"weak", MN_SOLID_RIGID, false}, {"strong", MN_SOLID_RIGID, true}};
    bench_bodies(out, choice, ways, WAYS);
}
