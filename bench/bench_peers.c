// SPDX-License-Identifier: MIT
// Scenes with the particle counts, spacing, step and tolerance for which SPlisHSPlasH 2.16 (AVX, newest neighbour search, 2
// threads) was measured on the same hardware. Density tolerance 0.01 %, divergence 0.1 %, as there; nothing beyond that is
// asked of us either (max_pressure_error 1). Walls are sampled by our own sampler; tanks are sized to give as many particles.
#include "bench.h"

#include <meniscus/meniscus.h>
#include <stdlib.h>

typedef struct PeerScene {
    const char* name;
    double radius, step; // [m], [s]; step 0 = adaptive
    mn_Block blocks[2];
    size_t block_count;
    mn_Vec3 tank;             // [m]
    double warm_up, duration; // [s] measured after warm-up
    // peer: ms per step for sesph, pcisph, iisph, dfsph, or seconds for the whole duration if `whole`; 0 = none
    double peer[4];
    int whole;
} PeerScene;

static const char* const method_names[] = {"sesph", "pcisph", "iisph", "dfsph"};

static const PeerScene scenes[] = {
    {"dam break, at rest, dt 1 ms",
     0.005,
     1e-3,
     {{{0, 0, 0}, {0.99, 0.99, 0.99}, {0, 0, 0}}},
     1,
     {4, 3.18, 2},
     0,
     0.005,
     {951, 2789, 2398, 1166},
     0},
    {"dam break in motion, dt 1 ms",
     0.005,
     1e-3,
     {{{0, 0, 0}, {0.49, 0.49, 0.49}, {0, 0, 0}}},
     1,
     {2, 1.59, 1},
     0.25,
     0.03,
     {135, 0, 706, 205},
     0},
    {"double dam break, 0.5 s",
     0.01,
     0,
     {{{0, 0, 0}, {0.6, 0.95, 0.6}, {0, 0, 0}}, {{5.4, 0, 3.4}, {6, 0.95, 4}, {0, 0, 0}}},
     2,
     {6, 4.9, 4},
     0,
     0.5,
     {195, 0, 102, 41},
     1},
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

static void bench_method(FILE* out, const PeerScene* scene, mn_Pressure method, int threads)
{
    mn_Error error;
    char text[1024];
    mn_World* world = build(scene, method, threads, &error);
    if (!world) {
        fprintf(out, "  %-7s %s\n", method_names[method], mn_error_text(&error, text, sizeof text));
        return;
    }
    mn_Result result = mn_world_advance(world, scene->warm_up, NULL, NULL, &error);
    mn_Stats before = mn_world_stats(world);
    double start = bench_clock();
    if (result == MN_OK)
        result = mn_world_advance(world, scene->warm_up + scene->duration, NULL, NULL, &error);
    double seconds = bench_clock() - start;
    mn_Stats after = mn_world_stats(world);
    double steps = (double)(after.steps - before.steps), peer = scene->peer[method];
    double ours = scene->whole ? seconds : 1e3 * seconds / steps;
    fprintf(out, "  %-7s %9llu %9llu %6.0f %5.1f + %-4.1f %9.1f", method_names[method], (unsigned long long)after.fluid_particles,
            (unsigned long long)after.boundary_particles, steps, (double)(after.iterations_total - before.iterations_total) / steps,
            (double)(after.divergence_iterations_total - before.divergence_iterations_total) / steps, ours);
    if (peer > 0)
        fprintf(out, " %9.0f %7.1f x", peer, peer / ours);
    else
        fprintf(out, " %9s %9s", "-", "");
    fprintf(out, " %9.5f%% %6.0f\n", 100 * after.density_error_mean, (double)after.memory_bytes / (double)after.fluid_particles);
    if (result != MN_OK)
        fprintf(out, "  %s\n", mn_error_text(&error, text, sizeof text));
    fflush(out);
    mn_world_destroy(world);
}

void bench_peers(FILE* out, int threads, int quick)
{
    for (size_t k = quick ? 1 : 0; k < (quick ? 2 : sizeof scenes / sizeof *scenes); k++) {
        const PeerScene* scene = &scenes[k];
        fprintf(out, "%s, %d threads; %s\n", scene->name, threads, scene->whole ? "seconds for the whole run" : "ms per step");
        fprintf(out, "  %-7s %9s %9s %6s %-12s %9s %9s %9s %10s %6s\n", "method", "fluid", "boundary", "steps", "iterations",
                "meniscus", "peer", "faster", "error", "bytes");
        for (int method = 0; method < 4; method++)
            bench_method(out, scene, (mn_Pressure)method, threads);
    }
}
