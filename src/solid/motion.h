// SPDX-License-Identifier: MIT
// Where things are that move as told: key frames, and motion to and fro by formula.
#ifndef SOLID_MOTION_H
#define SOLID_MOTION_H

#include "base/vec.h"
#include <meniscus/defs.h>

// Where key frames (at least one) put something at `time` [s]; before the first and after the last it rests there.
mn_Pose motion_pose_at(const mn_Keyframe* key, size_t count, mn_Interpolation interpolation, double time);

// Adds an oscillation to where something is.
mn_Pose motion_swing(mn_Pose pose, const mn_Oscillation* oscillation, double time);
bool motion_swings(const mn_Oscillation* oscillation);

// [m/s] that something with points up to `reach` [m] from its origin never exceeds.
double motion_speed(const mn_Keyframe* key, size_t count, mn_Interpolation interpolation);
double motion_swing_speed(const mn_Oscillation* oscillation, double reach);

Quat motion_turn(Vec3d rotation); // [rad] about an axis, as a quaternion

#endif
