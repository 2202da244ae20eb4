// SPDX-License-Identifier: MIT
// Joints closed by position. The velocities of a step obey all joints, but only to first order: points that turn leave along the
// tangent, and joints open by the square of the turn. A solver that closes them with a velocity (Baumgarte, ODE's ERP) makes that
// velocity a part of the motion, and it is not small where constraints nearly contradict each other: a chain that is taut between
// two points can close a gap e along its line only by a move e / s across it, s being its slope, and gains speed in every step until
// it explodes. So ODE closes nothing (ERP = 0: what remains is a projection of the velocities, which never adds kinetic energy), and
// here poses are moved, joint after joint, until all are closed: Gauss-Seidel over
//   K p = -d,   K = sum_bodies 1/m - [r] I^-1 [r]
// for the gap d between the two points, and the same along one direction for angles. It converges for any pose, also where K over all
// joints is singular. Arms r and inertias I are those before the step, so that the moves are impulses along the constraints there:
// SHAKE (Ryckaert, Ciccotti, Berendsen 1977), and with the projection of velocities in the next step RATTLE. Without these impulses a
// pendulum would lose the share of its velocity that points out of its circle, 12 % of its energy in two seconds.
// Deviation: they are given to the velocities only as far as the energy of all that hangs together by joints does not grow by more
// than what forces and motors did in the step.
#include "rigid/rigid_parts.h"

enum { SWEEPS_MOST = 50 };
static const double CLOSED = 1e-6; // of the joint's own size, and [rad]

// --- before the step

static void add_give(const Body* b, Vec3d arm, double k[3][3])
{
    const Vec3d unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int c = 0; c < 3; c++) {
        Vec3d w = mat3d_times((const double(*)[3])b->inverse, vec3d_cross(arm, unit[c]));
        Vec3d v = vec3d_mad(vec3d_cross(w, arm), 1 / b->mass.mass, unit[c]);
        k[0][c] += v.x;
        k[1][c] += v.y;
        k[2][c] += v.z;
    }
}

static Body* free_body(Rigid* rigid, const Joint* j, int side)
{
    int body = side == 0 ? j->solid : j->other;
    return body >= 0 && rigid_is_free(rigid, body) ? &rigid->body[body] : NULL;
}

static double kinetic(const Body* b)
{
    Vec3d w = quat_unrotate(b->state.rotation, b->state.angular_velocity), v = b->state.velocity;
    return 0.5 * (b->mass.mass * vec3d_dot(v, v) + vec3d_dot(w, mat3d_times((const double(*)[3])b->mass.inertia, w)));
}

// All that hangs together by joints gets the number of the first of its bodies.
static void find_groups(Rigid* rigid)
{
    for (size_t k = 0; k < rigid->body_count; k++)
        rigid->body[k].group = (int)k;
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t k = 0; k < rigid->joint_count; k++) {
            const Joint* j = rigid->joint[k];
            Body *a = free_body(rigid, j, 0), *b = free_body(rigid, j, 1);
            if (!j->ode || !a || !b || a->group == b->group)
                continue;
            a->group = b->group = a->group < b->group ? a->group : b->group;
            changed = true;
        }
    }
}

void joints_before(Rigid* rigid)
{
    find_groups(rigid);
    for (size_t k = 0; k < rigid->body_count; k++) {
        Body* b = &rigid->body[k];
        b->energy = 0;
        b->jointed = false;
    }
    for (size_t k = 0; k < rigid->joint_count; k++) {
        Joint* j = rigid->joint[k];
        j->gives = false;
        for (int side = 0; side < 2 && j->ode; side++) {
            Body* b = free_body(rigid, j, side);
            if (!b)
                continue;
            j->gives = b->jointed = true;
            j->arm[side] = quat_rotate(b->state.rotation, j->anchor[side]);
            rigid_inverse_inertia(rigid, (int)(b - rigid->body), b->inverse);
        }
    }
    for (size_t k = 0; k < rigid->body_count; k++) {
        Body* b = &rigid->body[k];
        if (b->jointed)
            rigid->body[b->group].energy += kinetic(b);
        b->start[0] = b->state.velocity;
        b->start[1] = b->state.angular_velocity;
        b->shift = b->twist = vec3d(0, 0, 0);
    }
}

// --- moves

static Vec3d respond(const Body* b, Vec3d angular_impulse)
{
    return mat3d_times((const double(*)[3])b->inverse, angular_impulse);
}

static void turn(Body* b, Vec3d by)
{
    BodyState* s = &b->state;
    s->rotation = quat_normalise(quat_mul((Quat){1, 0.5 * by.x, 0.5 * by.y, 0.5 * by.z}, s->rotation));
}

