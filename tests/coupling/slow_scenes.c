// SPDX-License-Identifier: MIT
// The rigid scenes, coarse enough for a test, each with what it is there to show.
#include "coupling_support.h"

#include <stdlib.h>

// --- Archimedes

// Where bodies come to rest between particles is a draw that rounding decides, some tenths of a per cent apart: the mean of a few.
enum { DRAWS = 3, SAMPLES = 40, BODIES = 5 };
static const int floating[BODIES] = {100, 250, 500, 750, 900};

// Adds the mean heights from 1.5 to 2.5 s; `cut` is where steps are cut before, which changes nothing but the draw.
static void add_heights(const char* scene, const char* prefix, const char* radius, double cut, double mean[BODIES],
                        double* particles)
{
    mn_World* world = load_coarse(scene, radius);
    for (double t = cut; t < 1.5; t += cut)
        advance(world, t);
    for (int n = 0; n < SAMPLES; n++) {
        advance(world, 1.5 + 0.025 * (n + 1));
        for (int k = 0; k < BODIES; k++) {
            char name[32];
            snprintf(name, sizeof name, "%s%d", prefix, floating[k]);
            mean[k] += named(world, name).pose.position.y / (SAMPLES * DRAWS);
        }
    }
    *particles = (double)mn_world_stats(world).fluid_particles;
    finish(world);
}

// Depths below a level that follows from volumes, for one of the two scenes.
static void check_depths(const char* scene, const char* prefix, const char* radius)
{
    bool ball = prefix[1] == 'a';
    double height = ball ? 0.16 : 0.12, volume = ball ? ball_below(0.16, 0.08) : 0.2 * 0.2 * 0.12, d = 2 * atof(radius);
    double mean[BODIES] = {0}, particles;
    for (int n = 0; n < DRAWS; n++)
        add_heights(scene, prefix, radius, n == 0 ? 1.5 : 0.1 / n, mean, &particles);
    double filled = particles * d * d * d;
    for (int k = 0; k < BODIES; k++)
        filled += volume * floating[k] / 1000;
    double level = filled / (2 * 0.4);
    for (int k = 0; k < BODIES; k++) {
        double share = floating[k] / 1000.0, wanted = ball ? depth_of_ball(share, 0.08) : share * height;
        double depth = level - (mean[k] - height / 2);
        print_message("%s%d, r = %s: depth %.4f m, Archimedes %.4f m, off by %.2f %% of its height\n", prefix, floating[k], radius,
                      depth, wanted, 100 * (depth - wanted) / height);
    }
    for (int k = 0; k < BODIES; k++) {
        double share = floating[k] / 1000.0, wanted = ball ? depth_of_ball(share, 0.08) : share * height;
        assert_near(level - (mean[k] - height / 2), wanted, 0.03 * height);
    }
}

// Two of the three radii of the table in docs/theory/rigid.md.
static void test_floating_balls(void** state)
{
    check_depths("rigid/buoyancy", "ball", "0.0166666667");
    check_depths("rigid/buoyancy", "ball", "0.0125");
}

static void test_floating_boxes(void** state)
{
    check_depths("rigid/buoyancy_boxes", "box", "0.0166666667");
    check_depths("rigid/buoyancy_boxes", "box", "0.0125");
}

// --- sinking: the first acceleration is (rho_b - rho_f) / (rho_b + rho_f / 2) g

static void test_sinking(void** state)
{
    mn_World* world = load_coarse("rigid/sinking", "0.02");
    advance(world, 0.1);
    double iron = named(world, "iron").velocity.y / 0.1, heavy = named(world, "heavy").velocity.y / 0.1;
    assert_near(iron, -9.81 * 6800 / 8300, 0.08 * 8);
    assert_near(heavy, -9.81 * 1000 / 2500, 0.15 * 3.9);
    advance(world, 0.5);
    assert_near(named(world, "neutral").pose.position.y, 0.4, 0.01);
    assert_near(named(world, "iron").pose.position.y, 0.1, 0.005); // on the floor
    assert_true(named(world, "light").pose.position.y > 0.4);
    finish(world);
}

