// SPDX-License-Identifier: MIT
// `meniscus render --quality final`: the loaded frame of a subject through the path tracer.
#ifndef CLI_RENDER_FINAL_H
#define CLI_RENDER_FINAL_H

#include "render/looks.h"
#include "render/survey.h"
#include "trace/trace.h"

typedef struct FinalOptions {
    int samples;      // per pixel
    double spacing;   // [particle radii] of the surface's grid
    int smoothing;    // rounds
    bool anisotropic; // kernels of the surface
    bool grain;       // as it was sampled, no filter
    bool motion_blur; // from velocities, half a frame long
} FinalOptions;

FinalOptions final_default_options(void);

typedef struct FinalView {
    const Subject* subject; // with a frame loaded
    const Survey* survey;
    const Camera* camera;
    const mn_ViewDef* view;
    const Looks* looks;
    const Environment* environment;
    const ColourMap* map;
    double range[2]; // of the colours
    CutAway cut;
    double foam_radius; // [m] of the largest diffuse particles; 0: foam is not traced
    bool ground;
    Pool* pool;
    // Called now and then with the picture as it is; may be NULL. False stops: the picture stays as it is.
    bool (*progress)(void* user, int samples, Picture* picture);
    void* user;
} FinalView;

mn_Result final_draw(const FinalOptions* options, const FinalView* view, Picture* picture, mn_Error* error);

#endif
