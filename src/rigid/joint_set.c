// SPDX-License-Identifier: MIT
// Joints of a world by their names: kept until bodies are there, shown, released, and noted when they break.
#include "rigid/rigid_system.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

mn_Result joints_add(void* system, const mn_JointDef* def, size_t solid, int other, mn_Error* error)
{
    RigidSystem* s = system;
    NamedJoint joint = {.def = *def, .solid = (int)solid, .other = other};
    joint.def.name = joint.def.solid = joint.def.other = NULL;
    joint.name = strdup(def->name ? def->name : "");
    joint.def.drive = def->drive_count ? malloc(def->drive_count * sizeof *def->drive) : NULL;
    if (joint.def.drive)
        memcpy(joint.def.drive, def->drive, def->drive_count * sizeof *def->drive);
    if (!joint.name || (def->drive_count && !joint.def.drive) ||
        !memory_reserve(s->setting.memory, &s->joint, &s->joint_capacity, s->joint_count, s->joint_count + 1, sizeof *s->joint)) {
        free(joint.name);
        free(joint.def.drive);
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for a joint");
    }
    s->joint[s->joint_count++] = joint;
    return MN_OK;
}

// A body where its solid's frame is at a pose, at rest.
static BodyState state_at(const RigidSystem* s, int body, const mn_Pose* pose)
{
    BodyState state = rigid_state(s->rigid, body);
    state.rotation = pose->rotation;
    state.position = vec3d_add(pose->position, quat_rotate(pose->rotation, rigid_mass(s->rigid, body).centre));
    return state;
}

mn_Result joints_tie(void* system, const mn_JointDef* def, size_t solid, int other, const mn_Pose frame[2], mn_Error* error)
{
    RigidSystem* s = system;
    mn_Result result = joints_add(system, def, solid, other, error);
    if (result != MN_OK)
        return result;
    const int body[2] = {(int)solid, other};
    BodyState now[2];
    for (int k = 0; k < 2 && body[k] >= 0; k++) {
        now[k] = rigid_state(s->rigid, body[k]);
        BodyState then = state_at(s, body[k], &frame[k]);
        rigid_set_state(s->rigid, body[k], &then);
    }
    bool ok = rigid_add_joint(s->rigid, &s->joint[s->joint_count - 1].def, (int)solid, other) >= 0;
    for (int k = 0; k < 2 && body[k] >= 0; k++)
        rigid_set_state(s->rigid, body[k], &now[k]);
    rigid_wake(s->rigid, (int)solid);
    if (other >= 0)
        rigid_wake(s->rigid, other);
    return ok ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for a joint");
}

bool joints_prepare(RigidSystem* s)
{
    for (size_t k = 0; k < s->joint_count; k++)
        if (rigid_add_joint(s->rigid, &s->joint[k].def, s->joint[k].solid, s->joint[k].other) < 0)
            return false;
    return true;
}

size_t joints_count(const void* system)
{
    return ((const RigidSystem*)system)->joint_count;
}

mn_JointView joints_view(const void* system, size_t joint)
{
    const RigidSystem* s = system;
    if (!s->rigid)
        return (mn_JointView){.name = ""};
    JointState state = rigid_joint(s->rigid, (int)joint);
    return (mn_JointView){s->joint[joint].name, state.holds, state.gap, state.position, state.force};
}

int joints_find(const void* system, const char* name)
{
    const RigidSystem* s = system;
    for (size_t k = 0; k < s->joint_count; k++)
        if (!strcmp(s->joint[k].name, name))
            return (int)k;
    return -1;
}

void joints_release(void* system, int joint, double time)
{
    RigidSystem* s = system;
    if (!s->joint[joint].is_gone)
        log_say(s->setting.log, MN_LOG_INFO, "joint '%s' is released at t = %.6g s", s->joint[joint].name, time);
    s->joint[joint].is_gone = true;
    rigid_remove_joint(s->rigid, joint);
}

// What a joint held is free from here on; at the end of a run nobody could tell why.
void joints_note(RigidSystem* s, double time)
{
    for (size_t k = 0; k < s->joint_count; k++) {
        NamedJoint* joint = &s->joint[k];
        if (joint->is_gone || rigid_joint_holds(s->rigid, (int)k))
            continue;
        joint->is_gone = true;
        if (isfinite(time))
            log_say(s->setting.log, MN_LOG_INFO, "joint '%s' broke at t = %.6g s", joint->name, time);
    }
}

void joints_free(RigidSystem* s)
{
    for (size_t k = 0; k < s->joint_count; k++) {
        free(s->joint[k].name);
        free(s->joint[k].def.drive);
    }
    memory_give(s->setting.memory, s->joint);
}
