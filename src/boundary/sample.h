// SPDX-License-Identifier: MIT
// Boundary particles on a triangle mesh (Akinci 2013, section 2.4): vertices, edges, then scan lines parallel to each
// triangle's shortest edge; particles about one `spacing` apart, none needed twice. Segments (rods, 2D) are sampled as edges.
#ifndef BOUNDARY_SAMPLE_H
#define BOUNDARY_SAMPLE_H

#include "mesh/tri_mesh.h"

// Where a boundary particle sits: barycentric weights on a primitive, so that it can follow a deforming mesh.
typedef struct SurfaceSamples {
    size_t count, capacity;
    Vec3* position;         // [m] in the mesh's frame
} SurfaceSamples;

void surface_samples_free(SurfaceSamples* samples, Memory* memory);

// False: out of memory. `offset` [m] moves each particle along the (outward) surface normal; for closed meshes so that the
// visible surface is where the water stops, see sample.c.
bool surface_sample(const TriMesh* mesh, double spacing, double offset, SurfaceSamples* samples, Memory* memory);

#endif
