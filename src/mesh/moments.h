// SPDX-License-Identifier: MIT
// Zeroth, first and second moments of a space: what mass, centre and inertia are made of.
#ifndef MESH_MOMENTS_H
#define MESH_MOMENTS_H

#include "mesh/tri_mesh.h"

typedef struct Moments {
    double measure;      // [m3] of unit depth in a plane
    Vec3d first;         // [m4] int x
    double second[3][3]; // [m5] int x x^T
} Moments;

// Of what lies in more than one part of a closed mesh about a point, as often as it is too much: twice where three parts are.
// `side` is -1 for a mesh that is turned inside out. A part that looks inwards is a hollow, not too much. In a plane without the
// second moment across it. False: out of memory.
bool moments_of_overlaps(const TriMesh* mesh, Vec3d about, double side, Moments* out);

#endif
