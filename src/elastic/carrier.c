// SPDX-License-Identifier: MIT
// Rigid bodies that carry pins. Their own solver has moved them through the step without the pins' pull: from pose to pose, with
// velocities u, w in the end. Here they go that way again, now together with the pinned points, which stick to them, and feel the
// pull in every substep of the elastic body: with momentum P and angular momentum L about the common centre c,
//
//   P = m u + sum m_i v_i,   L = I w + ... (of all about c)      when the step begins
//   P += J,   L += (x - c) x J                                   for every impulse J of a constraint on a pinned point
//   c += h P / M,   R <- exp(h I_c^-1 L) R
//
// and by the share of the substep in what else their own solver did to the pose (contacts that it pushes apart). Both sides thus
// feel every impulse within the substep it acts in, equal and opposite. As the whole is never lighter than the points it is made
// of, the tie is stable in all substeps in which the elastic body is, however light the rigid one.
#include "elastic/carrier.h"
#include <string.h>

int elastic_add_carrier(ElasticSet* set)
{
    if (!memory_reserve(set->memory, &set->carrier, &set->carrier_capacity, set->carrier_count, set->carrier_count + 1,
                        sizeof *set->carrier))
        return -1;
    set->carrier[set->carrier_count] = (Carrier){.points = 0};
    return (int)set->carrier_count++;
}

void elastic_tie_pin(ElasticSet* set, int body, int pin, int carrier)
{
    set->body[body].pins.pin[pin].carrier = carrier;
}

void elastic_move_carrier(ElasticSet* set, int carrier, const ElasticCarrier* motion)
{
    set->carrier[carrier] = (Carrier){.motion = *motion};
}

ElasticCarrier elastic_carrier(const ElasticSet* set, int carrier)
{
    return set->carrier[carrier].motion;
}

Carrier* carrier_of(const ElasticSet* set, const Body* body, size_t point)
{
    int64_t k = body->pins.of[point] < 0 ? -1 : body->pins.pin[body->pins.of[point]].carrier;
    return k >= 0 && set->carrier[k].motion.mass > 0 ? &set->carrier[k] : NULL;
}

// --- mass

static void find_masses(ElasticSet* set, const Body* body, const uint32_t* tied, size_t count)
{
    for (size_t k = 0; k < set->carrier_count; k++) {
        Carrier* c = &set->carrier[k];
        c->points = 0;
        c->mass = c->motion.mass;
        c->centre = vec3d_scale(c->motion.centre, c->mass);
    }
    for (size_t k = 0; k < count; k++) {
        Carrier* c = carrier_of(set, body, tied[k]);
        c->points++;
        c->mass += body->mass[tied[k]];
        c->centre = vec3d_mad(c->centre, body->mass[tied[k]], body->pins.place[tied[k]]);
    }
    for (size_t k = 0; k < set->carrier_count; k++) {
        Carrier* c = &set->carrier[k];
        if (!c->points)
            continue;
        c->centre = vec3d_scale(c->centre, 1 / c->mass);
        memcpy(c->inverse.m, c->motion.inertia, sizeof c->inverse.m);
        mat3_add_inertia(&c->inverse, c->motion.mass, vec3d_sub(c->motion.centre, c->centre));
    }
    for (size_t k = 0; k < count; k++) {
        Carrier* c = carrier_of(set, body, tied[k]);
        mat3_add_inertia(&c->inverse, body->mass[tied[k]], vec3d_sub(body->pins.place[tied[k]], c->centre));
    }
    for (size_t k = 0; k < set->carrier_count; k++)
        if (set->carrier[k].points)
            set->carrier[k].inverse = mat3_inverse(&set->carrier[k].inverse);
}

// --- motion

// A share of a small turn.
static Quat share_of(Quat q, double share)
{
    double s = q.w < 0 ? -share : share;
    return quat_normalise((Quat){1 - share + s * q.w, s * q.x, s * q.y, s * q.z});
}

static Vec3d spin_of(const Carrier* c)
{
    return quat_rotate(c->rotation, mat3_times(&c->inverse, quat_unrotate(c->rotation, c->angular)));
}

Vec3d carrier_place(const Carrier* c, Vec3d pinned)
{
    return vec3d_add(c->middle, quat_rotate(c->rotation, vec3d_sub(pinned, c->centre)));
}

Vec3d carrier_velocity(const Carrier* c, Vec3d at)
{
    return vec3d_mad(vec3d_cross(spin_of(c), vec3d_sub(at, c->middle)), 1 / c->mass, c->momentum);
}

void carrier_push(Carrier* c, Vec3d at, Vec3d impulse)
{
    c->momentum = vec3d_add(c->momentum, impulse);
    c->angular = vec3d_add(c->angular, vec3d_cross(vec3d_sub(at, c->middle), impulse));
}

