// SPDX-License-Identifier: MIT
// Joints: ball, hinge, slider, fixed. Limits and motors are ODE's; one that has to hold more than its break_force is gone
// after the step, as are those that events remove.
#include "rigid/rigid_parts.h"

#include <stdlib.h>
#include <string.h>

static Vec3d local_point(const Rigid* rigid, int body, Vec3d p)
{
    if (body < 0)
        return p;
    const BodyState* s = &rigid->body[body].state;
    return quat_unrotate(s->rotation, vec3d_sub(p, s->position));
}

static Vec3d world_point(const Rigid* rigid, int body, Vec3d p)
{
    if (body < 0)
        return p;
    const BodyState* s = &rigid->body[body].state;
    return vec3d_add(s->position, quat_rotate(s->rotation, p));
}

static Quat rotation_of(const Rigid* rigid, int body)
{
    return body < 0 ? quat_identity() : rigid->body[body].state.rotation;
}

static dBodyID attached(const Rigid* rigid, int body)
{
    return body < 0 ? NULL : rigid->body[body].ode;
}

static void set_hinge(const Units* u, dJointID joint, const mn_JointDef* def)
{
    const double degree = M_PI / 180;
    dJointSetHingeAnchor(joint, def->position.x / u->length, def->position.y / u->length, def->position.z / u->length);
    dJointSetHingeAxis(joint, def->axis.x, def->axis.y, def->axis.z);
    if (isfinite(def->limits[0]) && isfinite(def->limits[1])) {
        // ODE wants the low one set twice, because it refuses a low limit above the high one
        dJointSetHingeParam(joint, dParamLoStop, def->limits[0] * degree);
        dJointSetHingeParam(joint, dParamHiStop, def->limits[1] * degree);
        dJointSetHingeParam(joint, dParamLoStop, def->limits[0] * degree);
    }
    dJointSetHingeParam(joint, dParamVel, def->motor_speed * degree * u->time);
    dJointSetHingeParam(joint, dParamFMax, def->motor_strength / u->torque);
}

static void set_slider(const Units* u, dJointID joint, const mn_JointDef* def)
{
    dJointSetSliderAxis(joint, def->axis.x, def->axis.y, def->axis.z);
    if (isfinite(def->limits[0]) && isfinite(def->limits[1])) {
        dJointSetSliderParam(joint, dParamLoStop, def->limits[0] / u->length);
        dJointSetSliderParam(joint, dParamHiStop, def->limits[1] / u->length);
        dJointSetSliderParam(joint, dParamLoStop, def->limits[0] / u->length);
    }
    dJointSetSliderParam(joint, dParamVel, def->motor_speed / u->velocity);
    dJointSetSliderParam(joint, dParamFMax, def->motor_strength / u->force);
}

static dJointID create(Rigid* rigid, const mn_JointDef* def, int solid, int other)
{
    const Units* u = &rigid->units;
    dJointID joint = NULL;
    switch (def->type) {
    case MN_JOINT_BALL:
        joint = dJointCreateBall(rigid->world, NULL);
        break;
    case MN_JOINT_HINGE:
        joint = dJointCreateHinge(rigid->world, NULL);
        break;
    case MN_JOINT_SLIDER:
        joint = dJointCreateSlider(rigid->world, NULL);
        break;
    case MN_JOINT_FIXED:
        joint = dJointCreateFixed(rigid->world, NULL);
        break;
    }
    dJointAttach(joint, attached(rigid, solid), attached(rigid, other));
    if (def->type == MN_JOINT_BALL)
        dJointSetBallAnchor(joint, def->position.x / u->length, def->position.y / u->length, def->position.z / u->length);
    if (def->type == MN_JOINT_HINGE)
        set_hinge(u, joint, def);
    if (def->type == MN_JOINT_SLIDER)
        set_slider(u, joint, def);
    if (def->type == MN_JOINT_FIXED)
        dJointSetFixed(joint);
    return joint;
}

static void set_motor(const Units* u, const Joint* joint, double speed) // [rad/s or m/s]
{
    bool hinge = joint->type == MN_JOINT_HINGE;
    void (*set)(dJointID, int, dReal) = hinge ? dJointSetHingeParam : dJointSetSliderParam;
    set(joint->ode, dParamVel, hinge ? speed * u->time : speed / u->velocity);
    set(joint->ode, dParamFMax, dInfinity);
}

typedef struct NewJoint {
    const mn_JointDef* def;
    Joint* joint;
} NewJoint;

static void build_joint(Rigid* rigid, void* context)
{
    const mn_JointDef* def = ((NewJoint*)context)->def;
    Joint* joint = ((NewJoint*)context)->joint;
    body_to_ode(rigid, &rigid->body[joint->solid]); // ODE reads the frames of both from where they are
    if (joint->other >= 0)
        body_to_ode(rigid, &rigid->body[joint->other]);
    joint->ode = create(rigid, def, joint->solid, joint->other);
    if (def->drive_count)
        set_motor(&rigid->units, joint, 0);
    dJointSetFeedback(joint->ode, &joint->feedback);
}

