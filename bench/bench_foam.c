// SPDX-License-Identifier: MIT
// Foam: a frame of post-process for a wild fluid and a given number of diffuse particles in it, by part, with bytes per diffuse
// particle; and drawing as many as the scenes of table 6.1 of Akinci 2014 have, at their sizes of picture. Reading and writing
// files is not in it. The best of several counts.
#include "bench_foam.h"

#include "base/random.h"
#include "foam/between.h"
#include "foam/foam.h"
#include "render/foam_picture.h"
#include "solid/solid.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 3 };

// --- making

typedef struct Fluid {
    float *position, *velocity;
    uint32_t* id;
    size_t count;
    double radius;
} Fluid;

static bool fluid_create(Fluid* f, size_t wanted)
{
    size_t side = (size_t)cbrt((double)wanted);
    Random random = {3};
    f->radius = 0.5 / (double)side;
    f->count = side * side * side;
    f->position = malloc(3 * f->count * sizeof *f->position);
    f->velocity = malloc(3 * f->count * sizeof *f->velocity);
    f->id = malloc(f->count * sizeof *f->id);
    for (size_t i = 0; i < f->count && f->position && f->velocity && f->id; i++) {
        size_t cell[3] = {i % side, i / side % side, i / side / side};
        f->id[i] = (uint32_t)i;
        for (int k = 0; k < 3; k++) {
            f->position[3 * i + (size_t)k] = (float)(2 * f->radius * ((double)cell[k] + random_range(&random, 0.3, 0.7)));
            f->velocity[3 * i + (size_t)k] =
                (float)(2 * sin(12.0 * (double)cell[(k + 1) % 3] / (double)side) + random_range(&random, -1, 1));
        }
    }
    return f->position && f->velocity && f->id;
}

static bool fill(Foam* foam, size_t count, double top)
{
    Random random = {9};
    for (size_t k = 0; k < count; k++) {
        FoamParticle p = {.position = {random_unit(&random), top * random_unit(&random), random_unit(&random)},
                          .life = 1,
                          .id = (uint32_t)k,
                          .kind = FOAM_FOAM};
        if (!foam_add(foam, &p))
            return false;
    }
    foam->state.next_id = count;
    return true;
}

// A tank around all of it, three boxes and a cone in it: each particle stays on its side of five solids.
enum { SOLIDS = 5 };

static bool make_solids(Solid solid[SOLIDS], FoamSides* sides, double margin, Memory* memory)
{
    const Vec3d centre[SOLIDS] = {{0.5, 0.6, 0.5}, {0.3, 0.2, 0.3}, {0.3, 0.3, 0.7}, {0.7, 0.2, 0.3}, {0.7, 0.25, 0.7}};
    mn_Error error;
    for (int k = 0; k < SOLIDS; k++) {
        mn_SolidDef def = mn_default_solid_def();
        def.name = "solid";
        def.shape.type = k + 1 < SOLIDS ? MN_SHAPE_BOX : MN_SHAPE_CONE;
        def.shape.size = k == 0 ? vec3d(1.2, 1.4, 1.2) : vec3d(0.15, 0.4, 0.15);
        def.pose.position = centre[k];
        def.inside = k == 0;
        if (solid_create(&solid[k], &def, 3, margin, NULL, memory, &error) != MN_OK)
            return false;
    }
    return foam_sides_create(sides, memory, solid, SOLIDS, 3, margin);
}

static void measure_frame(FILE* out, const Fluid* f, size_t diffuse, int threads)
{
    Memory memory = {0};
    Pool* pool = pool_create(threads);
    Foam foam = {0};
    FoamBetween between = {0};
    mn_FoamDef def = mn_default_foam_def();
    def.limit = (int64_t)(diffuse + diffuse / 2);
    FoamScale scale = {.dimension = 3,
                       .particle_radius = f->radius,
                       .support_radius = 4 * f->radius,
                       .gravity = {0, -9.81, 0},
                       .speed = 4,
                       .seed = 1};
    FoamRules rules = foam_rules(&def, &scale);
    FoamFrame a = {0, f->count, f->position, f->velocity, f->id}, b = a;
    b.time = 0.004; // a substep
    bool ok = foam_create(&foam, &rules, &memory, pool) && foam_between_create(&between, &rules, &memory, pool) &&
              fill(&foam, diffuse, 1.1);
    Solid solid[SOLIDS] = {0};
    FoamSides sides = {0};
    ok = ok && make_solids(solid, &sides, 0.05 * f->radius, &memory);
    size_t fluid_bytes = 0;
    double best[4] = {1e9, 1e9, 1e9, 1e9};
    foam.state.steps = 15; // sorts first
    for (int k = 0; k < TRIES && ok; k++) {
        double start = bench_clock();
        ok = foam_between_frames(&between, &a, &b, &foam);
        double potentials = bench_clock();
        FoamFluid fluid;
        ok = ok && foam_between_at(&between, 1, &foam, &fluid);
        double placed = bench_clock();
        ok = ok && foam_step(&foam, &fluid, &sides, 1e-4);
        double end = bench_clock();
        const double parts[4] = {potentials - start, placed - potentials, end - placed, end - start};
        for (int j = 0; j < 4; j++)
            best[j] = parts[j] < best[j] ? parts[j] : best[j];
    }
    fluid_bytes =
        foam.set.count ? foam.set.capacity * (sizeof(Vec4) * 3 + 6) + foam.order_capacity * 4 + foam.grid.order_capacity * 4 : 0;
    if (ok)
        fprintf(out, "%-22s %10zu %10zu %10.0f %10.0f %10.0f %10.0f %12.1f\n", "", f->count, foam.set.count, 1e3 * best[0],
                1e3 * best[1], 1e3 * best[2], 1e3 * best[3], (double)fluid_bytes / (double)foam.set.count);
    foam_sides_destroy(&sides);
    for (int k = 0; k < SOLIDS; k++)
        solid_free(&solid[k]);
    foam_between_destroy(&between);
    foam_destroy(&foam);
    pool_destroy(pool);
}

