// SPDX-License-Identifier: MIT
// The readers behind mesh_read(), one per format. They fill an empty mesh; after a failure it holds what was read so far.
#ifndef MESH_MESH_FILE_H
#define MESH_MESH_FILE_H

#include "mesh/tri_mesh.h"

#define MESH_COORDINATE_MAX 1e12 // [m] keeps squares and volumes finite

mn_Result obj_read(const char* data, size_t size, const char* name, TriMesh* mesh, mn_Error* error);
mn_Result ply_read(const char* data, size_t size, const char* name, TriMesh* mesh, mn_Error* error);
mn_Result stl_read(const char* data, size_t size, const char* name, TriMesh* mesh, mn_Error* error);

// Whether the bytes are such a file; anything else that is text is taken for obj.
bool ply_recognise(const char* data, size_t size);
bool stl_recognise(const char* data, size_t size);

// All bytes of a file below 2 GiB, to be given back with memory_give(NULL, ...), also after a failure.
mn_Result mesh_file_bytes(const char* path, char** data, size_t* size, mn_Error* error);

// Triangles from `first` on are a polygon, cut into a fan. A fan of very many corners is all slivers from one side to the other, in
// which whoever looks for neighbours, distances or curvature finds everything next to everything; such a polygon is cut anew, ear
// by ear around the border and again around what is left, so that most triangles are as small as its edges. False: no memory.
bool mesh_recut_fan(TriMesh* mesh, size_t first);

// The mesh itself, as obj, if a text stands in the place of a file name (meniscus/mesh.h); NULL: it is the name of a file.
const char* mesh_text_of(const char* file);

// MN_OUT_OF_MEMORY, with a message.
mn_Result mesh_no_memory(const char* name, mn_Error* error);

#endif
