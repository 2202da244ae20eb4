// SPDX-License-Identifier: MIT
#include "coupling/direct.h"

#include "base/clock.h"

#include <string.h>

static void direct_destroy(void* coupling)
{
    Direct* d = coupling;
    if (d->base)
        coupling_akinci.destroy(d->base);
    for (int b = 0; b < DIRECT_BLOCKS; b++)
        memory_give(d->memory, d->block[b].list.contact);
    direct_soft_destroy(d);
    void* arrays[] = {d->at, d->body, d->impulse, d->pushes, d->share, d->chunk, d->history};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(d->memory, arrays[k]);
    memory_give(d->memory, d);
}

static bool reserve(Direct* d)
{
    size_t n = d->solid_count + 1;
    d->at = memory_take(d->memory, n * sizeof *d->at);
    d->body = memory_take(d->memory, n * sizeof *d->body);
    d->impulse = memory_take(d->memory, n * sizeof *d->impulse);
    d->pushes = memory_take(d->memory, DIRECT_BLOCKS * n * sizeof *d->pushes);
    d->share = memory_take(d->memory, n * sizeof *d->share);
    if (!d->at || !d->body || !d->impulse || !d->pushes || !d->share)
        return false;
    memset(d->share, 0, n * sizeof *d->share);
    for (int b = 0; b < DIRECT_BLOCKS; b++)
        d->block[b].push = d->pushes + (size_t)b * n;
    return true;
}

static void* direct_create(const CouplingDef* def)
{
    Direct* d = memory_take(def->memory, sizeof *d);
    if (!d)
        return NULL;
    *d = (Direct){.memory = def->memory,
                  .sph = def->sph,
                  .boundary = def->boundary,
                  .solid = def->solid,
                  .solid_count = def->solid_count,
                  .response = def->response,
                  .answer = def->answer};
    d->base = coupling_akinci.create(def);
    if (!d->base || !reserve(d)) {
        direct_destroy(d);
        return NULL;
    }
    for (size_t k = 0; k < d->solid_count; k++) {
        TouchSort sort = touch_sort(&d->solid[k], d->sph->kernel.dimension);
        d->at[k] = (DirectSolid){.touch = {.solid = &d->solid[k], .sort = sort}, .body = -1, .soft = -1};
        d->containers += sort == TOUCH_CONTAINER;
        d->rebounds |= d->solid[k].fluid_restitution > 0;
    }
    if (d->response == MN_RESPONSE_ONE_WAY)
        body_solids_ignore(&d->base->bodies);
    if (!direct_soft_create(d)) {
        direct_destroy(d);
        return NULL;
    }
    return d;
}

// --- what the base does

static bool direct_follow(void* coupling)
{
    return coupling_akinci.follow(((Direct*)coupling)->base);
}

static void direct_place(void* coupling)
{
    coupling_akinci.place(((Direct*)coupling)->base);
}

static void direct_begin(void* coupling, double dt)
{
    Direct* d = coupling;
    d->no_memory = !direct_expect(d, dt);
    coupling_akinci.begin(d->base, dt);
}

static bool direct_forces(void* coupling, double dt)
{
    const Direct* d = coupling;
    return !d->no_memory && coupling_akinci.forces(d->base, dt);
}

static void direct_settle(void* coupling, double dt)
{
    coupling_akinci.settle(((Direct*)coupling)->base, dt);
}

static double direct_speed(const void* coupling, double path)
{
    return coupling_akinci.speed(((const Direct*)coupling)->base, path);
}

static double direct_speed_after(const void* coupling, double path, double dt)
{
    return coupling_akinci.speed_after(((const Direct*)coupling)->base, path, dt);
}

static void direct_before_solids(void* coupling)
{
    coupling_akinci.before_solids(((Direct*)coupling)->base);
}

static void direct_after_solids(void* coupling, double dt, double usual)
{
    coupling_akinci.after_solids(((Direct*)coupling)->base, dt, usual);
}

static bool direct_register_state(void* coupling, Register* reg)
{
    Direct* d = coupling;
    const StateArray share = {.name = "solid.direct",
                              .per = PER_SOLID,
                              .type = STATE_DOUBLE,
                              .size = sizeof *d->share,
                              .data = &d->share,
                              .count = &d->solid_count};
    return register_array(reg, &share) && coupling_akinci.register_state(d->base, reg);
}

// --- velocities

// A pose that its centre of mass takes along for `dt` [s].
static mn_Pose carry(const SolidBody* body, mn_Pose pose, Twist motion, double dt)
{
    double angle = dt * vec3d_length(motion.angular);
    Vec3d half = vec3d_scale(vec3d_normalise(motion.angular), sin(0.5 * angle));
    Quat turn = {cos(0.5 * angle), half.x, half.y, half.z};
    Quat rotation = quat_normalise(quat_mul(turn, pose.rotation));
    Vec3d centre = vec3d_mad(body->centre, dt, motion.linear);
    return (mn_Pose){vec3d_sub(centre, quat_rotate(rotation, body->frame_centre)), rotation};
}

