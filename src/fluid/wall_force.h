// SPDX-License-Identifier: MIT
// What the fluid does to solids: minus the pressure, friction and adhesion forces that boundary particles exert on it
// (Akinci 2014, eqs. 3.8, 3.11, 5.6), summed to force and torque per solid.
#ifndef FLUID_WALL_FORCE_H
#define FLUID_WALL_FORCE_H

#include "fluid/fluid.h"

typedef struct Wrench {
    Vec3d force, torque; // [N], [N m] torque about the given centre
} Wrench;

// `velocity` are the fluid's velocities that friction was computed with. `centre` and `out` have an entry per solid.
// `left_out` (solids; may be NULL) says whose share is counted otherwise.
// False: out of memory.
bool wall_forces(Sph* sph, const Vec4* velocity, const Vec3d* centre, size_t solid_count, const bool* left_out, Wrench* out);

// A part of a solid: what is in a box when the solid is in its place at the start.
typedef struct WallPart {
    size_t solid;
    Box3d box;     // [m] in the world
    mn_Pose start; // of the solid
    mn_Pose pose;  // now
    Vec3d force;   // [N] of the fluid, in the last step
    Vec3d torque;  // [N m] about `centre`
    Vec3d centre;  // [m] what torques of the solid are about, now
} WallPart;

// Fills the part's force, as wall_forces does for solids.
void wall_part_force(Sph* sph, const Vec4* velocity, WallPart* part);

// Adhesion alone, on the solids `which` (solids) and on no others.
bool wall_adhesion(Sph* sph, const Vec3d* centre, size_t solid_count, const bool* which, Wrench* out);

#endif
