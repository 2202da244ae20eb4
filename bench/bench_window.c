// SPDX-License-Identifier: MIT
// The window beside a running simulation: how many pictures per second it shows while a script turns the view, how long an input
// takes to be seen, and how many steps per second the simulation keeps of those that it takes alone.
#include "bench_render.h"

#include "base/machine.h"
#include <meniscus/scene.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char dam[] =
    "{ \"name\": \"dam\", \"particle_radius\": %.6g, \"duration\": 10,\n"
    "  \"fluids\": [ { \"name\": \"water\", \"blocks\": [ { \"min\": [0, 0, 0], \"max\": [0.55, 0.55, 0.6] } ] } ],\n"
    "  \"solids\": [ { \"name\": \"tank\", \"type\": \"static\", \"shape\": { \"box\": [1.6, 1, 0.6] },\n"
    "                \"position\": [0.8, 0.5, 0.3], \"inside\": true } ],\n"
    "  \"view\": { \"style\": \"%s\", \"camera\": { \"eye\": [2.15, 1.25, 2.35], \"target\": [0.82, 0.3, 0.3] } } }\n";

// A folder of its own, two files in it, and the program.
typedef struct Place {
    char folder[512], scene[544], script[544], view[4200];
} Place;

static bool write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    bool ok = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && ok;
}

// The right button is held and goes to and fro. Time may run up to four times as fast as the clock, or the simulation would wait
// for it.
static bool write_script(const char* path, int frames)
{
    FILE* file = fopen(path, "w");
    if (!file)
        return false;
    for (int k = 0; k < 2; k++)
        fprintf(file, "{ \"frame\": 1, \"do\": \"key\", \"key\": \"=\" }\n");
    fprintf(file, "{ \"frame\": 1, \"do\": \"press\", \"x\": 300, \"y\": 270, \"button\": 3 }\n");
    for (int k = 2; k < frames; k++)
        fprintf(file, "{ \"frame\": %d, \"do\": \"move\", \"x\": %d, \"y\": 270 }\n", k,
                300 + (k / 20 % 2 ? 20 - k % 20 : k % 20) * 4);
    return fclose(file) == 0;
}

static bool find_place(Place* p)
{
    if (!machine_beside_program("meniscus-view", p->view, sizeof p->view))
        return false;
    const char* where = getenv("TMPDIR");
    snprintf(p->folder, sizeof p->folder, "%s/meniscus-bench-XXXXXX", where && *where ? where : "/tmp");
    if (access(p->view, X_OK) != 0 || !mkdtemp(p->folder))
        return false;
    snprintf(p->scene, sizeof p->scene, "%s/dam.json", p->folder);
    snprintf(p->script, sizeof p->script, "%s/input.txt", p->folder);
    return true;
}

static void leave_place(const Place* p)
{
    unlink(p->scene);
    unlink(p->script);
    rmdir(p->folder);
}

static bool stop_after_one(void* user)
{
    (void)user;
    return false;
}

// Steps per second of the simulation alone, over `seconds` from its start; 0 on failure.
static double alone(const char* path, int threads, double seconds, size_t* particles)
{
    mn_Scene* scene = mn_scene_load(path, NULL, 0, NULL);
    if (scene)
        scene->world.threads = threads;
    mn_World* world = scene ? mn_scene_build(scene, NULL) : NULL;
    mn_Result result = world ? mn_world_prepare(world, NULL) : MN_INVALID;
    double start = bench_clock(), now = start;
    int steps = 0;
    for (; result == MN_OK && now < start + seconds; now = bench_clock(), steps++) {
        result = mn_world_advance(world, mn_world_time(world) + 0.02, stop_after_one, NULL, NULL);
        result = result == MN_INTERRUPTED ? MN_OK : result;
    }
    *particles = world ? mn_world_particles(world).count : 0;
    mn_world_destroy(world);
    mn_scene_free(scene);
    return result == MN_OK ? steps / (now - start) : 0;
}

typedef struct Report {
    double drawn, steps;   // per second
    double pixels;         // [%]
    double latency, worst; // [ms]
    double opened, first;  // [s]
    double simulated;      // seconds per second
} Report;

static void read_line(const char* line, Report* r)
{
    const char* at;
    if ((at = strstr(line, "frames per second, ")))
        sscanf(at, "frames per second, %lf simulated seconds per second, %lf steps", &r->simulated, &r->steps);
    if ((at = strstr(line, "drawn anew, ")))
        sscanf(at, "drawn anew, %lf per second, %*f ms each with %lf", &r->drawn, &r->pixels);
    if (strstr(line, "from input to picture"))
        sscanf(line, "%lf ms from input to picture, at most %lf ms; the window was there after %lf s, the scene after %lf s",
               &r->latency, &r->worst, &r->opened, &r->first);
}

static bool beside(const Place* p, int frames, int threads, const char* more, Report* r)
{
    char command[6000], line[512];
    snprintf(command, sizeof command, "%s'%s' '%s' --size 960x540 --threads %d --frames %d --actions '%s' %s",
             getenv("DISPLAY") ? "" : "SDL_VIDEODRIVER=offscreen ", p->view, p->scene, threads, frames, p->script, more);
    FILE* pipe = popen(command, "r");
    *r = (Report){0};
    while (pipe && fgets(line, sizeof line, pipe))
        read_line(line, r);
    return pipe && pclose(pipe) == 0 && r->drawn > 0;
}

void bench_window(FILE* out, const BenchChoice* choice)
{
    static const struct {
        const char *name, *style, *more;
        double radius;
        int frames;
    } cases[] = {{"particles, live", "particles", "--live", 0.0132, 200},
                 {"particles", "particles", "", 0.01045, 120},
                 {"liquid", "liquid", "", 0.01045, 120},
                 {"particles", "particles", "", 0.0061, 60},
                 {"liquid", "liquid", "", 0.0061, 60}};
    Place place;
    if (!find_place(&place)) {
        fprintf(out, "the window is left out: there is no meniscus-view beside this program\n");
        return;
    }
    fprintf(out, "%-26s %10s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "window beside simulation", "particles", "shown/s", "pixels %",
            "steps/s", "alone", "share %", "sim s/s", "input ms", "worst", "open s");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[2048];
        Report r;
        size_t particles;
        snprintf(text, sizeof text, dam, cases[k].radius, cases[k].style);
        if (choice->quick && k != 1 && k != 3)
            continue;
        if (!write_text(place.scene, text) || !write_script(place.script, cases[k].frames) ||
            !beside(&place, cases[k].frames, choice->threads, cases[k].more, &r)) {
            fprintf(out, "%-26s cannot be opened\n", cases[k].name);
            continue;
        }
        double steps = cases[k].more[0] ? 0 : alone(place.scene, choice->threads, cases[k].frames / r.drawn, &particles);
        if (cases[k].more[0])
            alone(place.scene, choice->threads, 0, &particles);
        fprintf(out, "%-26s %10zu %8.1f %8.0f %8.1f %8.1f %8.0f %8.3f %8.0f %8.0f %8.2f\n", cases[k].name, particles, r.drawn,
                r.pixels, r.steps, steps, steps > 0 ? 100 * r.steps / steps : 0, r.simulated, r.latency, r.worst, r.opened);
    }
    leave_place(&place);
}
