// SPDX-License-Identifier: MIT
// Forces between patches of surfaces and fluid particles (Müller 2004, eqs. 16 and 19). The same arithmetic runs twice, chunk by
// chunk for the fluid and patch by patch for the solids, so that both get the same numbers with opposite signs.
#ifndef COUPLING_GAUSS_FORCES_H
#define COUPLING_GAUSS_FORCES_H

#include "coupling/gauss_pairs.h"
#include "coupling/traction.h"

// What a patch got from the fluid.
typedef struct PatchLoad {
    Vec3d force[GAUSS_POINTS]; // [N] at each of its points
    bool is_wet;               // a particle felt it
} PatchLoad;

typedef struct GaussForces {
    Sph* sph;
    const GaussSurfaces* surfaces;
    const GaussPairs* pairs;
    Traction traction;
    float viscosity[FLUIDS_MOST]; // [Pa s] of boundaries, for each fluid
    bool amplified;               // forces are those of eqs. 20 and 21
    // solids that do not give way: what they get is summed on the way
    const int32_t* wall_of;  // (solids) number from 0, or -1
    const Vec3* wall_centre; // [m] (walls) of torques
    size_t wall_count;
    double* wall_sums; // (blocks x walls x 6) [N], [N m] on each wall, by gauss_push_fluid()
} GaussForces;

// Adds the acceleration of every fluid particle near a patch; fills wall_sums, a row for each of gauss_blocks().
void gauss_push_fluid(const GaussForces* forces);
size_t gauss_blocks(const Sph* sph);
// What patch `number` gets. Its position is that of gauss_point().
void gauss_load_of(const GaussForces* forces, size_t number, PatchLoad* out);

// Where point k of a patch is [m].
Vec3d gauss_point(const GaussPatch* patch, const GaussRule* rule, int k);

#endif
