// SPDX-License-Identifier: MIT
// Signed distances to a closed mesh on a lattice in its own frame, exact near it and held beyond.
#ifndef FLIP_DISTANCES_H
#define FLIP_DISTANCES_H

#include "base/parallel.h"
#include "mesh/inside.h"

typedef struct Distances {
    Vec3d origin;   // [m] of node 0
    double spacing; // [m]
    int n[3];       // nodes
    double reach;   // [m] distances beyond are held at that
    float* value;   // [m] positive outside of the mesh
} Distances;

// Covers the box around the mesh and `reach` more. False: out of memory.
bool distances_create(Distances* field, const InsideTest* test, const Box3d* box, double spacing, double reach, int dimension,
                      Memory* memory, Pool* pool);
void distances_free(Distances* field, Memory* memory);
double distances_at(const Distances* field, Vec3d point); // in the mesh's frame

// The same at one point without a lattice.
double distances_of(const InsideTest* test, Vec3d point, double reach);

#endif
