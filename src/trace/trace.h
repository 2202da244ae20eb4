// SPDX-License-Identifier: MIT
// Final pictures: a path tracer. Liquids are dielectrics with absorption, solids are matte or coated; light comes from a sky or a
// studio and a sun with soft shadows. docs/theory/pictures.md tells what is exact and what is not.
// The picture has the same bits for any number of threads.
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "base/parallel.h"
#include "render/environment.h"
#include "render/pattern.h"
#include <meniscus/base.h>

typedef enum TraceKind {
    TRACE_MATTE,  // diffuse
    TRACE_COATED, // diffuse under a clear coat, as painted or plastic things are
    TRACE_METAL,  // mirrors, tinted and blurred by roughness
    TRACE_GLASS,  // refracts, tinted
    TRACE_LIQUID, // refracts; absorbs on the way
    TRACE_FOAM    // a thin cloud: scatters to all sides with a chance, or lets pass; balls only
} TraceKind;

typedef struct TraceMaterial {
    TraceKind kind;
    Vec3 colour;            // linear, 0..1
    const Pattern* pattern; // instead of the colour; may be NULL
    float roughness;        // metal: 0 mirror .. 1
    float ior;              // liquid, glass, coat
    Vec3 absorption;        // [1/m] liquid
    int priority;           // liquids: where several are, the highest one is there
} TraceMaterial;

// Triangles in the world. The arrays must stay as they are until trace_destroy.
typedef struct TraceMesh {
    size_t vertex_count, triangle_count;
    const Vec3* position; // [m] with room for one more
    const Vec3* normal;   // NULL: flat triangles
    const Vec3* velocity; // [m/s] NULL: at rest
    const Vec3* local;    // [m] in the mesh's own frame, for patterns; NULL: position
    const Vec3* colour;   // linear, instead of the material's; NULL: none
    const uint32_t (*triangle)[3];
    size_t inner_count; // of the triangles, the last ones: they have the colour `inner`
    Vec3 inner;         // linear
    bool open;          // has no inside: a cut shows no face
    bool fluid;         // its skin may reach into solids
    TraceMaterial material;
} TraceMesh;

// Balls of one material.
typedef struct TraceBalls {
    size_t count;
    const Vec4* ball;     // [m] centre and radius
    const Vec3* colour;   // linear, instead of the material's; NULL: none
    const float* opacity; // [1] of foam: the chance that a ray which meets a ball is scattered; else NULL
    TraceMaterial material;
} TraceBalls;

// Cuts the world open: nothing is on the side of the plane that `normal` points to. The ground stays.
typedef struct TraceClip {
    bool on;
    Vec3 normal;         // unit
    float level;         // [m] normal . x on the plane
    const Image* colour; // of cut liquids that are not clear: over the plane, in steps of `pixel`; may be NULL
    Vec3 origin, across, down;
    float pixel; // [m]
} TraceClip;

typedef struct TraceWorld {
    const TraceMesh* mesh;
    size_t mesh_count;
    const TraceBalls* balls;
    size_t ball_sets;
    double shutter; // [s] 0: no motion blur
    double contact; // [m] liquid this near to a solid touches it: no air film in between
    TraceClip clip;

    Environment environment;
    bool ground;
    float ground_level; // [m] along up
    Vec3 ground_centre; // beyond ground_radius the ground fades into the background
    float ground_radius;
    TraceMaterial ground_material;
} TraceWorld;

typedef struct TraceCamera {
    Vec3 eye, right, down, forward;
    bool orthographic;
    int width, height;
    float focal, centre_x, centre_y; // [pixels], as in render/camera.h
    float aperture;                  // [m] radius of the lens; 0: all is sharp
    float focus;                     // [m] distance that is sharp
} TraceCamera;

typedef struct Tracer Tracer;

// Copies `world`, but not the arrays in it. NULL with `error` filled: the ray tracing library failed, or out of memory.
Tracer* trace_create(const TraceWorld* world, mn_Error* error);
void trace_destroy(Tracer* tracer); // NULL is allowed

// What samples have found so far: sums over even and over odd samples (height x width).
typedef struct TraceFilm {
    int width, height, samples;
    Vec3* light[2];     // linear
    Vec3* normal[2];    // of the first surface
    Vec3* albedo[2];    // colour of the first surface that is not clear, or of the sky behind
    float* nearness[2]; // [1/m] of the first surface; 0: none
} TraceFilm;

bool trace_film_create(TraceFilm* film, int width, int height); // false: out of memory
void trace_film_free(TraceFilm* film);
void trace_film_mean(const TraceFilm* film, Vec3* light); // of a sample

// Adds the next `count` samples of every pixel.
void trace_samples(const Tracer* tracer, const TraceCamera* camera, Pool* pool, int count, TraceFilm* film);

// From `samples` samples to 8-bit sRGB (height x width x 3) through a film curve.
void trace_develop(const Vec3* sum, int width, int height, int samples, float exposure, uint8_t* rgb);

#endif
