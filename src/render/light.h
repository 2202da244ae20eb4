// SPDX-License-Identifier: MIT
// How much light reaches what the camera sees: a key light with a shadow map, and an open sky dimmed by what stands
// around (screen-space ambient occlusion). Both once per pixel, smoothed without crossing edges of depth.
#ifndef RENDER_LIGHT_H
#define RENDER_LIGHT_H

#include "render/lanes.h"
#include "render/view.h"

typedef struct Reach {
    float sky; // 0 closed in .. 1 open
    float key; // 0 in shadow .. 1 lit
} Reach;

enum { LIGHT_BORDER = 2, LIGHT_CELL = 8 };

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
    int stride;        // of the images below; they have a border of LIGHT_BORDER
    float* depth;      // [m] of the sample that stands for the pixel; beyond the border and where nothing is: NOTHING
    float* raw[2];     // sky and key
    Reach* reach;      // smoothed
    uint8_t* busy;     // of LIGHT_CELL x LIGHT_CELL places: something else than the ground is seen in them
    uint8_t* dim;      // some of them are not in full light
    int cells;         // in a row of such cells
    size_t depth_capacity, raw_capacity[2], reach_capacity, busy_capacity, dim_capacity;
} Light;

// Draws the shadow map. `box`: what casts shadows. `to_key` in world axes. False: out of memory.
bool light_build(Light* light, const View* view, const SphereSet* sets, size_t set_count, const SolidItem* solids,
                 size_t solid_count, Box3d box, Vec3d to_key, int shadow_size, const CutAway* cut);
// Light for every pixel of the view, or every `step` pixels. False: out of memory.
bool light_gather(Light* light, const View* view);
void light_free(Light* light);

static inline size_t light_index(const Light* light, int x, int y)
{
    return (size_t)(y + LIGHT_BORDER) * (size_t)light->stride + (size_t)(x + LIGHT_BORDER);
}

// Whether all that is seen in the cell of this pixel is in full light.
static inline bool light_is_full(const Light* light, int x, int y)
{
    int cell = LIGHT_CELL * light->step;
    return !light->dim[(size_t)(y / cell) * (size_t)light->cells + (size_t)(x / cell)];
}

// The key light at points with normals n, in view space.
F8 light_key_lanes(const Light* light, V8 p, V8 n, float radius);

// For a surface at depth z in this pixel: from the pixel itself or, at an edge, the neighbour that saw the same surface.
Reach light_at(const Light* light, int x, int y, float z);
// The same for LANES pixels from x on, and what they see.
void light_at_lanes(const Light* light, int x, int y, F8 z, F8* sky, F8* key);

#endif
