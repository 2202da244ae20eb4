// SPDX-License-Identifier: MIT
// The fluid as foam sees it, and the fluid particles around up to eight points that lie together. Points that follow each other in
// memory are mostly close in space, so they look for fluid together: once for whatever may be near one of them, then each lane is a
// point and the list is gone through once for all. A lane sums over fluid particles in their order, whoever else is in the group:
// results do not depend on how points are grouped. Fluid particles are sorted by the grid, and eight records beyond the last can be
// read.
#ifndef FOAM_AROUND_H
#define FOAM_AROUND_H

#include "base/simd.h"
#include "particles/cell_grid.h"

typedef struct FoamFluid {
    size_t count;
    const Vec4* position; // [m] w: anything
    const Vec4* velocity; // [m/s] w: anything
    const uint32_t* id;
    const CellGrid* grid;
    const float* rate;       // [1/s] of births, if somebody knows them already; else NULL
    const uint8_t* is_image; // whether it stands beyond a periodic border for another one (images.h); NULL: none does
} FoamFluid;

enum { FOAM_GROUP_ROOM = 512 };

typedef struct FoamGroup {
    const FoamFluid* fluid;
    float h;
    // segments around the one that was asked for last: groups that follow each other mostly share it
    SegmentKey key;
    bool known, any;
    uint32_t around[27];
    // the points
    int count;
    F8 x, y, z;     // [m] lanes beyond the last repeat it
    Vec4 low, high; // [m] box around them
    // where fluid may be near them, in order, and how far the list has come
    uint32_t begin[9], end[9];
    int runs, run;
    // a part of the list: fluid particles closer than h to the box
    uint32_t near[FOAM_GROUP_ROOM + LANES];
    int near_count;
} FoamGroup;

static inline void foam_group_init(FoamGroup* group, const FoamFluid* fluid, float h)
{
    group->fluid = fluid;
    group->h = h;
    group->known = false;
    group->key = (SegmentKey){0, 0, 0};
}

// Begins a group with the points from `at` on, `left` at least one: as many as are in one segment and not farther apart in x than a
// cell. How many they are.
int foam_group_begin(FoamGroup* group, const Vec4* at, size_t left);

// The next part of the list in group->near. False: that was all.
bool foam_group_next(FoamGroup* group);

// A fluid particle seen from the points.
typedef struct FoamNear {
    F8 dx, dy, dz; // [m] from it to the points
    F8 r2;         // [m2]
    F8 near;       // mask: closer than h, but not at the same place
} FoamNear;

static inline FoamNear foam_near(const FoamGroup* group, uint32_t j)
{
    Vec4 p = group->fluid->position[j];
    FoamNear pair = {f8_sub(group->x, f8_set(p.x)), f8_sub(group->y, f8_set(p.y)), f8_sub(group->z, f8_set(p.z)), f8_zero(),
                     f8_zero()};
    pair.r2 = f8_mad(pair.dz, pair.dz, f8_mad(pair.dy, pair.dy, f8_mul(pair.dx, pair.dx)));
    pair.near = f8_and(f8_less(pair.r2, f8_set(group->h * group->h)), f8_not_zero(pair.r2));
    return pair;
}

#endif
