// SPDX-License-Identifier: MIT
// Where a fluid's particles start: blocks, balls, shapes, filled meshes and filled solids on lattices with the particle spacing.
#ifndef FLUID_SEED_H
#define FLUID_SEED_H

#include "particles/moving.h"
#include "solid/solid.h"
#include <meniscus/defs.h>

typedef struct SeedPlan {
    int dimension;
    double spacing; // [m] 2r
    Vec3d gravity;
    const char* folder; // for files of meshes and particles
    mn_ReadParticlesFn* read_particles;
    const Solid* solid; // that may be filled
    size_t solid_count;
    uint64_t* next_id;
} SeedPlan;

// Appends the particles of `def` as fluid number `kind`.
mn_Result seed_fluid(const MovingParticles* to, const mn_FluidDef* def, int kind, SeedPlan* plan, mn_Error* error);

#endif
