// SPDX-License-Identifier: MIT
// The surface of a liquid in screen space: depth of the nearest particles, smoothed until it is a surface, and how much liquid is
// behind it. After S. Green, "Screen space fluid rendering for games", GDC 2010; smoothing after N. Truong and C. Yuksel, "A
// narrow-range filter for screen-space fluid rendering", 2018.
#ifndef RENDER_LIQUID_H
#define RENDER_LIQUID_H

#include "render/environment.h"
#include "render/light.h"
#include "render/picture.h"

// Pixels beyond the edges of the picture that the filter may look at.
enum { LIQUID_BORDER = 40 };

typedef struct Liquid {
    View view;           // the particles alone, one sample per pixel
    int width, height;   // pixels
    int stride;          // of the images below; they have a border of LIQUID_BORDER
    float* depth[2];     // [m] smoothed; NOTHING where there is no liquid
    float* value[2];     // scalar of the nearest particle, smoothed with the depth; NULL: not asked for
    int current;         // which of the two
    float* normal[3];    // x, y, z of the smoothed surface, view space, towards the camera; only where there is liquid
    int half_width;      // thickness: half the pixels in each direction
    int half_stride;     // with a border of one, at the right of more
    float* thickness[2]; // [m] in front of what is opaque
    float* behind;       // [m] depth of what is opaque, of the same pixels
    size_t depth_capacity[2], value_capacity[2], normal_capacity[3], thickness_capacity[2], behind_capacity;
} Liquid;

typedef struct LiquidInput {
    const Camera* camera;
    const ParticleLook* particles;
    const CutAway* cut;
    double particle_radius;
    const View* opaque; // what else is seen
    bool draft;         // smoothed once instead of twice
    bool wants_values;  // smoothed scalars
    bool wants_thickness;
    bool wants_normals; // to shade it
} LiquidInput;

static const float liquid_slack = 6; // [r] depths that differ by less belong to one thing

// Finds surface and thickness. False: out of memory.
bool liquid_build(Liquid* liquid, Pool* pool, const LiquidInput* input);
void liquid_free(Liquid* liquid);

static inline size_t liquid_index(const Liquid* l, int x, int y)
{
    return (size_t)(y + LIQUID_BORDER) * (size_t)l->stride + (size_t)(x + LIQUID_BORDER);
}

// --- drawing it over a picture of everything else

typedef struct LiquidShading {
    const Liquid* liquid;
    const View* opaque;
    const Light* light;
    const Environment* environment; // NULL: a white room
    const ParticleLook* particles;
    const FluidPaint* paint; // by fluid; NULL: water
    const ColourMap* map;    // MN_STYLE_SURFACE
    float range[2];
    bool clear; // MN_STYLE_LIQUID
} LiquidShading;

// False: out of memory.
bool liquid_shade(const LiquidShading* shading, Picture* picture);

#endif
