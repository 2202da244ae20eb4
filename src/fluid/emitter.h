// SPDX-License-Identifier: MIT
// Emitters: nozzles that release a layer of particles each time the last one has moved on by a spacing.
#ifndef FLUID_EMITTER_H
#define FLUID_EMITTER_H

#include "particles/cell_grid.h"
#include "particles/moving.h"
#include <meniscus/defs.h>

typedef struct Emitter {
    mn_Emitter def;
    int kind; // fluid
    // state
    uint64_t layers; // released so far
    int64_t emitted; // particles so far
} Emitter;

// Where emitters release to.
typedef struct EmitterTarget {
    const MovingParticles* particles;
    const CellGrid* grid; // of the last sort
    double radius;        // [m] r
    int dimension;
} EmitterTarget;

// Releases every layer due at `time` [s]; particles that would start closer than 0.7 spacings to others are left out.
// *next_id and *out_emitted are raised by the number of particles. False: out of memory.
bool emitter_release(Emitter* emitter, const EmitterTarget* to, double time, uint64_t* next_id, uint64_t* out_emitted);

#endif
