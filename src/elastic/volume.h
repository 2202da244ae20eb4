// SPDX-License-Identifier: MIT
// Tetrahedra for a solid that is a volume: read, cut from a box, or filled into its surface.
#ifndef ELASTIC_VOLUME_H
#define ELASTIC_VOLUME_H

#include "mesh/tet_mesh.h"
#include "solid/solid.h"

// Tetrahedra in the world's frame. If the shape is theirs, the solid gets their surface, and `*point_of` the point that each vertex
// is (give it back); other surfaces are embedded in them.
mn_Result volume_create(const SolidSetting* setting, Solid* solid, const mn_SolidDef* def, TetMesh* tets, uint32_t** point_of,
                        mn_Error* error);

#endif
