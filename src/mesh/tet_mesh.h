// SPDX-License-Identifier: MIT
// Tetrahedral meshes: what elastic volumes are computed on. Points in double; indices from 0.
#ifndef MESH_TET_MESH_H
#define MESH_TET_MESH_H

#include "mesh/tri_mesh.h"

// An empty mesh is all zero: TetMesh mesh = {0}.
typedef struct TetMesh {
    size_t point_count, tet_count; // each below 2^31
    Vec3d* point;                  // [m]
    uint32_t (*tet)[4];            // a b c d with (b - a) x (c - a) . (d - a) > 0
    size_t point_capacity, tet_capacity;
} TetMesh;

void tet_mesh_free(TetMesh* mesh); // leaves an empty mesh

// Append; return false when out of memory (or beyond 2^31 items).
bool tet_mesh_add_point(TetMesh* mesh, Vec3d position);
bool tet_mesh_add_tet(TetMesh* mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d);

double tet_volume(Vec3d a, Vec3d b, Vec3d c, Vec3d d);       // [m^3] signed
double tet_mesh_volume(const TetMesh* mesh);                 // [m^3] sum of all
double tet_mesh_tet_volume(const TetMesh* mesh, size_t tet); // [m^3] signed
Box3d tet_mesh_bounds(const TetMesh* mesh);                  // of an empty mesh: min = max = 0

// Finds what cannot be simulated: no tetrahedra, points out of range, flat or inverted tetrahedra, faces that more than two
// tetrahedra share or two on the same side, two points in one place, points that no tetrahedron uses. The message counts from 0 and
// says which.
mn_Result tet_mesh_check(const TetMesh* mesh, mn_Error* error);

// The faces that only one tetrahedron has, turned outwards. `surface` must be empty; it gets only the points it uses, and
// *point_of (vertex_count; to be given back with memory_give(NULL, ...)) tells which they were. False: out of memory.
bool tet_mesh_surface(const TetMesh* mesh, TriMesh* surface, uint32_t** point_of);

// --- making them; `mesh` must be empty and stays so after a failure

// A box around the origin cut into cells, each of them into six tetrahedra. False: out of memory.
bool tet_mesh_box(Vec3d size, const int cells[3], TetMesh* mesh);

// Fills a closed surface with well-shaped tetrahedra of about one edge length `spacing` [m] (tet_fill.c). Sharp edges are
// cut off by a fraction of the spacing; embed the surface where it is to be seen or touched.
mn_Result tet_mesh_fill(const TriMesh* surface, double spacing, TetMesh* mesh, mn_Error* error);

// Reads Gmsh (.msh, ASCII, versions 2 and 4) or TetGen (.node with .ele beside it; either may be named). Only tetrahedra of
// four nodes count, and points that they do not use are dropped. A file with all of them the wrong way round is turned; one with
// some is refused.
mn_Result tet_mesh_read(const char* path, TetMesh* mesh, mn_Error* error);
// The same from memory, for Gmsh and for the two files of TetGen. `name` is for messages.
mn_Result msh_read(const char* data, size_t size, const char* name, TetMesh* mesh, mn_Error* error);
mn_Result tetgen_read(const char* nodes, size_t node_size, const char* node_name, const char* elements, size_t element_size,
                      const char* element_name, TetMesh* mesh, mn_Error* error);

// --- embedding

// A place in a tetrahedron: sum of weight[k] * point[tet[k]]. Weights sum to 1; one outside all tetrahedra has negative ones,
// so that it follows, and hands on forces and torques, exactly all the same.
typedef struct TetAnchor {
    uint32_t tet;
    double weight[4];
} TetAnchor;

// For each point the tetrahedron that contains it, or the one nearest to containing it. False: out of memory.
bool tet_mesh_embed(const TetMesh* mesh, const Vec3d* point, size_t count, TetAnchor* anchor);

#endif
