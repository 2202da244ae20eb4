// SPDX-License-Identifier: MIT
// From samples and light to pixels.
#ifndef RENDER_SHADE_H
#define RENDER_SHADE_H

#include "render/environment.h"
#include "render/light.h"
#include "render/picture.h"

typedef struct Shading {
    const View* view;
    const Light* light; // NULL: flat colours (2D)
    const ParticleLook* looks;
    size_t look_count;
    const SolidItem* solids;
    const ColourMap* map; // of PAINT_SCALAR
    float range[2];
    Vec3 background;                // sRGB
    const Pattern* ground_pattern;  // its colour; NULL: the background's
    const Environment* environment; // seen in metal; may be NULL
    const Camera* camera;           // of the picture
    Vec3 ground_centre;             // view space
    float ground_radius;            // [m] beyond it the ground fades into the background
} Shading;

// A surface of this colour in the light that reaches it; gloss 0..1.
Vec3 shade_lit(const Shading* shading, Vec3 albedo, const Fragment* f, Reach reach, float gloss);
// LANES surfaces at these points, and how much of sky and key light reaches them.
V8 shade_lit_lanes(const Shading* shading, V8 albedo, V8 position, V8 normal, F8 sky, F8 key, float gloss);

void shade_picture(const Shading* shading, Picture* picture);

#endif
