// SPDX-License-Identifier: MIT
// Fluids for tests of foam: particles by hand, sorted as foam expects them.
#ifndef TESTS_FOAM_SUPPORT_H
#define TESTS_FOAM_SUPPORT_H

#include "support.h"

#include "base/random.h"
#include "foam/foam.h"
#include "particles/particle_set.h"

typedef struct TestFluid {
    Memory memory;
    ParticleSet set;
    Vec4 *position, *velocity;
    uint32_t* id;
    CellGrid grid;
    FoamFluid fluid;
} TestFluid;

static inline void test_fluid_init(TestFluid* t, double h, int dimension)
{
    *t = (TestFluid){0};
    particle_set_init(&t->set, &t->memory);
    const ParticleArray arrays[] = {{"x", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &t->position, false, 0},
                                    {"v", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &t->velocity, false, 0},
                                    {"id", PARTICLE_STATE, STATE_UINT32, sizeof(uint32_t), &t->id, false, 0}};
    for (int k = 0; k < 3; k++)
        assert_true(particle_set_add(&t->set, &arrays[k]));
    grid_init(&t->grid, &t->memory, h, dimension);
}

static inline void test_fluid_add(TestFluid* t, Vec3d x, Vec3d v)
{
    size_t i = particle_set_append(&t->set);
    assert_true(i != SIZE_MAX);
    t->position[i] = (Vec4){(float)x.x, (float)x.y, (float)x.z, 0};
    t->velocity[i] = (Vec4){(float)v.x, (float)v.y, (float)v.z, 0};
    t->id[i] = (uint32_t)i;
}

static inline void test_fluid_sort(TestFluid* t, Pool* pool)
{
    particle_set_reserve(&t->set, t->set.count + 1); // arrays are there even if there are no particles
    particle_set_clear_padding(&t->set);
    Vec4* scratch = particle_set_borrow(&t->set, "grid");
    assert_true(grid_build(&t->grid, pool, t->position, t->set.count, scratch));
    particle_set_return(&t->set, scratch);
    particle_set_permute(&t->set, pool, t->grid.order);
    particle_set_clear_padding(&t->set);
    t->fluid = (FoamFluid){.count = t->set.count, .position = t->position, .velocity = t->velocity, .id = t->id, .grid = &t->grid};
}

static inline void test_fluid_free(TestFluid* t)
{
    grid_free(&t->grid);
    particle_set_free(&t->set);
}

// A block of fluid on a lattice of spacing d, each place disturbed by up to `disorder` spacings, with a velocity per place.
typedef Vec3d TestFlow(Vec3d x);

static inline void test_fluid_block(TestFluid* t, Vec3d low, int nx, int ny, int nz, double d, double disorder, TestFlow* flow)
{
    Random random = {7};
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                Vec3d at = {low.x + (x + 0.5 + random_range(&random, -disorder, disorder)) * d,
                            low.y + (y + 0.5 + random_range(&random, -disorder, disorder)) * d,
                            nz == 1 ? 0 : low.z + (z + 0.5 + random_range(&random, -disorder, disorder)) * d};
                test_fluid_add(t, at, flow(at));
            }
}

static inline FoamRules test_rules(double radius, double speed)
{
    mn_FoamDef def = mn_default_foam_def();
    FoamScale scale = {.dimension = 3,
                       .particle_radius = radius,
                       .support_radius = 4 * radius,
                       .gravity = {0, -9.81, 0},
                       .speed = speed,
                       .seed = 1};
    return foam_rules(&def, &scale);
}

#endif
