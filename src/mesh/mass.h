// SPDX-License-Identifier: MIT
// Mass properties of a closed mesh (divergence theorem), of a shell (area), of a rod (length).
#ifndef MESH_MASS_H
#define MESH_MASS_H

#include "mesh/tri_mesh.h"

typedef struct MassProperties {
    double volume;        // [m3] closed mesh: enclosed; shell: area * thickness; rod: length * its section
    Vec3d centre;         // [m] centre of volume
    double inertia[3][3]; // [m5] of unit density about the centre
} MassProperties;

// Of a mesh without triangles: the area inside its outline, one metre deep. Meshes turned inside out give the same.
MassProperties mass_of_closed(const TriMesh* mesh);
// The same with what several parts share counted once. False: out of memory.
bool mass_of_union(const TriMesh* mesh, MassProperties* out);
MassProperties mass_of_shell(const TriMesh* mesh, double thickness);
// Of the segments; their section is as thick in the plane of two dimensions and `deep` [m] across it. For the moments it is square.
MassProperties mass_of_rod(const TriMesh* mesh, double thickness, double deep);

#endif