int rigid_add_joint(Rigid* rigid, const mn_JointDef* def, int solid, int other)
{
    Joint* joint = calloc(1, sizeof *joint);
    if (!joint || !memory_reserve(NULL, &rigid->joint, &rigid->joint_capacity, rigid->joint_count, rigid->joint_count + 1,
                                  sizeof *rigid->joint)) {
        free(joint);
        return -1;
    }
    *joint = (Joint){.type = def->type,
                     .solid = solid,
                     .other = other,
                     .break_force = def->break_force,
                     .anchor = {local_point(rigid, solid, def->position), local_point(rigid, other, def->position)},
                     .apart = !def->collide,
                     .damping = def->damping,
                     .drive_count = def->drive_count};
    Vec3d axis = vec3d_normalise(def->axis);
    joint->axis[0] = quat_unrotate(rotation_of(rigid, solid), axis);
    joint->axis[1] = quat_unrotate(rotation_of(rigid, other), axis);
    joint->rest = quat_mul(quat_conjugate(rotation_of(rigid, other)), rotation_of(rigid, solid));
    double unit = def->type == MN_JOINT_HINGE ? M_PI / 180 : 1;
    joint->limits[0] = def->limits[0] * unit;
    joint->limits[1] = def->limits[1] * unit;
    if (def->drive_count) {
        joint->drive = malloc(def->drive_count * sizeof *joint->drive);
        if (!joint->drive) {
            free(joint);
            return -1;
        }
        memcpy(joint->drive, def->drive, def->drive_count * sizeof *joint->drive);
    }
    NewJoint made = {def, joint};
    if (!ode_call(rigid, build_joint, &made)) {
        free(joint->drive);
        free(joint);
        return -1;
    }
    rigid->joint[rigid->joint_count] = joint;
    return (int)rigid->joint_count++;
}

void rigid_remove_joint(Rigid* rigid, int joint)
{
    rigid_wake(rigid, rigid->joint[joint]->solid);
    if (rigid->joint[joint]->other >= 0)
        rigid_wake(rigid, rigid->joint[joint]->other);
    Joint* j = rigid->joint[joint];
    if (j->ode)
        dJointDestroy(j->ode);
    j->ode = NULL;
}

static Vec3d force_of(const Rigid* rigid, const Joint* joint)
{
    const dReal* f = joint->feedback.f1;
    return vec3d_scale(vec3d(f[0], f[1], f[2]), rigid->units.force);
}

// --- where it is

Vec3d joint_axis(const Rigid* rigid, const Joint* j)
{
    return quat_rotate(rotation_of(rigid, j->other), j->axis[1]);
}

// How the first body is turned against the second since the start, as a vector in world axes.
static Quat turned(const Rigid* rigid, const Joint* j)
{
    Quat rest = quat_mul(rotation_of(rigid, j->other), j->rest);
    Quat q = quat_mul(rotation_of(rigid, j->solid), quat_conjugate(rest));
    return q.w < 0 ? (Quat){-q.w, -q.x, -q.y, -q.z} : q;
}

double joint_angle(const Rigid* rigid, const Joint* j)
{
    Quat q = turned(rigid, j);
    return 2 * atan2(vec3d_dot(vec3d(q.x, q.y, q.z), joint_axis(rigid, j)), q.w);
}

Vec3d joint_tilt(const Rigid* rigid, const Joint* j)
{
    if (j->type == MN_JOINT_HINGE) {
        Vec3d axis = joint_axis(rigid, j), own = quat_rotate(rotation_of(rigid, j->solid), j->axis[0]), c = vec3d_cross(axis, own);
        double sine = vec3d_length(c);
        return vec3d_scale(c, sine > 0 ? atan2(sine, vec3d_dot(axis, own)) / sine : 0);
    }
    Quat q = turned(rigid, j);
    Vec3d v = vec3d(q.x, q.y, q.z);
    double sine = vec3d_length(v);
    return vec3d_scale(v, sine > 0 ? 2 * atan2(sine, q.w) / sine : 0);
}

static Vec3d apart(const Rigid* rigid, const Joint* j)
{
    return vec3d_sub(world_point(rigid, j->solid, j->anchor[0]), world_point(rigid, j->other, j->anchor[1]));
}

Vec3d joint_gap(const Rigid* rigid, const Joint* j)
{
    Vec3d gap = apart(rigid, j);
    if (j->type != MN_JOINT_SLIDER)
        return gap;
    Vec3d axis = joint_axis(rigid, j);
    double along = vec3d_dot(gap, axis);
    return vec3d_mad(gap, joint_beyond(j, along) - along, axis);
}

