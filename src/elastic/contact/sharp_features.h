// SPDX-License-Identifier: MIT
// Where a hard solid is sharp: places on its mesh that can come between the vertices of a cloth that touches it with its vertices
// only. Corners, points along sharp edges, vertices of surfaces that are curved more than the cloth's cells can follow.
#ifndef ELASTIC_CONTACT_SHARP_FEATURES_H
#define ELASTIC_CONTACT_SHARP_FEATURES_H

#include "elastic/cells.h"
#include "mesh/tri_mesh.h"

typedef struct SharpFeatures {
    bool ready;
    Vec3d* at;  // [m] in the solid's frame
    Vec3d* out; // to the free side, or 0: not known
    size_t count, at_capacity, out_capacity;
    Cells cells;  // of them, in the solid's frame, as wide as an edge of the cloth
    Cells wide;   // the same, much wider
    double limit; // [m] the width of those
} SharpFeatures;

typedef struct SharpRule {
    bool closed, container;
    double edge;  // [m] of the cloth
    double depth; // [m] that the cloth may cut in, and a quarter of it what may stick out between features
} SharpRule;

// False: out of memory. `features` must be zero, but for the cells' memory.
bool sharp_features_find(SharpFeatures* features, const TriMesh* mesh, const SharpRule* rule);
void sharp_features_free(SharpFeatures* features);
// [m] A distance from x (in the solid's frame) within which there is none; 0 if one is nearer than `near`.
double sharp_features_clear(const SharpFeatures* features, Vec3d x, double near);

#endif
