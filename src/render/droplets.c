// SPDX-License-Identifier: MIT
#include "render/droplets.h"

#include "base/random.h"
#include "base/vec.h"
#include "foam/around.h"
#include "particles/kernel.h"
#include <stdlib.h>
#include <string.h>

enum { EACH = 32, FEW = 6 };      // diffuse particles of a droplet; neighbours that make it fluid
static const double LOOSE = 0.95; // [1] of the rest density, walls included: whoever has more is not looked at
// [1] of the rest density: who has less is torn out of a jet, if its neighbours alone say so too. The flat surface of a lattice has
// 0.66.
static const double THIN = 0.6, THIN_ALONE = 0.55;
static const double SPREAD = 2;    // [particle radii] of the cloud
static const double SHUTTER = 0.4; // [1] of the time between frames: drops are drawn out on the way of so long
static const double LONGEST = 4;   // [particle radii] that half of it may be

// --- who flies alone

// The share of the rest density that a frame tells.
static double density_of(const Frame* fluid, const mn_Scene* scene, size_t i)
{
    uint8_t f = fluid->fluid[i];
    return (double)fluid->density[i] / (f < scene->fluid_count ? scene->fluids[f].density : 1000);
}

// The fluid as neighbours are searched in it.
typedef struct Around {
    Memory memory;
    CellGrid grid;
    Vec4 *position, *sorted; // sorted: as the grid has them, eight more can be read
    FoamGroup group;
    FoamFluid fluid;
} Around;

static void around_free(Around* a)
{
    grid_free(&a->grid);
    memory_give(&a->memory, a->position);
    memory_give(&a->memory, a->sorted);
}

static bool around_build(Around* a, const Frame* fluid, double radius, int dimension)
{
    size_t n = fluid->count;
    *a = (Around){0};
    grid_init(&a->grid, &a->memory, 4 * radius, dimension);
    a->position = memory_take(&a->memory, (n + LANES) * sizeof(Vec4));
    a->sorted = memory_take(&a->memory, (n + LANES) * sizeof(Vec4));
    if (!a->position || !a->sorted)
        return false;
    for (size_t i = 0; i < n; i++)
        a->position[i] = (Vec4){fluid->position[3 * i], fluid->position[3 * i + 1], fluid->position[3 * i + 2], 0};
    if (!grid_build(&a->grid, NULL, a->position, n, a->sorted)) // borrows what is filled below
        return false;
    for (size_t k = 0; k < n + LANES; k++)
        a->sorted[k] = k < n ? a->position[a->grid.order[k]] : (Vec4){0, 0, 0, 0};
    a->fluid = (FoamFluid){.count = n, .position = a->sorted, .grid = &a->grid};
    foam_group_init(&a->group, &a->fluid, (float)(4 * radius));
    return true;
}

// Neighbours of a point, and the density [1] that they and itself make without walls.
static int neighbours_of(FoamGroup* group, Vec4 x, double* density)
{
    F8 count = f8_zero(), weight = f8_zero(), inverse = f8_set(1 / group->h);
    float counts[LANES], weights[LANES];
    foam_group_begin(group, &x, 1);
    while (foam_group_next(group))
        for (int k = 0; k < group->near_count; k++) {
            FoamNear p = foam_near(group, group->near[k]);
            count = f8_add(count, f8_and(f8_set(1), p.near));
            weight = f8_add(weight, f8_and(kernel8_w(MN_KERNEL_CUBIC, f8_mul(f8_sqrt(p.r2), inverse)), p.near));
        }
    f8_store(counts, count);
    f8_store(weights, weight);
    *density = (1 + (double)weights[0]) / 3.14; // one stands for itself; a lattice has 3.14
    return (int)counts[0];
}

