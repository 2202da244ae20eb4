// SPDX-License-Identifier: MIT
// The scalar field whose zero is the surface, negative inside, on the nodes of one block.
#ifndef SURFACE_FIELD_H
#define SURFACE_FIELD_H

#include "surface/anisotropy.h"
#include "surface/depth.h"

// What one worker needs while it fills blocks.
typedef struct FieldScratch {
    BlockDepth depth;         // of the block
    BlockParticles particles; // of the block
    BlockParticles layer;     // of one z of nodes; cz holds z of the node minus the particle's z
    uint32_t* hit[2];         // (capacity) particles of `layer` that a half row of nodes feels
    size_t hit_capacity;
    uint16_t inside[BLOCK_NODES * BLOCK_NODES];  // [16 z + y] bit x: the field is negative there
    uint16_t skipped[BLOCK_NODES * BLOCK_NODES]; // bit x: outside for sure, without having been evaluated
} FieldScratch;

void field_scratch_free(FieldScratch* scratch, Memory* memory);

// How far a particle is felt [particle radii].
#define FIELD_REACH 4.0

// Where the surface lies in units of the particle radius: such that the flat surface of a resting fluid is one radius outside the
// outermost particles. Found on a cubic lattice (tests/surface/test_field.c).
#define FIELD_LEVEL 1.165f

// Fills phi (BLOCK_NODES3, x fastest) and says whether it has both signs; `radius` is in units of the spacing. False in
// *out_ok: out of memory. Nodes deep inside have the value -FIELD_LEVEL radii.
bool field_distance(const Lattice* lattice, BlockKey key, float radius, FieldScratch* scratch, float* phi, bool* out_ok);

// The same with anisotropic kernels; the surface is where this share of space is filled, between what a flat lattice (0.41) and a
// rough ball (0.48) of particles ask for.
#define FIELD_SHARE 0.44f
bool field_anisotropic(const Lattice* lattice, BlockKey key, const Shape3* shape, FieldScratch* scratch, float* phi, bool* out_ok);

// --- parts of both

// Half a row of eight nodes: the particles `hit` of `scratch->layer` are all that they feel, at least one.
typedef struct HalfRow {
    const FieldScratch* scratch;
    const uint32_t* hit;
    uint32_t count;
    float x, y; // [spacing] of the first node, from the block's first
} HalfRow;

typedef void HalfRowFn(const void* context, const HalfRow* half, float* phi);

typedef struct FieldMethod {
    HalfRowFn* evaluate;
    const void* context;
    float reach;           // [spacing] how far particles are felt
    float near;            // [spacing] a node without a particle so near is outside
    float inside, outside; // values for nodes that are not evaluated
} FieldMethod;

// Evaluates half rows of nodes that are near particles and not deep inside, and those next to a node inside. Returns whether phi
// has both signs; scratch->inside then tells the signs. False in *out_ok: out of memory.
bool field_block(const Lattice* lattice, BlockKey key, FieldScratch* scratch, const FieldMethod* method, float* phi, bool* out_ok);

#endif
