// SPDX-License-Identifier: MIT
// Where a hard solid is sharp: places on its mesh that can come between the vertices of a cloth that touches it with its vertices
// only. Corners, points along sharp edges, vertices of surfaces that are curved more than the cloth's cells can follow.
#ifndef ELASTIC_SPIKES_H
#define ELASTIC_SPIKES_H

#include "elastic/cells.h"
#include "mesh/tri_mesh.h"

typedef struct Spikes {
    bool ready;
    Vec3d* at;  // [m] in the solid's frame
    Vec3d* out; // to the free side, or 0: not known
    size_t count, at_capacity, out_capacity;
    Cells cells;  // of them, in the solid's frame
    double width; // [m] of cells
} Spikes;

typedef struct SpikeRule {
    bool closed, container;
    double edge;  // [m] of the cloth
    double depth; // [m] that may be missed
} SpikeRule;

// False: out of memory. `spikes` must be zero, but for the cells' memory.
bool spikes_find(Spikes* spikes, const TriMesh* mesh, const SpikeRule* rule);
void spikes_free(Spikes* spikes);
// [m] A lower bound of the distance from x (in the solid's frame) to the nearest one, at most `limit`.
double spikes_clear(const Spikes* spikes, Vec3d x, double limit);

#endif
