// SPDX-License-Identifier: MIT
// The particles near free surfaces, sorted by cells as wide as curvature looks: a few layers, so that looking far costs little.
#ifndef FLUID_TENSION_BAND_H
#define FLUID_TENSION_BAND_H

#include "fluid/tension/contact.h"

typedef struct BandPart BandPart;

typedef struct BandImage {
    ContactImage how;
    Vec4 at;           // [m] where, and how much it counts
    uint32_t particle; // whose image it is
    uint32_t slot;     // in the band
} BandImage;

typedef struct SurfaceBand {
    Memory* memory;

    // of all particles
    Vec4* gradient; // [1/m] G_i of the colour, inwards, and the number of the fluid
    Vec4* shape;    // [1/m] the same as the fluid's shape has it, beside walls too (contact.h)
    Vec4* spread;   // [1/m] shape, dealt out to neighbours
    uint32_t* slot; // where in the band it is; BAND_NONE: it is not

    // of the band and its images behind walls, in the order of its cells
    size_t count;
    CellGrid grid;      // as wide as the reach of a fit
    uint32_t* particle; // whose number it is
    uint32_t* source;   // its own slot; of an image, that of its particle
    Vec4* at;           // [m] where, and |spread| times the spacing [1]
    Vec4* inward;       // [1/m] spread, and the number of the fluid
    Vec4* normal;       // [1] outwards, and the number of the fluid
    float* fitted;      // [1/m] sum of the principal curvatures, as fitted, and
    float* curvature;   // smoothed
    Vec4* force;        // [m/s2] acceleration
    uint32_t* part;     // number of the part that it belongs to

    BandImage* image; // in the order in which they were found, and
    size_t image_count, image_capacity;

    BandPart* parts; // connected stretches of surface, see balance.c
    size_t part_count, part_capacity;
    size_t capacity[13];
} SurfaceBand;

#define BAND_NONE UINT32_MAX

// `reach` [m] of a fit. NULL: out of memory.
SurfaceBand* band_create(Memory* memory, double reach, int dimension);
void band_destroy(SurfaceBand* band); // NULL is allowed
// Room for what all particles have. False: out of memory.
bool band_reserve(SurfaceBand* band, size_t particles);

// Finds the particles with |spread| above `least` [1/m] of fluids with a sigma, and their images, and sorts them. False: out of
// memory.
bool band_find(SurfaceBand* band, const Sph* sph, float least, const float sigma[FLUIDS_MOST]);

static inline bool band_is_image(const SurfaceBand* band, size_t k)
{
    return band->source[k] != k;
}

// Images get what their particles have: normals, reflected, and numbers.
void band_reflect(const SurfaceBand* band, Vec4* direction);
void band_copy(const SurfaceBand* band, float* value);

// Calls `run` for stretches of the band that hold all who are within reach of a point; `at` is the image of the point that they
// are near to.
typedef void BandRunFn(const SurfaceBand* band, Vec4 at, uint32_t begin, uint32_t end, void* sums);
void band_around(const SurfaceBand* band, const Period* period, Vec4 point, BandRunFn* run, void* sums);

// balance.c: a closed surface moves nobody as a whole. Takes from `force` what would push or turn each part that touches no wall.
// False: out of memory.
bool band_balance(SurfaceBand* band, const Sph* sph);

#endif
