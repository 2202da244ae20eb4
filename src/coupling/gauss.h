// SPDX-License-Identifier: MIT
// What measurements want to know about the Gauss coupling.
#ifndef COUPLING_GAUSS_H
#define COUPLING_GAUSS_H

#include <stddef.h>

typedef struct GaussSize {
    size_t points;  // of all patches
    size_t patches; // that have a particle within range, in the last step
    double seconds; // [s] that forces took so far
} GaussSize;

GaussSize gauss_size(const void* coupling); // Coupling.data of coupling_gauss

#endif
