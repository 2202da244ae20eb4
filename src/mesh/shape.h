// SPDX-License-Identifier: MIT
// From an mn_Shape to a mesh in the shape's own frame (centred on the origin, axis y). In 2D the mesh holds the outline as
// segments in the plane z = 0. Curved shapes are tessellated so that the mesh is off by at most `tolerance` [m]; vertices
// lie on the surface. Meshes from files are taken as they are, with coincident vertices merged,
// and those that rounding has moved apart if that closes the mesh.
#ifndef MESH_SHAPE_H
#define MESH_SHAPE_H

#include "mesh/tri_mesh.h"

// Sizes that a shape may have [m], and how much finer than a radius the tolerance may be [1].
#define SHAPE_SIZE_MIN 1e-9
#define SHAPE_SIZE_MAX 1e9
#define SHAPE_FINENESS_MAX 1e5
#define SHAPE_CELLS_MAX 4000000

// `folder` is where relative file names start (NULL: current folder). `mesh` must be empty; it stays so on failure.
// Errors name the key ("shape.box").
mn_Result shape_build(const mn_Shape* shape, int dimension, double tolerance, const char* folder, TriMesh* mesh, mn_Error* error);

// Where the file of a shape is.
mn_Result shape_file(const mn_Shape* shape, const char* folder, char* path, size_t size, mn_Error* error);

// obj, ply or stl by content, not by name; triangles (polygons are cut into fans, large ones from the border inwards) and the line
// elements of obj. Errors name file and line (text formats) or byte. `mesh` must be empty; it stays so on failure.
mn_Result mesh_read(const char* path, TriMesh* mesh, mn_Error* error);
// The same from memory; `name` is for messages.
mn_Result mesh_read_memory(const char* data, size_t size, const char* name, TriMesh* mesh, mn_Error* error);

#endif
