// SPDX-License-Identifier: MIT
// Joints closed by position. The velocities of a step obey all joints, but only to first order: points that turn leave along the
// tangent, and joints open by the square of the turn. A solver that closes them with a velocity (Baumgarte, ODE's ERP) makes that
// velocity a part of the motion, and it is not small where constraints nearly contradict each other: a chain that is taut between
// two points can close a gap e along its line only by a move e / s across it, s being its slope, and gains speed in every step
// until it explodes. So ODE closes nothing (ERP = 0: what remains is a projection of the velocities, which never adds kinetic
// energy), and here poses are moved, joint after joint, until all are closed: Gauss-Seidel over
//   K p = -d,   K = sum_bodies 1/m - [r] I^-1 [r]
// for the gap d between the two points, and the same along one direction for angles. It converges for any pose, also where K over
// all joints is singular. Arms r and inertias I are those before the step, so that the moves are impulses along the constraints
// there: SHAKE (Ryckaert, Ciccotti, Berendsen 1977), and with the projection of velocities in the next step RATTLE. Without these
// impulses a pendulum would lose the share of its velocity that points out of its circle, 12 % of its energy in two seconds.
// Deviation: they are given to the velocities only as far as the energy of all that joints connect does not grow by more
// than what forces did in the step. Overlaps of bodies are taken back in the same way, and never become speed.
#include "rigid/rigid_parts.h"

enum { SWEEPS_MOST = 12 };
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

static double kinetic(const Body* b, const BodyState* s)
{
    Vec3d w = quat_unrotate(s->rotation, s->angular_velocity), v = s->velocity;
    return 0.5 * (b->mass.mass * vec3d_dot(v, v) + vec3d_dot(w, mat3d_times((const double(*)[3])b->mass.inertia, w)));
}

static int root_of(const Rigid* rigid, int body)
{
    while (rigid->body[body].group != body)
        body = rigid->body[body].group;
    return body;
}

static void join(Rigid* rigid, int a, int b)
{
    if (a < 0 || b < 0 || !rigid_is_free(rigid, a) || !rigid_is_free(rigid, b))
        return;
    int p = root_of(rigid, a), q = root_of(rigid, b), root = p < q ? p : q;
    rigid->body[p].group = rigid->body[q].group = rigid->body[a].group = rigid->body[b].group = root;
}

// All that joints connect, and contacts if they count, gets the number of the first of its bodies.
static void find_groups(Rigid* rigid, bool contacts)
{
    for (size_t k = 0; k < rigid->body_count; k++)
        rigid->body[k].group = (int)k;
    for (size_t k = 0; k < rigid->joint_count; k++)
        if (rigid->joint[k]->ode)
            join(rigid, rigid->joint[k]->solid, rigid->joint[k]->other);
    for (size_t k = 0; k < rigid->touch_count && contacts; k++)
        join(rigid, rigid->touch[k].body[0], rigid->touch[k].body[1]);
    for (size_t k = 0; k < rigid->body_count; k++)
        rigid->body[k].group = root_of(rigid, (int)k);
}

static void begin_joint(Rigid* rigid, Joint* j)
{
    bool touches = false;
    j->gives = false;
    for (int side = 0; side < 2 && j->ode; side++) {
        Body* b = free_body(rigid, j, side);
        if (!b)
            continue;
        j->gives = b->jointed = true;
        j->arm[side] = joint_arm(rigid, j, side);
        touches |= b->met;
    }
    // what contacts have opened in earlier steps is closed without a gain of speed
    j->open = j->gives && touches ? vec3d_length(joint_gap(rigid, j)) : 0;
}

