// SPDX-License-Identifier: MIT
// One frame as a picture: particles, solids, light, captions.
#ifndef RENDER_SCENE_PICTURE_H
#define RENDER_SCENE_PICTURE_H

#include "render/caption.h"
#include "render/environment.h"
#include "render/foam_picture.h"
#include "render/light.h"
#include "render/nozzle_line.h"
#include "render/picture.h"
#include "render/view.h"

typedef struct RenderInput {
    Camera camera;
    Box3d box;               // [m] the scene: shadows and the ground belong to it
    Vec3d up;                // unit
    bool flat;               // 2D: plain discs and filled outlines, no light
    bool ground;             // draw a ground
    double ground_level;     // [m] along up: what lies on it
    const NozzleLine* lines; // drawn over the rest where they are not hidden
    size_t line_count;
    const Pattern* ground_pattern;  // its colour, or a checkerboard if it has a size; NULL: the background's
    double particle_radius;         // [m]
    mn_Style style;                 // liquid and surface: the first set of particles; otherwise all are spheres
    const Environment* environment; // light of liquids and metal; NULL: a white room
    bool own_light;                 // shadows fall from the environment's first sun
    const FluidPaint* fluid_paint;  // by fluid; liquid style

    const ParticleLook* particles;
    size_t particle_count; // looks, not particles; at most MAX_PARTICLE_LOOKS
    const SolidItem* solids;
    size_t solid_count;

    FoamSource foam;       // count 0: none
    mn_FoamLook foam_look; // complete
    FoamPass foam_pass;
    float foam_exposure; // [1]

    const ColourMap* map;
    double range[2];
    CutAway cut;
    Vec3 background; // sRGB
    int samples;     // per pixel and direction, 1..4; 2 is good
    bool draft;      // for a window: light of every second pixel, a coarser shadow, a liquid smoothed once
    Caption caption;
} RenderInput;

// Keeps memory between frames.
typedef struct Renderer Renderer;

Renderer* renderer_create(int threads); // 0 = all cores; NULL: no memory or threads
void renderer_destroy(Renderer* renderer);

// `picture` must have the size of the camera's picture. The same bits for any number of threads.
mn_Result render_frame(Renderer* renderer, const RenderInput* input, Picture* picture, mn_Error* error);

// Foam alone over a picture of the same view that others have made.
mn_Result render_foam(Renderer* renderer, const RenderInput* input, Picture* picture, mn_Error* error);

// What every way of drawing an input must agree on: the point of the ground below the middle of the box, whether the first set of
// particles is a liquid, where the key light stands (world axes), samples of its shadow map per side, the colour of edges (sRGB).
Vec3d render_ground_point(const RenderInput* input);
bool render_is_liquid(const RenderInput* input);
Vec3d render_key_direction(const RenderInput* input);
int render_shadow_size(const RenderInput* input);
Vec3 render_edge_ink(const RenderInput* input);

// Seconds of the last frame by pass, for people who tune.
typedef struct RenderTimes {
    double samples, shadow, light, shade, liquid, foam, caption;
} RenderTimes;
RenderTimes renderer_times(const Renderer* renderer);

#endif
