// SPDX-License-Identifier: MIT
// The window beside a running simulation: how many pictures per second it shows while a script turns the view, how long an input
// takes to be seen, and how many steps per second the simulation keeps of those that it takes alone. Numbers are medians of rounds
// in which the window is followed by the same steps without it.
#include "bench_render.h"

#include "base/machine.h"
#include <math.h>
#include <meniscus/scene.h>
#include <stddef.h>
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

// A step on the way to the next frame, as the window takes it.
static mn_Result step(mn_World* world, double frame_rate)
{
    double frame = floor(mn_world_time(world) * frame_rate + 1e-6) + 1;
    mn_Result result = mn_world_advance(world, frame / frame_rate, stop_after_one, NULL, NULL);
    return result == MN_INTERRUPTED ? MN_OK : result;
}

// Steps per second of the simulation alone, in the same steps as the window's: after the first `from` up to number `to`. 0 on
// failure.
static double alone(const char* path, int threads, int from, int to, size_t* particles)
{
    mn_Scene* scene = mn_scene_load(path, NULL, 0, NULL);
    if (scene)
        scene->world.threads = threads;
    mn_World* world = scene ? mn_scene_build(scene, NULL) : NULL;
    mn_Result result = world ? mn_world_prepare(world, NULL) : MN_INVALID;
    double start = bench_clock();
    for (int k = 0; k < to && result == MN_OK; k++) {
        if (k == from)
            start = bench_clock();
        result = step(world, scene->frame_rate);
    }
    double seconds = bench_clock() - start;
    *particles = world ? mn_world_particles(world).count : 0;
    mn_world_destroy(world);
    mn_scene_free(scene);
    return result == MN_OK && to > from ? (to - from) / seconds : 0;
}

typedef struct Report {
    double drawn, steps;   // per second
    double pixels;         // [%]
    double latency, worst; // [ms]
    double opened, first;  // [s]
    double simulated;      // seconds per second
    double alone, share;   // steps per second without the window [1/s], and what of them is left beside it [%]
    int from, to;          // steps that were measured
} Report;

static void read_line(const char* line, Report* r)
{
    const char* at;
    if ((at = strstr(line, "frames per second, ")))
        sscanf(at, "frames per second, %lf simulated seconds per second, %lf steps", &r->simulated, &r->steps);
    if (!strncmp(line, "steps ", 6))
        sscanf(line, "steps %d to %d", &r->from, &r->to);
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

// --- several rounds of the window and the simulation alone in turns, so that both meet the same machine

enum { ROUNDS = 5 };

static int by_value(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// The median of a number of each report; of an even count the smaller of the two in the middle.
static double median(const Report* reports, int count, size_t offset)
{
    double value[ROUNDS];
    for (int k = 0; k < count; k++)
        memcpy(&value[k], (const char*)&reports[k] + offset, sizeof *value);
    qsort(value, (size_t)count, sizeof *value, by_value);
    return value[(count - 1) / 2];
}

typedef struct WindowCase {
    const char *name, *style, *more; // more options of the window: then there is nothing to compare with
    double radius;
    int frames;
} WindowCase;

static bool measure_round(const Place* place, const WindowCase* c, int threads, Report* r, size_t* particles)
{
    if (!beside(place, c->frames, threads, c->more, r))
        return false;
    bool compares = !c->more[0];
    r->alone = alone(place->scene, threads, r->from, compares ? r->to : 0, particles);
    r->share = r->alone > 0 ? 100 * r->steps / r->alone : 0;
    return !compares || r->alone > 0;
}

static void measure_case(FILE* out, const Place* place, const WindowCase* c, const BenchChoice* choice)
{
    char text[2048];
    Report r[ROUNDS];
    size_t particles;
    int rounds = choice->quick ? 1 : ROUNDS;
    snprintf(text, sizeof text, dam, c->radius, c->style);
    bool ok = write_text(place->scene, text) && write_script(place->script, c->frames);
    for (int k = 0; k < rounds && ok; k++)
        ok = measure_round(place, c, choice->threads, &r[k], &particles);
    if (!ok) {
        fprintf(out, "%-26s cannot be opened\n", c->name);
        return;
    }
#define MEDIAN(field) median(r, rounds, offsetof(Report, field))
    fprintf(out, "%-26s %10zu %8.1f %8.0f %8.1f %8.1f %8.0f %8.3f %8.0f %8.0f %8.2f\n", c->name, particles, MEDIAN(drawn),
            MEDIAN(pixels), MEDIAN(steps), MEDIAN(alone), MEDIAN(share), MEDIAN(simulated), MEDIAN(latency), MEDIAN(worst),
            MEDIAN(opened));
#undef MEDIAN
}

void bench_window(FILE* out, const BenchChoice* choice)
{
    static const WindowCase cases[] = {{"particles, live", "particles", "--live", 0.0132, 200},
                                       {"particles", "particles", "", 0.01045, 100},
                                       {"liquid", "liquid", "", 0.01045, 100},
                                       {"particles", "particles", "", 0.0061, 60},
                                       {"liquid", "liquid", "", 0.0061, 60}};
    Place place;
    if (!find_place(&place)) {
        fprintf(out, "the window is left out: there is no meniscus-view beside this program\n");
        return;
    }
    fprintf(out, "%-26s %10s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "window beside simulation", "particles", "shown/s", "pixels %",
            "steps/s", "alone", "share %", "sim s/s", "input ms", "worst", "open s");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (!choice->quick || k == 1 || k == 3)
            measure_case(out, &place, &cases[k], choice);
    leave_place(&place);
}
