// SPDX-License-Identifier: MIT
// Rays against the world; hit.c is the only file that knows Embree.
#ifndef TRACE_HIT_H
#define TRACE_HIT_H

#include "trace/trace.h"

typedef struct Hits Hits;

typedef struct Hit {
    float distance; // [m]
    Vec3 position;
    Vec3 face;   // unit normal of the triangle, as it is wound: out of closed things
    Vec3 normal; // smooth, on the same side
    const TraceMaterial* material;
    Vec3 colour;   // linear, of the material here
    float opacity; // [1] of foam
    bool is_ground, is_fluid;
} Hit;

Hits* hits_create(const TraceWorld* world, mn_Error* error);
void hits_destroy(Hits* hits);

// The nearest hit within `limit` [m]; `time` 0..1 in the shutter.
bool hits_find(const Hits* hits, Vec3 origin, Vec3 direction, float limit, float time, Hit* hit);
// Whether a solid or the ground is within `limit`.
bool hits_touch_solid(const Hits* hits, Vec3 origin, Vec3 direction, float limit, float time);

#endif