static void test_density_sweep(void** state)
{
    mn_World* world = load_coarse("rigid/density_sweep", "0.015");
    // means over the last half second of each density, over the last whole one of 500 kg/m3, which bobs
    const double from[5] = {0.5, 1.5, 2.5, 4, 5.5}, to[5] = {1, 2, 3, 5, 6};
    double height[5] = {0};
    int count[5] = {0};
    for (int k = 0; k < 60; k++) {
        double time = 0.1 * (k + 1) - 0.02;
        advance(world, time);
        double y = named(world, "ball").pose.position.y;
        assert_below(y, 0.56); // it never jumps
        for (int n = 0; n < 5; n++)
            if (time > from[n] && time < to[n]) {
                height[n] += y;
                count[n]++;
            }
    }
    for (int n = 0; n < 5; n++)
        height[n] /= count[n];
    assert_true(height[0] > height[1] && height[1] > height[2] && height[2] > height[3]);
    mn_Stats stats = mn_world_stats(world);
    double level = ((double)stats.fluid_particles * 0.03 * 0.03 * 0.03 + 2.0 / 3 * M_PI * 0.15 * 0.15 * 0.15) / (0.75 * 0.75);
    assert_near(height[3], level, 0.03 * 0.3); // 500 kg/m3: half of it
    assert_near(height[4], 0.15, 0.005);       // 50000 kg/m3: on the floor
    finish(world);
}

static void test_cube_drop(void** state)
{
    mn_World* world = load_coarse("rigid/cube_drop", "0.02");
    double spin = 0;
    for (int k = 1; k <= 12; k++) {
        advance(world, 0.25 * k);
        spin = fmax(spin, length(named(world, "cube").angular_velocity));
    }
    assert_below(spin, 4);
    assert_below(length(named(world, "cube").angular_velocity), 0.5);
    assert_below(length(named(world, "cube").velocity), 0.1);
    finish(world);
}

static void test_shells_and_rods(void** state)
{
    mn_World* world = load_coarse("rigid/shells_and_rods", "0.012");
    advance(world, 1.5);
    assert_true(named(world, "raft").pose.position.y > 0.25);
    assert_true(named(world, "rod").pose.position.y > 0.24);
    assert_below(named(world, "sheet").pose.position.y, 0.1);
    assert_below(named(world, "iron_rod").pose.position.y, 0.03);
    finish(world);
}

static double mean_speed(const mn_World* world, int fluid)
{
    mn_ParticleView p = mn_world_particles(world);
    double sum = 0, count = 0;
    for (size_t i = 0; i < p.count; i++)
        if (p.fluid[i] == fluid) {
            sum += (double)p.velocity[4 * i];
            count++;
        }
    return sum / count;
}

static void test_slip(void** state)
{
    mn_World* world = load_coarse("rigid/slip", "0.01");
    advance(world, 0.3);
    double smooth = mean_speed(world, 0), rough = mean_speed(world, 1);
    // along x a slope of 25 degrees without friction gives g sin cos, once the water has fallen onto it
    assert_below(smooth, 9.81 * 0.4226 * 0.9063 * 0.3);
    assert_true(smooth > 0.75 * 9.81 * 0.4226 * 0.9063 * 0.3);
    assert_below(rough, 0.5 * smooth);
    finish(world);
}

