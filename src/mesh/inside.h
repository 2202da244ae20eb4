// SPDX-License-Identifier: MIT
// Geometric queries on a closed mesh through a bounding volume hierarchy: inside or outside (generalised winding number,
// robust against small holes and self-intersection), signed distance, closest point. 2D outlines work the same way.
#ifndef MESH_INSIDE_H
#define MESH_INSIDE_H

#include "mesh/tri_mesh.h"

typedef struct InsideTest InsideTest;

// Keeps its own copy of what it needs. NULL: out of memory.
InsideTest* inside_create(const TriMesh* mesh, Memory* memory);
void inside_destroy(InsideTest* test); // NULL is allowed

// Thread-safe queries in the mesh's own frame.
bool inside_contains(const InsideTest* test, Vec3d point);
// Unsigned distance to the surface, at most `limit` (returns limit if farther). `closest` and `primitive` may be NULL.
double inside_distance(const InsideTest* test, Vec3d point, double limit, Vec3d* closest, uint32_t* primitive);

#endif
