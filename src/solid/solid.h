// SPDX-License-Identifier: MIT
// A solid: a shape with a pose, what it is made of as far as fluids feel it, and the table of functions of its kind (kind.h).
#ifndef SOLID_SOLID_H
#define SOLID_SOLID_H

#include "mesh/inside.h"
#include "mesh/shape.h"
#include "mesh/tri_mesh.h"
#include "solid/kind.h"
#include "solid/motion.h"

// How a kinematic solid moves because it was told so while the world ran: from a pose on, with constant velocities. Saved as it is.
typedef struct SolidDrive {
    double on;         // 1: it holds, in place of key frames and the rest
    double start, end; // [s] it rests afterwards
    mn_Pose from;
    Vec3d velocity, spin; // [m/s], [1/s] about its origin
} SolidDrive;

struct Solid {
    char* name; // own copy, never NULL
    mn_SolidType type;
    const SolidKind* kind;
    void* system; // that steps it, or NULL
    size_t index; // its number there
    bool inside, visible, closed;
    bool releasable;   // it is held, and an event can let it go
    bool is_divisible; // an event can cut it, see SolidKind.cut
    double friction, wall_viscosity;
    double slip, fluid_restitution; // [1] of direct forcing
    double adhesion, contact_angle; // as defined
    Vec3d surface_velocity;         // [m/s]
    Vec3d spin;                     // [1/s] kinematic: it turns all the time, on top of its key frames
    Vec3d start_position;           // [m] as defined: where it is if there are no key frames
    Quat start_rotation;
    Vec3d colour;
    mn_Keyframe* motion; // own copy
    size_t motion_count;
    mn_Interpolation interpolation;
    mn_Oscillation oscillation;
    SolidDrive drive;
    Vec3d push, twist;   // [N], [N m] on the centre of mass, all the time; told while the world runs, next to each other
    bool removed;        // it was taken away: nothing is left of it but its number
    mn_Shape shape;      // as defined; file is not kept
    TriMesh mesh;        // [m] in the solid's frame, scaled; triangles point outwards. Elastic: in the world, as it is now
    InsideTest* test;    // in the solid's frame; for open shapes only distances mean something
    Vec3d bound_centre;  // [m] in the solid's frame
    Vec3d bound_half;    // [m] half the size of the box around it
    double bound_radius; // [m]

    // now
    mn_Pose pose;
    Vec3d velocity, angular_velocity; // [m/s], [1/s] over the step to come
    Vec3d force, torque;              // [N], [N m] from the fluid, torque about pose.position
};

// `tolerance` [m] for the tessellation of curved shapes. On failure the solid is empty.
mn_Result solid_create(Solid* solid, const mn_SolidDef* def, int dimension, double tolerance, const char* folder, Memory* memory,
                       mn_Error* error);
void solid_free(Solid* solid);

// Replaces the mesh and what depends on it; takes the mesh over, also when it fails (out of memory).
bool solid_set_mesh(Solid* solid, TriMesh* mesh, Memory* memory);

void solid_find_bounds(Solid* solid); // after its mesh deformed

// Where key frames and a constant spin put a solid at `time` [s]. Before the first key frame and after the last it rests there,
// but for the spin: rotation(t) = exp(spin t) rotation_key(t).
mn_Pose solid_pose_at(const Solid* solid, double time);
bool solid_drive_is_good(const Solid* solid); // one that was loaded
bool solid_is_moved(const Solid* solid);      // by key frames or to and fro; a spin does not count

// Sets the pose for `time` and the velocities that lead to the pose at `time + dt`.
void solid_move(Solid* solid, double time, double dt);

// The first solid of that name, or -1.
int solid_find(const Solid* solid, size_t count, const char* name);
// There is no solid of that name: the error lists those that there are. Returns MN_BAD_INPUT.
mn_Result solid_not_found(const Solid* solid, size_t count, const char* key, const char* name, mn_Error* error);

// Velocity of the solid's surface at a point in the world [m/s].
Vec3d solid_velocity_at(const Solid* solid, Vec3d point);

// It moves as one, and what pushes it changes its motion.
static inline bool solid_is_body(const Solid* solid)
{
    return !solid->kind->deforms && !solid->kind->is_driven;
}
static inline Vec3d pose_to_world(const mn_Pose* pose, Vec3d local)
{
    return vec3d_add(quat_rotate(pose->rotation, local), pose->position);
}
static inline Vec3d pose_to_local(const mn_Pose* pose, Vec3d world)
{
    return quat_unrotate(pose->rotation, vec3d_sub(world, pose->position));
}
static inline Vec3d solid_to_world(const Solid* solid, Vec3d local)
{
    return pose_to_world(&solid->pose, local);
}
static inline Vec3d solid_to_local(const Solid* solid, Vec3d world)
{
    return pose_to_local(&solid->pose, world);
}

// Red, green and blue of a solid, also of one whose def leaves them open.
static inline Vec3d solid_def_colour(const mn_SolidDef* def)
{
    return def->colour.x >= 0 ? def->colour : vec3d(0.6, 0.62, 0.65);
}

#endif