static void test_two_fluids(void** state)
{
    mn_World* world = load_coarse("rigid/two_fluids_balls", "0.012");
    advance(world, 2);
    const int density[6] = {300, 700, 1500, 2000, 2600, 4500};
    double before = 1;
    for (int k = 0; k < 6; k++) {
        char name[32];
        snprintf(name, sizeof name, "ball%d", density[k]);
        double y = named(world, name).pose.position.y;
        print_message("%s at %.3f m\n", name, y);
        assert_true(y < before);
        before = y;
    }
    assert_true(named(world, "ball700").pose.position.y > 0.28);         // on the light fluid
    assert_near(named(world, "ball2000").pose.position.y, 0.168, 0.03);  // between the two
    assert_near(named(world, "ball4500").pose.position.y, 0.055, 0.006); // on the ground
    finish(world);
}

static void check_joints(const mn_World* world)
{
    for (size_t k = 1; k <= mn_world_joint_count(world); k++) {
        mn_JointView joint = mn_world_joint(world, (mn_JointId)k);
        assert_true(joint.holds);
        if (!(joint.gap < 1e-4))
            fail_msg("%s is open by %g m", joint.name, joint.gap);
    }
}

static void test_chain(void** state)
{
    mn_World* world = load_coarse("rigid/chain", "0.0125");
    for (int k = 1; k <= 20; k++) {
        advance(world, 0.1 * k);
        check_joints(world);
    }
    assert_near(named(world, "float").pose.position.y, 0.28, 0.03);
    finish(world);
}

static void test_ragdolls(void** state)
{
    mn_World* world = load_coarse("rigid/ragdolls", "0.02");
    for (int k = 1; k <= 15; k++) {
        advance(world, 0.1 * k);
        check_joints(world);
    }
    assert_below(length(named(world, "anna.chest").velocity), 1);
    assert_true(named(world, "anna.chest").pose.position.y > 0.1); // they swim
    finish(world);
}

static void test_tower(void** state)
{
    mn_World* world = load_coarse("rigid/tower", "0.015");
    advance(world, 0.1);
    assert_near(named(world, "block3_0").pose.position.y, 0.0405 + 3 * 0.081, 0.005); // it stands before the wave comes
    double farthest = 0;
    for (int k = 3; k <= 12; k++) {
        advance(world, 0.1 * k);
        farthest = fmax(farthest, named(world, "block3_0").pose.position.x);
        assert_int_equal(mn_world_stats(world).leaked_particles, 0);
    }
    assert_below(named(world, "block3_0").pose.position.y, 0.25);
    assert_true(farthest > 1.0); // and is carried away
    finish(world);
}

static void test_propeller(void** state)
{
    mn_World* world = load_coarse("rigid/propeller", "0.0125");
    advance(world, 0.5);
    check_joints(world);
    assert_near(named(world, "shaft").angular_velocity.y, 2 * M_PI, 0.05);
    // the water turns with it
    mn_ParticleView p = mn_world_particles(world);
    double turning = 0;
    for (size_t i = 0; i < p.count; i++)
        turning +=
            (double)((p.position[4 * i + 2] - 0.3f) * p.velocity[4 * i] - (p.position[4 * i] - 0.3f) * p.velocity[4 * i + 2]);
    assert_true(turning / (double)p.count > 0.005);
    finish(world);
}

// [1/s] mean of both balls over the last part of the scene's beginning, with this friction. Particles push the balls about, a
// smooth one too: alike runs are compared, and only their means.
static double turning_of_balls(const char* friction)
{
    char first[40], second[40];
    snprintf(first, sizeof first, "solids.2.friction=%s", friction);
    snprintf(second, sizeof second, "solids.3.friction=%s", friction);
    const char* const sets[] = {"particle_radius=0.016", first, second};
    mn_World* world = load_set("rigid/whirlpool", sets, 3);
    double sum = 0;
    enum { FIRST = 25, LAST = 40 };
    for (int k = 1; k <= LAST; k++) {
        advance(world, 0.04 * k);
        for (int n = 0; n < 2 && k >= FIRST; n++)
            sum += named(world, n ? "rough" : "smooth").angular_velocity.y / (2 * (LAST - FIRST + 1));
    }
    for (int n = 0; n < 2; n++) { // both are drawn to the centre
        mn_Vec3 p = named(world, n ? "rough" : "smooth").pose.position;
        assert_below(hypot(p.x, p.z), 0.2);
    }
    finish(world);
    return sum;
}