// The rigid body alone, where the step begins, as its own solver wants it to move.
static void begin(Carrier* c, double dt)
{
    const ElasticCarrier* m = &c->motion;
    Vec3d from = vec3d_add(m->from.position, quat_rotate(m->from.rotation, m->centre));
    Vec3d to = vec3d_add(m->to.position, quat_rotate(m->to.rotation, m->centre));
    c->rotation = m->from.rotation;
    c->middle = vec3d_add(from, quat_rotate(c->rotation, vec3d_sub(c->centre, m->centre)));
    c->shift = vec3d_mad(vec3d_sub(to, from), -dt, m->velocity);
    c->turn = quat_mul(m->to.rotation, quat_conjugate(quat_mul(turn_by(vec3d_scale(m->spin, dt)), m->from.rotation)));
    // the solver has kept the angular momentum, and changed the spin to what goes with it in the end
    Mat3 inertia;
    memcpy(inertia.m, m->inertia, sizeof inertia.m);
    c->momentum = vec3d(0, 0, 0);
    c->angular = quat_rotate(m->to.rotation, mat3_times(&inertia, quat_unrotate(m->to.rotation, m->spin)));
    carrier_push(c, from, vec3d_scale(m->velocity, m->mass));
}

// 1: what a push gave in the last step is gone, something holds against it; 0: it is there
static double held_share(Vec3d left, Vec3d push, double dt)
{
    double given = vec3d_length(push) * dt;
    return given > 0 ? fmax(1 - vec3d_length(left) / given, 0) : 0;
}

// Contacts and joints answer to the pull a step later, with an impulse that takes back what it gave. But over the step it has moved
// the body by F dt^2 / (2 m), and step by step a body that friction holds would creep. So as far as the pull of the last step is
// gone, the same is held now: on the way, not in the velocity in the end, which their solver is to see as it is.
static void find_hold(const ElasticSet* set, const Body* body, Carrier* c, double dt)
{
    Vec3d pull = {0, 0, 0}, torque = {0, 0, 0};
    c->hold = c->hold_moment = vec3d(0, 0, 0);
    c->held = 0;
    if (!c->motion.bound)
        return;
    for (size_t k = 0; k < body->pins.count; k++)
        if (body->pins.pin[k].carrier == c - set->carrier) {
            pull = vec3d_add(pull, body->pins.pin[k].force);
            torque = vec3d_add(torque, body->pins.pin[k].torque);
        }
    torque = vec3d_sub(torque, vec3d_cross(c->middle, pull));
    c->hold = vec3d_scale(pull, -held_share(c->momentum, pull, dt));
    c->hold_moment = vec3d_scale(torque, -held_share(c->angular, torque, dt));
}

static void hold_for(Carrier* c, double time)
{
    c->momentum = vec3d_mad(c->momentum, time, c->hold);
    c->angular = vec3d_mad(c->angular, time, c->hold_moment);
    c->held += time;
}

void carriers_begin(ElasticSet* set, const Body* body, const uint32_t* tied, size_t count, double dt)
{
    find_masses(set, body, tied, count);
    for (size_t k = 0; k < set->carrier_count; k++)
        if (set->carrier[k].points) {
            begin(&set->carrier[k], dt);
            find_hold(set, body, &set->carrier[k], dt);
        }
    for (size_t k = 0; k < count; k++) {
        Carrier* c = carrier_of(set, body, tied[k]);
        Vec3d at = carrier_place(c, body->pins.place[tied[k]]);
        carrier_push(c, at, vec3d_scale(body->velocity[tied[k]], body->mass[tied[k]]));
    }
}

void carriers_advance(ElasticSet* set, double h, double share)
{
    for (size_t k = 0; k < set->carrier_count; k++) {
        Carrier* c = &set->carrier[k];
        if (!c->points)
            continue;
        hold_for(c, h);
        c->middle = vec3d_mad(vec3d_mad(c->middle, h / c->mass, c->momentum), share, c->shift);
        Quat turn = quat_mul(share_of(c->turn, share), turn_by(vec3d_scale(spin_of(c), h)));
        c->rotation = quat_normalise(quat_mul(turn, c->rotation));
    }
}

void carriers_end(ElasticSet* set)
{
    for (size_t k = 0; k < set->carrier_count; k++) {
        Carrier* c = &set->carrier[k];
        if (!c->points)
            continue;
        ElasticCarrier* m = &c->motion;
        hold_for(c, -c->held);
        m->velocity = carrier_velocity(c, carrier_place(c, m->centre));
        m->spin = spin_of(c);
        m->to = (mn_Pose){carrier_place(c, vec3d(0, 0, 0)), c->rotation};
        c->points = 0;
    }
}
