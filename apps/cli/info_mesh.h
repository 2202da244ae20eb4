// SPDX-License-Identifier: MIT
// The part of `meniscus info` that knows meshes. Both return an exit status.
#ifndef CLI_INFO_MESH_H
#define CLI_INFO_MESH_H

int info_mesh(const char* path);     // obj, ply, stl
int info_vtp_mesh(const char* path); // as the run folder has them

#endif