// --- drawing

static void measure_picture(FILE* out, const char* name, size_t count, int wide, int high, int threads)
{
    Pool* pool = pool_create(threads);
    float* position = malloc(3 * count * sizeof *position);
    float* life = malloc(count * sizeof *life);
    uint32_t* id = malloc(count * sizeof *id);
    uint8_t* kind = malloc(count);
    size_t pixels = (size_t)wide * (size_t)high;
    float *solid = malloc(pixels * sizeof *solid), *liquid = malloc(pixels * sizeof *liquid);
    Picture picture;
    if (position && life && id && kind && solid && liquid && picture_create(&picture, wide, high)) {
        Random random = {5};
        // streaks of foam on a wavy sea, spray above
        for (size_t i = 0; i < count; i++) {
            double x = random_range(&random, -1, 1), z = random_range(&random, -1, 1);
            double band = sin(9 * x + 3 * sin(4 * z)), y = 0.1 * sin(6 * x) + 0.02 * random_unit(&random);
            z += 0.1 * band * band;
            position[3 * i] = (float)x;
            position[3 * i + 1] = (float)(y + (i % 10 == 0 ? 0.2 * random_unit(&random) : 0));
            position[3 * i + 2] = (float)z;
            life[i] = (float)random_unit(&random);
            id[i] = (uint32_t)i;
            kind[i] = i % 10 == 0 ? 0 : i % 10 < 3 ? 2 : 1;
        }
        for (size_t k = 0; k < pixels; k++) {
            solid[k] = NOTHING;
            liquid[k] = k > pixels / 3 ? 2.5f : NOTHING;
        }
        Camera camera = camera_look(vec3d(0.4, 0.9, 2.4), vec3d(0, 0, 0), vec3d(0, 1, 0), 40, wide, high);
        mn_FoamLook look = mn_default_foam_look();
        float radius = 0.8f / (float)cbrt((double)count);
        FoamInput in = {.camera = &camera,
                        .foam = {count, position, id, kind, life, 0.3f * radius},
                        .solid_depth = solid,
                        .liquid_depth = liquid,
                        .look = foam_look_complete(&look, 0.3 * (double)radius, 2),
                        .exposure = 1};
        FoamPicture foam = {0};
        double best[4] = {1e9, 1e9, 1e9, 1e9};
        for (int k = 0; k < TRIES; k++) {
            double start = bench_clock();
            picture_fill(&picture, (Vec3){0.1f, 0.2f, 0.3f});
            if (!foam_picture_draw(&foam, pool, &in, FOAM_PASS_COMPOSITION, &picture))
                break;
            double all = bench_clock() - start;
            for (int j = 0; j < 3; j++)
                best[j] = foam.seconds[j] < best[j] ? foam.seconds[j] : best[j];
            best[3] = all < best[3] ? all : best[3];
        }
        fprintf(out, "%-22s %10zu %6dx%-4d %9.0f %10.0f %10.0f %10.0f\n", name, count, wide, high, 1e3 * best[0], 1e3 * best[1],
                1e3 * best[2], 1e3 * best[3]);
        foam_picture_free(&foam);
        picture_free(&picture);
    }
    free(position);
    free(life);
    free(id);
    free(kind);
    free(solid);
    free(liquid);
    pool_destroy(pool);
}

// --- tables

static const struct {
    const char* name;
    size_t count;
    int wide, high;
} pictures[] = {
    {"wave", 820000, 800, 600}, {"ship", 9000000, 800, 600}, {"lighthouse", 15000000, 800, 600}, {"flood", 29000000, 1280, 960}};
enum { PICTURES = sizeof pictures / sizeof *pictures };

bool bench_foam_has(const char* scene)
{
    bool found = !scene || !strcmp(scene, "making");
    for (int k = 0; k < PICTURES && !found; k++)
        found = !strcmp(scene, pictures[k].name);
    return found;
}

static bool is_chosen(const BenchChoice* choice, const char* name)
{
    return !choice->scene || !strcmp(choice->scene, name);
}

static void measure_making(FILE* out, const BenchChoice* choice)
{
    fprintf(out, "%-22s %10s %10s %10s %10s %10s %10s %12s\n", "foam, a substep, ms", "fluid", "diffuse", "potentials", "fluid at",
            "diffuse", "all", "bytes each");
    const size_t sizes[][2] = {{125000, 600000}, {1000000, 1250000}, {1000000, 2500000}, {1000000, 5000000}};
    for (int k = 0; k < (choice->quick ? 1 : 4); k++) {
        Fluid f;
        if (fluid_create(&f, sizes[k][0]))
            measure_frame(out, &f, sizes[k][1], choice->threads);
        free(f.position);
        free(f.velocity);
        free(f.id);
    }
    fprintf(out, "\n");
}

void bench_foam(FILE* out, const BenchChoice* choice)
{
    if (is_chosen(choice, "making"))
        measure_making(out, choice);
    if (choice->scene && !strcmp(choice->scene, "making"))
        return;
    fprintf(out, "%-22s %10s %11s %9s %10s %10s %10s\n", "foam, a picture, ms", "particles", "size", "thickness", "light",
            "compose", "all");
    for (int k = 0; k < (choice->quick && !choice->scene ? 1 : PICTURES); k++)
        if (is_chosen(choice, pictures[k].name))
            measure_picture(out, pictures[k].name, pictures[k].count, pictures[k].wide, pictures[k].high, choice->threads);
}