static void place_body(Direct* d, size_t k, double dt)
{
    DirectSolid* at = &d->at[k];
    const Solid* s = &d->solid[k];
    SolidBody body = s->kind->body(s);
    if (d->sph->kernel.dimension == 2) {
        body.centre.z = 0;
        // turns out of the plane are taken out (direct_in_plane), but the matrix of a solve must be regular
        for (int c = 0; c < 2; c++)
            body.inverse_inertia[c][c] = body.inverse_inertia[2][2];
    }
    at->moves = true;
    at->centre = body.centre;
    at->before = at->after = (Twist){body.velocity, body.angular_velocity};
    at->body = d->base->bodies.response.body_of[k];
    if (at->body >= 0) {
        ForcingBody* b = &d->body[at->body];
        const ResponseBody* r = &d->base->bodies.response.body[at->body];
        Twist by = body_mobility(r, r->impulse);
        *b = (ForcingBody){.solid = (uint32_t)k, .mass = 1 / body.inverse_mass, .centre = body.centre, .before = at->before};
        forcing_set_inertia(b, (const double(*)[3])body.inverse_inertia);
        at->after.linear = vec3d_add(at->after.linear, vec3d_mad(by.linear, dt, r->other.linear));
        at->after.angular = vec3d_add(at->after.angular, vec3d_mad(by.angular, dt, r->other.angular));
        b->velocity = at->after = direct_in_plane(d, at->after);
    } else if (body.inverse_mass > 0) { // it does not feel the fluid
        Twist other;
        s->kind->other_acceleration(s, &other.linear, &other.angular);
        at->after.linear = vec3d_mad(at->after.linear, dt, other.linear);
        at->after.angular = vec3d_mad(at->after.angular, dt, other.angular);
    } else {
        at->before = at->after = (Twist){0};
    }
    touch_place(&at->touch, carry(&body, s->pose, at->after, dt), false);
}

// Where solids would be at the end of the step, and how fast.
static void place_solids(Direct* d, double time, double dt)
{
    for (size_t k = 0; k < d->solid_count; k++) {
        DirectSolid* at = &d->at[k];
        const Solid* s = &d->solid[k];
        if (solid_is_body(s)) { // also those that no fluid touches, as rods: responses go over all bodies
            at->touch.was = s->pose;
            place_body(d, k, dt);
            continue;
        }
        if (at->touch.sort == TOUCH_NONE || at->soft >= 0)
            continue;
        at->touch.was = s->pose;
        at->moves = s->type != MN_SOLID_STATIC;
        at->centre = s->pose.position;
        at->before = at->after = (Twist){s->velocity, s->angular_velocity};
        touch_place(&at->touch, s->kind->pose_after(s, time), !at->moves);
    }
}

// Bodies and the fluid that touches them.
static bool respond(Direct* d, double dt)
{
    if (direct_body_count(d) == 0)
        return true;
    if (d->response == MN_RESPONSE_GLOBAL && !direct_solve(d, dt))
        return false;
    direct_correct(d);
    for (size_t m = 0; m < direct_body_count(d); m++) {
        Twist *impulse = &d->base->bodies.response.body[m].impulse, by = direct_in_plane(d, d->impulse[m]);
        impulse->linear = vec3d_add(impulse->linear, by.linear);
        impulse->angular = vec3d_add(impulse->angular, by.angular);
    }
    return true;
}

static bool direct_constrain(void* coupling, double time, double dt)
{
    Direct* d = coupling;
    double start = clock_processor_seconds();
    place_solids(d, time, dt);
    bool ok = direct_look(d, dt);
    double found = clock_processor_seconds();
    ok = ok && respond(d, dt) && direct_soft_constrain(d, dt);
    d->seconds.look += found - start;
    d->seconds.respond += clock_processor_seconds() - found;
    return ok;
}

// What conditions did to solids that do not give way, on top of pressure.
static bool direct_finish(void* coupling, double dt)
{
    Direct* d = coupling;
    double start = clock_processor_seconds();
    bool ok = coupling_akinci.finish(d->base, dt);
    direct_note_shares(d, dt);
    for (size_t k = 0; k < d->solid_count && ok; k++) {
        Solid* s = &d->solid[k];
        for (int b = 0; b < DIRECT_BLOCKS && d->at[k].touch.sort != TOUCH_NONE && d->at[k].soft < 0; b++) {
            s->force = vec3d_mad(s->force, 1 / dt, d->block[b].push[k].linear);
            s->torque = vec3d_mad(s->torque, 1 / dt, d->block[b].push[k].angular);
        }
        if (d->response == MN_RESPONSE_ONE_WAY && solid_is_body(s))
            s->force = s->torque = vec3d(0, 0, 0);
    }
    if (ok)
        direct_soft_finish(d, dt);
    d->seconds.finish += clock_processor_seconds() - start;
    return ok;
}

// --- positions

static void direct_keep_apart(void* coupling, double time)
{
    Direct* d = coupling;
    double start = clock_processor_seconds();
    for (size_t k = 0; k < d->solid_count; k++)
        if (d->at[k].touch.sort != TOUCH_NONE && d->at[k].soft < 0)
            touch_place(&d->at[k].touch, d->solid[k].kind->pose_after(&d->solid[k], time), !d->at[k].moves);
    direct_soft_part(d);
    direct_part(d);
    d->seconds.part += clock_processor_seconds() - start;
}

// Corrected densities need no filling beyond the surface.
static BoundaryVolumes direct_volumes(const mn_WorldDef* def)
{
    return def->solver.density == MN_DENSITY_CORRECTED ? VOLUMES_OF_SKINS : VOLUMES_ALL;
}

const CouplingMethod coupling_direct = {.name = "direct_forcing",
                                        .type = MN_COUPLING_DIRECT_FORCING,
                                        .throws_light = true,
                                        .volumes = direct_volumes,
                                        .create = direct_create,
                                        .destroy = direct_destroy,
                                        .place = direct_place,
                                        .follow = direct_follow,
                                        .begin = direct_begin,
                                        .forces = direct_forces,
                                        .settle = direct_settle,
                                        .speed = direct_speed,
                                        .speed_after = direct_speed_after,
                                        .constrain = direct_constrain,
                                        .finish = direct_finish,
                                        .before_solids = direct_before_solids,
                                        .after_solids = direct_after_solids,
                                        .keep_apart = direct_keep_apart,
                                        .register_state = direct_register_state};
