// SPDX-License-Identifier: MIT
// The surface of a fluid as a file: .vtp, .ply (binary) with normals, velocity, density and pressure at the vertices, or .obj with
// normals; and from a frame to such a surface.
#ifndef IO_SURFACE_FILE_H
#define IO_SURFACE_FILE_H

#include "io/frame.h"
#include "surface/surface.h"

// Velocity, density and pressure become values 0, 1 and 2 of the mesh. `memory` may be NULL.
mn_Result surface_of_frame(const SurfaceDef* def, const Frame* frame, Pool* pool, Memory* memory, SurfaceMesh* mesh,
                           mn_Error* error);

// A mesh of surface_of_frame.
mn_Result surface_write(const char* path, mn_SurfaceFormat format, const SurfaceMesh* mesh, double time, mn_Error* error);
const char* surface_extension(mn_SurfaceFormat format); // "vtp", "ply", "obj"

// The list of frames that opens the sequence in ParaView (series.h).
mn_Result surface_write_list(const char* folder, const char* name, mn_SurfaceFormat format, int64_t last_frame, double frame_rate,
                             mn_Error* error);

#endif
