// SPDX-License-Identifier: MIT
// All rigid bodies of a world as one system that steps together (solid/kind.h): from definitions to bodies and joints.
#ifndef RIGID_RIGID_SYSTEM_H
#define RIGID_RIGID_SYSTEM_H

#include "rigid/rigid.h"
#include "solid/solid.h"

extern const SolidKind solid_rigid;
extern const SolidSystem rigid_system;

// A joint with its name.
typedef struct NamedJoint {
    char* name;
    mn_JointDef def;  // names are not kept, the drive is
    int solid, other; // numbers of solids; other -1: the world
    bool is_gone;     // it broke or was released, and that was said
} NamedJoint;

// Solids and bodies have the same indices: everything is a body to ODE, fixed and driven solids too.
typedef struct RigidSystem {
    SolidSetting setting; // gravity as it is now
    Rigid* rigid;         // NULL until all solids are there, see prepare
    SolidList all;        // solids of the world; from then on
    NamedJoint* joint;
    size_t joint_count, joint_capacity;
    Vec3d *linear, *angular; // [m/s2], [1/s2] (solids) by all but the fluid, of the last prediction
} RigidSystem;

// joint_set.c
mn_Result joints_add(void* system, const mn_JointDef* def, size_t solid, int other, mn_Error* error);
mn_Result joints_tie(void* system, const mn_JointDef* def, size_t solid, int other, const mn_Pose frame[2], mn_Error* error);
bool joints_prepare(RigidSystem* system); // bodies are there. False: out of memory
size_t joints_count(const void* system);
mn_JointView joints_view(const void* system, size_t joint);
int joints_find(const void* system, const char* name);
void joints_release(void* system, int joint, double time);
// Notes those that broke. With a time [s] it is said, without (after a load) not: NAN.
void joints_note(RigidSystem* system, double time);
void joints_free(RigidSystem* system);

// lint.c
void rigid_warn_of_overlaps(const RigidSystem* system);
void rigid_warn(const void* system, const SolidProspect* prospect);

#endif