void project_begin(Rigid* rigid)
{
    for (size_t k = 0; k < rigid->body_count; k++)
        rigid->body[k].jointed = false;
    for (size_t k = 0; k < rigid->joint_count; k++)
        begin_joint(rigid, rigid->joint[k]);
    for (size_t k = 0; k < rigid->body_count; k++) {
        Body* b = &rigid->body[k];
        b->shift = b->twist = vec3d(0, 0, 0);
        if (rigid_is_free(rigid, (int)k) && (b->jointed || b->met))
            rigid_inverse_inertia(rigid, (int)k, b->inverse);
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

// A slider is free along its axis: what closes it acts across. K becomes P K P + a a^T, P = 1 - a a^T.
static void free_along(double k[3][3], Vec3d a)
{
    const double axis[3] = {a.x, a.y, a.z};
    for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r < 3; r++) { // rows, then columns
            double along = 0;
            for (int c = 0; c < 3; c++)
                along += (pass ? k[c][r] : k[r][c]) * axis[c];
            for (int c = 0; c < 3; c++)
                *(pass ? &k[c][r] : &k[r][c]) -= along * axis[c];
        }
    double size = (k[0][0] + k[1][1] + k[2][2]) / 2;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            k[r][c] += size * axis[r] * axis[c];
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
        arm[side] = joint_arm(rigid, j, side);
        add_give(b, arm[side], give);
    }
    if (j->type == MN_JOINT_SLIDER && fabs(vec3d_dot(gap, joint_axis(rigid, j))) < 1e-9 * open)
        free_along(give, joint_axis(rigid, j)); // else it is at a limit
    inverse_3x3((const double(*)[3])give, stiffness);
    Vec3d impulse = mat3d_times((const double(*)[3])stiffness, gap);
    for (int side = 0; side < 2; side++) {
        Body* b = free_body(rigid, j, side);
        if (!b)
            continue;
        Vec3d p = vec3d_scale(impulse, side ? 1 : -1), move = vec3d_scale(p, 1 / b->mass.mass);
        b->state.position = vec3d_add(b->state.position, move);
        turn(b, respond(b, vec3d_cross(arm[side], p)));
        b->shift = vec3d_mad(b->shift, j->share, move);
        b->twist = vec3d_mad(b->twist, j->share, respond(b, vec3d_cross(j->arm[side], p)));
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

// --- energy

// What forces did, with the mean of the velocities before and after: exact for bodies that nothing holds.
static double work(const Rigid* rigid, const Body* b, double dt)
{
    Vec3d force = vec3d_add(vec3d_mad(b->force, b->mass.mass, rigid->def.gravity), b->push);
    return 0.5 * dt *
           (vec3d_dot(force, vec3d_add(b->state.velocity, b->next.velocity)) +
            vec3d_dot(b->torque, vec3d_add(b->state.angular_velocity, b->next.angular_velocity)));
}

// What each group has lost in the step: its energy before, and the work done, less its energy now.
static void find_losses(Rigid* rigid, double dt)
{
    for (size_t k = 0; k < rigid->body_count; k++)
        rigid->body[k].energy = rigid->body[k].gain = 0;
    for (size_t k = 0; k < rigid->body_count; k++) {
        const Body* b = &rigid->body[k];
        if (rigid_is_free(rigid, (int)k))
            rigid->body[b->group].energy += kinetic(b, &b->state) + work(rigid, b, dt) - kinetic(b, &b->next);
    }
}

// Restitution at the points of bodies that are tied together can add energy: what one of them gets, others have to follow.
bool project_check(Rigid* rigid, double dt)
{
    const double SLACK = 0.01;
    bool jointed = false, ok = true;
    for (size_t k = 0; k < rigid->body_count; k++)
        jointed |= rigid->body[k].jointed && !rigid->body[k].calm;
    if (!jointed || rigid->touch_count == 0)
        return true;
    find_groups(rigid, true);
    find_losses(rigid, dt);
    for (size_t k = 0; k < rigid->body_count; k++) { // what they have now
        const Body* b = &rigid->body[k];
        if (rigid_is_free(rigid, (int)k))
            rigid->body[b->group].gain += kinetic(b, &b->next);
    }
    for (size_t k = 0; k < rigid->body_count; k++) {
        Body* b = &rigid->body[k];
        const Body* group = &rigid->body[b->group];
        if (!b->jointed || b->calm || !(group->energy < -SLACK * group->gain))
            continue;
        b->calm = true;
        ok = false;
    }
    return ok;
}

static void keep_speed(Rigid* rigid, double dt)
{
    for (size_t k = 0; k < rigid->body_count; k++) {
        const Body* b = &rigid->body[k];
        Vec3d l = quat_unrotate(b->next.rotation, b->twist), v = b->shift;
        if (b->jointed)
            rigid->body[b->group].gain +=
                0.5 * (b->mass.mass * vec3d_dot(v, v) + vec3d_dot(l, mat3d_times((const double(*)[3])b->mass.inertia, l))) /
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

// --- contacts

static Vec3d point_of(const Rigid* rigid, const Touch* t, int side)
{
    const BodyState* s = &rigid->body[t->body[side]].state;
    return vec3d_add(s->position, quat_rotate(s->rotation, t->point[side]));
}

// Pushes the two apart where they are deeper in each other than they may be.
static double part(Rigid* rigid, const Touch* t)
{
    double over = t->depth - t->allowed - vec3d_dot(t->normal, vec3d_sub(point_of(rigid, t, 0), point_of(rigid, t, 1))), give = 0;
    if (!(over > 0))
        return 0;
    Vec3d arm[2];
    for (int side = 0; side < 2; side++) {
        const Body* b = &rigid->body[t->body[side]];
        if (!rigid_is_free(rigid, t->body[side]))
            continue;
        arm[side] = quat_rotate(b->state.rotation, t->point[side]);
        Vec3d lever = vec3d_cross(arm[side], t->normal);
        give += 1 / b->mass.mass + vec3d_dot(lever, respond(b, lever));
    }
    for (int side = 0; side < 2; side++) {
        Body* b = &rigid->body[t->body[side]];
        if (!rigid_is_free(rigid, t->body[side]))
            continue;
        Vec3d p = vec3d_scale(t->normal, (side ? -over : over) / give);
        b->state.position = vec3d_mad(b->state.position, 1 / b->mass.mass, p);
        turn(b, respond(b, vec3d_cross(arm[side], p)));
    }
    return over;
}

// --- all of it

static double close_joints(Rigid* rigid, bool back) // there and back, so that no end of a chain is favoured
{
    double off = 0;
    for (size_t k = 0; k < rigid->joint_count; k++) {
        const Joint* j = rigid->joint[back ? rigid->joint_count - 1 - k : k];
        if (j->ode && j->gives)
            off = fmax(off, close_joint(rigid, j));
    }
    return off;
}

static double part_contacts(Rigid* rigid, bool back)
{
    double over = 0;
    for (size_t k = 0; k < rigid->touch_count; k++)
        over = fmax(over, part(rigid, &rigid->touch[back ? rigid->touch_count - 1 - k : k]));
    return over;
}

static void share_out(Rigid* rigid)
{
    for (size_t k = 0; k < rigid->joint_count; k++) {
        Joint* j = rigid->joint[k];
        j->share = j->open > 0 ? fmax(0, 1 - j->open / fmax(vec3d_length(joint_gap(rigid, j)), j->open)) : 1;
    }
}

void project_end(Rigid* rigid, double dt)
{
    find_groups(rigid, false);
    find_losses(rigid, dt);
    for (size_t k = 0; k < rigid->body_count; k++)
        if (rigid->body[k].ode)
            rigid->body[k].state = rigid->body[k].next;
    share_out(rigid);
    for (int s = 0; s < SWEEPS_MOST; s++)
        if (!(close_joints(rigid, s % 2) > 0))
            break;
    keep_speed(rigid, dt);
    double near = 1e-3 * rigid->layer; // a small share of the layer in which contacts rest
    for (int s = 0; s < SWEEPS_MOST && rigid->touch_count; s++) {
        double over = part_contacts(rigid, s % 2);
        if (!(over > near && close_joints(rigid, s % 2) + over > near))
            break;
    }
    for (size_t k = 0; k < rigid->body_count; k++)
        if (rigid->body[k].ode)
            rigid_flatten(rigid, &rigid->body[k].state);
}
