// SPDX-License-Identifier: MIT
// The one layer of boundary particles that stands for all that is behind a plane wall.
#ifndef BOUNDARY_WALL_LAYER_H
#define BOUNDARY_WALL_LAYER_H

#include "particles/kernel.h"

// How one layer of particles stands for what is behind the surface of a closed shape.
typedef struct WallLayer {
    double offset;   // [m] it lies this far behind the surface
    double strength; // [1] c_b on a plane
} WallLayer;

// The layer that replaces the missing half-space of fluid behind a plane.
WallLayer boundary_layer(const Kernel* kernel, double volume, double spacing);

// [1] how much more drag a half-space of ghost particles, moving so that the velocity is 0 at the surface, exerts on a particle
// in a linear profile than a layer of wall particles.
double boundary_drag(const Kernel* kernel, double spacing, WallLayer layer);

// How walls act on a fluid whose own forces are exact for linear flow (fluid/viscosity/implicit.c).
typedef struct WallGrip {
    double drag; // [1] of the layer's particles, so that all layers of a lattice in a linear profile together feel the stress of it
    double share; // [1] times the share of a particle's density that a wall has: what of its volume the wall accounts for. All
                  // layers together make half a spacing, the distance of the first from the wall
} WallGrip;
WallGrip boundary_grip(const Kernel* kernel, double spacing, WallLayer layer);

#endif
