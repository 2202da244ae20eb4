// SPDX-License-Identifier: MIT
// Fast pictures of 1280 x 720 pixels: a breaking wave of a million particles in each style, by pass. The best of several frames
// counts; a frame per second is wanted. Loading frames and writing PNG files are not in it.
#include "bench_render.h"

#include "base/error.h"
#include "base/random.h"
#include "render/scene_picture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAMES = 4 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// [s] of all threads: what counts where others use the machine too
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct Wave {
    float *position, *scalar;
    size_t count;
    double radius;
} Wave;

// A basin of 2 x 1 x 1 m with a wave on it, and spray above.
static bool wave_create(Wave* w, size_t wanted)
{
    w->radius = 0.5 * cbrt(0.62 / (double)wanted);
    w->position = malloc(3 * wanted * sizeof *w->position);
    w->scalar = malloc(wanted * sizeof *w->scalar);
    w->count = 0;
    Random random = {11};
    double r = w->radius;
    for (double y = r; y < 1 && w->position && w->scalar; y += 2 * r)
        for (double x = r; x < 2; x += 2 * r)
            for (double z = r; z < 1 && w->count < wanted; z += 2 * r) {
                double top = 0.25 + 0.18 * sin(4 * x + 1) * (1 + 0.3 * sin(7 * z)) + 0.02 * sin(23 * x) * cos(19 * z);
                if (y > top && random_unit(&random) > 0.002)
                    continue;
                float* p = w->position + 3 * w->count;
                p[0] = (float)(x + 0.4 * r * (random_unit(&random) - 0.5));
                p[1] = (float)(y + 0.4 * r * (random_unit(&random) - 0.5));
                p[2] = (float)(z + 0.4 * r * (random_unit(&random) - 0.5));
                w->scalar[w->count++] = (float)(1 + sin(4 * x) + y);
            }
    return w->count > 0;
}

typedef struct Size {
    int width, height;
    bool draft;
} Size;

static void measure(FILE* out, const char* name, const Wave* w, mn_Style style, Size size, Renderer* renderer)
{
    ColourMap map;
    colour_map_build(&map, COLOUR_MAP_WATER);
    ParticleLook look = {.spheres = {w->count, w->position, 3, (float)w->radius}, .paint = PAINT_SCALAR, .scalar = w->scalar};
    Box3d box = {{0, 0, 0}, {2, 1, 1}};
    mn_ViewDef view = {.background = {0.95, 0.96, 0.97}, .environment = {.strength = 1}};
    Environment environment;
    RenderInput in = {.camera = camera_frame(box, vec3d(-0.42, -0.33, -0.85), vec3d(0, 1, 0), 30, size.width, size.height,
                                             (Margins){0.05, 0.05, 0.05, 0.05}),
                      .box = box,
                      .up = {0, 1, 0},
                      .ground = true,
                      .particle_radius = w->radius,
                      .style = style,
                      .environment = &environment,
                      .particles = &look,
                      .particle_count = 1,
                      .map = &map,
                      .range = {0, 3},
                      .background = {0.95f, 0.96f, 0.97f},
                      .samples = size.draft ? 1 : 2,
                      .draft = size.draft};
    environment_build(&environment, &view, &in.camera, in.up, NULL);
    Picture picture;
    if (!picture_create(&picture, size.width, size.height))
        return;
    double best = INFINITY, processor = INFINITY;
    RenderTimes t = {0};
    for (int k = 0; k < (size.draft ? 8 : 1) * FRAMES; k++) {
        double start = seconds(), used = processor_seconds();
        if (render_frame(renderer, &in, &picture, NULL) != MN_OK)
            break;
        double elapsed = seconds() - start;
        processor = fmin(processor, processor_seconds() - used);
        if (elapsed < best) {
            best = elapsed;
            t = renderer_times(renderer);
        }
    }
    picture_free(&picture);
    fprintf(out, "%-26s %10zu %8.0f %8.0f %8.0f %8.0f %8.0f %8.0f %8.0f %8.2f\n", name, w->count, 1e3 * t.samples, 1e3 * t.shadow,
            1e3 * t.light, 1e3 * t.shade, 1e3 * t.liquid, 1e3 * processor, 1e3 * best, 1 / best);
}

void bench_render(FILE* out, const BenchChoice* choice)
{
    fprintf(out, "%-26s %10s %8s %8s %8s %8s %8s %8s %8s %8s\n", "pictures, 1280 x 720, ms", "particles", "samples", "shadow",
            "light", "shade", "liquid", "cpu", "frame", "frames/s");
    Renderer* renderer = renderer_create(choice->threads);
    const size_t sizes[] = {100000, 1000000};
    const Size size = {1280, 720, false};
    for (int k = 0; k < (choice->quick ? 1 : 2) && renderer; k++) {
        Wave wave;
        if (wave_create(&wave, sizes[k])) {
            measure(out, "particles", &wave, MN_STYLE_PARTICLES, size, renderer);
            measure(out, "liquid", &wave, MN_STYLE_LIQUID, size, renderer);
            measure(out, "surface", &wave, MN_STYLE_SURFACE, size, renderer);
        }
        free(wave.position);
        free(wave.scalar);
    }
    renderer_destroy(renderer);
}

void bench_view(FILE* out, const BenchChoice* choice)
{
    fprintf(out, "%-26s %10s %8s %8s %8s %8s %8s %8s %8s %8s\n", "drafts, 960 x 540, ms", "particles", "samples", "shadow", "light",
            "shade", "liquid", "cpu", "frame", "frames/s");
    Renderer* renderer = renderer_create(choice->threads);
    const size_t sizes[] = {22000, 99300}; // asked for; about 20 000 and 91 000 come
    const Size draft = {960, 540, true}, fine = {960, 540, false};
    for (int k = choice->quick ? 1 : 0; k < 2 && renderer; k++) {
        Wave wave;
        if (wave_create(&wave, sizes[k])) {
            measure(out, "particles", &wave, MN_STYLE_PARTICLES, draft, renderer);
            measure(out, "liquid", &wave, MN_STYLE_LIQUID, draft, renderer);
        }
        if (wave.count && !choice->quick) {
            measure(out, "surface", &wave, MN_STYLE_SURFACE, draft, renderer);
            measure(out, "particles, fine", &wave, MN_STYLE_PARTICLES, fine, renderer);
            measure(out, "liquid, fine", &wave, MN_STYLE_LIQUID, fine, renderer);
        }
        free(wave.position);
        free(wave.scalar);
    }
    renderer_destroy(renderer);
    bench_window(out, choice);
}
