// SPDX-License-Identifier: MIT
// Solids as foam meets them: a point that goes from one place to another while solids move stays on its side of each. Where its
// path passes through a surface it goes on along it, and loses the part of its velocity that leads into it. Surfaces are seen in
// the frame of the solid, from where it was to where it is, so a fast body or a shell does not run a point over.
#ifndef FOAM_SIDES_H
#define FOAM_SIDES_H

#include "solid/solid.h"

typedef struct FoamSolid {
    const InsideTest* test; // in the solid's frame; deforming ones: in the world, as it is after the step
    mn_Pose was, now;       // before and after the step; identity for what deforms
    Vec3d bound_centre;     // [m] in the frame
    Vec3d centre;           // [m] the same in the world, after the step
    double bound_radius;    // [m]
    Box3d box;              // [m] around the surface, in the frame
    double travel;          // [m] of a point of it in this step, at most
    bool is_box;            // its surface is that of the box of half the size `half` around the origin of its frame
    Vec3d half;             // [m]
    bool is_closed, is_container;

    // what deforms
    InsideTest* own;               // NULL: it moves as one
    const uint32_t (*triangle)[3]; // not owned
    size_t triangle_count, vertices;
    Vec3d* at;   // [m] (vertices) after the step
    Vec3d* from; // [m] (vertices) before it
} FoamSolid;

typedef struct FoamSides {
    Memory* memory;
    FoamSolid* solid;
    size_t count;
    bool has_containers;
    int dimension;
    double margin; // [m] that points keep from surfaces they meet
} FoamSides;

// Solids as they are now; their meshes must stay, but for those that deform. `margin` [m]. False: out of memory.
bool foam_sides_create(FoamSides* sides, Memory* memory, const Solid* solid, size_t count, int dimension, double margin);
void foam_sides_destroy(FoamSides* sides);

// Where a solid is after the step that comes next: the pose of what moves as one...
void foam_sides_pose(FoamSides* sides, size_t solid, mn_Pose pose);
// ...or the vertices of what deforms. Another number of triangles than before is a new surface, which begins here. False: out of
// memory.
bool foam_sides_deform(FoamSides* sides, size_t solid, const TriMesh* mesh);
void foam_sides_end_step(FoamSides* sides); // what is after the step is before the next one

// A point moves over `dt` [s]. False: there is no place for it on its side.
bool foam_sides_move(const FoamSides* sides, double dt, Vec3d from, Vec3d* to, Vec3d* velocity, bool* touched);
// After the step it is within a body, or in none of the containers.
bool foam_sides_is_wrong(const FoamSides* sides, Vec3d point);

#endif
