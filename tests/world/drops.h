// SPDX-License-Identifier: MIT
// Drops without gravity, a particle at a time so that each may have its own velocity.
#ifndef TESTS_DROPS_H
#define TESTS_DROPS_H

#include "worlds.h"

#include "base/random.h"

typedef struct DropDef {
    double radius, particle_radius; // [m]
    double sigma;                   // [N/m]
    double shake;                   // [1] random velocities that break the lattice, over sqrt(gamma spacing / 1 mm)
    double stretch;                 // [1/s] velocities (x, -y/2, -z/2) times this
    double viscosity;               // alpha
    uint64_t seed;
    int threads;
} DropDef;

static inline mn_Vec3 drop_velocity(const DropDef* drop, Random* random, double u, mn_Vec3 x)
{
    return v3(drop->stretch * x.x + u * random_range(random, -1, 1), -0.5 * drop->stretch * x.y + u * random_range(random, -1, 1),
              -0.5 * drop->stretch * x.z + u * random_range(random, -1, 1));
}

static inline mn_World* drop_new(const DropDef* drop)
{
    mn_WorldDef def = water_def(3, drop->particle_radius, MN_PRESSURE_DFSPH);
    def.gravity = v3(0, 0, 0);
    def.solver.max_density_error *= 0.3;
    def.solver.max_pressure_error *= 0.3;
    mn_World* world = world_new(&def);
    double d = 2 * drop->particle_radius, r = drop->particle_radius, h = 4 * r;
    double u = drop->shake * sqrt(drop->sigma / (5.8e3 * h * h) * d / 1e-3);
    int n = (int)ceil(drop->radius / d) + 1, side = 2 * n + 1;
    mn_Block* block = calloc((size_t)(side * side * side), sizeof *block);
    assert_non_null(block);
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.tension.sigma = drop->sigma;
    fluid.viscosity = drop->viscosity;
    fluid.blocks = block;
    Random random = {drop->seed};
    for (int k = 0; k < side * side * side; k++) {
        mn_Vec3 x = v3(d * (k % side - n), d * (k / side % side - n), d * (k / side / side - n));
        if (x.x * x.x + x.y * x.y + x.z * x.z > drop->radius * drop->radius)
            continue;
        block[fluid.block_count++] =
            (mn_Block){v3(x.x - r, x.y - r, x.z - r), v3(x.x + r, x.y + r, x.z + r), drop_velocity(drop, &random, u, x)};
    }
    add_fluid(world, &fluid);
    free(block);
    world_prepare(world);
    return world;
}

static inline mn_Vec3 drop_centre(const mn_ParticleView* view)
{
    mn_Vec3 c = v3(0, 0, 0);
    for (size_t i = 0; i < view->count; i++) {
        const float* x = view->position + 4 * i;
        c = v3(c.x + (double)x[0], c.y + (double)x[1], c.z + (double)x[2]);
    }
    return v3(c.x / (double)view->count, c.y / (double)view->count, c.z / (double)view->count);
}

// [m] of a ball with the same volume
static inline double drop_radius(const mn_World* world, double particle_radius)
{
    return cbrt(3 / (4 * M_PI) * (double)mn_world_particles(world).count) * 2 * particle_radius;
}

#endif
