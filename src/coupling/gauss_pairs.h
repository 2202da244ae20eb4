// SPDX-License-Identifier: MIT
// Which patches of surfaces and which chunks of eight fluid particles are near each other, both ways round: the fluid gathers its
// forces chunk by chunk, surfaces theirs patch by patch, so that nobody writes what another one owns.
#ifndef COUPLING_GAUSS_PAIRS_H
#define COUPLING_GAUSS_PAIRS_H

#include "coupling/gauss_patch.h"
#include "fluid/fluid.h"

typedef struct GaussPairs {
    Memory* memory;
    size_t pairs;
    uint32_t* chunk_of;  // (pairs) chunks of each patch, patch by patch
    size_t* patch_first; // (patches + 1)
    uint32_t* patch_of;  // (pairs) patches of each chunk, chunk by chunk
    size_t* chunk_first; // (chunks + 1)
    uint32_t* found;     // scratch
    size_t chunk_capacity, patch_capacity, first_capacity, chunk_first_capacity, found_capacity;
} GaussPairs;

// For patches and sorted particles as they are now; `h` [m] is the interaction range. False: out of memory.
bool gauss_pairs_build(GaussPairs* pairs, Memory* memory, const GaussSurfaces* surfaces, const Sph* sph, double h);
void gauss_pairs_free(GaussPairs* pairs);

#endif
