// SPDX-License-Identifier: MIT
// What one frame looks like from one camera, shared by the passes that draw it: samples first (which particle or triangle,
// how far), then light, then colour.
#ifndef RENDER_VIEW_H
#define RENDER_VIEW_H

#include "render/colour.h"
#include "render/raster.h"
#include "render/splat.h"

// How the particles of a set are coloured.
typedef enum PaintBy { PAINT_PLAIN, PAINT_SCALAR, PAINT_FLUID } PaintBy;

typedef struct ParticleLook {
    SphereSet spheres;
    PaintBy paint;
    Vec3 colour;          // PAINT_PLAIN: sRGB
    const float* scalar;  // PAINT_SCALAR: one per particle
    const uint8_t* fluid; // PAINT_FLUID: one per particle
} ParticleLook;

enum { MAX_PARTICLE_LOOKS = 4 };

// One point of a surface that the camera sees, in view space.
typedef struct Fragment {
    Vec3 position; // [m]
    Vec3 normal;   // unit, towards the camera
    uint32_t id;   // without ID_GLASS
} Fragment;

typedef struct View {
    SampleBuffer samples;
    SphereList spheres;
    TriangleList triangles;
    int factor; // samples per pixel and direction
    Vec3 up;    // view space, unit
    bool ground;
    float ground_level; // [m] up . position on the ground, view space
    float radius;       // [m] of the particles: the scale of small things
    Pool* pool;         // not owned
} View;

static inline Vec3 vec3_add(Vec3 a, Vec3 b)
{
    return (Vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline Vec3 vec3_sub(Vec3 a, Vec3 b)
{
    return (Vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline Vec3 vec3_scale(Vec3 a, float s)
{
    return (Vec3){a.x * s, a.y * s, a.z * s};
}
static inline Vec3 vec3_mad(Vec3 a, float s, Vec3 b)
{
    return (Vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline Vec3 vec3_mul(Vec3 a, Vec3 b)
{
    return (Vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline Vec3 vec3_mix(Vec3 a, Vec3 b, float t)
{
    return vec3_mad(a, t, vec3_sub(b, a));
}
static inline float vec3_dot(Vec3 a, Vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Vec3 vec3_normalise(Vec3 a)
{
    float l2 = vec3_dot(a, a);
    return l2 > 0 ? vec3_scale(a, 1 / sqrtf(l2)) : (Vec3){0, 0, -1};
}

// View-space point at sample coordinates (x, y), depth z.
static inline Vec3 view_point(const View* view, float x, float y, float z)
{
    const Camera* c = &view->samples.camera;
    float scale = (c->orthographic ? 1 : z) / (float)c->focal;
    return (Vec3){(x - (float)c->centre_x) * scale, (y - (float)c->centre_y) * scale, z};
}

// The surface with this id at a position that a sample saw.
Fragment view_fragment(const View* view, uint32_t id, Vec3 position);

// Fills the samples: ground, triangles, spheres, panes.
void view_draw(View* view);
void view_free(View* view);

#endif
