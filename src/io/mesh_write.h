// SPDX-License-Identifier: MIT
// The surfaces of solids as files: .vtp, .ply or .obj. Vertices keep all bits of a double; the segments of rods and 2D outlines
// are lines (.vtp, .obj) or edges (.ply). Faces at which a solid broke come last and are told apart, in the files of solids that
// may break: by a field `inner` (.vtp, .ply) or a group (.obj).
#ifndef IO_MESH_WRITE_H
#define IO_MESH_WRITE_H

#include <meniscus/world.h>

// One solid: a static one where it stands, one that moves in its own frame (bodies.csv says where that is).
mn_Result mesh_write(const char* path, mn_SolidFormat format, const mn_SolidView* solid, mn_Error* error);
// All solids that move, where they are now, in one .vtp whose cells have a field `solid`, their index in the scene.
mn_Result mesh_write_moving(const char* path, const mn_World* world, double time, mn_Error* error);
bool mesh_any_moves(const mn_World* world);
const char* mesh_extension(mn_SolidFormat format); // "vtp", "ply", "obj"

#endif
