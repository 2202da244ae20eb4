// SPDX-License-Identifier: MIT
// SPH as the fluid of a world. Only files sph_*.c of this room, tests and benchmarks look inside.
#ifndef WORLD_SPH_PARTS_H
#define WORLD_SPH_PARTS_H

#include "fluid/fluid.h"
#include "fluid/integrate.h"
#include "fluid/pressure/method.h"
#include "fluid/tension/adhesion.h"
#include "world/world_parts.h"

// World.fluid_data
typedef struct SphFluid {
    Sph sph;
    Wetting* wetting; // per solid, if there is adhesion

    // of the step under way
    PressureReport report;
    Gain gain;
    bool corrected; // velocities were made free of divergence
} SphFluid;

static inline SphFluid* world_sph_fluid(const mn_World* world)
{
    return world->fluid_data;
}

static inline Sph* world_sph(const mn_World* world)
{
    return &world_sph_fluid(world)->sph;
}

// sph_fluid.c: see FluidKind
bool sph_knows(mn_Pressure method);
FluidTraits sph_traits(mn_Pressure method);
bool sph_create(mn_World* world);
void sph_destroy(mn_World* world);
void sph_add(mn_World* world, size_t number, const mn_FluidDef* def);
mn_Result sph_seed(mn_World* world, mn_Error* error);
bool sph_prepare(mn_World* world);
bool sph_couple(mn_World* world);
void sph_begin(mn_World* world);
bool sph_register(mn_World* world, Register* reg);
bool sph_thin(mn_World* world, size_t* out_removed);
bool sph_reserve(mn_World* world);
void sph_forget(mn_World* world);
void sph_set_gravity(mn_World* world, Vec3d gravity);
void sph_change(mn_World* world, size_t number, const mn_FluidDef* def);
void sph_use(mn_World* world);
void sph_expect(mn_World* world);

// sph_search.c: lists and densities of the current positions. False: out of memory.
bool sph_find_neighbours(mn_World* world, double dt); // dt [s]: since the last time
bool sph_search(mn_World* world);                     // sorts before
void sph_rest(mn_World* world);                       // what fluid starts with is its rest state

// sph_relax.c: see FluidKind
bool sph_relax(mn_World* world);

// sph_time_step.c
double sph_longest_step(mn_World* world);                      // [s] what the limits allow now
double sph_expected_step(const mn_World* world, double speed); // [s] what they will allow at that speed

// sph_view.c
void sph_show(mn_World* world);
void sph_hide(mn_World* world);
mn_ParticleView sph_view(const mn_World* world);
FluidSample sph_sample(const mn_World* world, Vec3d point);

#endif
