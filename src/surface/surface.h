// SPDX-License-Identifier: MIT
// From fluid particles to a closed triangle mesh. docs/theory/surface.md tells the way: a scalar field on a narrow band of
// sparse blocks (field.h), marching cubes (cubes.h), then smoothing that keeps volume and values at the vertices.
// The mesh is closed, manifold and oriented outward for any particles, and has the same bits for any number of threads.
#ifndef SURFACE_SURFACE_H
#define SURFACE_SURFACE_H

#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec.h"
#include <meniscus/base.h>

typedef enum SurfaceBlobs {
    SURFACE_BLOBS_MESHED,  // as marching cubes leaves them
    SURFACE_BLOBS_SPHERES, // small pieces become spheres of the same volume
    SURFACE_BLOBS_DROPPED  // small pieces are left out
} SurfaceBlobs;

typedef struct SurfaceDef {
    double particle_radius; // [m] r; particles are 2 r apart
    double spacing;         // [r] of the grid; 0.25 to 2
    bool anisotropic;       // kernels after Yu and Turk 2010 instead of the distance field: flatter, thinner sheets
    int smoothing;          // rounds of smoothing; 0 = none
    SurfaceBlobs blobs;
    double blob_particles; // pieces with less than the volume of so many particles are blobs
} SurfaceDef;

SurfaceDef surface_default_def(double particle_radius);

enum { SURFACE_VALUES = 6 };

// A value that particles have and vertices get: weighted mean of the particles around.
typedef struct SurfaceValue {
    const float* data; // per particle, `components` numbers each
    int components;    // 1 or 3
    size_t stride;     // numbers from particle to particle
} SurfaceValue;

typedef struct SurfaceInput {
    size_t count;
    const float* position; // [m] x, y, z
    size_t stride;         // numbers from particle to particle: 3 or 4
    size_t value_count;    // at most SURFACE_VALUES
    SurfaceValue value[SURFACE_VALUES];
} SurfaceInput;

// An empty mesh is all zero.
typedef struct SurfaceMesh {
    Memory* memory;
    size_t vertex_count, triangle_count; // each below 2^31
    size_t vertex_room;                  // vertices that `position` has room for
    Vec3* position;                      // [m]
    Vec3* normal;                        // [1] outward
    uint32_t (*triangle)[3];             // counter-clockwise seen from outside
    size_t value_count;
    float* value[SURFACE_VALUES]; // per vertex, in the order of the input
    int components[SURFACE_VALUES];
    size_t far_count;               // particles too far from the origin to be meshed, left out
    size_t block_count, band_count; // blocks looked at, and those that the surface crosses
} SurfaceMesh;

// Fills `mesh`, which must be empty and stays so on failure: MN_BAD_INPUT for values that are not numbers or a def that is not
// allowed, MN_OUT_OF_MEMORY. Without particles the mesh is empty. `memory` may be NULL.
mn_Result surface_build(const SurfaceDef* def, const SurfaceInput* input, Pool* pool, Memory* memory, SurfaceMesh* mesh,
                        mn_Error* error);
void surface_free(SurfaceMesh* mesh); // leaves an empty mesh

#endif
