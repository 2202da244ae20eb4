// SPDX-License-Identifier: MIT
// Anisotropic kernels (Yu and Turk 2010): each particle is an ellipsoid, flat where the particles around it lie in a sheet, so that
// flat water is flat and sheets are thin.
#ifndef SURFACE_ANISOTROPY_H
#define SURFACE_ANISOTROPY_H

#include "surface/lattice.h"

typedef struct Shape3 {
    float xx, xy, xz, yy, yz, zz; // [1/spacing] G: a point at offset d is felt while |G d| < 1
    float weight;                 // [1] volume of a particle times |G| times the kernel's norm
} Shape3;

// One for each particle of the lattice, sorted as there; `radius` [spacing]. False: out of memory. Free with memory_give.
bool anisotropy_build(const Lattice* lattice, Pool* pool, double radius, Shape3** out);

#endif
