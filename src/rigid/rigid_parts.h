// SPDX-License-Identifier: MIT
// What the files of this room share.
#ifndef RIGID_RIGID_PARTS_H
#define RIGID_RIGID_PARTS_H

#include "rigid/rigid.h"
#include "rigid/units.h"
#include <ode/ode.h>

// What decides about sleep; part of the state.
typedef struct Sleep {
    double rested;   // [s] slow for so long
    Vec3d mean[2];   // [N], [N m] from the fluid, as a mean over some time
    Vec3d before[2]; // the same when it fell asleep
    bool asleep;
} Sleep;

typedef struct Body {
    BodyKind kind;
    bool held;
    bool may_sleep;
    bool touches;   // something, in the last step, if anything may sleep
    bool met;       // something, in the last step
    bool candidate; // for sleep
    Sleep sleep;
    Vec3d load[2];        // [N], [N m] from the fluid in the last step
    BodyMass mass, first; // now, and as it was added
    BodyState state;
    Vec3d force, torque; // [N], [N m] of the step to come
    Vec3d push;          // [N] all the time
    double friction, restitution;
    dBodyID ode;     // NULL: fixed
    dGeomID geom[6]; // a box from inside is six planes, everything else one
    int geom_count;
    dTriMeshDataID mesh_data; // of a trimesh
    float* mesh_vertex;       // (3 each), and indices: ODE does not copy them
    dTriIndex* mesh_index;
    Vec3d offset; // [m] of the geom from the centre of mass, in the solid's axes
    Quat turn;    // of the geom against the solid
    Vec3d half;   // [m] half edges of a box from inside
    bool planes;
    // of jointed and touching bodies in a step, see project.c
    bool jointed;
    bool calm;            // does not bounce
    int group;            // the first of the bodies that joints connect
    BodyState next;       // after the step
    double inverse[3][3]; // [1/(kg m2)] of the inertia, in world axes, before
    Vec3d shift, twist;   // [m], [rad] by which joints were closed
    double energy, gain;  // [J] of a group: what it may still get, and what closing its joints would give
    int cluster;          // the first of the bodies that contacts and joints connect, see backing.c
    double backing;       // [kg] of them
} Body;

typedef struct Joint {
    mn_JointType type;
    dJointID ode; // NULL: gone
    dJointFeedback feedback;
    int solid, other;   // other < 0: the world
    double break_force; // [N]; infinite: never
    Vec3d anchor[2];    // [m] in the frames of the two bodies (about the centre of mass) or the world
    Vec3d axis[2];      // [1] in the same frames
    Quat rest;          // the first body's rotation at the start, seen from the second
    double limits[2];   // [rad], [m]; infinite: none
    bool apart;         // the two do not touch each other
    bool gives;         // one of its bodies is free
    Vec3d arm[2];       // [m] from the centres of mass to it, before the step
    double open, share; // [m] its gap before the step, and the share of it now that this step's motion opened
    double damping;     // hinge [N m s], slider [N s/m]
    mn_DriveKey* drive; // own copy
    size_t drive_count;
} Joint;

// An axis-aligned box of a geom, for the sweep.
typedef struct Extent {
    dReal low[3], high[3];
    int body, geom;
} Extent;

// A point in which two bodies touch.
typedef struct Touch {
    int body[2];
    Vec3d point[2]; // [m] in the frames of the two, about the centre of mass
    Vec3d normal;   // [1] away from the second
    double depth;   // [m] before the step
    double allowed; // [m] after it
} Touch;

struct Rigid {
    RigidDef def;
    Units units;
    double size;  // [m] of the smallest free body
    double layer; // [m] depth in which contacts rest
    double slow;  // [m/s] with which overlaps are taken back at most
    double time;  // [s] at which the next step starts
    dWorldID world;
    dThreadingImplementationID threading; // its own: ODE's default is shared by all worlds, without locks
    dJointGroupID contacts;
    Body* body;
    size_t body_count, body_capacity;
    Joint** joint; // each stays where it is: ODE writes into it
    size_t joint_count, joint_capacity;
    Extent* extent;
    size_t extent_count, extent_capacity;
    size_t contact_count; // of the last collision pass
    int (*pair)[2];       // bodies that touch each other in it
    size_t pair_count, pair_capacity;
    Touch* touch; // all points of the last collision pass
    size_t touch_count, touch_capacity;
    bool may_sleep;    // some body
    BodyState* before; // (bodies) scratch of predictions
    size_t before_capacity;
    bool lost;        // the exact solver gave up on contacts
    bool interrupted; // an error came within a step
    bool no_memory;   // why calls fail from then on
    char message[256];
};

// ode.c: runs `work` so that an error inside ODE, which would end the program, comes back as false with a message.
typedef void OdeCallFn(Rigid* rigid, void* context);
bool ode_init(void); // false: out of memory
bool ode_call(Rigid* rigid, OdeCallFn* work, void* context);
void ode_no_memory(void);           // does not return to a call
void ode_fail(const char* message); // only from there
void ode_lock(void);                // for what ODE shares between worlds
void ode_unlock(void);
void ode_step(Rigid* rigid, double dt, bool quick); // dt in ODE's units

// rigid.c: the mass that ODE sees, none for bodies that are held or asleep.
void body_mass_to_ode(const Rigid* rigid, Body* body);
void body_to_ode(const Rigid* rigid, Body* body); // its state

// contact_shape.c; within an ode_call()
void contact_shape_create(Rigid* rigid, Body* body, const BodyDef* def);
void contact_shape_destroy(Body* body);
void contact_shape_place(const Rigid* rigid, Body* body); // of fixed and driven ones, where the state says

// contact.c: contact joints for all pairs that touch now.
void contacts_find(Rigid* rigid, double dt);

// backing.c: after a step.
void backing_find(Rigid* rigid);

// joint.c
// Motors and damping forces for a step from `time` [s], on top of the forces that the bodies have.
void joints_drive(Rigid* rigid, double time, double dt);
void joints_check(Rigid* rigid);                          // those that had to hold too much are gone
Vec3d joint_axis(const Rigid* rigid, const Joint* joint); // [1] in world axes
Vec3d joint_gap(const Rigid* rigid, const Joint* joint);  // [m] of its first point from where it may be
// [m] From a body's centre to where the joint holds it. A slider holds the second body, which has the axis, at the place on the
// axis that the first one has slid to.
Vec3d joint_arm(const Rigid* rigid, const Joint* joint, int side);
Vec3d joint_tilt(const Rigid* rigid,
                 const Joint* joint); // [rad] by which the first body is turned too far, but about a hinge's axis
double joint_angle(const Rigid* rigid, const Joint* joint); // [rad] of a hinge
double joint_beyond(const Joint* joint, double position);   // [rad], [m] by which a position is outside of its limits

// In 2D nothing leaves the plane, not by rounding either: a particle that is 1e-24 m behind it is in other cells than those in it.
void rigid_flatten(const Rigid* rigid, BodyState* state);

// project.c: keeps joints closed and bodies apart over a step of the velocities that ODE finds; see there.
void project_begin(Rigid* rigid);
bool project_check(Rigid* rigid, double dt); // false: jointed bodies bounced with more energy than they had; they are now calm
void project_end(Rigid* rigid, double dt);

static inline void to_ode(Quat q, dQuaternion out)
{
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}

#endif
