// SPDX-License-Identifier: MIT
// Forces between patches of surfaces and fluid particles (Müller 2004, eqs. 16 and 19), found once for both: a group of patches
// keeps what its points get and lists what each particle gets from it. The lists are then added up in the order of the groups.
// The traction is summed over all points of the rule, eight lanes for the points of one patch before one particle. Friction falls
// off linearly over a wider range: one point in the middle of each patch is enough, eight lanes for as many particles.
#ifndef COUPLING_GAUSS_FORCES_H
#define COUPLING_GAUSS_FORCES_H

#include "coupling/gauss_near.h"
#include "coupling/traction.h"

// What a patch got from the fluid, as forces at its corners.
typedef struct PatchLoad {
    Vec3d corner[3]; // [N]
    bool is_wet;     // a particle is within range of its middle
} PatchLoad;

// What a group does to a particle.
typedef struct GaussPush {
    float x, y, z; // [m/s2]
    uint32_t particle;
} GaussPush;

typedef struct GaussForces {
    Memory* memory;
    Sph* sph;
    const GaussSurfaces* surfaces;
    GaussNear near;
    Traction traction;
    float viscosity[FLUIDS_MOST]; // [Pa s] of boundaries, for each fluid
    bool amplified;               // forces are those of eqs. 20 and 21
    PatchLoad* load;              // (patches) of groups that have runs of particles near
    GaussPush* push;              // those of a group begin at GaussNear.first
    uint32_t* pushes;             // (groups)
    size_t load_capacity, push_capacity, pushes_capacity;
} GaussForces;

void gauss_forces_free(GaussForces* forces);

// Patches or particles have moved. False: out of memory.
bool gauss_forces_place(GaussForces* forces);
// Adds the acceleration of every fluid particle near a patch, and fills `load`.
void gauss_forces_act(GaussForces* forces);

#endif
