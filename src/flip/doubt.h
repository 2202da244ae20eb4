// SPDX-License-Identifier: MIT
// How far the view of a solid by its rest shape can be trusted. A place beside a particle of a solid is taken back to the rest
// shape by the particle's own map (SolidInside.back), which is exact where the solid moves as one and off where the map changes
// from place to place. The vertices of the surface tell by how much: where they were at rest is known.
#ifndef FLIP_DOUBT_H
#define FLIP_DOUBT_H

#include "base/memory.h"
#include "base/parallel.h"
#include "flip/distances.h"
#include "solid/solid.h"

// A place on the surface.
typedef struct SurfaceMark {
    Vec3d rest; // [m]
    uint32_t vertex[3];
    float weight[3]; // the first is 1: it is a vertex
} SurfaceMark;

typedef struct Doubt {
    uint32_t* start;   // (particles + 1)
    SurfaceMark* mark; // that each particle watches, the farthest of each octant around it
    float* depth;      // [m] (particles) of them at rest
    float* distance;   // [m] (particles) at most so far off they are seen now; infinite where the solid is stretched much
} Doubt;

// For particles `spacing` [m] apart. False: out of memory; free it in any case.
bool doubt_create(Doubt* doubt, const Solid* solid, const SolidInside* inside, const Distances* field, double spacing,
                  Memory* memory);
void doubt_free(Doubt* doubt, Memory* memory);
void doubt_find(Doubt* doubt, const Solid* solid, const SolidInside* inside, Pool* pool);

#endif
