// SPDX-License-Identifier: MIT
// Scenes with the particle counts, spacing, step and tolerance for which SPlisHSPlasH 2.16 (AVX, newest neighbour search, 2
// threads) was measured on the same hardware. Density tolerance 0.01 %, divergence 0.1 %, as there; nothing beyond that is
// asked of us either (max_pressure_error 1): both stop at the predicted mean compression. The table has the true one, the worst of
// all steps measured. Iterations differ with what happens in the steps that were measured, so besides the mean of all steps there
// is the mean of those that took no more iterations than the peer's. Walls are sampled by our own sampler; tanks are sized to give
// as many particles.
#include "bench.h"

#include <math.h>
#include <meniscus/meniscus.h>
#include <stdlib.h>
#include <string.h>

typedef struct PeerScene {
    const char *key, *name;
    double radius, step; // [m], [s]; step 0 = adaptive
    mn_Block blocks[2];
    size_t block_count;
    mn_Vec3 tank;             // [m]
    double warm_up, duration; // [s] measured after warm-up
    // peer: ms per step for sesph, pcisph, iisph, dfsph, or seconds for the whole duration if `whole`; 0 = none
    double peer[4];
    int whole;
    double iterations[4], divergence[4]; // the peer's per step; 0 = not known or none
} PeerScene;

static const char* const method_names[] = {"sesph", "pcisph", "iisph", "dfsph"};

static const PeerScene scenes[] = {
    {"rest",
     "dam break, at rest, dt 1 ms",
     0.005,
     1e-3,
     {{{0, 0, 0}, {0.99, 0.99, 0.99}, {0, 0, 0}}},
     1,
     {4, 3.18, 2},
     0,
     0.005,
     {951, 2789, 2398, 1166},
     0,
     {0, 3, 2, 2},
     {0, 0, 0, 1}},
    {"motion",
     "dam break in motion, dt 1 ms",
     0.005,
     1e-3,
     {{{0, 0, 0}, {0.49, 0.49, 0.49}, {0, 0, 0}}},
     1,
     {2, 1.59, 1},
     0.25,
     0.03,
     {135, 0, 706, 205},
     0,
     {0, 0, 8, 10.4},
     {0, 0, 0, 4}},
    {"double",
     "double dam break, 0.5 s",
     0.01,
     0,
     {{{0, 0, 0}, {0.6, 0.95, 0.6}, {0, 0, 0}}, {{5.4, 0, 3.4}, {6, 0.95, 4}, {0, 0, 0}}},
     2,
     {6, 4.9, 4},
     0,
     0.5,
     {195, 0, 102, 41},
     1,
     {0},
     {0}},
};

static mn_World* build(const PeerScene* scene, mn_Pressure method, int threads, mn_Error* error)
{
    mn_WorldDef def = mn_default_world_def();
    def.particle_radius = scene->radius;
    def.threads = threads;
    def.solver.method = method;
    def.solver.max_density_error = 1e-4;
    def.solver.max_divergence_error = 1e-3;
    def.solver.max_pressure_error = 1;
    // a fixed step only where the state equation stands it too
    def.solver.time_step = method == MN_PRESSURE_SESPH ? 0 : scene->step;
    mn_World* world = mn_world_create(&def, NULL, error);
    if (!world)
        return NULL;
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.blocks = (mn_Block*)scene->blocks;
    fluid.block_count = scene->block_count;
    mn_SolidDef tank = mn_default_solid_def();
    tank.shape.size = scene->tank;
    tank.pose.position = (mn_Vec3){scene->tank.x / 2, scene->tank.y / 2, scene->tank.z / 2};
    tank.inside = true;
    if (mn_world_add_solid(world, &tank, error) && mn_world_add_fluid(world, &fluid, error) &&
        mn_world_prepare(world, error) == MN_OK)
        return world;
    mn_world_destroy(world);
    return NULL;
}

enum { STEPS_SHOWN = 40 };

// Measures steps one by one: looking at a step costs nothing.
typedef struct Watch {
    mn_World* world;
    double since, seconds; // [s]
    double worst;          // [1] highest mean density error after a step
    mn_StageTime before[16];
    mn_Stats last;
    double iterations, divergence; // the peer's
    double alike_seconds;          // [s] in steps that took no more
    int alike, steps;
    int taken[STEPS_SHOWN]; // iterations of the first steps
} Watch;

static bool watch_step(void* user)
{
    Watch* watch = user;
    double seconds = bench_clock() - watch->since;
    mn_Stats now = mn_world_stats(watch->world);
    watch->seconds += seconds;
    watch->worst = fmax(watch->worst, now.density_error_mean);
    if (now.steps > watch->last.steps) {
        int iterations = (int)(now.iterations_total - watch->last.iterations_total);
        int divergence = (int)(now.divergence_iterations_total - watch->last.divergence_iterations_total);
        if (iterations <= watch->iterations && divergence <= watch->divergence) {
            watch->alike++;
            watch->alike_seconds += seconds;
        }
        if (watch->steps < STEPS_SHOWN)
            watch->taken[watch->steps] = iterations;
        watch->steps++;
    }
    watch->last = now;
    watch->since = bench_clock();
    return true;
}

