// SPDX-License-Identifier: MIT
// Weight functions on the points of a tetrahedral mesh (Brandt 2018, section 4; Brandt 2019, section 3.2.4): radial around sample
// points, which are spread by taking the furthest point again and again, with distances along the edges of tetrahedra, so that two
// limbs that nearly touch do not move together. They have limited support and sum to 1 at every point.
#ifndef ELASTIC_REDUCED_SUBSPACE_H
#define ELASTIC_REDUCED_SUBSPACE_H

#include "base/memory.h"
#include "base/vec.h"

// Edges of tetrahedra, by point.
typedef struct EdgeGraph {
    Memory* memory;
    size_t points;
    uint32_t* start; // (points + 1) into other
    uint32_t* other; // ascending
    double* length;  // [m]
} EdgeGraph;

bool edge_graph_create(EdgeGraph* graph, Memory* memory, const Vec3d* rest, size_t points, const uint32_t (*tet)[4], size_t tets);
void edge_graph_free(EdgeGraph* graph);

typedef struct Subspace {
    Memory* memory;
    size_t points, handles;
    uint32_t* sample; // (handles) points
    double cover;     // [m] no point is farther than that from the nearest sample
    double radius;    // [m] of the support
    uint32_t* start;  // (points + 1) into handle and weight
    uint32_t* handle; // ascending
    double* weight;   // [1] above 0, sum 1 per point
} Subspace;

// Of `handles` samples, from point 0 on. Where the graph has parts that no sample is in, *missed counts them, and it fails; so it
// does, with *missed = 0, when out of memory. Free in any case.
bool subspace_create(Subspace* space, Memory* memory, const EdgeGraph* graph, size_t handles, size_t* missed);
void subspace_free(Subspace* space);

#endif
