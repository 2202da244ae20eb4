// SPDX-License-Identifier: MIT
// What a solid holds: the inside of a container, or the hollow of a cup, up to a level.
#ifndef FLUID_HOLLOW_H
#define FLUID_HOLLOW_H

#include "solid/solid.h"

typedef struct HollowDef {
    const Solid* solid; // where it is now
    Vec3d up;           // of unit length
    double spacing;     // [m]
    int dimension;
    double level;     // [m] of the fluid, above the lowest point of the hollow
    double clearance; // [spacings] that points keep from the surface; 0: they stand for all of the space
    double lowest;    // [m] along `up`: where the hollow begins; nan: to be found
} HollowDef;

typedef struct Hollow {
    Vec3d* point; // on a lattice with the spacing
    size_t count;
    double lowest; // [m] along `up`: where the hollow begins
    double rim;    // [m] along `up`: fluid above this would run out; infinite for containers
} Hollow;

// False: out of memory. No points: it holds nothing, or is too fine for the spacing.
bool hollow_find(const HollowDef* def, Hollow* out);
void hollow_free(Hollow* hollow);

// Particles that start in a solid which is filled: as many as the volume up to the level asks for, spread evenly, half a spacing
// off the walls. *out_wanted is that number; narrow gaps hold less. False: out of memory.
bool hollow_fill(const Solid* solid, Vec3d up, double spacing, int dimension, double level, Hollow* out, double* out_wanted);

#endif
