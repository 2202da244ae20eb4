// SPDX-License-Identifier: MIT
// Surfaces of solids in patches that carry one Gauss rule each (Müller 2004, section 4.3): the seven-point rule for triangles,
// exact to degree 5 (table 1), in 2D the three-point rule for segments, of the same degree. Triangles that are large beside the
// interaction range are cut until neighbouring points are closer than a threshold. A patch knows its corners and how fast they
// move; its points are made where they are needed and never stored.
#ifndef COUPLING_GAUSS_PATCH_H
#define COUPLING_GAUSS_PATCH_H

#include "base/parallel.h"
#include "base/simd.h"
#include "solid/solid.h"

enum { GAUSS_POINTS = 8 }; // that there is room for

// A Gauss rule: barycentric weights of the second and third corner, and quadrature weights that add up to 1. The first point is the
// middle.
typedef struct GaussRule {
    int count;
    float second[GAUSS_POINTS], third[GAUSS_POINTS], weight[GAUSS_POINTS];
    double spread; // [1] largest distance of neighbouring points, in edges of a patch
} GaussRule;

extern const GaussRule gauss_triangle, gauss_segment;

typedef struct GaussPatch {
    Vec3 at, second, third;                         // [m] first corner; vectors to the others
    Vec3 velocity, second_velocity, third_velocity; // [m/s] of the first corner; differences of the others
    float size;                                     // [m2] (2D: [m]) area
    float reach;                                    // [m] no point of it is farther from its middle
    uint32_t solid;
    uint32_t face;      // triangle (2D: segment) of the solid's surface or mesh
    float corner[3][2]; // weights of the face's second and third vertex at the patch's corners
} GaussPatch;

// Where a solid that moves as one was when its patches were placed.
typedef struct GaussPlace {
    mn_Pose pose;
    Vec3d velocity, angular_velocity;
} GaussPlace;

typedef struct GaussSurfaces {
    Memory* memory;
    const Solid* solid;
    size_t solid_count;
    int dimension;
    double edge; // [m] patches have no longer ones
    GaussPatch* patch;
    size_t count, capacity;
    size_t* first;    // (solids + 1) of each solid's patches
    uint32_t* group;  // (groups + 1) first patches of groups: a few of one face that lie together
    size_t* group_of; // (solids + 1) of each solid's groups
    Box3d* box;       // (groups) around their patches
    size_t group_count, group_capacity, box_capacity;
    uint32_t* revision; // (solids) of the surface that patches were made of
    GaussPlace* place;  // (solids)
    bool* is_placed;    // (solids)
} GaussSurfaces;

// `distance` [m] that neighbouring points may have. False: out of memory.
bool gauss_surfaces_create(GaussSurfaces* surfaces, Memory* memory, const Solid* solid, size_t solid_count, int dimension,
                           double distance);
void gauss_surfaces_destroy(GaussSurfaces* surfaces);

// Patches follow their solids; those of surfaces that were stretched or cut are made anew. False: out of memory.
bool gauss_surfaces_place(GaussSurfaces* surfaces, Pool* pool);

static inline Vec3 gauss_middle(Vec3 a, Vec3 b, Vec3 c, float second, float third)
{
    return (Vec3){a.x + second * b.x + third * c.x, a.y + second * b.y + third * c.y, a.z + second * b.z + third * c.z};
}

// Weights of the three vertices of the face at a point of the patch with these weights of its second and third corner.
static inline void gauss_vertex_weights(const GaussPatch* p, double second, double third, double out[3])
{
    double first = 1 - second - third;
    out[1] = first * (double)p->corner[0][0] + second * (double)p->corner[1][0] + third * (double)p->corner[2][0];
    out[2] = first * (double)p->corner[0][1] + second * (double)p->corner[1][1] + third * (double)p->corner[2][1];
    out[0] = 1 - out[1] - out[2];
}

#endif
