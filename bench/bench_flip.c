// SPDX-License-Identifier: MIT
// The stages of a step of the grid fluid, on a pool of water that is a little shaken, in a tank: per particle, best of several
// steps, because other programs only ever make it slower.
#include "bench.h"

#include "base/random.h"
#include "flip/flip.h"
#include "particles/moving.h"

enum { STAGES = 7, STEPS = 5 };
static const char* const stage_name[STAGES] = {"sort", "blocks", "to grid", "forces", "pressure", "extend", "to particles"};

typedef struct Pond {
    ParticleSet set;
    Vec4 *position, *velocity;
    uint32_t* id;
    CellGrid grid;
    Flip flip;
    Solid tank;
    double seconds[STAGES]; // best
} Pond;

static bool make_tank(Pond* pond, double wide, Memory* memory)
{
    mn_SolidDef def = mn_default_solid_def();
    def.inside = true;
    def.shape.size = (mn_Vec3){wide, wide, wide};
    def.pose.position = (mn_Vec3){wide / 2, wide / 2, wide / 2};
    return solid_create(&pond->tank, &def, 3, 1e-4, NULL, memory, NULL) == MN_OK;
}

// Half of the tank is full.
static bool fill_tank(Pond* pond, size_t side, double d)
{
    Random random = {1};
    MovingParticles particles = {&pond->set, &pond->position, &pond->velocity, &pond->id};
    const ParticleArray arrays[] = {{"position", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &pond->position, false, 0},
                                    {"velocity", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &pond->velocity, false, 0},
                                    {"id", PARTICLE_STATE, STATE_UINT32, sizeof(uint32_t), &pond->id, false, 0}};
    for (size_t k = 0; k < 3; k++)
        if (!particle_set_add(&pond->set, &arrays[k]))
            return false;
    if (!particle_set_reserve(&pond->set, side * side / 2 * side))
        return false;
    for (size_t i = 0; i < side * side / 2 * side; i++) {
        size_t x = i % side, y = i / side % (side / 2), z = i / side / (side / 2);
        double r[3] = {random_range(&random, 0.3, 0.7), random_range(&random, 0.3, 0.7), random_range(&random, 0.3, 0.7)};
        Vec3d at = {d * ((double)x + r[0]), d * ((double)y + r[1]), d * ((double)z + r[2])};
        if (!moving_append(&particles, at, vec3d(0, 0, 0), 0, (uint32_t)i))
            return false;
    }
    return true;
}

static double since(double* clock)
{
    double now = bench_clock(), passed = now - *clock;
    *clock = now;
    return passed;
}

static bool step(Pond* pond, Pool* pool, double dt, bool counts)
{
    Flip* flip = &pond->flip;
    MovingParticles moving = {&pond->set, &pond->position, &pond->velocity, &pond->id};
    double clock = bench_clock(), t[STAGES];
    if (!moving_sort(&moving, &pond->grid, pool))
        return false;
    t[0] = since(&clock);
    if (!flip_find(flip, &pond->grid) || !walls_update(&flip->walls, &flip->blocks))
        return false;
    t[1] = since(&clock);
    FlipParticles particles = {.position = pond->position, .velocity = pond->velocity, .count = pond->set.count};
    flip->gravity = vec3d(0, -9.81, 0);
    flip_to_grid(flip, &particles, dt);
    t[2] = since(&clock);
    flip_gravity(flip, vec3d(0, -9.81, 0));
    t[3] = since(&clock);
    if (!flip_solve(flip))
        return false;
    t[4] = since(&clock);
    flip_extend(flip, flip->speed);
    t[5] = since(&clock);
    flip_to_particles(flip, &particles, pond->set.scratch);
    t[6] = since(&clock);
    for (int k = 0; k < STAGES && counts; k++)
        pond->seconds[k] = t[k] < pond->seconds[k] ? t[k] : pond->seconds[k];
    return true;
}

static void bench_size(FILE* out, Pool* pool, size_t side)
{
    Memory memory = {0};
    double d = 0.01, total = 0;
    Pond pond = {.seconds = {1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9}};
    particle_set_init(&pond.set, &memory);
    grid_init(&pond.grid, &memory, 2 * d, 3);
    FlipDef def = {.memory = &memory,
                   .pool = pool,
                   .dimension = 3,
                   .cell_size = pond.grid.cell,
                   .spacing = d,
                   .density = {1000},
                   .fluid_count = 1,
                   .pic = 0.03,
                   .tolerance = 1e-2,
                   .most_iterations = 100,
                   .relax_time = 0.5 * sqrt(2 * d / 9.81)};
    bool ok = make_tank(&pond, d * (double)side, &memory) && fill_tank(&pond, side, d) && flip_create(&pond.flip, &def) &&
              walls_add(&pond.flip.walls, &pond.tank, 1);
    for (int k = 0; k < STEPS + 3 && ok; k++)
        ok = step(&pond, pool, 0.005, k >= 3);
    double n = (double)pond.set.count;
    for (int k = 0; k < STAGES && ok; k++) {
        total += pond.seconds[k];
        fprintf(out, "%12.0f  %-14s %8.1f\n", n, stage_name[k], 1e9 * pond.seconds[k] / n);
    }
    if (ok)
        fprintf(out, "%12.0f  %-14s %8.1f   %.2f ms, %d iterations, %.0f bytes per particle\n", n, "step", 1e9 * total / n,
                1e3 * total, pond.flip.report.iterations, (double)memory.bytes / n);
    else
        fprintf(out, "no memory for %zu particles\n", side * side / 2 * side);
    flip_free(&pond.flip);
    grid_free(&pond.grid);
    particle_set_free(&pond.set);
    solid_free(&pond.tank);
}

void bench_flip(FILE* out, const BenchChoice* choice)
{
    static const size_t sides[] = {60, 128, 200, 318};
    Pool* pool = pool_create(choice->threads);
    fprintf(out, "%12s  %-14s %8s   (tolerance 1e-2, %d threads)\n", "particles", "stage", "ns each", pool_threads(pool));
    for (size_t k = 0; k < (choice->quick ? 1 : sizeof sides / sizeof *sides); k++)
        bench_size(out, pool, sides[k]);
    pool_destroy(pool);
}
