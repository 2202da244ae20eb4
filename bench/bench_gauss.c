// SPDX-License-Identifier: MIT
// Gauss boundary particles at the sizes of Müller, Schirm, Teschner, Heidelberger and Gross (2004): their pool and their vessel as
// they stand in scenes/gauss, time per step beside theirs and beside simulated time. Then the cost of the coupling beside akinci's
// at the same density of points: what a step of a full tank takes beyond one of the same particles without a tank. Then how it
// grows with triangles near fluid, and with dry ones. At last what a step costs in which a solid breaks.
#include "bench.h"

#include "coupling/gauss.h"
#include "world/sph_parts.h"
#include <math.h>
#include <meniscus/meniscus.h>
#include <stdlib.h>
#include <string.h>

typedef struct Row {
    const char *name, *file;
    double theirs; // [s] per step
} Row;

// 20 frames per second with one step each; 60 to 70 ms per step.
static const Row rows[] = {{"pool", "scenes/gauss/pool.json", 0.05}, {"vessel", "scenes/gauss/vessel.json", 0.065}};
enum { ROWS = sizeof rows / sizeof *rows, WARM_UP = 20, ROUNDS = 5 };

typedef struct Took {
    double step, processor, simulated, coupling; // [s] per step
    double particles;
    size_t points, patches;
} Took;

static mn_Result step(mn_World* world, int steps, mn_Error* error)
{
    mn_Result result = mn_world_prepare(world, error);
    for (int k = 0; k < steps && result == MN_OK; k++)
        result = world_step(world, INFINITY, INFINITY, error);
    return result;
}

static GaussSize size_of(const mn_World* world)
{
    if (world->coupling.method && world->coupling.method->type == MN_COUPLING_GAUSS)
        return gauss_size(world->coupling.data);
    return (GaussSize){.points = mn_world_boundary(world).count};
}

// Of ROUNDS rounds the one with the least time.
static mn_Result measure(mn_Scene* scene, int threads, int steps, Took* out, mn_Error* error)
{
    scene->world.threads = threads;
    mn_World* world = mn_scene_build(scene, error);
    mn_Result result = world ? step(world, WARM_UP, error) : MN_INVALID;
    *out = (Took){.step = INFINITY};
    for (int round = 0; round < ROUNDS && result == MN_OK; round++) {
        GaussSize before = size_of(world);
        double start = bench_clock(), used = clock_processor_seconds(), time = mn_world_time(world);
        result = step(world, steps, error);
        double took = (bench_clock() - start) / steps;
        used = (clock_processor_seconds() - used) / steps;
        GaussSize after = size_of(world);
        if (took < out->step)
            *out = (Took){.step = took,
                          .processor = used,
                          .simulated = (mn_world_time(world) - time) / steps,
                          .coupling = (after.seconds - before.seconds) / steps,
                          .particles = (double)world_sph(world)->fluid.set.count,
                          .points = after.points,
                          .patches = after.patches};
    }
    mn_world_destroy(world);
    return result;
}

static void complain_of(FILE* out, const char* name, const mn_Error* error)
{
    char text[1024];
    fprintf(out, "  %-9s %s\n", name, mn_error_text(error, text, sizeof text));
}

static void bench_paper(FILE* out, const BenchChoice* choice)
{
    fprintf(out, "pool and vessel of Müller 2004 (scenes/gauss, from the project's folder), ms per step, best of %d rounds\n",
            ROUNDS);
    fprintf(out, "  %-9s %9s %7s %9s %9s %9s %9s %9s %10s %12s\n", "scene", "particles", "threads", "ms/step", "processor",
            "coupling", "theirs", "faster", "step ms", "real time");
    for (int k = 0; k < ROWS; k++)
        for (int threads = 1; threads <= choice->threads; threads++) {
            mn_Error error;
            Took took;
            mn_Scene* scene = mn_scene_load(rows[k].file, NULL, 0, &error);
            if (scene && measure(scene, threads, choice->quick ? 20 : 100, &took, &error) == MN_OK)
                fprintf(out, "  %-9s %9.0f %7d %9.3f %9.3f %9.3f %9.1f %9.1f %10.3f %12.2f\n", rows[k].name, took.particles,
                        threads, 1e3 * took.step, 1e3 * took.processor, 1e3 * took.coupling, 1e3 * rows[k].theirs,
                        rows[k].theirs / took.step, 1e3 * took.simulated, took.simulated / took.step);
            else
                complain_of(out, rows[k].name, &error);
            fflush(out);
            mn_scene_free(scene);
        }
}

// A closed tank that is full, without gravity, and `cells` x `cells` dry quads beside it.
static mn_Scene* tank(const char* coupling, int across, int dry, mn_Error* error)
{
    char text[1024], solids[512] = "";
    double edge = 1.0, radius = 0.5 * edge / across;
    if (coupling)
        snprintf(
            solids, sizeof solids,
            "\"coupling\": {%s}, \"solids\": [{\"shape\": {\"box\": [1, 1, 1]}, \"position\": [0.5, 0.5, 0.5], \"inside\": true}"
            "%s%.0d%s%.0d%s],",
            coupling, dry ? ", {\"shape\": {\"grid\": [2, 2], \"cells\": [" : "", dry, dry ? "," : "", dry,
            dry ? "]}, \"position\": [0, 3, 0]}" : "");
    snprintf(text, sizeof text,
             "{\"particle_radius\": %.9g, \"duration\": 1, \"gravity\": [0, 0, 0], \"solver\": {\"method\": \"sesph\", "
             "\"max_time_step\": 1e-4}, %s"
             "\"fluids\": [{\"blocks\": [{\"min\": [0, 0, 0], \"max\": [1, 1, 1]}]}]}",
             radius, solids);
    return mn_scene_parse(text, strlen(text), "bench", NULL, NULL, 0, error);
}