// Rough balls are turned by the water around them, more than smooth ones (Akinci 2014, fig. 3.8).
static void test_whirlpool(void** state)
{
    double rough = turning_of_balls("1"), smooth = turning_of_balls("0");
    print_message("rough balls turn with %.2f rad/s, smooth ones with %.2f\n", rough, smooth);
    assert_true(rough > 0.5);
    assert_true(rough > 1.15 * smooth);
}

static size_t broken(const mn_World* world, const char* prefix)
{
    size_t count = 0;
    for (size_t k = 1; k <= mn_world_joint_count(world); k++) {
        mn_JointView joint = mn_world_joint(world, (mn_JointId)k);
        count += !strncmp(joint.name, prefix, strlen(prefix)) && !joint.holds;
    }
    return count;
}

// The first boat passes below the bridge, the mast of the second takes it down; nobody loses a limb.
static void test_boats(void** state)
{
    mn_World* world = load_coarse("rigid/boats", "0.025");
    double passed = 0;
    for (int k = 1; k <= 25; k++) {
        advance(world, 0.1 * k);
        if (passed == 0 && named(world, "first").pose.position.x > 1.75) {
            passed = 0.1 * k;
            assert_int_equal(broken(world, "bridge."), 0);
        }
    }
    assert_true(passed > 0);
    assert_true(broken(world, "bridge.") > 0);
    assert_int_equal(broken(world, "anna.") + broken(world, "clara.") + broken(world, "bert.") + broken(world, "step"), 0);
    print_message("the first boat's middle is at %.3f m, the second's at %.3f m\n", named(world, "first").pose.position.y,
                  named(world, "second").pose.position.y);
    // both swim: one on the floor would be at 0.11 m
    assert_true(named(world, "first").pose.position.y > 0.2 && named(world, "second").pose.position.y > 0.2);
    finish(world);
}

// The wave carries stones of the dam and both ships away; they stay on top and do not capsize.
static void test_frigates(void** state)
{
    mn_World* world = load_coarse("rigid/frigates", "0.03");
    advance(world, 0.3);
    assert_near(named(world, "dam2_1").pose.position.y, 0.539, 1e-6); // it stands
    assert_near(named(world, "frigate").pose.position.x, 1.7, 0.05);
    advance(world, 2);
    const char* ships[] = {"frigate", "sloop"};
    for (int k = 0; k < 2; k++) {
        mn_SolidView ship = named(world, ships[k]);
        mn_Quat q = ship.pose.rotation;
        double upright = 1 - 2 * (q.x * q.x + q.z * q.z);
        print_message("%s at x = %.2f m, y = %.2f m, mast at %.0f degrees\n", ships[k], ship.pose.position.x, ship.pose.position.y,
                      acos(upright) * 180 / M_PI);
        assert_true(upright > 0); // not capsized
        assert_true(ship.pose.position.y > 0.25);
    }
    assert_true(named(world, "frigate").pose.position.x > 1.9);
    assert_true(named(world, "dam2_1").pose.position.x > 1);
    finish(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floating_balls), cmocka_unit_test(test_sinking),         cmocka_unit_test(test_density_sweep),
        cmocka_unit_test(test_cube_drop),      cmocka_unit_test(test_shells_and_rods), cmocka_unit_test(test_slip),
        cmocka_unit_test(test_two_fluids),     cmocka_unit_test(test_chain),           cmocka_unit_test(test_ragdolls),
        cmocka_unit_test(test_tower),          cmocka_unit_test(test_propeller),       cmocka_unit_test(test_whirlpool),
        cmocka_unit_test(test_boats),          cmocka_unit_test(test_frigates),        cmocka_unit_test(test_floating_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
