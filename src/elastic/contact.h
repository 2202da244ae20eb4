// SPDX-License-Identifier: MIT
// Contact of elastic bodies with solids that do not deform. Before a step every point that may reach an obstacle gets a plane
// that stays with the obstacle through the step: where it is nearest, the side it may be on.
#ifndef ELASTIC_CONTACT_H
#define ELASTIC_CONTACT_H

#include "elastic/elastic_parts.h"

// Finds body->touch for a step of length `dt`. False: out of memory.
bool touches_find(ElasticSet* set, Body* body, double dt);

// For points that are put in front of their planes at once: makes planes that a point cannot be in front of both leave it room
// between them, and notes how deep points are in already, which is not their motion's fault and must not become motion.
// Then the touches of a point that has some, or is a corner of a face that is poked, are a chain from body->slot[point].next on.
void touches_ease(Body* body, double dt);

// How far inside an obstacle the point is, a time `t` [s] after the step began; negative: free.
static inline double touch_depth(const Touch* touch, Vec3d x, double t)
{
    return touch->gap - vec3d_dot(touch->normal, vec3d_sub(x, vec3d_mad(touch->place, t, touch->velocity)));
}

// The same without what is left of the depth that it had: that goes slowly.
static inline double touch_excess(const Touch* touch, Vec3d x, double t)
{
    const double recover = 0.01; // [s]
    return touch_depth(touch, x, t) - touch->had * fmax(0, 1 - t / recover);
}

enum { TOUCH_NONE = UINT32_MAX };

#endif
