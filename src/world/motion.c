// SPDX-License-Identifier: MIT
// Where kinematic solids are: key frames (solid.c), and on top of them a turn at constant angular velocity w,
//   rotation(t) = exp(w t) rotation_key(t),     angular velocity = w + exp(w t) w_key
#include "world/world_parts.h"

static Quat turn_by(Vec3d rotation) // [rad]
{
    double angle = vec3d_length(rotation);
    if (!(angle > 0))
        return quat_identity();
    Vec3d axis = vec3d_scale(rotation, sin(angle / 2) / angle);
    return (Quat){cos(angle / 2), axis.x, axis.y, axis.z};
}

mn_Pose world_pose_at(const mn_World* world, size_t k, double time)
{
    const Solid* solid = &world->solid[k];
    const mn_SolidDef* def = &world->solid_def[k];
    mn_Pose pose = solid_pose_at(solid, time);
    if (solid->type == MN_SOLID_KINEMATIC && vec3d_length(def->angular_velocity) > 0) {
        Quat start = solid->motion_count > 0 ? pose.rotation : quat_normalise(def->pose.rotation);
        pose.rotation = quat_normalise(quat_mul(turn_by(vec3d_scale(def->angular_velocity, time)), start));
    }
    return pose;
}

void world_move_solid(mn_World* world, size_t k, double time, double dt)
{
    Solid* solid = &world->solid[k];
    solid_move(solid, time, dt);
    const mn_SolidDef* def = &world->solid_def[k];
    Vec3d spin = def->angular_velocity;
    if (solid->type != MN_SOLID_KINEMATIC || !(vec3d_length(spin) > 0))
        return;
    bool keyed = solid->motion_count > 0;
    Quat turn = turn_by(vec3d_scale(spin, time));
    Vec3d own = keyed ? solid->angular_velocity : vec3d(0, 0, 0);
    solid->pose.rotation = world_pose_at(world, k, time).rotation;
    solid->angular_velocity = vec3d_add(spin, quat_rotate(turn, own));
}
