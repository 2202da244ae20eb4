// SPDX-License-Identifier: MIT
// A kind of fluid: how fluids of a world are computed. The world sees its particles as MovingParticles and the rest through
// this table, and does not know what is behind it. SPH is one kind (sph_fluid.c). Which kind a world has follows from
// solver.method: fluids.c has the list.
#ifndef WORLD_FLUID_KIND_H
#define WORLD_FLUID_KIND_H

#include "base/register.h"
#include "base/vec.h"
#include "world/stage.h"

// What a method of a kind is to others.
typedef struct FluidTraits {
    const char* method; // as scenes name it
    bool iterates;      // pressures are found by iterations, in which solids can give way
    bool has_pairs;     // it meets boundary particles one by one
} FluidTraits;

// What a probe sees at a point.
typedef struct FluidSample {
    double weight;   // [1] share of the surroundings that is fluid; what follows is multiplied by it
    double pressure; // [Pa]
    Vec3d velocity;  // [m/s]
} FluidSample;

// Functions are called in this order. False: out of memory, if nothing else is said.
typedef struct FluidKind {
    const char* name;
    const Stage* stage; // of a step
    size_t stage_count;
    bool carries_solids;               // its own stages keep fluid out of solids that deform: they need no boundary particles
    bool (*knows)(mn_Pressure method); // it is one of its own
    FluidTraits (*traits)(mn_Pressure method); // of one that it knows

    // --- before the first step
    // Makes World.fluid_data, and says where particles are (World.particles), by what grid they are sorted (World.grid), how much
    // of space one fills (World.particle_volume), and where lists of boundary particles around them are (World.neighbours), if any.
    bool (*create)(mn_World* world);
    void (*destroy)(mn_World* world);                                    // also after create has failed
    void (*add)(mn_World* world, size_t number, const mn_FluidDef* def); // one more fluid
    mn_Result (*seed)(mn_World* world, mn_Error* error);                 // particles that fluids start with
    bool (*prepare)(mn_World* world);                                    // all solids are there, not yet their particles
    bool (*couple)(mn_World* world);                                     // makes World.coupling, boundary particles are there
    void (*begin)(mn_World* world);                                      // sets the limits of steps: world_derive_limits()
    bool (*register_state)(mn_World* world, Register* reg);              // particles and what else the next step depends on
    bool (*thin)(mn_World* world, size_t* out_removed);                  // after the first search: particles that are in the way
    bool (*relax)(mn_World* world);                                      // moves what solids would push at once; may be NULL
    void (*rest)(mn_World* world);                                       // what is left is its state of rest; may be NULL
    bool (*reserve)(mn_World* world);                                    // room for what it computes about World.particles

    // --- in each step
    double (*longest_step)(mn_World* world); // [s] what the limits of its motion allow now
    bool (*sources)(mn_World* world);        // particles come and go
    bool (*search)(mn_World* world);         // what depends on where particles are, also after a state was loaded
    void (*forget)(mn_World* world);         // a step failed: it may be tried again
    void (*set_gravity)(mn_World* world, Vec3d gravity);
    void (*change)(mn_World* world, size_t number, const mn_FluidDef* def); // another material of a fluid that is there
    void (*use)(mn_World* world);    // a fluid that was not used has particles now; may be NULL
    void (*expect)(mn_World* world); // speeds to expect have risen, or were loaded; may be NULL

    // --- what there is to see; these write nothing but `show` and `hide`
    void (*show)(mn_World* world); // makes what views show and steps do not keep
    void (*hide)(
        mn_World* world); // nobody looks any more: particles are about to change; may be called without `show`, may be NULL
    mn_ParticleView (*view)(const mn_World* world);
    FluidSample (*sample)(const mn_World* world, Vec3d point);
    double (*expected_step)(const mn_World* world, double speed); // [s] what the limits will allow at that speed [m/s]
} FluidKind;

extern const FluidKind fluid_sph, fluid_flip;

const FluidKind* fluid_kind(mn_Pressure method);

#endif
