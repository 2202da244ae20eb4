// SPDX-License-Identifier: MIT
// The scalar field whose zero is the surface, negative inside, on the nodes of one block.
#ifndef SURFACE_FIELD_H
#define SURFACE_FIELD_H

#include "surface/anisotropy.h"
#include "surface/lattice.h"

// What one worker needs while it fills blocks.
typedef struct FieldScratch {
    BlockParticles particles; // of the block
    BlockParticles layer;     // of one z of nodes; cz holds z of the node minus the particle's z
    uint32_t* hit[2];         // (capacity) particles of `layer` that a half row of nodes feels
    size_t hit_capacity;
} FieldScratch;

void field_scratch_free(FieldScratch* scratch, Memory* memory);

// How far a particle is felt [particle radii].
#define FIELD_REACH 4.0

// Where the surface lies in units of the particle radius: such that the flat surface of a resting fluid is one radius outside the
// outermost particles. Found on a cubic lattice (tests/surface/test_field.c).
#define FIELD_LEVEL 1.165f

// Fills phi (BLOCK_NODES3, x fastest) and says whether it has both signs; `radius` is in units of the spacing. False in
// *out_ok: out of memory.
bool field_distance(const Lattice* lattice, BlockKey key, float radius, FieldScratch* scratch, float* phi, bool* out_ok);

// The same with anisotropic kernels; the surface is where this share of space is filled, between what a flat lattice (0.41) and a
// rough ball (0.48) of particles ask for.
#define FIELD_SHARE 0.44f
bool field_anisotropic(const Lattice* lattice, BlockKey key, const Shape3* shape, FieldScratch* scratch, float* phi, bool* out_ok);

// --- parts of both

// The particles of `scratch->particles` within `reach` of the nodes' layer z.
bool field_layer(FieldScratch* scratch, Memory* memory, float z, float reach);
// From `scratch->layer` those within `reach` of row y, for each half row of eight nodes; counts go to out_count.
bool field_row(FieldScratch* scratch, Memory* memory, float y, float reach, uint32_t out_count[2]);
bool field_mixed(const float* phi);

#endif