static void keep_stages(Watch* watch)
{
    const mn_StageTime* stage;
    size_t count = mn_world_timing(watch->world, &stage);
    for (size_t k = 0; k < count && k < 16; k++)
        watch->before[k] = stage[k];
}

static void print_stages(FILE* out, const Watch* watch, double steps)
{
    const mn_StageTime* stage;
    size_t count = mn_world_timing(watch->world, &stage);
    fprintf(out, "         ");
    for (size_t k = 0; k < count && k < 16; k++)
        fprintf(out, " %s %.2f", stage[k].name, 1e3 * (stage[k].seconds - watch->before[k].seconds) / steps);
    fprintf(out, " ms\n");
}

// The peer's iterations, and how we compare in steps that took no more.
static void print_alike(FILE* out, const PeerScene* scene, int method, const Watch* watch)
{
    char text[32] = "-";
    if (scene->divergence[method] > 0)
        snprintf(text, sizeof text, "%g + %g", scene->iterations[method], scene->divergence[method]);
    else if (scene->iterations[method] > 0)
        snprintf(text, sizeof text, "%g", scene->iterations[method]);
    fprintf(out, " %-8s", text);
    if (scene->iterations[method] > 0 && watch->alike > 0) {
        double ms = 1e3 * watch->alike_seconds / watch->alike;
        fprintf(out, " %4d %8.1f %5.1f x", watch->alike, ms, scene->peer[method] / ms);
    } else {
        fprintf(out, " %4s %8s %7s", "-", "", "");
    }
}

static void print_iterations(FILE* out, const Watch* watch)
{
    fprintf(out, "          iterations of each step:");
    for (int k = 0; k < watch->steps; k++)
        fprintf(out, " %d", watch->taken[k]);
    fprintf(out, "\n");
}

static void bench_method(FILE* out, const PeerScene* scene, mn_Pressure method, const BenchChoice* choice)
{
    mn_Error error;
    char text[1024];
    mn_World* world = build(scene, method, choice->threads, &error);
    if (!world) {
        fprintf(out, "  %-7s %s\n", method_names[method], mn_error_text(&error, text, sizeof text));
        return;
    }
    mn_Result result = mn_world_advance(world, scene->warm_up, NULL, NULL, &error);
    mn_Stats before = mn_world_stats(world);
    Watch watch = {
        .world = world, .last = before, .iterations = scene->iterations[method], .divergence = scene->divergence[method]};
    keep_stages(&watch);
    watch.since = bench_clock();
    if (result == MN_OK)
        result = mn_world_advance(world, scene->warm_up + scene->duration, watch_step, &watch, &error);
    watch_step(&watch);
    mn_Stats after = mn_world_stats(world);
    double steps = (double)(after.steps - before.steps), peer = scene->peer[method];
    double ours = scene->whole ? watch.seconds : 1e3 * watch.seconds / steps;
    fprintf(out, "  %-7s %9llu %9llu %6.0f %5.1f + %-4.1f %9.1f", method_names[method], (unsigned long long)after.fluid_particles,
            (unsigned long long)after.boundary_particles, steps, (double)(after.iterations_total - before.iterations_total) / steps,
            (double)(after.divergence_iterations_total - before.divergence_iterations_total) / steps, ours);
    if (peer > 0)
        fprintf(out, " %9.0f %7.1f x", peer, peer / ours);
    else
        fprintf(out, " %9s %9s", "-", "");
    print_alike(out, scene, method, &watch);
    fprintf(out, " %9.5f%% %6.0f\n", 100 * watch.worst, (double)after.memory_bytes / (double)after.fluid_particles);
    if (scene->iterations[method] > 0 && watch.steps <= STEPS_SHOWN)
        print_iterations(out, &watch);
    if (choice->stages)
        print_stages(out, &watch, steps);
    if (result != MN_OK)
        fprintf(out, "  %s\n", mn_error_text(&error, text, sizeof text));
    fflush(out);
    mn_world_destroy(world);
}

static bool is_chosen(const char* choice, const char* name)
{
    return !choice || !strcmp(choice, name);
}

bool bench_peers_has(const char* scene, const char* method)
{
    bool found_scene = false, found_method = false;
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        found_scene |= is_chosen(scene, scenes[k].key);
    for (int k = 0; k < 4; k++)
        found_method |= is_chosen(method, method_names[k]);
    return found_scene && found_method;
}

void bench_peers(FILE* out, const BenchChoice* choice)
{
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        const PeerScene* scene = &scenes[k];
        if (!is_chosen(choice->scene ? choice->scene : choice->quick ? "motion" : NULL, scene->key))
            continue;
        fprintf(out, "%s, %d threads; %s\n", scene->name, choice->threads,
                scene->whole ? "seconds for the whole run" : "ms per step");
        fprintf(out, "  %-7s %9s %9s %6s %-10s %10s %9s %9s %-8s %21s %10s %6s\n", "method", "fluid", "boundary", "steps",
                "iterations", "meniscus", "peer", "faster", " peer's", "steps with no more:", "worst error", "bytes");
        for (int method = 0; method < 4; method++)
            if (is_chosen(choice->method, method_names[method]))
                bench_method(out, scene, (mn_Pressure)method, choice);
    }
}
