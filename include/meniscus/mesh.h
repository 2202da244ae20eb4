// SPDX-License-Identifier: MIT
// Meshes that a program has in memory.
#ifndef MENISCUS_MESH_H
#define MENISCUS_MESH_H

#include <meniscus/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// A mesh of vertices [m] and triangles, counter-clockwise seen from outside, as a text that may stand wherever a definition or a
// scene wants the name of a mesh file (mn_Shape.file with MN_SHAPE_MESH, mn_Fill.file): "data:obj,v 0 0 0 ...". All digits are
// kept. Free it with free() when the definition has been handed over. NULL: out of memory.
MN_API char* mn_mesh_text(const mn_Vec3* vertices, size_t vertex_count, const uint32_t (*triangles)[3], size_t triangle_count);

#ifdef __cplusplus
}
#endif

#endif
