// SPDX-License-Identifier: MIT
// Time to the same simulated time, ours and another simulator's, on the same scene at the same tolerance on this machine. The
// scene is one text: our world is made of it, and so is the scene file of the peer (scene/foreign), which runs if its program is
// given. Both stop a step at the same predicted mean compression, and nothing beyond that is asked of us (max_pressure_error 1);
// the table has our true one, the worst of all steps. Walls are sampled by each program's own sampler.
#include "bench.h"

#include "base/error.h"
#include "io/frame.h"
#include "scene/foreign/foreign.h"
#include <math.h>
#include <meniscus/meniscus.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct PeerScene {
    const char *key, *name;
    double radius, step, duration; // [m], [s], [s]; step 0: adaptive
    const char *blocks, *tank;     // in the words of a scene
} PeerScene;

static const char* const method_names[] = {"sesph", "pcisph", "iisph", "dfsph"};

static const PeerScene scenes[] = {
    {"small", "dam break, 14k particles, 0.1 s, steps of 1 ms", 0.01, 1e-3, 0.1,
     "{\"min\": [0, 0, 0], \"max\": [0.48, 0.48, 0.48]}", "\"shape\": {\"box\": [2, 1.58, 1]}, \"position\": [1, 0.79, 0.5]"},
    {"rest", "1M particles, first 5 ms, steps of 1 ms", 0.005, 1e-3, 0.005, "{\"min\": [0, 0, 0], \"max\": [0.99, 0.99, 0.99]}",
     "\"shape\": {\"box\": [4, 3.18, 2]}, \"position\": [2, 1.59, 1]"},
    {"motion", "dam break, 117k particles, 0.28 s, steps of 1 ms", 0.005, 1e-3, 0.28,
     "{\"min\": [0, 0, 0], \"max\": [0.49, 0.49, 0.49]}", "\"shape\": {\"box\": [2, 1.59, 1]}, \"position\": [1, 0.795, 0.5]"},
    {"double", "double dam break, 86k particles, 0.5 s, adaptive steps", 0.01, 0, 0.5,
     "{\"min\": [0, 0, 0], \"max\": [0.6, 0.95, 0.6]}, {\"min\": [5.4, 0, 3.4], \"max\": [6, 0.95, 4]}",
     "\"shape\": {\"box\": [6, 4.9, 4]}, \"position\": [3, 2.45, 2]"},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static mn_Scene* make_scene(const PeerScene* scene, int method, mn_Error* error)
{
    char text[2048], step[128] = "";
    // a fixed step only where the state equation stands it too
    if (scene->step > 0 && method != MN_PRESSURE_SESPH)
        snprintf(step, sizeof step, ", \"time_step\": %g", scene->step);
    snprintf(text, sizeof text,
             "{\"particle_radius\": %g, \"duration\": %g, \"solver\": {\"method\": \"%s\", \"max_density_error\": 1e-4, "
             "\"max_divergence_error\": 1e-3, \"max_pressure_error\": 1%s}, \"fluids\": [{\"viscosity_method\": \"laplace\", "
             "\"viscosity\": 1, "
             "\"blocks\": [%s]}], \"solids\": [{%s, \"inside\": true, \"wall_viscosity\": 0}]}",
             scene->radius, scene->duration, method_names[method], step, scene->blocks, scene->tank);
    return mn_scene_parse(text, strlen(text), "bench", NULL, NULL, 0, error);
}

// --- the peer

static bool write_file(const char* folder, const char* name, const char* text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    if (!file)
        return false;
    bool ok = fputs(text, file) >= 0;
    return !fclose(file) && ok;
}

// [s] that the program takes to simulate until `stop` [s] with that many threads. Negative: it failed.
static double run_peer(const char* program, const char* folder, double stop, int threads)
{
    char stop_text[32], threads_text[16], scene[512];
    snprintf(stop_text, sizeof stop_text, "%.9g", stop);
    snprintf(threads_text, sizeof threads_text, "%d", threads);
    snprintf(scene, sizeof scene, "%s/scene.json", folder);
    fflush(NULL); // the child must not print it again
    double start = bench_clock();
    pid_t child = fork();
    if (child == 0) {
        setenv("OMP_NUM_THREADS", threads_text, 1);
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(127);
        execlp(program, program, "--no-gui", "--no-initial-pause", "--no-cache", "--stopAt", stop_text, "--output-dir", folder,
               scene, (char*)NULL);
        _exit(127);
    }
    int status = 0;
    bool ok = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return ok ? bench_clock() - start : -1;
}

// The same without what it takes to start: from the run that ends after its first step to the whole one.
static double time_peer(const char* program, const mn_Scene* scene, int threads)
{
    char folder[] = "/tmp/meniscus-peer-XXXXXX", remove[600];
    mn_Error error;
    char* text = scene_to_splishsplash(scene, &error);
    bool ok = text && mkdtemp(folder) && write_file(folder, "scene.json", text) &&
              write_file(folder, "unit_box.obj", splishsplash_unit_box);
    double start = ok ? run_peer(program, folder, 1e-6, threads) : -1;
    double whole = start >= 0 ? run_peer(program, folder, scene->duration, threads) : -1;
    free(text);
    snprintf(remove, sizeof remove, "rm -rf '%s'", folder);
    if (ok && system(remove) != 0)
        return -1;
    return whole >= 0 ? fmax(whole - start, 0) : -1;
}

// --- ours

typedef struct Watch {
    mn_World* world;
    double worst; // [1] highest mean density error after a step
} Watch;

static bool watch_step(void* user)
{
    Watch* watch = user;
    watch->worst = fmax(watch->worst, mn_world_stats(watch->world).density_error_mean);
    return true;
}

static void print_stages(FILE* out, const mn_World* world, double steps)
{
    const mn_StageTime* stage;
    size_t count = mn_world_timing(world, &stage);
    fprintf(out, "         ");
    for (size_t k = 0; k < count; k++)
        fprintf(out, " %s %.2f", stage[k].name, 1e3 * stage[k].seconds / steps);
    fprintf(out, " ms per step\n");
}

static void print_row(FILE* out, const mn_Scene* scene, int method, const BenchChoice* choice, const Watch* watch, double seconds)
{
    mn_Stats stats = mn_world_stats(watch->world);
    double steps = (double)stats.steps;
    fprintf(out, "  %-7s %9llu %9llu %6.0f %5.1f + %-4.1f %10.1f %9.2f", method_names[method],
            (unsigned long long)stats.fluid_particles, (unsigned long long)stats.boundary_particles, steps,
            (double)stats.iterations_total / steps, (double)stats.divergence_iterations_total / steps, 1e3 * seconds / steps,
            seconds);
    double peer = choice->peer ? time_peer(choice->peer, scene, choice->threads) : -1;
    if (peer >= 0)
        fprintf(out, " %9.2f %7.1f x", peer, peer / seconds);
    else if (choice->peer)
        fprintf(out, " %9s %9s", "failed", "");
    fprintf(out, " %10.5f%% %6.0f\n", 100 * watch->worst, (double)stats.memory_bytes / (double)stats.fluid_particles);
    if (choice->stages)
        print_stages(out, watch->world, steps);
}

static void bench_method(FILE* out, const PeerScene* peer, int method, const BenchChoice* choice)
{
    mn_Error error;
    char text[1024];
    mn_Scene* scene = make_scene(peer, method, &error);
    if (scene)
        scene->world.threads = choice->threads;
    if (scene)
        scene->world.read_particles = frame_read_particles;
    Watch watch = {.world = scene ? mn_scene_build(scene, &error) : NULL};
    mn_Result result = watch.world ? MN_OK : error.result;
    double start = bench_clock();
    if (watch.world)
        result = mn_world_advance(watch.world, peer->duration, watch_step, &watch, &error);
    double seconds = bench_clock() - start;
    if (result == MN_OK) {
        watch_step(&watch);
        print_row(out, scene, method, choice, &watch, seconds);
    } else {
        fprintf(out, "  %-7s %s\n", method_names[method], mn_error_text(&error, text, sizeof text));
    }
    fflush(out);
    mn_world_destroy(watch.world);
    mn_scene_free(scene);
}

static bool is_chosen(const char* choice, const char* name)
{
    return !choice || !strcmp(choice, name);
}

bool bench_peers_has(const char* scene, const char* method)
{
    bool found_scene = false, found_method = false;
    for (size_t k = 0; k < SCENES; k++)
        found_scene |= is_chosen(scene, scenes[k].key);
    for (int k = 0; k < 4; k++)
        found_method |= is_chosen(method, method_names[k]);
    return found_scene && found_method;
}

void bench_peers(FILE* out, const BenchChoice* choice)
{
    for (size_t k = 0; k < SCENES; k++) {
        const PeerScene* scene = &scenes[k];
        if (!is_chosen(choice->scene ? choice->scene : choice->quick ? "small" : NULL, scene->key))
            continue;
        fprintf(out, "%s; %d threads, mean compression 0.01 %%\n", scene->name, choice->threads);
        fprintf(out, "  %-7s %9s %9s %6s %-12s %10s %9s", "method", "fluid", "boundary", "steps", "iterations", "ms a step",
                "seconds");
        fprintf(out, choice->peer ? " %9s %9s %11s %6s\n" : "%.0s%.0s %11s %6s\n", "peer", "faster", "worst error", "bytes");
        for (int method = 0; method < 4; method++)
            if (is_chosen(choice->method, method_names[method]))
                bench_method(out, scene, method, choice);
    }
    if (!choice->peer)
        fprintf(out, "ours alone; --peer PROGRAM runs SPlisHSPlasH's SPHSimulator on the same scenes beside it\n");
}
