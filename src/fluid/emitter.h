// SPDX-License-Identifier: MIT
// Emitters: nozzles that release a layer of particles each time the last one has moved on by a spacing.
#ifndef FLUID_EMITTER_H
#define FLUID_EMITTER_H

#include "fluid/fluid.h"

typedef struct Emitter {
    mn_Emitter def;
    int kind; // fluid
    // state
    uint64_t layers; // released so far
    int64_t emitted; // particles so far
} Emitter;

// Releases every layer due at `time` [s]; particles that would start closer than 0.7 spacings to others are left out.
// `ids` is raised. False: out of memory. *out_emitted is raised by the number of particles.
bool emitter_release(Emitter* emitter, Sph* sph, double time, uint64_t* next_id, uint64_t* out_emitted);

#endif
