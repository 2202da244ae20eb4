// SPDX-License-Identifier: MIT
// Surface reconstruction at a grid spacing of one particle radius: a full block, where most particles are deep inside; a splash
// like that of a dam break, with five triangles to a particle; and spray, where a third of the particles are loose and the rest has
// holes, with eight of them. The best of several runs counts; 1 million particles per second are wanted.
#include "bench_surface.h"
#include "base/clock.h"

#include "base/random.h"
#include "surface/surface.h"

#include <stdlib.h>
#include <time.h>

enum { RUNS = 3 };

// Of all threads together: tells on a shared machine what a quiet one would do.
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef void PlaceFn(Random* random, size_t k, size_t side, float out[3]);

static void place_block(Random* random, size_t k, size_t side, float out[3])
{
    const size_t at[3] = {k % side, k / side % side, k / side / side};
    for (int c = 0; c < 3; c++)
        out[c] = (float)((double)at[c] + random_range(random, -0.1, 0.1));
}

static void place_layers(Random* random, size_t k, size_t side, double height, float out[3])
{
    place_block(random, k, side, out);
    double s = (double)side;
    out[2] += (float)(height + 4 * sin(9 * (double)out[0] / s) * cos(7 * (double)out[1] / s));
}

// Of 64 particles 36 are in a pool, 24 in wavy sheets of three layers above it, three in clumps and one alone.
static void place_splash(Random* random, size_t k, size_t side, float out[3])
{
    size_t kind = k % 64, wide = 2 * side, layer = 3 * wide * wide;
    double s = (double)side;
    if (kind < 36) {
        place_block(random, k / 64 * 36 + kind, wide, out);
    } else if (kind < 60) {
        size_t n = k / 64 * 24 + kind - 36;
        place_layers(random, n % layer, wide, 0.3 * s + 0.2 * s * (double)(n / layer), out);
    } else {
        Random centre = {k / 640}; // clumps of thirty
        for (int c = 0; c < 3; c++)
            out[c] = (float)(random_range(kind < 63 ? &centre : random, c == 2 ? 0.3 * s : 0, c == 2 ? s : 2 * s) +
                             random_range(random, -1.5, 1.5));
    }
}

// Two thirds in a loose pool, the others in rough sheets and alone above it.
static void place_spray(Random* random, size_t k, size_t side, float out[3])
{
    double s = (double)side;
    place_block(random, k, 2 * side, out);
    if (k % 3)
        return;
    double a = random_range(random, 0, 2 * s), b = random_range(random, 0, 2 * s);
    out[0] = (float)a;
    out[1] = (float)b;
    out[2] = (float)(k % 4 ? s / 4 + 0.2 * s * (1 + sin(9 * a / s) * cos(7 * b / s)) : random_range(random, 0.3 * s, s));
}

static void measure(FILE* out, const char* name, PlaceFn* place, size_t side, Pool* pool, int smoothing)
{
    size_t count = side * side * side;
    float* x = malloc(3 * count * sizeof *x);
    SurfaceDef def = surface_default_def(0.5);
    def.smoothing = smoothing;
    SurfaceInput input = {.count = count, .position = x, .stride = 3, .value_count = 1, .value = {{x, 3, 3}}};
    Random random = {5};
    Memory memory = {0};
    memory_keep(&memory); // as for the frames of a run
    double best = INFINITY, cpu = INFINITY;
    size_t triangles = 0, blocks = 0;
    for (size_t k = 0; x && k < count; k++)
        place(&random, k, side, x + 3 * k);
    for (int run = 0; x && run < RUNS; run++) {
        SurfaceMesh mesh;
        double start = clock_seconds(), cpu_start = cpu_seconds();
        if (surface_build(&def, &input, pool, &memory, &mesh, NULL) != MN_OK)
            break;
        double elapsed = clock_seconds() - start;
        best = elapsed < best ? elapsed : best;
        cpu = fmin(cpu, cpu_seconds() - cpu_start);
        triangles = mesh.triangle_count;
        blocks = mesh.band_count;
        surface_free(&mesh);
    }
    fprintf(out, "%-34s %10zu %10zu %10zu %10.0f %10.0f %10.2f\n", name, count, triangles, blocks, 1e3 * cpu, 1e3 * best,
            1e-6 * (double)count / best);
    memory_clear(&memory);
    free(x);
}

void bench_surface(FILE* out, const BenchChoice* choice)
{
    Pool* pool = pool_create(choice->threads);
    size_t side = choice->quick ? 40 : 100;
    fprintf(out, "%-34s %10s %10s %10s %10s %10s %10s\n", "surface, spacing = radius", "particles", "triangles", "blocks", "cpu ms",
            "ms", "M/s");
    measure(out, "block", place_block, side, pool, 0);
    measure(out, "block, smoothed", place_block, side, pool, 10);
    measure(out, "splash", place_splash, side, pool, 0);
    measure(out, "splash, smoothed", place_splash, side, pool, 10);
    measure(out, "spray", place_spray, side, pool, 0);
    measure(out, "spray, smoothed", place_spray, side, pool, 10);
    pool_destroy(pool);
}