static bool measure_tank(FILE* out, const char* coupling, int across, int dry, Took* took)
{
    mn_Error error;
    mn_Scene* scene = tank(coupling, across, dry, &error);
    bool ok = scene && measure(scene, 1, 10, took, &error) == MN_OK;
    if (!ok)
        complain_of(out, "tank", &error);
    mn_scene_free(scene);
    return ok;
}

static void bench_cost(FILE* out, bool quick)
{
    static const char* const ways[][2] = {{"akinci", "\"method\": \"akinci\""},
                                          {"gauss 0.95", "\"method\": \"gauss\", \"gauss_spacing\": 0.95"}, // as many points
                                          {"gauss 0.8", "\"method\": \"gauss\", \"gauss_spacing\": 0.8"},
                                          {"gauss 0.3", "\"method\": \"gauss\""}};
    int across = quick ? 16 : 32;
    Took none, took;
    if (!measure_tank(out, NULL, across, 0, &none))
        return;
    fprintf(out,
            "\nwhat a full tank of %.0f particles adds to a step (sesph, one thread), ms of processor time; without a tank %.3f\n",
            none.particles, 1e3 * none.processor);
    fprintf(out, "  %-10s %9s %9s %9s %9s %14s\n", "coupling", "points", "ms/step", "forces", "adds", "times akinci's");
    double akinci = 0;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        if (measure_tank(out, ways[k][1], across, 0, &took)) {
            double adds = took.processor - none.processor;
            akinci = k == 0 ? adds : akinci;
            fprintf(out, "  %-10s %9zu %9.3f %9.3f %9.3f %14.2f\n", ways[k][0], took.points, 1e3 * took.processor,
                    1e3 * took.coupling, 1e3 * adds, adds / akinci);
        }
}

static void bench_growth(FILE* out, bool quick)
{
    fprintf(out, "\nforces of the gauss coupling, one thread, by patches near fluid and by dry ones\n");
    fprintf(out, "  %8s %8s %9s %14s\n", "near", "dry", "ms/step", "ns per near one");
    for (int across = 10; across <= (quick ? 20 : 40); across *= 2)
        for (int dry = 0; dry <= 100; dry += 100) {
            Took took;
            if (measure_tank(out, "\"method\": \"gauss\"", across, dry, &took))
                fprintf(out, "  %8zu %8zu %9.3f %14.0f\n", took.patches, took.points / 7 - took.patches, 1e3 * took.coupling,
                        1e9 * took.coupling / (double)took.patches);
        }
}

enum { STEPS_MOST = 4000 };

static int by_size(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static double median(double* value, size_t count)
{
    qsort(value, count, sizeof *value, by_size);
    return count ? value[count / 2] : 0;
}

// A step in which cracks open beside one of the same scene in which none does, one after the other.
static void bench_breaking(FILE* out, const char* file, double until)
{
    static double calm[STEPS_MOST], breaking[STEPS_MOST];
    size_t calm_count = 0, breaking_count = 0;
    mn_Error error;
    mn_Scene* scene = mn_scene_load(file, NULL, 0, &error);
    if (scene)
        scene->world.threads = 1;
    mn_World* world = scene ? mn_scene_build(scene, &error) : NULL;
    mn_Result result = world ? mn_world_prepare(world, &error) : MN_INVALID;
    uint64_t broken = 0;
    while (result == MN_OK && mn_world_time(world) < until && calm_count < STEPS_MOST && breaking_count < STEPS_MOST) {
        double start = clock_processor_seconds();
        result = world_step(world, INFINITY, INFINITY, &error);
        double took = clock_processor_seconds() - start;
        uint64_t now = mn_world_stats(world).broken_faces;
        if (now > broken)
            breaking[breaking_count++] = took;
        else
            calm[calm_count++] = took;
        broken = now;
    }
    if (result == MN_OK && calm_count && breaking_count) {
        double one = median(calm, calm_count), other = median(breaking, breaking_count);
        fprintf(out, "  %-9s %8zu %8zu %9.3f %9.3f %14.2f %14.2f\n", "crack", calm_count, breaking_count, 1e3 * one, 1e3 * other,
                other / one - 1, breaking[breaking_count - 1] / one - 1);
    } else {
        complain_of(out, "crack", &error);
    }
    mn_world_destroy(world);
    mn_scene_free(scene);
}

void bench_gauss(FILE* out, const BenchChoice* choice)
{
    bench_paper(out, choice);
    bench_cost(out, choice->quick);
    bench_growth(out, choice->quick);
    fprintf(out, "\nsteps in which nothing opens and in which cracks do (scenes/gauss/crack.json, one thread), median ms of "
                 "processor time\n");
    fprintf(out, "  %-9s %8s %8s %9s %9s %14s %14s\n", "scene", "calm", "breaking", "calm", "breaking", "costs in steps", "worst");
    bench_breaking(out, "scenes/gauss/crack.json", choice->quick ? 0.45 : 0.6);
}
