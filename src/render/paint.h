// SPDX-License-Identifier: MIT
// What a solid's surface is painted with, and what a fluid does to light.
#ifndef RENDER_PAINT_H
#define RENDER_PAINT_H

#include "render/pattern.h"
#include <meniscus/defs.h>

typedef struct SolidPaint {
    mn_Finish finish;
    Vec3 colour; // linear
    bool patterned;
    Pattern pattern;
    float roughness, ior;
    bool has_inner;
    Vec3 inner; // linear: faces at which it broke
} SolidPaint;

typedef struct FluidPaint {
    Vec3 absorption; // [1/m]
    float ior;
} FluidPaint;

#endif
