// SPDX-License-Identifier: MIT
// Periodic axes: what leaves the domain on one side enters it on the other, and particles see each other across its borders. Of all
// images of a pair only the nearest counts; lengths of at least four support radii make it the only one within reach.
#ifndef PARTICLES_PERIOD_H
#define PARTICLES_PERIOD_H

#include "base/simd.h"
#include "base/vec.h"

typedef struct Period {
    bool any;
    bool axis[3];
    double min[3], length[3]; // [m] 0: not periodic
    float full[3], half[3];   // [m] the same length, and half of it; 0 and infinity: not periodic
} Period;

static inline Period period_make(const bool axis[3], Vec3d min, Vec3d max)
{
    const double low[3] = {min.x, min.y, min.z}, high[3] = {max.x, max.y, max.z};
    Period p = {.half = {INFINITY, INFINITY, INFINITY}};
    for (int k = 0; k < 3; k++) {
        if (!axis[k])
            continue;
        p.any = p.axis[k] = true;
        p.min[k] = low[k];
        p.length[k] = high[k] - low[k];
        p.full[k] = (float)p.length[k];
        p.half[k] = 0.5f * p.full[k];
    }
    return p;
}

// x_i - x_j of the nearest images, given x_i - x_j. Exactly the opposite of what j sees of i.
static inline F8 period_nearest_along(const Period* p, int axis, F8 d)
{
    const F8 full = f8_set(p->full[axis]), half = f8_set(p->half[axis]);
    F8 over = f8_less(half, d), under = f8_less(d, f8_sub(f8_zero(), half));
    return f8_add(f8_sub(d, f8_and(full, over)), f8_and(full, under));
}

static inline void period_nearest(const Period* p, F8* dx, F8* dy, F8* dz)
{
    *dx = period_nearest_along(p, 0, *dx);
    *dy = period_nearest_along(p, 1, *dy);
    *dz = period_nearest_along(p, 2, *dz);
}

// The same for a single difference.
static inline double period_difference(const Period* p, int axis, double d)
{
    return p->axis[axis] ? d - p->length[axis] * round(d / p->length[axis]) : d;
}
static inline Vec3d period_between(const Period* p, Vec3d from, Vec3d to)
{
    return vec3d(period_difference(p, 0, to.x - from.x), period_difference(p, 1, to.y - from.y),
                 period_difference(p, 2, to.z - from.z));
}

// Whether a coordinate lies in the domain: min <= x < max. Along other axes all do.
static inline bool period_holds(const Period* p, int axis, double x)
{
    return !p->axis[axis] || (x >= p->min[axis] && x < p->min[axis] + p->length[axis]);
}
static inline bool period_holds_point(const Period* p, Vec3d x)
{
    return period_holds(p, 0, x.x) && period_holds(p, 1, x.y) && period_holds(p, 2, x.z);
}

// The image of a coordinate that lies in the domain. What is too far away to have one stays.
static inline float period_image(const Period* p, int axis, float x)
{
    if (!p->axis[axis] || period_holds(p, axis, (double)x) || !(fabs((double)x) < 1e6 * p->length[axis]))
        return x;
    double length = p->length[axis], low = p->min[axis], at = (double)x - length * floor(((double)x - low) / length);
    float image = (float)at;
    return period_holds(p, axis, (double)image) ? image : (float)low; // rounded up to the far border
}

#endif
