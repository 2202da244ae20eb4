// SPDX-License-Identifier: MIT
// From samples and light to pixels.
#ifndef RENDER_SHADE_H
#define RENDER_SHADE_H

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
    Vec3 background;     // sRGB
    Vec3 ground_centre;  // view space
    float ground_radius; // [m] beyond it the ground fades into the background
} Shading;

void shade_picture(const Shading* shading, Picture* picture);

#endif
