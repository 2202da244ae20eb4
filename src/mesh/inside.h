// SPDX-License-Identifier: MIT
// Geometric queries on a mesh through a bounding volume hierarchy: inside or outside (winding number, robust against small
// holes and self-intersection) and closest point. Meshes without triangles are 2D outlines of segments, and points are then
// taken in the plane z = 0.
#ifndef MESH_INSIDE_H
#define MESH_INSIDE_H

#include "base/parallel.h"
#include "mesh/tri_mesh.h"

typedef struct InsideTest InsideTest;

// Keeps its own copy of what it needs. NULL: out of memory. `memory` may be NULL (not counted) and must outlive the test.
InsideTest* inside_create(const TriMesh* mesh, Memory* memory);
void inside_destroy(InsideTest* test); // NULL is allowed
// The vertices of a closed mesh have moved; its triangles or segments are the same. About so many points will be asked about, at
// most. Takes no memory.
void inside_follow(InsideTest* test, const TriMesh* mesh, size_t points, Pool* pool);
// For a surface that many points are asked about: most of them are told at once by cells around it (inside_cells.h). False: out of
// memory.
bool inside_use_cells(InsideTest* test);

// Thread-safe queries in the mesh's own frame. Points on the surface may be either; nan is outside. Meshes that are turned
// inside out contain the same points.
bool inside_contains(const InsideTest* test, Vec3d point);
// Unsigned distance to the surface, at most `limit` (returns limit if farther). `closest` and `primitive` (index of the
// triangle or segment) may be NULL; they are set only if something is nearer than the limit.
double inside_distance(const InsideTest* test, Vec3d point, double limit, Vec3d* closest, uint32_t* primitive);
// A point that goes straight from one place to another passes through the surface.
typedef struct SurfacePass {
    double time;    // [1] 0 to 1
    Vec3d normal;   // of the triangle or segment
    int direction;  // +1: along the normal, -1: against it
    uint32_t place; // which, in an order of the test's own
} SurfacePass;

// Writes at most `most` passages and returns how many, in no order. As in crossing.h, who changes sides of a closed or endless
// surface passes somewhere.
int inside_passes(const InsideTest* test, Vec3d from, Vec3d to, SurfacePass* out, int most);
// How often the surface winds around the point: 1 inside, 0 outside; between them near holes of open meshes.
double inside_winding(const InsideTest* test, Vec3d point);
// A box around the mesh that has something in it.
Box3d inside_bounds(const InsideTest* test);
// Whether the mesh is closed, so that inside and outside are sharp.
bool inside_closed(const InsideTest* test);

#endif
