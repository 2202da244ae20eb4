// SPDX-License-Identifier: MIT
// Signed distances to a closed mesh on a lattice in its own frame, exact near it and held beyond.
#ifndef FLIP_FIELD_H
#define FLIP_FIELD_H

#include "mesh/inside.h"

typedef struct Field {
    Vec3d origin;   // [m] of node 0
    double spacing; // [m]
    int n[3];       // nodes
    double reach;   // [m] distances beyond are held at that
    float* value;   // [m] positive outside of the mesh
} Field;

// Covers the box around the mesh and `reach` more. False: out of memory.
bool field_create(Field* field, const InsideTest* test, const Box3d* box, double spacing, double reach, int dimension,
                  Memory* memory);
void field_free(Field* field, Memory* memory);
double field_at(const Field* field, Vec3d point); // in the mesh's frame

// The same at one point without a lattice.
double field_distance(const InsideTest* test, Vec3d point, double reach);

#endif
