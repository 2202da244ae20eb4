// SPDX-License-Identifier: MIT
// Which fluid particles may be near a group of patches: particles are sorted by cell, so those in a box are a few runs of them.
#ifndef COUPLING_GAUSS_NEAR_H
#define COUPLING_GAUSS_NEAR_H

#include "coupling/gauss_patch.h"
#include "fluid/fluid.h"

typedef struct Run {
    uint32_t begin, end; // particles
} Run;

typedef struct GaussNear {
    Memory* memory;
    const GaussSurfaces* surfaces;
    const CellGrid* grid;
    double h;       // [m] interaction range
    Run* kept;      // the first few runs of each group
    uint32_t* runs; // (groups) how many there are
    size_t* first;  // (groups + 1) sums of the runs' lengths
    size_t kept_capacity, runs_capacity, first_capacity;
} GaussNear;

// For patches and sorted particles as they are now; `h` [m] is the interaction range. False: out of memory.
bool gauss_near_build(GaussNear* near, Memory* memory, const GaussSurfaces* surfaces, const Sph* sph, double h);
void gauss_near_free(GaussNear* near);

// The box around what the patches of a group reach.
Box3d gauss_group_box(const GaussNear* near, size_t group);

enum { RUNS_AT_ONCE = 32 };
// Runs of a group from number `from` on, in their order; returns how many were written.
size_t gauss_runs(const GaussNear* near, size_t group, size_t from, Run out[RUNS_AT_ONCE]);

#endif
