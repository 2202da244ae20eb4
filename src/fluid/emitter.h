// SPDX-License-Identifier: MIT
// Emitters: nozzles that fluid leaves at a given speed, whatever is in front of them.
//
// A nozzle is divided into columns about a spacing apart. Each releases a particle whenever the fluid has moved on by a step of
// about a spacing, at its own phase: a jet has no layers that would stay together as it falls, stretches and breaks. The step is
// such that columns together deliver speed times the area of the nozzle exactly.
//
// A nozzle pushes, like a short pipe. Fluid up to two spacings in front of it has the speed of the jet before pressures are found,
// and fluid behind and beside that cannot be sucked in, so that it delivers into standing water and pumps a full channel. Who finds
// its place taken waits.
#ifndef FLUID_EMITTER_H
#define FLUID_EMITTER_H

#include "base/parallel.h"
#include "fluid/nozzle.h"
#include "particles/cell_grid.h"
#include "particles/moving.h"
#include "solid/solid.h"
#include <meniscus/defs.h>

typedef struct Emitter {
    mn_Emitter def; // with its own arrays
    int kind;       // fluid
    int number;     // among those of its fluid
    Nozzle nozzle;
    double step; // [m] along the jet from one particle of a column to the next
    char* solid_name;
    int solid;    // number of the solid that it moves with, or -1
    mn_Pose ride; // in that solid's frame

    // now
    mn_Pose pose;
    Vec3d velocity; // [m/s] of the nozzle's middle
    Vec3d angular;  // [1/s]
    bool warned;    // that it delivers too little

    // state
    double clock;    // [s] up to which it has emitted
    double path;     // [m] that the fluid has moved on
    double asked;    // [1] particles
    int64_t emitted; // particles
    double told;     // [m/s] speed that it was told while the world ran, in place of its own; negative: none
    double off;      // 1: it was turned off, else 0
} Emitter;

// Where emitters release to.
typedef struct EmitterTarget {
    const MovingParticles* particles;
    const CellGrid* grid; // of the last sort
    double radius;        // [m] r
    int dimension;
    size_t most; // particles that there is room for; nozzles outside of all containers do not care
    bool (*is_open)(const void* context, Vec3d point, bool outside); // no solid is there; `outside`: nor need it be in a container
    const void* context;
} EmitterTarget;

// Own copies of what the def points to; `folder` is where names of files start. On failure nothing is left.
mn_Result emitter_init(Emitter* emitter, const mn_Emitter* def, int kind, int number, double radius, int dimension,
                       const char* folder, mn_Error* error);
void emitter_free(Emitter* emitter);

double emitter_speed(const mn_Emitter* def, double time); // [m/s] of its own
double emitter_top_speed(const mn_Emitter* def);          // [m/s]

// Where the nozzle is at `time` [s], on its way over the next `dt` [s].
void emitter_place(Emitter* emitter, const Solid* solid, double time, double dt);

// Releases all that is due at `time` [s]. *next_id and *out_emitted are raised by the number of particles. False: out of memory.
bool emitter_release(Emitter* emitter, const EmitterTarget* to, double time, uint64_t* next_id, uint64_t* out_emitted);

// Gives fluid around the nozzle the velocity of the jet.
void emitter_drive(const Emitter* emitter, const EmitterTarget* to, double time, Pool* pool);

#endif