// Marks who has hardly any neighbours; how many they are, SIZE_MAX: out of memory. The density of a frame alone would not tell: a
// grid fluid has loose cells along all of its surface.
static size_t mark_alone(const Frame* fluid, const mn_Scene* scene, double radius, uint8_t* alone)
{
    Around around;
    size_t count = 0;
    bool ok = around_build(&around, fluid, radius, scene->world.dimension);
    for (size_t i = 0; ok && i < fluid->count; i++) {
        double told = density_of(fluid, scene, i), density;
        if (!(told < LOOSE))
            continue;
        int neighbours = neighbours_of(&around.group, around.position[i], &density);
        alone[i] = neighbours < FEW || (told < THIN && density < THIN_ALONE);
        count += alone[i];
    }
    around_free(&around);
    return ok ? count : SIZE_MAX;
}

// --- clouds

static bool grow(Frame* foam, size_t count)
{
    float* position = realloc(foam->position, (3 * count + 1) * sizeof(float));
    foam->position = position ? position : foam->position;
    float* life = realloc(foam->pressure, (count + 1) * sizeof(float));
    foam->pressure = life ? life : foam->pressure;
    uint32_t* id = realloc(foam->id, (count + 1) * sizeof(uint32_t));
    foam->id = id ? id : foam->id;
    uint8_t* kind = realloc(foam->fluid, count + 1);
    foam->fluid = kind ? kind : foam->fluid;
    return position && life && id && kind;
}

// Half of the way that a drop is drawn out along [m].
static void streak_of(const Frame* fluid, size_t i, double seconds, double radius, double out[3])
{
    const float* v = fluid->velocity + 3 * i;
    double speed = sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])), half = 0.5 * seconds * speed;
    double factor = half > LONGEST * radius ? LONGEST * radius / speed : 0.5 * seconds;
    for (int j = 0; j < 3; j++)
        out[j] = isfinite(speed) ? factor * (double)v[j] : 0;
}

static void add_cloud(Frame* foam, const float* at, uint32_t id, double radius, const double streak[3])
{
    Random random = {random_mix(id)};
    for (int k = 0; k < EACH; k++) {
        double x[3], square;
        do {
            square = 0;
            for (int j = 0; j < 3; j++) {
                x[j] = random_range(&random, -1, 1);
                square += x[j] * x[j];
            }
        } while (square > 1);
        double along = random_range(&random, -1, 1);
        size_t i = foam->count++;
        for (int j = 0; j < 3; j++) // denser in the middle
            foam->position[3 * i + (size_t)j] = at[j] + (float)(SPREAD * radius * x[j] * sqrt(square) + along * streak[j]);
        foam->pressure[i] = 1;
        foam->id[i] = 5 * (uint32_t)(random_next(&random) >> 40) + 1 + (uint32_t)(k % 4); // never the largest of the five sizes
        foam->fluid[i] = 0;
    }
}

static void copy(Frame* f, size_t to, size_t from)
{
    memmove(f->position + 3 * to, f->position + 3 * from, 3 * sizeof(float));
    memmove(f->velocity + 3 * to, f->velocity + 3 * from, 3 * sizeof(float));
    f->density[to] = f->density[from];
    f->pressure[to] = f->pressure[from];
    f->id[to] = f->id[from];
    f->fluid[to] = f->fluid[from];
}

bool droplets_to_spray(Frame* fluid, Frame* foam, const mn_Scene* scene, double radius)
{
    uint8_t* alone = calloc(fluid->count + 1, 1);
    size_t count = alone ? mark_alone(fluid, scene, radius, alone) : SIZE_MAX, kept = 0;
    if (count == SIZE_MAX || !grow(foam, foam->count + EACH * count)) {
        free(alone);
        return false;
    }
    double seconds = scene->frame_rate > 0 ? SHUTTER / scene->frame_rate : 0;
    for (size_t i = 0; i < fluid->count; i++) {
        if (alone[i]) {
            double streak[3];
            streak_of(fluid, i, seconds, radius, streak);
            add_cloud(foam, fluid->position + 3 * i, fluid->id[i], radius, streak);
        } else {
            copy(fluid, kept++, i);
        }
    }
    fluid->count = kept;
    free(alone);
    return true;
}
