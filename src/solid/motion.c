// SPDX-License-Identifier: MIT
// Smooth motion is a cubic Hermite curve through the key frames whose slopes are zero at both ends and wherever a component turns
// round, and else the harmonic mean of the slopes on both sides (Fritsch and Butland 1984): it stays between key frames, so that a
// cup that is put down on a table does not go through it. Rotations are smoothed by the components of their quaternions.
#include "solid/motion.h"

// --- smooth

// The slope at a value between two others; `before` and `after` are time spans [s].
static double slope_at(double a, double b, double c, double before, double after)
{
    double left = (b - a) / before, right = (c - b) / after;
    if (!(left * right > 0))
        return 0;
    double w1 = 2 * after + before, w2 = after + 2 * before;
    return (w1 + w2) / (w1 / left + w2 / right);
}

static double hermite(double a, double b, double slope_a, double slope_b, double span, double t)
{
    double t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * a + (t3 - 2 * t2 + t) * span * slope_a + (3 * t2 - 2 * t3) * b + (t3 - t2) * span * slope_b;
}

enum { PARTS = 7 }; // of a pose

static void parts_of(const mn_Keyframe* key, const double like[4], double out[PARTS])
{
    Vec3d p = key->pose.position;
    Quat q = key->pose.rotation;
    double sign = q.w * like[0] + q.x * like[1] + q.y * like[2] + q.z * like[3] < 0 ? -1 : 1;
    const double part[PARTS] = {p.x, p.y, p.z, sign * q.w, sign * q.x, sign * q.y, sign * q.z};
    for (int k = 0; k < PARTS; k++)
        out[k] = part[k];
}

// Between key frames k - 1 and k.
static mn_Pose smooth_between(const mn_Keyframe* key, size_t n, size_t k, double t)
{
    Quat q = key[k - 1].pose.rotation;
    double like[4] = {q.w, q.x, q.y, q.z}, part[4][PARTS], at[PARTS], span = key[k].time - key[k - 1].time;
    bool first = k == 1, last = k + 1 == n;
    parts_of(&key[k - 1], like, part[1]);
    parts_of(&key[k], like, part[2]);
    if (!first)
        parts_of(&key[k - 2], like, part[0]);
    if (!last)
        parts_of(&key[k + 1], part[2] + 3, part[3]);
    for (int c = 0; c < PARTS; c++) {
        double a = first ? 0 : slope_at(part[0][c], part[1][c], part[2][c], key[k - 1].time - key[k - 2].time, span);
        double b = last ? 0 : slope_at(part[1][c], part[2][c], part[3][c], span, key[k + 1].time - key[k].time);
        at[c] = hermite(part[1][c], part[2][c], a, b, span, t);
    }
    return (mn_Pose){vec3d(at[0], at[1], at[2]), quat_normalise((Quat){at[3], at[4], at[5], at[6]})};
}

// --- linear

// Spherical interpolation along the shorter arc.
static Quat slerp(Quat a, Quat b, double t)
{
    double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    if (dot < 0) {
        b = (Quat){-b.w, -b.x, -b.y, -b.z};
        dot = -dot;
    }
    double angle = acos(fmin(dot, 1)), s = sin(angle);
    double u = s > 1e-9 ? sin((1 - t) * angle) / s : 1 - t, v = s > 1e-9 ? sin(t * angle) / s : t;
    return quat_normalise((Quat){u * a.w + v * b.w, u * a.x + v * b.x, u * a.y + v * b.y, u * a.z + v * b.z});
}

mn_Pose motion_pose_at(const mn_Keyframe* key, size_t n, mn_Interpolation interpolation, double time)
{
    if (time <= key[0].time)
        return key[0].pose;
    if (time >= key[n - 1].time)
        return key[n - 1].pose;
    // files bring many key frames
    size_t low = 0, high = n - 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (time < key[middle].time)
            high = middle;
        else
            low = middle;
    }
    double t = (time - key[low].time) / (key[high].time - key[low].time);
    if (interpolation == MN_INTERPOLATION_SMOOTH)
        return smooth_between(key, n, high, t);
    return (mn_Pose){vec3d_lerp(key[low].pose.position, key[high].pose.position, t),
                     slerp(key[low].pose.rotation, key[high].pose.rotation, t)};
}

double motion_speed(const mn_Keyframe* key, size_t n, mn_Interpolation interpolation)
{
    double speed = 0;
    for (size_t k = 1; k < n; k++)
        speed = fmax(speed, vec3d_distance(key[k].pose.position, key[k - 1].pose.position) / (key[k].time - key[k - 1].time));
    return speed *
           (interpolation == MN_INTERPOLATION_SMOOTH ? 3 : 1); // the slopes of such a curve are at most three times the chord's
}

// --- to and fro

static const double DEGREES = 3.14159265358979323846 / 180;

bool motion_swings(const mn_Oscillation* o)
{
    return o->frequency > 0 && (vec3d_length(o->amplitude) > 0 || vec3d_length(o->angle) > 0);
}

Quat motion_turn(Vec3d rotation)
{
    double angle = vec3d_length(rotation);
    if (!(angle > 0))
        return quat_identity();
    Vec3d axis = vec3d_scale(rotation, sin(angle / 2) / angle);
    return (Quat){cos(angle / 2), axis.x, axis.y, axis.z};
}

mn_Pose motion_swing(mn_Pose pose, const mn_Oscillation* o, double time)
{
    double s = sin(360 * DEGREES * o->frequency * time + DEGREES * o->phase);
    Quat turn = motion_turn(vec3d_scale(o->angle, DEGREES * s));
    return (mn_Pose){vec3d_add(pose.position, vec3d_scale(o->amplitude, s)), quat_normalise(quat_mul(turn, pose.rotation))};
}

double motion_swing_speed(const mn_Oscillation* o, double reach)
{
    return 360 * DEGREES * o->frequency * (vec3d_length(o->amplitude) + reach * DEGREES * vec3d_length(o->angle));
}
