// SPDX-License-Identifier: MIT
// Boundary particles on a triangle mesh (Akinci 2013, section 2.4): vertices, edges, then scan lines parallel to each
// triangle's shortest edge; particles about one `spacing` apart, none needed twice. Segments (rods, 2D) are sampled as edges.
#ifndef BOUNDARY_SAMPLE_H
#define BOUNDARY_SAMPLE_H

#include "mesh/tri_mesh.h"

// Where a particle sits on the mesh, so that it can follow a deforming one: position = sum of weight[k] * vertex[k] of the
// primitive (+ offset). primitive < triangle_count: that triangle; otherwise segment primitive - triangle_count, weight[2] = 0.
typedef struct SurfaceAnchor {
    uint32_t primitive;
    float weight[3]; // [1] >= 0, sum 1
} SurfaceAnchor;

// Zero-initialise before the first use; may be used again, keeping its memory.
typedef struct SurfaceSamples {
    size_t count, capacity;
    Vec3* position;        // [m] in the mesh's frame  (count)
    Vec3* normal;          // [1] outward, averaged over the faces that meet at the particle; zero on rods  (count)
    SurfaceAnchor* anchor; // (count)
} SurfaceSamples;

// More candidates than this are refused: the spacing does not fit the mesh.
enum { SURFACE_SAMPLE_LIMIT = 1 << 26 };

void surface_samples_free(SurfaceSamples* samples, Memory* memory); // leaves an empty set

// Replaces what `samples` held. `spacing` > 0 [m] is the fluid's particle spacing d = h/2. `offset` [m] moves the sampled
// surface along its outward normal, mitred at edges and corners; negative = into the solid. The offset of segments lies in
// the plane z = 0. Triangles that are degenerate, not finite or out of range are left out.
// False: out of memory, or more than SURFACE_SAMPLE_LIMIT candidates; `samples` is then empty.
bool surface_sample(const TriMesh* mesh, double spacing, double offset, SurfaceSamples* samples, Memory* memory);

// The surface that surface_sample() puts its particles on: `moved` (vertex_count) receives the vertices after the offset.
bool surface_offset(const TriMesh* mesh, double offset, Vec3d* moved, Memory* memory);

#endif