// Turns both towards each other by `off` [rad], the way that the first one is turned too far.
static double close_angle(Rigid* rigid, const Joint* j, Vec3d off, bool kept)
{
    double angle = vec3d_length(off), give = 0;
    if (!(angle > CLOSED))
        return 0;
    Vec3d axis = vec3d_scale(off, 1 / angle), by[2];
    for (int side = 0; side < 2; side++) {
        const Body* b = free_body(rigid, j, side);
        by[side] = b ? mat3d_times((const double(*)[3])b->inverse, axis) : vec3d(0, 0, 0);
        give += vec3d_dot(axis, by[side]);
    }
    for (int side = 0; side < 2; side++)
        if (free_body(rigid, j, side)) {
            Vec3d t = vec3d_scale(by[side], (side ? angle : -angle) / give);
            turn(free_body(rigid, j, side), t);
            if (kept)
                free_body(rigid, j, side)->twist = vec3d_add(free_body(rigid, j, side)->twist, t);
        }
    return angle;
}

// The size of the joint, by which its gap counts as closed.
static double size_of(const Joint* j)
{
    return fmax(vec3d_length(j->anchor[0]), j->other < 0 ? 0 : vec3d_length(j->anchor[1]));
}

static double close_gap(Rigid* rigid, const Joint* j)
{
    Vec3d gap = joint_gap(rigid, j);
    double size = size_of(j), open = vec3d_length(gap);
    if (!(open > CLOSED * size))
        return 0;
    double give[3][3] = {{0}}, stiffness[3][3];
    Vec3d arm[2];
    for (int side = 0; side < 2; side++) {
        const Body* b = free_body(rigid, j, side);
        if (!b)
            continue;
        arm[side] = quat_rotate(b->state.rotation, j->anchor[side]);
        add_give(b, arm[side], give);
    }
    inverse_3x3((const double(*)[3])give, stiffness);
    Vec3d impulse = mat3d_times((const double(*)[3])stiffness, gap);
    for (int side = 0; side < 2; side++) {
        Body* b = free_body(rigid, j, side);
        if (!b)
            continue;
        Vec3d p = vec3d_scale(impulse, side ? 1 : -1), move = vec3d_scale(p, 1 / b->mass.mass);
        b->state.position = vec3d_add(b->state.position, move);
        turn(b, respond(b, vec3d_cross(arm[side], p)));
        b->shift = vec3d_add(b->shift, move);
        b->twist = vec3d_add(b->twist, respond(b, vec3d_cross(j->arm[side], p)));
    }
    return open;
}

static double close_joint(Rigid* rigid, const Joint* j)
{
    double off = 0;
    if (j->type != MN_JOINT_BALL)
        off = close_angle(rigid, j, joint_tilt(rigid, j), true);
    if (j->type == MN_JOINT_HINGE) {
        double over = joint_beyond(j, joint_angle(rigid, j));
        off = fmax(off, close_angle(rigid, j, vec3d_scale(joint_axis(rigid, j), over), false));
    }
    return fmax(off, close_gap(rigid, j));
}

// --- from moves to velocities

// How much the energy of a group may be now: what it was, and what forces did since.
static double work(const Rigid* rigid, const Body* b, double dt)
{
    Vec3d force = vec3d_add(vec3d_mad(b->force, b->mass.mass, rigid->def.gravity), b->push);
    return 0.5 * dt *
           (vec3d_dot(force, vec3d_add(b->start[0], b->state.velocity)) +
            vec3d_dot(b->torque, vec3d_add(b->start[1], b->state.angular_velocity)));
}

static void keep_speed(Rigid* rigid, double dt)
{
    for (size_t k = 0; k < rigid->body_count; k++) {
        Body* b = &rigid->body[k];
        b->gain = 0;
        if (!b->jointed)
            continue;
        Vec3d l = quat_unrotate(b->state.rotation, b->twist);
        rigid->body[b->group].energy += work(rigid, b, dt) - kinetic(b);
        rigid->body[b->group].gain +=
            0.5 * (b->mass.mass * vec3d_dot(b->shift, b->shift) + vec3d_dot(l, mat3d_times((const double(*)[3])b->mass.inertia, l))) /
            (dt * dt);
    }
    for (size_t k = 0; k < rigid->body_count; k++) {
        Body* b = &rigid->body[k];
        const Body* group = &rigid->body[b->group];
        if (!b->jointed || !(group->energy > 0) || !(group->gain > 0))
            continue;
        double share = fmin(1, sqrt(group->energy / group->gain));
        b->state.velocity = vec3d_mad(b->state.velocity, share / dt, b->shift);
        b->state.angular_velocity = vec3d_mad(b->state.angular_velocity, share / dt, b->twist);
    }
}

void joints_after(Rigid* rigid, double dt)
{
    double off = INFINITY;
    for (int s = 0; s < SWEEPS_MOST && off > 0; s++) {
        off = 0;
        for (size_t k = 0; k < rigid->joint_count; k++) { // there and back, so that no end of a chain is favoured
            const Joint* j = rigid->joint[s % 2 ? rigid->joint_count - 1 - k : k];
            if (j->ode && j->gives)
                off = fmax(off, close_joint(rigid, j));
        }
    }
    keep_speed(rigid, dt);
}
