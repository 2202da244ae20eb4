// SPDX-License-Identifier: MIT
// Smooth motion goes through its key frames, from rest to rest, without jumps of velocity and without going beyond; swings follow
// their formula.
#include "support.h"

#include "solid/motion.h"

static const double PI = 3.14159265358979323846;

static mn_Keyframe key_at(double time, double x, double degrees)
{
    double half = degrees * PI / 360;
    return (mn_Keyframe){time, {vec3d(x, 0, -x), {cos(half), 0, 0, sin(half)}}};
}

static void smooth_goes_through_its_frames(void** state)
{
    const mn_Keyframe key[] = {key_at(0, 0, 0), key_at(1, 1, 30), key_at(1.5, 1.2, 90), key_at(3, 0.5, 20), key_at(4, 0.5, 20)};
    size_t n = sizeof key / sizeof *key;
    for (size_t k = 0; k < n; k++) {
        mn_Pose pose = motion_pose_at(key, n, MN_INTERPOLATION_SMOOTH, key[k].time);
        assert_near(pose.position.x, key[k].pose.position.x, 1e-12);
        assert_near(pose.rotation.z, key[k].pose.rotation.z, 1e-12);
    }
    double step = 1e-4, before = 0, fastest = 0, jump = 0;
    for (double t = -0.1; t < 4.2; t += step) {
        mn_Pose a = motion_pose_at(key, n, MN_INTERPOLATION_SMOOTH, t),
                b = motion_pose_at(key, n, MN_INTERPOLATION_SMOOTH, t + step);
        double speed = (b.position.x - a.position.x) / step;
        jump = fmax(jump, fabs(speed - before));
        fastest = fmax(fastest, fabs(speed));
        before = speed;
        assert_true(a.position.x > -1e-9 && a.position.x < 1.2 + 1e-9);
        assert_near(a.position.z, -a.position.x, 1e-12);
        // beyond 3 s nothing moves: no swinging on
        assert_true(t < 3 || fabs(a.position.x - 0.5) < 1e-9);
    }
    print_message("fastest %.3f m/s, largest jump of speed within %g s %.2g m/s\n", fastest, step, jump);
    assert_below(jump, 0.01);
    assert_below(fastest, motion_speed(key, n, MN_INTERPOLATION_SMOOTH));
}

static void two_frames_are_eased(void** state)
{
    const mn_Keyframe key[] = {key_at(0, 0, 0), key_at(2, 1, 0)};
    assert_near(motion_pose_at(key, 2, MN_INTERPOLATION_SMOOTH, 1).position.x, 0.5, 1e-12);
    assert_near(motion_pose_at(key, 2, MN_INTERPOLATION_SMOOTH, 0.5).position.x, 3 * 0.0625 - 2 * 0.015625, 1e-12);
    assert_near(motion_pose_at(key, 2, MN_INTERPOLATION_LINEAR, 0.5).position.x, 0.25, 1e-12);
}

// The frame is found by halving; compared with looking at each.
static void many_frames(void** state)
{
    enum { MANY = 1000 };
    mn_Keyframe key[MANY];
    for (int k = 0; k < MANY; k++)
        key[k] = key_at(0.01 * k + 0.003 * (k % 3), sin(0.1 * k), 10 * cos(0.2 * k));
    for (double t = -0.5; t < 10.5; t += 0.0137) {
        size_t k = 0;
        while (k < MANY && key[k].time <= t)
            k++;
        double u = k && k < MANY ? (t - key[k - 1].time) / (key[k].time - key[k - 1].time) : 0;
        double x = k == 0      ? key[0].pose.position.x
                   : k == MANY ? key[MANY - 1].pose.position.x
                               : (1 - u) * key[k - 1].pose.position.x + u * key[k].pose.position.x;
        assert_near(motion_pose_at(key, MANY, MN_INTERPOLATION_LINEAR, t).position.x, x, 1e-12);
    }
}

static void swings_follow_their_formula(void** state)
{
    mn_Oscillation o = {.amplitude = {0.1, 0, 0.2}, .angle = {0, 0, 30}, .frequency = 2, .phase = 90};
    mn_Pose start = {vec3d(1, 2, 3), quat_identity()};
    assert_true(motion_swings(&o));
    mn_Pose pose = motion_swing(start, &o, 0);
    assert_near(pose.position.x, 1.1, 1e-12);
    assert_near(pose.position.z, 3.2, 1e-12);
    assert_near(2 * atan2(pose.rotation.z, pose.rotation.w), 30 * PI / 180, 1e-12);
    pose = motion_swing(start, &o, 0.125);
    assert_near(pose.position.x, 1, 1e-12);
    double fastest = 0;
    for (double t = 0; t < 1; t += 1e-4)
        fastest =
            fmax(fastest, vec3d_distance(motion_swing(start, &o, t).position, motion_swing(start, &o, t + 1e-4).position) / 1e-4);
    assert_near(fastest, motion_swing_speed(&o, 0), 1e-4 * fastest);
    o.frequency = 0;
    assert_false(motion_swings(&o));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_goes_through_its_frames),
        cmocka_unit_test(two_frames_are_eased),
        cmocka_unit_test(many_frames),
        cmocka_unit_test(swings_follow_their_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
