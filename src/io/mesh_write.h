// SPDX-License-Identifier: MIT
// The surface of a solid as a file, in the solid's own frame (bodies.csv says where the frame is): .vtp, .ply or .obj.
// Vertices keep all bits of a double; the segments of rods and 2D outlines are lines (.vtp, .obj) or edges (.ply).
#ifndef IO_MESH_WRITE_H
#define IO_MESH_WRITE_H

#include <meniscus/world.h>

mn_Result mesh_write(const char* path, mn_SolidFormat format, const mn_SolidView* solid, mn_Error* error);
const char* mesh_extension(mn_SolidFormat format); // "vtp", "ply", "obj"

#endif
