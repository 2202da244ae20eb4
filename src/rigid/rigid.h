// SPDX-License-Identifier: MIT
// Rigid bodies, their contacts and joints. This room alone knows ODE, and it does not know what a fluid is: it sees forces.
//
// The state of a body lives here, not in ODE: before every step it is handed over, afterwards it is read back. What ODE keeps
// besides (caches, the order of its lists) is thereby a function of the state, and a restart is exact.
#ifndef RIGID_RIGID_H
#define RIGID_RIGID_H

#include "mesh/tri_mesh.h"
#include "rigid/body_mass.h"

typedef struct Rigid Rigid;

typedef enum BodyKind {
    BODY_FIXED,  // never moves
    BODY_DRIVEN, // moves as told
    BODY_FREE,
} BodyKind;

typedef struct BodyState {
    Vec3d position; // [m] of the centre of mass
    Quat rotation;
    Vec3d velocity;         // [m/s] of the centre of mass
    Vec3d angular_velocity; // [1/s] in world axes
} BodyState;

typedef struct BodyDef {
    BodyKind kind;
    BodyMass mass; // of free bodies
    BodyState state;
    bool held;
    bool may_sleep;
    Vec3d push; // [N] on the centre of mass, all the time
    // what it touches others with, in the solid's frame
    mn_Contact contact;
    const mn_Shape* shape;
    const TriMesh* mesh; // must stay where it is
    Vec3d scale;
    bool container;   // others are inside
    double thickness; // [m] of sheets and rods
    double friction, restitution;
} BodyDef;

typedef struct RigidDef {
    int dimension;
    Vec3d gravity; // [m/s2]
    double length; // [m] size of what matters: a particle's radius
    uint64_t seed;
    double size, mass; // [m], [kg] of the smallest free bodies, see rigid_expect(); 0: as if they were of some particles
} RigidDef;

// Before rigid_create(): a body that will be added.
void rigid_expect(RigidDef* def, const BodyDef* body);

// NULL: out of memory. Each thread may have worlds of its own.
Rigid* rigid_create(const RigidDef* def);
void rigid_destroy(Rigid* rigid);                    // NULL is allowed
void rigid_set_gravity(Rigid* rigid, Vec3d gravity); // [m/s2]

// Returns the index of the body, counted from 0, or -1 (out of memory).
int rigid_add_body(Rigid* rigid, const BodyDef* def);
// Index of the joint, or -1. `other` < 0 is the world.
int rigid_add_joint(Rigid* rigid, const mn_JointDef* def, int solid, int other);

size_t rigid_body_count(const Rigid* rigid);
bool rigid_is_free(const Rigid* rigid, int body);    // neither held nor asleep
bool rigid_has_weight(const Rigid* rigid, int body); // it is free, or will be when it is let go or wakes
bool rigid_is_bound(const Rigid* rigid, int body);   // it touched something in the last step, or is held by a joint
double rigid_backing(const Rigid* rigid, int body); // [kg] of it and all that contacts and joints let push with it in the last step
BodyState rigid_state(const Rigid* rigid, int body);
void rigid_set_state(Rigid* rigid, int body, const BodyState* state);
BodyMass rigid_mass(const Rigid* rigid, int body);
void rigid_set_mass(Rigid* rigid, int body, double mass); // [kg]; the inertia goes with it
void rigid_release(Rigid* rigid, int body);
void rigid_set_contact(Rigid* rigid, int body, double friction, double restitution);
void rigid_remove_body(Rigid* rigid, int body); // nothing touches it any more, and its joints are gone; its number stays

// Sleep: see sleep.c. After every step, bodies are told what the fluid does to them (torque about any point of theirs, always the
// same), and those that may fall asleep or wake.
void rigid_set_load(Rigid* rigid, int body, Vec3d force, Vec3d torque);
void rigid_update_sleep(Rigid* rigid, double dt);
void rigid_wake(Rigid* rigid, int body);
bool rigid_is_asleep(const Rigid* rigid, int body);

// The time at which the next step starts [s]: what driven joints go by.
void rigid_set_time(Rigid* rigid, double time);

// [N], [N m] about the centre of mass, over the next step.
void rigid_set_force(Rigid* rigid, int body, Vec3d force, Vec3d torque);

// Inverse inertia in world axes, now [1/(kg m2)].
void rigid_inverse_inertia(const Rigid* rigid, int body, double out[3][3]);

// Accelerations of all bodies by everything but the forces set: gravity, contacts, joints; found by a step that is not kept.
// False: ODE gave up, see rigid_message().
bool rigid_predict(Rigid* rigid, double dt, Vec3d* linear, Vec3d* angular);

// Moves bodies by `dt` [s]; forces are then zero again. Driven ones go on with the velocity that they were given.
bool rigid_step(Rigid* rigid, double dt);
const char* rigid_message(const Rigid* rigid);
bool rigid_no_memory(const Rigid* rigid); // that is why calls fail from now on

// Pairs of bodies that overlap by more than `depth` [m] now, each once; writes up to `most` of them and returns how many were
// found, not more than `most`.
size_t rigid_overlaps(Rigid* rigid, double depth, int (*pairs)[2], size_t most);

typedef struct JointState {
    bool holds;
    double gap;      // [m] between its two points
    double position; // [degrees] hinge, [m] slider
    Vec3d force;     // [N] on the first body in the last step
} JointState;
size_t rigid_joint_count(const Rigid* rigid);
JointState rigid_joint(const Rigid* rigid, int joint);
bool rigid_joint_holds(const Rigid* rigid, int joint);
void rigid_remove_joint(Rigid* rigid, int joint);

// The state as plain bytes, of the same size for the same bodies and joints.
size_t rigid_state_bytes(const Rigid* rigid);
void rigid_save(const Rigid* rigid, void* bytes);
bool rigid_load(Rigid* rigid, const void* bytes); // false: not a state of these bodies, and nothing has changed; or no memory

#endif
