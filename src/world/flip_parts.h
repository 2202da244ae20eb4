// SPDX-License-Identifier: MIT
// The grid fluid as the fluid of a world. Only files flip_*.c of this room, tests and benchmarks look inside.
#ifndef WORLD_FLIP_PARTS_H
#define WORLD_FLIP_PARTS_H

#include "flip/flip.h"
#include "world/world_parts.h"

// World.fluid_data
typedef struct FlipFluid {
    ParticleSet set; // owns the arrays below
    // state
    Vec4* position;  // [m] x, y, z, and the pressure [Pa] of the last solve: the next one starts from it
    Vec4* velocity;  // [m/s] x, y, z, and the number of the fluid
    Vec4* affine[3]; // [1/s] rows of the velocities' gradient, if the transfer is affine
    uint32_t* id;    // from 0 in order of birth
    // for views, filled on demand
    float* density;  // [1] how full the cell is that a particle is in
    float* pressure; // [Pa]
    uint8_t* kind;

    CellGrid grid; // of cells
    FlipDef def;   // what the scene says
    Flip flip;
    bool created; // flip is
} FlipFluid;

static inline FlipFluid* world_flip(const mn_World* world)
{
    return world->fluid_data;
}

static inline FlipParticles flip_particles(const FlipFluid* fluid)
{
    return (FlipParticles){.position = fluid->position,
                           .velocity = fluid->velocity,
                           .affine = {fluid->affine[0], fluid->affine[1], fluid->affine[2]},
                           .count = fluid->set.count};
}

// flip_fluid.c: see FluidKind
bool flip_fluid_knows(mn_Pressure method);
FluidTraits flip_fluid_traits(mn_Pressure method);
bool flip_fluid_create(mn_World* world);
void flip_fluid_destroy(mn_World* world);
void flip_fluid_add(mn_World* world, size_t number, const mn_FluidDef* def);
mn_Result flip_fluid_seed(mn_World* world, mn_Error* error);
bool flip_fluid_prepare(mn_World* world);
bool flip_fluid_couple(mn_World* world);
void flip_fluid_begin(mn_World* world);
bool flip_fluid_register(mn_World* world, Register* reg);
bool flip_fluid_reserve(mn_World* world);
bool flip_fluid_search(mn_World* world);
void flip_fluid_forget(mn_World* world);
void flip_fluid_set_gravity(mn_World* world, Vec3d gravity);
void flip_fluid_change(mn_World* world, size_t number, const mn_FluidDef* def);

// flip_view.c: what there is to see, and how long steps may be
void flip_fluid_show(mn_World* world);
mn_ParticleView flip_fluid_view(const mn_World* world);
FluidSample flip_fluid_sample(const mn_World* world, Vec3d point);
double flip_fluid_longest_step(mn_World* world);                      // [s]
double flip_fluid_expected_step(const mn_World* world, double speed); // [s]

#endif
