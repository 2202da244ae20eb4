// SPDX-License-Identifier: MIT
// How much light reaches what the camera sees: a key light with a shadow map, and an open sky dimmed by what stands
// around (screen-space ambient occlusion). Both once per pixel, smoothed without crossing edges of depth.
#ifndef RENDER_LIGHT_H
#define RENDER_LIGHT_H

#include "render/view.h"

typedef struct Reach {
    float sky; // 0 closed in .. 1 open
    float key; // 0 in shadow .. 1 lit
} Reach;

// Where the shadow map lies.
typedef struct ShadowFrame {
    Camera camera; // from the key light, orthographic
    Vec3 axis[3];  // view space to shadow samples: (x, y, z) = axis . position + origin; z in m
    Vec3 origin;
    Vec3 to_key; // view space, unit
} ShadowFrame;

// `box`: what casts shadows. `to_key` in world axes.
ShadowFrame shadow_frame(const Camera* view, Box3d box, Vec3d to_key, int size);

typedef struct Light {
    Vec3 to_key; // view space, unit
    View shadow; // seen from the key light, orthographic
    bool has_shadow;
    ShadowFrame frame;
    uint32_t clear_count; // the first spheres of the shadow map are clear: they let a part of the light through
    float sky_radius;     // [m] how far occlusion looks

    int step;          // pixels per place and direction where light is gathered: 1, or 2 in a draft
    int width, height; // places
    float* depth;      // [m] of the sample that stands for the pixel
    Reach* raw;
    Reach* reach; // smoothed
    size_t depth_capacity, raw_capacity, reach_capacity;
} Light;

// Draws the shadow map. `box`: what casts shadows. `to_key` in world axes. False: out of memory.
bool light_build(Light* light, const View* view, const SphereSet* sets, size_t set_count, const SolidItem* solids,
                 size_t solid_count, Box3d box, Vec3d to_key, int shadow_size, const CutAway* cut);
// Light for every pixel of the view, or every `step` pixels. False: out of memory.
bool light_gather(Light* light, const View* view);
void light_free(Light* light);

// The key light at any point with normal n, in view space.
float light_key_at(const Light* light, Vec3 p, Vec3 n, float radius);

// For a surface at depth z in this pixel: from the pixel itself or, at an edge, the neighbour that saw the same surface.
Reach light_at(const Light* light, int x, int y, float z);

#endif
