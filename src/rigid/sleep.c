// SPDX-License-Identifier: MIT
// Sleep. A body that may sleep, touches something and has been slower than SLOW sqrt(g r) for RESTED sqrt(r / g) no longer moves,
// if all that it touches or is joined to rests too: whole piles fall asleep at once. It wakes when the force of the fluid on it, as
// a mean over some time, has changed by a tenth of its weight, when something faster than that comes near, when a neighbour wakes,
// and when an event changes it, a joint of it or gravity. Everything that decides is part of the state: restarts are exact.
#include "rigid/rigid_parts.h"

// In units of sqrt(g r), sqrt(r / g), sqrt(r / g), weights, r.
static const double SLOW = 0.05, RESTED = 20, MEAN = 3, PUSHED = 0.1, NEAR = 0.2;

bool rigid_is_asleep(const Rigid* rigid, int body)
{
    return rigid->body[body].sleep.asleep;
}

void rigid_set_load(Rigid* rigid, int body, Vec3d force, Vec3d torque)
{
    rigid->body[body].load[0] = force;
    rigid->body[body].load[1] = torque;
}

static double speed_of(const Body* b, double reach)
{
    return vec3d_length(b->state.velocity) + reach * vec3d_length(b->state.angular_velocity);
}

// Half the diagonal of what it touches others with.
static double reach_of(const Rigid* rigid, const Body* b)
{
    dReal box[6];
    if (b->geom_count == 0)
        return 0;
    dGeomGetAABB(b->geom[0], box);
    return rigid->units.length * 0.5 *
           sqrt((box[1] - box[0]) * (box[1] - box[0]) + (box[3] - box[2]) * (box[3] - box[2]) +
                (box[5] - box[4]) * (box[5] - box[4]));
}

static bool are_near(const Rigid* rigid, const Body* a, const Body* b)
{
    double margin = NEAR * rigid->def.length / rigid->units.length;
    for (int g = 0; g < a->geom_count; g++)
        for (int k = 0; k < b->geom_count; k++) {
            dReal p[6], q[6];
            dGeomGetAABB(a->geom[g], p);
            dGeomGetAABB(b->geom[k], q);
            bool apart = false;
            for (int c = 0; c < 3; c++)
                apart |= p[2 * c] > q[2 * c + 1] + margin || q[2 * c] > p[2 * c + 1] + margin;
            if (!apart)
                return true;
        }
    return false;
}

static bool are_joined(const Rigid* rigid, int a, int b)
{
    for (size_t k = 0; k < rigid->joint_count; k++) {
        const Joint* j = rigid->joint[k];
        if (j->ode && ((j->solid == a && j->other == b) || (j->solid == b && j->other == a)))
            return true;
    }
    return false;
}

// Neighbours wake with it.
void rigid_wake(Rigid* rigid, int body)
{
    Body* b = &rigid->body[body];
    if (b->kind != BODY_FREE)
        return;
    b->sleep.rested = 0;
    if (!b->sleep.asleep)
        return;
    b->sleep.asleep = false;
    body_mass_to_ode(rigid, b);
    for (size_t k = 0; k < rigid->body_count; k++) {
        const Body* other = &rigid->body[k];
        if (other->sleep.asleep && (are_near(rigid, b, other) || are_joined(rigid, body, (int)k)))
            rigid_wake(rigid, (int)k);
    }
}

// Something that moves is near.
static bool is_disturbed(const Rigid* rigid, int body, double slow)
{
    for (size_t k = 0; k < rigid->body_count; k++) {
        const Body* other = &rigid->body[k];
        bool moves = other->kind == BODY_DRIVEN || rigid_is_free(rigid, (int)k);
        if ((int)k != body && moves && speed_of(other, reach_of(rigid, other)) > slow &&
            (are_near(rigid, &rigid->body[body], other) || are_joined(rigid, body, (int)k)))
            return true;
    }
    return false;
}

static bool is_pushed(const Rigid* rigid, const Body* b, double weight)
{
    const Sleep* s = &b->sleep;
    Vec3d force = vec3d_sub(s->mean[0], s->before[0]), torque = vec3d_sub(s->mean[1], s->before[1]);
    return vec3d_length(force) > PUSHED * weight || vec3d_length(torque) > PUSHED * weight * reach_of(rigid, b);
}

static bool is_at_rest(const Body* b)
{
    bool driven = b->kind == BODY_DRIVEN && vec3d_length(b->state.velocity) + vec3d_length(b->state.angular_velocity) > 0;
    return !driven && (b->kind != BODY_FREE || b->held || b->sleep.asleep || b->candidate);
}

// Takes back candidates that touch or are joined to what is not at rest; true if there were any.
static bool sort_out(Rigid* rigid)
{
    bool changed = false;
    for (size_t k = 0; k < rigid->pair_count + rigid->joint_count; k++) {
        const Joint* joint = k < rigid->pair_count ? NULL : rigid->joint[k - rigid->pair_count];
        if (joint && (!joint->ode || joint->other < 0))
            continue;
        Body* a = &rigid->body[joint ? joint->solid : rigid->pair[k][0]];
        Body* b = &rigid->body[joint ? joint->other : rigid->pair[k][1]];
        if ((a->candidate && !is_at_rest(b)) || (b->candidate && !is_at_rest(a))) {
            a->candidate = b->candidate = false;
            changed = true;
        }
    }
    return changed;
}

static void fall_asleep(const Rigid* rigid, Body* b)
{
    b->sleep.asleep = true;
    b->sleep.before[0] = b->sleep.mean[0];
    b->sleep.before[1] = b->sleep.mean[1];
    b->state.velocity = b->state.angular_velocity = vec3d(0, 0, 0);
    body_mass_to_ode(rigid, b);
}

void rigid_update_sleep(Rigid* rigid, double dt)
{
    double g = vec3d_length(rigid->def.gravity), r = rigid->def.length;
    if (!rigid->may_sleep || !(g > 0))
        return;
    double slow = SLOW * sqrt(g * r), time = sqrt(r / g), share = fmin(1, dt / (MEAN * time));
    for (size_t k = 0; k < rigid->body_count; k++) {
        Body* b = &rigid->body[k];
        b->candidate = false;
        if (!b->may_sleep || b->held || b->kind != BODY_FREE)
            continue;
        for (int c = 0; c < 2; c++)
            b->sleep.mean[c] = vec3d_mad(b->sleep.mean[c], share, vec3d_sub(b->load[c], b->sleep.mean[c]));
        if (b->sleep.asleep) {
            if (is_pushed(rigid, b, b->mass.mass * g) || is_disturbed(rigid, (int)k, slow))
                rigid_wake(rigid, (int)k);
            continue;
        }
        b->sleep.rested = speed_of(b, reach_of(rigid, b)) < slow ? b->sleep.rested + dt : 0;
        b->candidate = b->sleep.rested > RESTED * time && b->touches;
    }
    while (sort_out(rigid))
        ;
    for (size_t k = 0; k < rigid->body_count; k++)
        if (rigid->body[k].candidate)
            fall_asleep(rigid, &rigid->body[k]);
}
