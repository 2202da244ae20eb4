// SPDX-License-Identifier: MIT
// `meniscus render --quality final`: the loaded frame of a subject through the path tracer.
#ifndef CLI_RENDER_FINAL_H
#define CLI_RENDER_FINAL_H

#include "render/picture.h"
#include "render/survey.h"

typedef struct FinalOptions {
    int samples;      // per pixel
    const char* sky;  // "studio" or "day"
    double exposure;  // [1]
    double aperture;  // [m] radius of the lens
    double spacing;   // [particle radii] of the surface's grid
    int smoothing;    // rounds
    bool motion_blur; // from velocities, half a frame long
    bool quiet;
} FinalOptions;

FinalOptions final_default_options(void);

typedef struct FinalView {
    const Subject* subject; // with a frame loaded
    const Survey* survey;
    const Camera* camera;
    Vec3 background; // sRGB
    bool ground;
    Pool* pool;
} FinalView;

mn_Result final_draw(const FinalOptions* options, const FinalView* view, Picture* picture, mn_Error* error);

#endif
