// SPDX-License-Identifier: MIT
// Geometric queries on a mesh through a bounding volume hierarchy: inside or outside (winding number, robust against small
// holes and self-intersection) and closest point. Meshes without triangles are 2D outlines of segments, and points are then
// taken in the plane z = 0.
#ifndef MESH_INSIDE_H
#define MESH_INSIDE_H

#include "mesh/tri_mesh.h"

typedef struct InsideTest InsideTest;

// Keeps its own copy of what it needs. NULL: out of memory. `memory` may be NULL (not counted) and must outlive the test.
InsideTest* inside_create(const TriMesh* mesh, Memory* memory);
void inside_destroy(InsideTest* test); // NULL is allowed

// Thread-safe queries in the mesh's own frame. Points on the surface may be either; nan is outside. Meshes that are turned
// inside out contain the same points.
bool inside_contains(const InsideTest* test, Vec3d point);
// Unsigned distance to the surface, at most `limit` (returns limit if farther). `closest` and `primitive` (index of the
// triangle or segment) may be NULL; they are set only if something is nearer than the limit.
double inside_distance(const InsideTest* test, Vec3d point, double limit, Vec3d* closest, uint32_t* primitive);
// How often the surface winds around the point: 1 inside, 0 outside; between them near holes of open meshes.
double inside_winding(const InsideTest* test, Vec3d point);
// Whether the mesh is closed, so that inside and outside are sharp.
bool inside_closed(const InsideTest* test);

#endif
