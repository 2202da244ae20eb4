// SPDX-License-Identifier: MIT
// Where a particle touches a solid that moves as one: the nearest point of the solid's own surface, triangles or outline, not of
// the particles that sample it. So edges and corners are exact: fluid keeps its distance around a convex edge along an arc, and in
// a concave corner it touches one face after the other.
#ifndef COUPLING_TOUCH_H
#define COUPLING_TOUCH_H

#include "solid/solid.h"

typedef enum TouchSort {
    TOUCH_NONE,      // has no sides, or deforms and nobody keeps its shape (direct_soft.c)
    TOUCH_BODY,      // closed: fluid is outside
    TOUCH_CONTAINER, // closed: fluid is inside
    TOUCH_SHELL      // open: fluid on both sides
} TouchSort;

// A solid on its way through a step.
typedef struct TouchSolid {
    const Solid* solid;
    TouchSort sort;
    mn_Pose was, now; // at the beginning and at the end
    bool rests;       // the same
    Vec3d axis[3];    // [1] of its frame, in the world, at the end
} TouchSolid;

typedef struct Touch {
    double gap;    // [m] to the surface; negative: on the wrong side of it
    Vec3d normal;  // [1] towards the side where the fluid belongs
    Vec3d point;   // [m] of the surface; all at the end of the step
    uint32_t face; // of its mesh; of a box 0
    bool alone;    // no other face of the solid is within reach, as far as that is known
} Touch;

TouchSort touch_sort(const Solid* solid, int dimension);

// Where it is at the end, given where it was.
void touch_place(TouchSolid* solid, mn_Pose now, bool rests);

// A particle goes from one place to another; true: it ends nearer to the surface than `reach` [m], or behind it.
bool touch_find(const TouchSolid* solid, const Vec3d* from, const Vec3d* to, double reach, Touch* out);

#endif
