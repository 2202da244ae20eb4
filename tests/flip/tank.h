// SPDX-License-Identifier: MIT
// A tank of water on a grid of its own: a container, a block of particles on a lattice, steps without a world.
#ifndef TESTS_FLIP_TANK_H
#define TESTS_FLIP_TANK_H

#include "base/random.h"
#include "flip/flip.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

enum { TANK_SOLIDS = 4 };

typedef struct Tank {
    Memory memory;
    Flip flip;
    CellGrid grid;
    Solid solid[TANK_SOLIDS];
    size_t solid_count;
    FlipParticles p;
    Vec4 *scratch, *before;
    size_t capacity;
    double spacing;
    int dimension;
    Vec3d gravity;
} Tank;

static inline void tank_init(Tank* t, int dimension, double spacing)
{
    memset(t, 0, sizeof *t);
    t->dimension = dimension;
    t->spacing = spacing;
    t->gravity = vec3d(0, -9.81, 0);
}

static inline Solid* tank_add(Tank* t, Vec3d min, Vec3d max, bool inside, mn_SolidType type)
{
    mn_Error error = {0};
    mn_SolidDef def = {.type = type, .inside = inside, .scale = {1, 1, 1}, .pose = {.rotation = {1, 0, 0, 0}}};
    def.shape = (mn_Shape){.type = MN_SHAPE_BOX, .size = {max.x - min.x, max.y - min.y, max.z - min.z}};
    def.pose.position = vec3d_scale(vec3d_add(min, max), 0.5);
    Solid* solid = &t->solid[t->solid_count++];
    if (solid_create(solid, &def, t->dimension, 1e-4, NULL, &t->memory, &error) != MN_OK)
        fail_msg("%s", error.message);
    return solid;
}

// Particles in the middle of cells of a lattice, shaken by a share of the spacing.
static inline void tank_fill(Tank* t, Vec3d min, Vec3d max, double shake, float kind)
{
    Random random = {11};
    double d = t->spacing, depth = t->dimension == 3 ? max.z - min.z : d;
    int nx = (int)((max.x - min.x) / d + 0.5), ny = (int)((max.y - min.y) / d + 0.5), nz = (int)(depth / d + 0.5);
    size_t more = (size_t)nx * (size_t)ny * (size_t)nz, first = t->p.count;
    t->capacity = first + more + 16;
    t->p.position = realloc(t->p.position, t->capacity * sizeof(Vec4));
    t->p.velocity = realloc(t->p.velocity, t->capacity * sizeof(Vec4));
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                double r[3];
                for (int a = 0; a < 3; a++)
                    r[a] = shake * d * (random_unit(&random) - 0.5);
                Vec3d at = {min.x + (x + 0.5) * d + r[0], min.y + (y + 0.5) * d + r[1], min.z + (z + 0.5) * d + r[2]};
                t->p.position[t->p.count] = (Vec4){(float)at.x, (float)at.y, t->dimension == 3 ? (float)at.z : 0, 0};
                t->p.velocity[t->p.count++] = (Vec4){0, 0, 0, kind};
            }
}

static inline void tank_begin(Tank* t, Pool* pool, FlipDef def)
{
    def.memory = &t->memory;
    def.pool = pool;
    def.dimension = t->dimension;
    def.cell_size = def.cell_size > 0 ? def.cell_size : 2 * t->spacing;
    def.spacing = t->spacing;
    def.fluid_count = def.fluid_count ? def.fluid_count : 1;
    def.density[0] = def.density[0] > 0 ? def.density[0] : 1000;
    def.tolerance = def.tolerance > 0 ? def.tolerance : 1e-3;
    def.most_iterations = 100;
    def.relax_time = def.relax_time > 0 ? def.relax_time : 0.5 * sqrt(def.cell_size / 9.81);
    grid_init(&t->grid, &t->memory, def.cell_size, t->dimension);
    def.cell_size = t->grid.cell;
    assert_true(flip_create(&t->flip, &def));
    assert_true(walls_add(&t->flip.walls, t->solid, t->solid_count));
    t->scratch = malloc(t->capacity * sizeof(Vec4));
    t->before = malloc(t->capacity * sizeof(Vec4));
    if (def.apic)
        for (int a = 0; a < 3; a++)
            t->p.affine[a] = calloc(t->capacity, sizeof(Vec4));
}

static inline void tank_sort(Tank* t)
{
    assert_true(grid_build(&t->grid, t->flip.def.pool, t->p.position, t->p.count, t->scratch));
    Vec4* arrays[] = {t->p.position, t->p.velocity, t->p.affine[0], t->p.affine[1], t->p.affine[2]};
    for (int k = 0; k < 5 && arrays[k]; k++) {
        Vec4* a = arrays[k];
        for (size_t i = 0; i < t->p.count; i++)
            t->scratch[i] = a[t->grid.order[i]];
        memcpy(a, t->scratch, t->p.count * sizeof *a);
    }
    assert_true(flip_find(&t->flip, &t->grid));
    assert_true(walls_update(&t->flip.walls, &t->flip.blocks));
}

static inline void tank_step(Tank* t, double dt)
{
    tank_sort(t);
    t->flip.gravity = t->gravity;
    flip_to_grid(&t->flip, &t->p, dt);
    flip_gravity(&t->flip, t->gravity);
    assert_true(flip_solve(&t->flip));
    flip_extend(&t->flip, t->flip.speed);
    flip_to_particles(&t->flip, &t->p, t->before);
}

static inline void tank_free(Tank* t)
{
    flip_free(&t->flip);
    grid_free(&t->grid);
    for (size_t k = 0; k < t->solid_count; k++)
        solid_free(&t->solid[k]);
    free(t->p.position);
    free(t->p.velocity);
    for (int a = 0; a < 3; a++)
        free(t->p.affine[a]);
    free(t->scratch);
    free(t->before);
    assert_int_equal(t->memory.bytes, 0);
}

// Sum of what a function makes of particles' velocities, masses as densities say.
static inline Vec3d tank_momentum(const Tank* t)
{
    Vec3d sum = {0, 0, 0};
    for (size_t i = 0; i < t->p.count; i++) {
        Vec4 v = t->p.velocity[i];
        double m = (double)t->flip.def.density[(int)v.w] * pow(t->spacing, t->dimension);
        sum = vec3d_mad(sum, m, vec3d((double)v.x, (double)v.y, (double)v.z));
    }
    return sum;
}

static inline double tank_speed(const Tank* t)
{
    double most = 0;
    for (size_t i = 0; i < t->p.count; i++) {
        Vec4 v = t->p.velocity[i];
        most = fmax(most, sqrt((double)(v.x * v.x + v.y * v.y + v.z * v.z)));
    }
    return most;
}

// Mean height of all particles: half the depth of water that lies flat.
static inline double tank_mean_height(const Tank* t)
{
    double sum = 0;
    for (size_t i = 0; i < t->p.count; i++)
        sum += (double)t->p.position[i].y;
    return sum / (double)t->p.count;
}

#endif
