// SPDX-License-Identifier: MIT
// What topology.c and topology_state.c share.
#ifndef ELASTIC_TOPOLOGY_PARTS_H
#define ELASTIC_TOPOLOGY_PARTS_H

#include "elastic/topology.h"

// Of a sheet points are vertices.
typedef struct Topology {
    size_t point_count, vertex_count;
    uint32_t* corner;        // (4 * tets, or 3 * triangles of a sheet)
    uint32_t* root;          // (points) the point as built
    Vec3d* rest;             // [m] (points)
    uint32_t* vertex_point;  // (vertices)
    uint32_t* vertex_parent; // (vertices)
} Topology;

static inline uint32_t root_of(const Body* body, size_t point)
{
    return body->split.root ? body->split.root[point] : (uint32_t)point;
}

static inline uint32_t parent_of(const Body* body, size_t vertex)
{
    return body->split.vertex_parent ? body->split.vertex_parent[vertex] : (uint32_t)vertex;
}

static inline bool is_sheet(const Body* body)
{
    return body->tet_count == 0;
}

// Corners of the elements.
static inline size_t corner_count(const Body* body)
{
    return is_sheet(body) ? 3 * body->triangle_count : 4 * body->tet_count;
}

static inline const uint32_t* corners_of(const Body* body)
{
    return is_sheet(body) ? body->triangle[0] : body->tet[0];
}

// Where points were when the body was built, before cracks moved any (snap.h).
static inline const Vec3d* built_rest(const Body* body)
{
    return body->split.built_rest ? body->split.built_rest : body->rest;
}

// Room for so many points, all of which may be vertices. False: out of memory.
bool topology_take(Topology* t, size_t corners, size_t points);
void topology_free(Topology* t);
// A body like the old one, of that topology. False: out of memory, or not a topology of this body. To be freed in any case.
bool topology_remake(ElasticSet* set, const Body* old, const Topology* t, Body* next);
// The new body takes the place of the old one, with its pins.
void topology_replace(ElasticSet* set, Body* body, Body* next);

#endif
