// SPDX-License-Identifier: MIT
// Fluid across periodic borders as foam sees it: copies of the particles near a border stand beyond the opposite one, so that
// whoever looks around sees across. Copies are looked at, and give birth to nothing.
#ifndef FOAM_IMAGES_H
#define FOAM_IMAGES_H

#include "foam/around.h"
#include "particles/particle_set.h"

typedef struct FoamImages {
    ParticleSet set; // fluid and images, sorted by the grid
    Vec4 *position, *velocity;
    uint32_t* id;
    uint8_t* is_image;
    CellGrid grid;
} FoamImages;

// `images` must be zero and stay where it is. False: out of memory. Destroy it in any case.
bool foam_images_create(FoamImages* images, double h, int dimension, Memory* memory);
void foam_images_destroy(FoamImages* images);
// The fluid with its images, valid until the next call; eight records beyond the last can be read. False: out of memory.
bool foam_images_of(FoamImages* images, Pool* pool, const Period* period, const FoamFluid* fluid, FoamFluid* out);

// Appends images of all particles nearer than two supports `h` to a border to a set of which these are two arrays: a crest compares
// normals of neighbours, who must see all of theirs. False: out of memory.
bool foam_images_append(ParticleSet* set, Vec4* const* position, uint8_t* const* is_image, const Period* period, double h);

#endif