Vec3d joint_arm(const Rigid* rigid, const Joint* j, int side)
{
    Vec3d arm = quat_rotate(rotation_of(rigid, side == 0 ? j->solid : j->other), j->anchor[side]);
    if (side == 0 || j->type != MN_JOINT_SLIDER)
        return arm;
    return vec3d_add(arm, vec3d_sub(apart(rigid, j), joint_gap(rigid, j)));
}

double joint_beyond(const Joint* j, double position)
{
    if (!isfinite(j->limits[0]) || !isfinite(j->limits[1]) || j->drive_count)
        return 0;
    return position < j->limits[0] ? position - j->limits[0] : position > j->limits[1] ? position - j->limits[1] : 0;
}

// --- damping, drives

static double drive_at(const Joint* joint, double time)
{
    const mn_DriveKey* key = joint->drive;
    size_t n = joint->drive_count, low = 0, high = n - 1;
    if (time <= key[0].time || n == 1)
        return key[0].position;
    if (time >= key[high].time)
        return key[high].position;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(key[middle].time <= time ? &low : &high) = middle;
    }
    double share = (time - key[low].time) / (key[high].time - key[low].time);
    return key[low].position + share * (key[high].position - key[low].position);
}

// The motor's speed leads to where the joint should be after the step, from where it is.
static void follow(const Rigid* rigid, int k, double time, double dt)
{
    const Joint* j = rigid->joint[k];
    double off = drive_at(j, time + dt) - rigid_joint(rigid, k).position;
    if (j->type == MN_JOINT_HINGE)
        off = remainder(off, 360) * M_PI / 180;
    set_motor(&rigid->units, j, off / dt);
}

// 1/m or 1/I about the axis, of a body that is free
static double inverse_about(const Rigid* rigid, int body, mn_JointType type, Vec3d axis)
{
    if (body < 0 || !rigid_is_free(rigid, body))
        return 0;
    if (type == MN_JOINT_SLIDER)
        return 1 / rigid->body[body].mass.mass;
    double m[3][3];
    rigid_inverse_inertia(rigid, body, m);
    Vec3d t = vec3d(m[0][0] * axis.x + m[0][1] * axis.y + m[0][2] * axis.z, m[1][0] * axis.x + m[1][1] * axis.y + m[1][2] * axis.z,
                    m[2][0] * axis.x + m[2][1] * axis.y + m[2][2] * axis.z);
    return vec3d_dot(axis, t);
}

// -c w / (1 + dt c / I): implicit, so that strong damping stops the joint instead of shaking it
static void damp(const Rigid* rigid, const Joint* j, double dt)
{
    bool hinge = j->type == MN_JOINT_HINGE;
    Vec3d axis = joint_axis(rigid, j);
    double give = inverse_about(rigid, j->solid, j->type, axis) + inverse_about(rigid, j->other, j->type, axis);
    const Units* u = &rigid->units;
    double rate = hinge ? dJointGetHingeAngleRate(j->ode) / u->time : dJointGetSliderPositionRate(j->ode) * u->velocity;
    double push = -j->damping * rate / (1 + dt * j->damping * give);
    if (hinge)
        dJointAddHingeTorque(j->ode, push / u->torque);
    else
        dJointAddSliderForce(j->ode, push / u->force);
}

void joints_drive(Rigid* rigid, double time, double dt)
{
    for (size_t k = 0; k < rigid->joint_count; k++) {
        const Joint* j = rigid->joint[k];
        if (j->ode && j->drive_count)
            follow(rigid, (int)k, time, dt);
        if (j->ode && j->damping > 0)
            damp(rigid, j, dt);
    }
}

void joints_check(Rigid* rigid)
{
    for (size_t k = 0; k < rigid->joint_count; k++) {
        const Joint* j = rigid->joint[k];
        if (j->ode && vec3d_length(force_of(rigid, j)) > j->break_force)
            rigid_remove_joint(rigid, (int)k);
    }
}

size_t rigid_joint_count(const Rigid* rigid)
{
    return rigid->joint_count;
}

bool rigid_joint_holds(const Rigid* rigid, int joint)
{
    return rigid->joint[joint]->ode != NULL;
}

JointState rigid_joint(const Rigid* rigid, int joint)
{
    const Joint* j = rigid->joint[joint];
    JointState state = {.holds = j->ode != NULL, .gap = vec3d_length(apart(rigid, j)), .force = force_of(rigid, j)};
    if (j->type == MN_JOINT_SLIDER) {
        Vec3d axis = joint_axis(rigid, j);
        state.position = vec3d_dot(apart(rigid, j), axis);
        state.gap = vec3d_length(vec3d_mad(apart(rigid, j), -state.position, axis));
    }
    if (j->type == MN_JOINT_HINGE && j->ode)
        state.position = joint_angle(rigid, j) * 180 / M_PI;
    if (!j->ode)
        state.force = vec3d(0, 0, 0);
    return state;
}
