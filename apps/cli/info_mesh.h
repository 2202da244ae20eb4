// SPDX-License-Identifier: MIT
// The part of `meniscus info` that knows meshes. Both return an exit status.
#ifndef CLI_INFO_MESH_H
#define CLI_INFO_MESH_H

// obj, ply, stl; what cannot be read as one goes to `otherwise`, or is complained about if that is NULL
int info_mesh(const char* path, int (*otherwise)(const char* path));
int info_vtp_mesh(const char* path); // as the run folder has them

#endif
