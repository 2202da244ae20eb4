// SPDX-License-Identifier: MIT
// Small pieces of a mesh: taken out before it is smoothed, and put back as spheres if that is wanted.
#ifndef SURFACE_BLOBS_H
#define SURFACE_BLOBS_H

#include "surface/pieces.h"
#include "surface/values.h"

typedef struct Blob {
    Vec3d centre;  // [m]
    double volume; // [m3]
} Blob;

typedef struct Blobs {
    Memory* memory;
    size_t count;
    Blob* sphere; // that pieces become
} Blobs;

// Takes pieces of less than `volume` [m3] out of the mesh, which then has room for the spheres. Only positions and triangles are
// looked at; `first_vertex` (count + 1) of the stretches is brought up to date. False: out of memory.
bool blobs_take_out(Blobs* blobs, SurfaceMesh* mesh, Pieces* pieces, uint32_t* first_vertex, size_t count, SurfaceBlobs how,
                    double volume, Pool* pool);
void blobs_put_back(const Blobs* blobs, SurfaceMesh* mesh, const Sampler* sampler, Pool* pool);
void blobs_free(Blobs* blobs);

#endif
