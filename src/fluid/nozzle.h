// SPDX-License-Identifier: MIT
// Where an emitter lets fluid out: a flat box or disc, or the side of a shape that faces the jet. In its own frame the jet goes
// along +y. The nozzle is divided into columns about a spacing apart.
#ifndef FLUID_NOZZLE_H
#define FLUID_NOZZLE_H

#include "base/vec.h"
#include <meniscus/defs.h>
#include <stdint.h>

typedef struct NozzleColumn {
    double x, z;       // [m] across the jet
    double y;          // [m] where fluid leaves the nozzle, along the jet; 0 for flat ones
    double phase;      // [1] of a step
    double share;      // [1] of the mean speed
    uint64_t released; // particles so far, and those that found no place; state of the emitter
} NozzleColumn;

typedef struct Nozzle {
    mn_EmitterType type;
    mn_Profile profile;
    int dimension;
    double size[2];  // [m] of boxes and discs as emitters have them
    double area;     // [m2] across the jet; 2D: [m]
    double reach;    // [m] that nothing of it lies farther from its origin
    double cell[2];  // [m] of shapes: squares of columns, nearly
    double low[2];   // [m] of shapes: x and z where the squares begin
    int n[2];        // squares along x and z
    int32_t* square; // of shapes: column in each square, or -1
    NozzleColumn* column;
    size_t column_count;
} Nozzle;

// `folder` is where names of files start. On failure nothing is left.
mn_Result nozzle_init(Nozzle* nozzle, const mn_Emitter* def, double spacing, int dimension, const char* folder, mn_Error* error);
void nozzle_free(Nozzle* nozzle);

// Speed at a point, in terms of the mean.
double nozzle_profile(const Nozzle* nozzle, double x, double z);

// How far a point lies beside the jet [m], 0 within, and outwards from there; *out_y is where fluid leaves the nozzle [m], at the
// point or next to it.
double nozzle_beside(const Nozzle* nozzle, Vec3d local, Vec3d* outwards, double* out_y);

#endif
