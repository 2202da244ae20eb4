// SPDX-License-Identifier: MIT
// A rigid body as a solid (solid/kind.h).
#include "rigid/rigid_system.h"

#include <string.h>

static RigidSystem* system_of(const Solid* solid)
{
    return solid->system;
}

static int body_of(const Solid* solid)
{
    return (int)solid->index;
}

static SolidBody rigid_solid_body(const Solid* solid)
{
    const Rigid* rigid = system_of(solid)->rigid;
    int k = body_of(solid);
    BodyState state = rigid_state(rigid, k);
    BodyMass mass = rigid_mass(rigid, k);
    SolidBody body = {.centre = state.position,
                      .velocity = state.velocity,
                      .angular_velocity = state.angular_velocity,
                      .bound = rigid_is_bound(rigid, k),
                      .backing = rigid_backing(rigid, k),
                      .mass = mass.mass,
                      .frame_centre = mass.centre};
    memcpy(body.inertia, mass.inertia, sizeof body.inertia);
    if (rigid_is_free(rigid, k)) {
        body.inverse_mass = 1 / mass.mass;
        rigid_inverse_inertia(rigid, k, body.inverse_inertia);
    }
    return body;
}

static Vec3d rigid_solid_velocity_at(const Solid* solid, const SurfacePlace* place)
{
    BodyState s = rigid_state(system_of(solid)->rigid, body_of(solid));
    Vec3d arm = vec3d_sub(place->point, s.position);
    return vec3d_add(vec3d_add(s.velocity, vec3d_cross(s.angular_velocity, arm)), solid->surface_velocity);
}

static double rigid_solid_mobility_at(const Solid* solid, const SurfacePlace* place, Vec3d direction)
{
    SolidBody body = rigid_solid_body(solid);
    if (!(body.inverse_mass > 0))
        return 0;
    Vec3d arm = vec3d_sub(place->point, body.centre);
    Vec3d turn = mat3d_times(body.inverse_inertia, vec3d_cross(arm, direction));
    return body.inverse_mass + vec3d_dot(direction, vec3d_cross(turn, arm));
}

static void rigid_solid_take_impulse(Solid* solid, const SurfacePlace* place, Vec3d impulse)
{
    Rigid* rigid = system_of(solid)->rigid;
    SolidBody body = rigid_solid_body(solid);
    if (!(body.inverse_mass > 0))
        return;
    BodyState state = rigid_state(rigid, body_of(solid));
    Vec3d moment = vec3d_cross(vec3d_sub(place->point, body.centre), impulse);
    state.velocity = vec3d_mad(state.velocity, body.inverse_mass, impulse);
    state.angular_velocity = vec3d_add(state.angular_velocity, mat3d_times(body.inverse_inertia, moment));
    rigid_set_state(rigid, body_of(solid), &state);
}

static void rigid_solid_take_wrench(Solid* solid, Vec3d impulse, Vec3d moment)
{
    Rigid* rigid = system_of(solid)->rigid;
    if (vec3d_length(impulse) > 0)
        rigid_wake(rigid, body_of(solid));
    SolidBody body = rigid_solid_body(solid);
    if (!(body.inverse_mass > 0))
        return;
    BodyState state = rigid_state(rigid, body_of(solid));
    state.velocity = vec3d_mad(state.velocity, body.inverse_mass, impulse);
    state.angular_velocity = vec3d_add(state.angular_velocity, mat3d_times(body.inverse_inertia, moment));
    rigid_set_state(rigid, body_of(solid), &state);
}

static void rigid_solid_move_body(Solid* solid, const SolidMotion* motion)
{
    Rigid* rigid = system_of(solid)->rigid;
    rigid_wake(rigid, body_of(solid));
    if (rigid_is_free(rigid, body_of(solid)))
        rigid_set_state(rigid, body_of(solid),
                        &(BodyState){motion->centre, motion->rotation, motion->velocity, motion->angular_velocity});
}

static void rigid_solid_change(Solid* solid, const mn_EventDef* event)
{
    Rigid* rigid = system_of(solid)->rigid;
    rigid_wake(rigid, body_of(solid));
    BodyState state = rigid_state(rigid, body_of(solid));
    if (event->density > 0)
        rigid_set_mass(rigid, body_of(solid), event->density * rigid_mass(rigid, body_of(solid)).volume);
    if (event->has_velocity)
        state.velocity = event->velocity;
    if (event->has_angular_velocity)
        state.angular_velocity = event->angular_velocity;
    rigid_set_state(rigid, body_of(solid), &state);
}

static void rigid_solid_release(Solid* solid)
{
    rigid_release(system_of(solid)->rigid, body_of(solid));
}

static SolidBulk rigid_solid_bulk(const Solid* solid)
{
    const Rigid* rigid = system_of(solid)->rigid;
    SolidBulk bulk = {.velocity = solid->velocity};
    if (!rigid)
        return bulk;
    BodyMass mass = rigid_mass(rigid, body_of(solid));
    bulk.mass = mass.mass;
    bulk.centre = mass.centre;
    bulk.moments = vec3d(mass.inertia[0][0], mass.inertia[1][1], mass.inertia[2][2]);
    bulk.asleep = rigid_is_asleep(rigid, body_of(solid));
    return bulk;
}

static mn_Pose rigid_solid_pose_after(const Solid* solid, double time)
{
    const Rigid* rigid = system_of(solid)->rigid;
    BodyState state = rigid_state(rigid, body_of(solid));
    Vec3d arm = quat_rotate(state.rotation, rigid_mass(rigid, body_of(solid)).centre);
    return (mn_Pose){vec3d_sub(state.position, arm), state.rotation};
}

static void rigid_solid_other_acceleration(const Solid* solid, Vec3d* linear, Vec3d* angular)
{
    *linear = system_of(solid)->linear[solid->index];
    *angular = system_of(solid)->angular[solid->index];
}

static void rigid_solid_set_load(Solid* solid, Vec3d force, Vec3d torque)
{
    rigid_set_force(system_of(solid)->rigid, body_of(solid), force, torque);
}

const SolidKind solid_rigid = {.name = "rigid",
                               .velocity_at = rigid_solid_velocity_at,
                               .mobility_at = rigid_solid_mobility_at,
                               .take_impulse = rigid_solid_take_impulse,
                               .pose_after = rigid_solid_pose_after,
                               .bulk = rigid_solid_bulk,
                               .release = rigid_solid_release,
                               .body = rigid_solid_body,
                               .take_wrench = rigid_solid_take_wrench,
                               .move_body = rigid_solid_move_body,
                               .change = rigid_solid_change,
                               .other_acceleration = rigid_solid_other_acceleration,
                               .set_load = rigid_solid_set_load};
