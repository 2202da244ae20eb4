// SPDX-License-Identifier: MIT
// Solids that the grid carries together with the fluid (Brandt 2019): their inside is particles (SolidInside) that give mass and
// momentum to the same faces, feel the same pressure, and are moved by the same velocities. Where a solid's surface is follows from
// its particles too: the place beside a particle, taken back to the rest shape by the particle's own map, has a distance there.
#ifndef FLIP_INSIDE_H
#define FLIP_INSIDE_H

#include "flip/blocks.h"
#include "flip/distances.h"
#include "flip/doubt.h"
#include "solid/solid.h"

typedef struct Flip Flip;

// A solid that is carried.
typedef struct CarriedSolid {
    Solid* solid;
    SolidInside inside;
    size_t first;    // of its particles among all
    float mass;      // [kg] of a particle
    float weight;    // [1] of a particle: the volume that it stands for, in those of a fluid particle
    Distances field; // [m] from its surface at rest
    Doubt doubt;     // of what is seen of it by its rest shape, after the step
    Vec3d force;     // [N] by the fluid in the step
    Vec3d torque;    // [N m] about the origin
} CarriedSolid;

// A particle of a solid in the step under way, in the order of cells.
typedef struct CarriedParticle {
    Vec4 position;    // [m] and its pressure [Pa]
    Vec4 velocity;    // [m/s] when the step begins
    Vec4 ahead;       // [m/s] when it ends, without the fluid
    Vec4 now;         // [m/s] with it, over the step
    Vec4 rest;        // [m] where it is in the rest shape
    uint32_t solid;   // which
    uint32_t number;  // there
    uint32_t is_deep; // 1: at rest fluid and other solids are more than DEEP_IN spacings away
    uint32_t unused;
} CarriedParticle;

static const float DEEP_IN = 1.5f; // [spacings]

enum { VOXEL_EDGE = 2 * EDGE, VOXELS = VOXEL_EDGE * VOXEL_EDGE * VOXEL_EDGE };
enum { CARRIED_NONE = 0xffffffff };

// The particle of a solid that is nearest to the middle of half a cell, and the nearest one of another part.
typedef struct Voxel {
    uint32_t nearest, other; // in the order of cells, or CARRIED_NONE
} Voxel;

typedef struct Inside {
    CarriedSolid* solid;
    size_t solid_count;
    size_t count;              // of particles
    float* pressure;           // [Pa] (count), solid by solid: state
    CarriedParticle* particle; // (count) in the order of cells
    CarriedParticle* unsorted;
    uint32_t* cell;       // (count) block * CELLS + cell of each, unsorted
    uint32_t* order;      // scratch
    uint32_t* start;      // (blocks + 2) first particle of a block
    uint32_t* near;       // (blocks) bits of the blocks around that are next to its particles
    uint32_t* voxel_slot; // (blocks) 1 + number of the block's voxels, 0: no solid is near
    Voxel* voxel;         // (VOXELS per slot)
    uint32_t* slot_block; // (slots)
    // (slots) a bit per cell that is within two cells of a solid's particle: who is elsewhere and goes less than half a cell meets
    // no voxel that has any
    uint8_t (*touched)[ROWS];
    uint8_t* far; // (blocks) whether some particle of the fluid went farther
    // (blocks) a bit per half cell after the step: next to a solid's particle, and where these cannot be trusted
    uint16_t (*reached)[VOXEL_EDGE * VOXEL_EDGE];
    uint16_t (*doubted)[VOXEL_EDGE * VOXEL_EDGE];
    uint8_t* suspect; // (particles of the fluid) 1: it may be in a solid after the step, which only the surface itself can tell
    size_t suspects;
    size_t slots;
    size_t start_capacity, near_capacity, slot_capacity, voxel_capacity, slot_block_capacity, touched_capacity, far_capacity;
    size_t reached_capacity, doubted_capacity, suspect_capacity;
} Inside;

void inside_free(Inside* inside, Memory* memory);

// The solid has been immersed (SolidKind.immerse). After flip_create, before the first step. False: out of memory.
bool flip_carry(Flip* flip, Solid* solid);
// [kg/m3] that its particles have.
double inside_density(const Flip* flip, const CarriedSolid* solid);

double inside_speed(const Flip* flip); // [m/s] of the fastest particle, between steps

// --- in flip_find
void inside_gather(Flip* flip);     // particles are where their solids say
bool inside_add_blocks(Flip* flip); // blocks for them. False: out of memory
bool inside_sort(Flip* flip);       // the blocks are known. The same for these:
bool inside_reserve_voxels(Flip* flip);

// --- in flip_to_particles, after particles of solids got their velocities and before those of the fluid move
void inside_find_nearest(Flip* flip); // voxels
void inside_part_solids(Flip* flip);  // solids do not move into each other (Brandt 2019, eq. 15)
void inside_hand_over(Flip* flip);    // where particles of solids go
// A particle of the fluid goes from `from` to `to` (in cells from the corner of block `k`), and keeps out of solids as they will be
// (eq. 14).
void inside_keep_out(const Flip* flip, size_t k, const float from[3], float to[3], float speed[3]);

#endif
