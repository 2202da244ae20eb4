// SPDX-License-Identifier: MIT
// Values of particles at other points: means weighted as in the field, w = (1 - d^2 / R^2)^3.
#ifndef SURFACE_VALUES_H
#define SURFACE_VALUES_H

#include "surface/lattice.h"
#include "surface/surface.h"

enum { SAMPLER_WIDEST = 24 }; // 3 SURFACE_VALUES and one more, in whole eights

typedef struct Sampler {
    const Lattice* lattice;
    size_t width;  // numbers per particle
    size_t stride; // of `record`: the values, a one, and zeros up to a multiple of eight
    float* record; // (count x stride) in the lattice's order
} Sampler;

bool sampler_build(Sampler* sampler, const Lattice* lattice, const SurfaceInput* input, Pool* pool); // false: out of memory
void sampler_free(Sampler* sampler);

// Segments of the grid around the last point: points near each other share them.
typedef struct SamplerPlace {
    SegmentKey key;
    uint32_t around[27];
} SamplerPlace;

static inline SamplerPlace sampler_place(void)
{
    return (SamplerPlace){.key = {GRID_FAR, GRID_FAR, GRID_FAR}};
}

// Means at x, then at out[width] the sum of weights, which tells a droplet (0.8) from a flat surface (2.5).
void sampler_at(const Sampler* sampler, SamplerPlace* place, Vec3 x, float out[SAMPLER_WIDEST]);

// Means to the values of a vertex.
void surface_store_values(SurfaceMesh* mesh, size_t vertex, const float* mean);

#endif
