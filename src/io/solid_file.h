// SPDX-License-Identifier: MIT
// The meshes of elastic solids in a run folder: solids/NAME_000000.vtp and so on, a file per frame.
#ifndef IO_SOLID_FILE_H
#define IO_SOLID_FILE_H

#include "io/run_folder.h"
#include "mesh/tri_mesh.h"

// A mesh as mesh_write() makes them: vtp, ply or obj. `mesh` must be empty; it stays so on failure.
mn_Result solid_file_read(const char* path, mn_SolidFormat format, TriMesh* mesh, mn_Error* error);

// The elastic solid `solid` of the scene as it was in the frame with this index.
mn_Result run_folder_read_solid(const RunFolder* run, size_t index, size_t solid, TriMesh* mesh, mn_Error* error);

#endif
