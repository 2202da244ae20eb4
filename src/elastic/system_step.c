// SPDX-License-Identifier: MIT
// A step of all deformable bodies among other solids: pins go along with what they are tied to, obstacles along their paths, and
// what those that give way took within the step, or are to take after it, goes to them.
#include "elastic/elastic_system.h"

#include <string.h>

static Solid* tied_to(const ElasticSystem* s, const SolidPin* pin)
{
    return &s->all.solid[pin->other];
}

static int body_of(const ElasticSystem* s, const SolidPin* pin)
{
    return (int)s->all.solid[pin->solid].index;
}

// --- before

static void move_pins(ElasticSystem* s, double time, double dt)
{
    mn_Pose still = {.rotation = quat_identity()};
    for (size_t k = 0; k < s->pin_count; k++) {
        const SolidPin* pin = &s->pin[k];
        mn_Pose from = still, to = still;
        if (pin->other >= 0) {
            from = tied_to(s, pin)->pose;
            to = tied_to(s, pin)->kind->pose_after(tied_to(s, pin), time);
        } else if (pin->def.motion_count) {
            from = pin_pose(pin, time - dt);
            to = pin_pose(pin, time);
        }
        elastic_move_pin(s->set, body_of(s, pin), pin->pin, &from, &to);
    }
}

// Held bodies do not give way.
static void move_carriers(ElasticSystem* s, double time)
{
    for (size_t k = 0; k < s->pin_count; k++) {
        const SolidPin* pin = &s->pin[k];
        if (!pin->leads)
            continue;
        const Solid* solid = tied_to(s, pin);
        SolidBody body = solid->kind->body(solid);
        ElasticCarrier motion = {.from = solid->pose,
                                 .to = solid->kind->pose_after(solid, time),
                                 .velocity = body.velocity,
                                 .spin = body.angular_velocity,
                                 .centre = body.frame_centre,
                                 .bound = body.bound,
                                 .mass = body.inverse_mass > 0 ? body.mass : 0};
        memcpy(motion.inertia, body.inertia, sizeof motion.inertia);
        elastic_move_carrier(s->set, pin->carrier, &motion);
    }
}

// Bodies that are held do not give way within a step; those that joints or contacts may hold keep their path.
static void move_obstacles(ElasticSystem* s, double time)
{
    for (size_t k = 0; k < s->all.count; k++) {
        const Solid* solid = &s->all.solid[k];
        if (s->obstacle_of[k] < 0)
            continue;
        mn_Pose to = solid->kind->pose_after(solid, time);
        elastic_move_obstacle(s->set, s->obstacle_of[k], &solid->pose, &to);
        if (!solid_is_body(solid))
            continue;
        SolidBody body = solid->kind->body(solid);
        ElasticWeight weight = {.inverse_mass = body.inverse_mass,
                                .centre = body.frame_centre,
                                .bound = body.bound,
                                .backing = body.backing,
                                .velocity = body.velocity,
                                .spin = body.angular_velocity};
        memcpy(weight.inverse_inertia, body.inverse_inertia, sizeof weight.inverse_inertia);
        if (body.inverse_mass > 0)
            elastic_weigh_obstacle(s->set, s->obstacle_of[k], &weight);
    }
}

// --- after

// Bodies go where the pins on them let them go.
static void take_carriers(ElasticSystem* s)
{
    for (size_t k = 0; k < s->pin_count; k++) {
        const SolidPin* pin = &s->pin[k];
        if (!pin->leads)
            continue;
        ElasticCarrier carrier = elastic_carrier(s->set, pin->carrier);
        Vec3d arm = quat_rotate(carrier.to.rotation, carrier.centre);
        SolidMotion motion = {vec3d_add(carrier.to.position, arm), carrier.to.rotation, carrier.velocity, carrier.spin};
        tied_to(s, pin)->kind->move_body(tied_to(s, pin), &motion);
    }
}

// Pins of models without carriers: the pull acts in the step after.
static void pull_bodies(ElasticSystem* s, double dt)
{
    for (size_t k = 0; k < s->pin_count; k++) {
        const SolidPin* pin = &s->pin[k];
        if (pin->other < 0 || pin->carrier >= 0 || !solid_is_body(tied_to(s, pin)))
            continue;
        Vec3d force, torque, centre = tied_to(s, pin)->kind->body(tied_to(s, pin)).centre;
        elastic_pin_force(s->set, body_of(s, pin), pin->pin, &force, &torque);
        torque = vec3d_sub(torque, vec3d_cross(centre, force));
        tied_to(s, pin)->kind->take_wrench(tied_to(s, pin), vec3d_scale(force, dt), vec3d_scale(torque, dt));
    }
}

// Where deformable bodies took it within the step.
static void shift_obstacle(ElasticSystem* s, size_t k, double time)
{
    Solid* solid = &s->all.solid[k];
    Vec3d shift;
    Quat turn;
    elastic_obstacle_shift(s->set, s->obstacle_of[k], &shift, &turn);
    if (!(vec3d_length(shift) > 0))
        return;
    SolidBody body = solid->kind->body(solid);
    Quat rotation = solid->kind->pose_after(solid, time).rotation;
    SolidMotion motion = {vec3d_add(body.centre, shift), quat_normalise(quat_mul(turn, rotation)), body.velocity,
                          body.angular_velocity};
    solid->kind->move_body(solid, &motion);
}

static void push_obstacles(ElasticSystem* s, double time)
{
    for (size_t k = 0; k < s->all.count; k++) {
        Solid* solid = &s->all.solid[k];
        if (s->obstacle_of[k] < 0 || !solid_is_body(solid))
            continue;
        shift_obstacle(s, k, time);
        Vec3d impulse, moment;
        elastic_obstacle_impulse(s->set, s->obstacle_of[k], &impulse, &moment);
        Vec3d centre = solid->kind->body(solid).centre;
        solid->kind->take_wrench(solid, impulse, vec3d_sub(moment, vec3d_cross(centre, impulse)));
    }
}

// Bodies that a grid carries say how they would move without it.
bool elastic_system_predict(void* system, double time, double dt)
{
    ElasticSystem* s = system;
    if (!elastic_is_immersed(s->set))
        return true;
    move_pins(s, time + dt, dt);
    move_obstacles(s, time + dt);
    return elastic_predict_inside(s->set, dt);
}

bool elastic_system_step(void* system, double time, double dt)
{
    ElasticSystem* s = system;
    move_pins(s, time, dt);
    move_carriers(s, time);
    move_obstacles(s, time);
    if (!elastic_step(s->set, dt))
        return false;
    take_carriers(s);
    pull_bodies(s, dt);
    push_obstacles(s, time);
    elastic_system_place(s);
    return true;
}
