// SPDX-License-Identifier: MIT
// Triangle meshes, with optional line segments (rods, 2D outlines). Vertices in double; indices from 0.
#ifndef MESH_TRI_MESH_H
#define MESH_TRI_MESH_H

#include "base/memory.h"
#include "base/vec.h"
#include <meniscus/defs.h>

// An empty mesh is all zero: TriMesh mesh = {0}.
typedef struct TriMesh {
    size_t vertex_count, triangle_count, segment_count; // each below 2^31
    Vec3d* vertex;                                      // [m]
    uint32_t (*triangle)[3];                            // counter-clockwise seen from outside
    uint32_t (*segment)[2]; // 2D outlines: solid on the left when walking a -> b is "inside" (counter-clockwise outline)
    size_t vertex_capacity, triangle_capacity, segment_capacity;
    size_t inner_count; // of the triangles, the last ones: they came to the surface when a solid broke
} TriMesh;

void tri_mesh_free(TriMesh* mesh); // leaves an empty mesh

// Append; return false when out of memory (or beyond 2^31 items).
bool tri_mesh_add_vertex(TriMesh* mesh, Vec3d position);
bool tri_mesh_add_triangle(TriMesh* mesh, uint32_t a, uint32_t b, uint32_t c);
bool tri_mesh_add_segment(TriMesh* mesh, uint32_t a, uint32_t b);
bool tri_mesh_copy(const TriMesh* from, TriMesh* to); // `to` must be empty; false: out of memory, `to` stays empty

void tri_mesh_scale(TriMesh* mesh, Vec3d factors);      // a mirroring scale also flips the triangles (2D: the segments)
void tri_mesh_move(TriMesh* mesh, const mn_Pose* pose); // rotate, then translate
void tri_mesh_flip(TriMesh* mesh);                      // turns every triangle and segment around
Box3d tri_mesh_bounds(const TriMesh* mesh);             // of an empty mesh: min = max = 0
bool tri_mesh_drop_unused(TriMesh* mesh);               // vertices that nothing uses; false: out of memory

// Merges vertices that coincide within `tolerance` [m] (0: exactly), the first one stays; then removes triangles and
// segments that use a vertex twice. The order of what stays is kept. False: out of memory, the mesh is unchanged.
bool tri_mesh_weld(TriMesh* mesh, double tolerance);

typedef struct TopologyReport {
    size_t edges;             // different ones, of triangles
    size_t open_edges;        // used by one triangle only
    size_t nonmanifold_edges; // used by more than two
    size_t flipped_edges;     // both triangles run it in the same direction
    size_t degenerate_triangles;
    size_t components; // connected by shared vertices
    bool closed;       // every edge is used an even number of times, and there is a triangle (2D: the same of segments at a vertex)
    bool oriented;     // closed, and every edge is run equally often in both directions (2D: as many segments end as start)
} TopologyReport;
bool tri_mesh_topology(const TriMesh* mesh, TopologyReport* report); // false: out of memory

#endif
