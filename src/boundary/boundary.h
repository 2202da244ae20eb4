// SPDX-License-Identifier: MIT
// The boundary particles of all solids: where they are, how they move, what volume each stands for (Akinci 2012).
//   V_b = c_b / sum_k W_bk       (Akinci 2014, eq. 3.2, with c_b = 1)
// c_b is 1 on open shapes, WallLayer.strength on closed ones, and follows the shape of rigid and elastic bodies (curvature.h).
// Resting solids are sorted once. Moving ones come in two kinds: those that keep their shape and their particles, and skins of
// elastic solids (skin.h), whose particles come and go. Both are placed and sorted every step, and the volumes of resting particles
// are corrected where moving ones come near.
#ifndef BOUNDARY_BOUNDARY_H
#define BOUNDARY_BOUNDARY_H

#include "boundary/skin.h"
#include "boundary/wall_layer.h"
#include "particles/neighbours.h"
#include "solid/solid.h"

// Whose particles have volumes; those of others only mark where solids are.
typedef enum BoundaryVolumes { VOLUMES_ALL, VOLUMES_OF_SKINS, VOLUMES_NONE } BoundaryVolumes;

typedef struct Boundary {
    Memory* memory;
    size_t count, capacity;
    size_t resting;        // the first `resting` belong to solids that never move
    size_t driven;         // then come so many that move with their solid; before sorting, particles of skins follow
    Vec4* position;        // [m] x, y, z, volume [m^d]
    Vec4* velocity;        // [m/s] x, y, z, friction [1]
    Vec4* local;           // [m] in the solid's frame
    uint32_t* solid;       // index of the solid
    uint32_t* order;       // place of each moving particle before it was sorted
    float* wall_viscosity; // [1]
    float* factor;         // [1] c_b
    float* share;          // [1] weight in number densities (resample.h); NULL: there are no skins
    float* resting_volume; // [m^d] volumes of resting particles when nothing moves near
    float* alone;          // [m^d] (driven, as they were made) volumes while no other solid is near (volume.h)
    float* number_density; // scratch
    Vec4* scratch;
    CellGrid grid[2]; // resting, moving
    uint8_t* touched; // (segments of grid[0]) moving particles are near, now (1) or at the last update (2)
    size_t touched_capacity;
    uint32_t* which; // scratch: particles whose volume is to be found
    size_t which_capacity;
    uint8_t* near; // scratch: (segments of grid[1]) whether others are near
    size_t near_capacity;
    Skin* skin;
    size_t skin_count, skin_capacity;
    double volume;                            // [m^d] of a fluid particle
    WallLayer layer;                          // of closed shapes
    float most_friction, most_wall_viscosity; // [1] of all solids
    BoundaryVolumes volumes;                  // set before boundary_build
    Period period;                            // the same; resting particles have images on the other side of its borders
    bool belts;                               // a solid that rests has a surface velocity
} Boundary;

// `volume` V0 of a fluid particle and `spacing` set how far behind a visible surface its particles must lie.
void boundary_init(Boundary* boundary, Memory* memory, const Kernel* kernel, double volume, double spacing);
void boundary_free(Boundary* boundary);

// Before boundary_build. False: out of memory.
bool boundary_add_skin(Boundary* boundary, Pool* pool, const SkinDef* def);

// Samples the surface of each solid that is not elastic and finds all volumes. `counts` (solid_count) receives particles per solid.
mn_Result boundary_build(Boundary* boundary, Pool* pool, const Kernel* kernel, double spacing, const Solid* solid,
                         size_t solid_count, size_t* counts, mn_Error* error);

// Skins of surfaces that have come apart get their triangles. `*out_changed`: there were some; boundary_update() must follow then.
// False: out of memory.
bool boundary_follow(Boundary* boundary, Pool* pool, const Solid* solid, bool* out_changed);

// Samples skins anew where they have deformed over the last `dt` [s]; by number densities if `by_density`, which are computed for
// it, and there are volumes. boundary_update() must follow. False: out of memory.
bool boundary_resample(Boundary* boundary, Pool* pool, const Kernel* kernel, const Solid* solid, size_t solid_count, double dt,
                       bool by_density);

// Moves particles of moving solids to where the solids are now. False: out of memory.
bool boundary_update(Boundary* boundary, Pool* pool, const Kernel* kernel, const Solid* solid, size_t solid_count);

// The skin that a moving particle (by its place now) belongs to, NULL if none; `particle` receives its number there.
const Skin* boundary_skin_of(const Boundary* boundary, size_t place, uint32_t* particle);

BoundaryPoints boundary_points(const Boundary* boundary);

#endif
