// SPDX-License-Identifier: MIT
// Direct forcing in longer scenes: Couette's flow, bodies that float, and what the scenes of scenes/direct/ are there for.
#include "coupling_support.h"

#include "world/sph_parts.h"

static void test_ramps(void** state)
{
    mn_World* world = load_world("direct/slip_ramp", NULL, NULL);
    advance(world, 0.4);
    const Fluid* fluid = &world_sph(world)->fluid;
    double sum[5] = {0}, count[5] = {0};
    for (size_t i = 0; i < fluid->set.count; i++) {
        sum[(int)fluid->velocity[i].w] += (double)fluid->velocity[i].x;
        count[(int)fluid->velocity[i].w]++;
    }
    for (int k = 0; k < 5; k++) {
        sum[k] /= count[k];
        print_message("slip %.2f: %.4f m/s\n", 0.25 * k, sum[k]);
    }
    for (int k = 0; k < 4; k++)
        assert_true(sum[k] < 0.95 * sum[k + 1]);
    mn_world_destroy(world);
}

// Between two belts that run against each other no fluid is driven through the channel, so that its flow is Couette's. A layer next
// to a wall that does not let it slip has the wall's velocity as a whole: the flow is that between two planes a radius or so from
// the walls.
static void test_couette(void** state)
{
    enum { BINS = 10 };
    mn_World* world = load_world("direct/couette", NULL, NULL);
    double sum[BINS] = {0}, count[BINS] = {0}, xy = 0, xx = 0, worst = 0;
    for (int k = 0; k < 10; k++) {
        advance(world, 1 + 0.1 * k);
        const Fluid* fluid = &world_sph(world)->fluid;
        for (size_t i = 0; i < fluid->set.count; i++)
            if (fluid->position[i].x > 0.5f && fluid->position[i].x < 1.1f) {
                int bin = (int)fmin(fmax((double)fluid->position[i].y / 0.4 * BINS, 0), BINS - 1);
                sum[bin] += (double)fluid->velocity[i].x;
                count[bin]++;
            }
    }
    for (int k = 1; k < BINS - 1; k++) {
        double y = (k + 0.5) / BINS - 0.5;
        xy += y * sum[k] / count[k];
        xx += y * y;
    }
    double plane = 0.5 * 40 * (1 - 2 / (xy / xx)); // [r] from the walls, 40 r from each other, where the line has their velocity
    for (int k = 0; k < BINS; k++) {
        double y = (k + 0.5) / BINS - 0.5, off = sum[k] / count[k] - xy / xx * y;
        worst = k > 0 && k < BINS - 1 ? fmax(worst, fabs(off)) : worst;
        print_message("y %.2f: %.4f m/s, off the line by %.4f\n", y, sum[k] / count[k], off);
    }
    print_message("linear within %.4f of the walls' speed, which it has %.2f r from them\n", worst, plane);
    assert_below(worst, 0.03);
    assert_true(plane > 0.5 && plane < 2);
    finish(world);
}

// --- floating bodies, as tests/coupling/slow_scenes.c judges akinci

static const int floating[] = {100, 250, 500, 750, 900}; // [kg/m3]
enum { BODIES = 5, DRAWS = 3 };

// Adds the mean heights from 1.5 to 2.5 s; `cut` is where steps are cut before, which changes nothing but the draw.
static double add_heights(const char* radius, double cut, double mean[BODIES])
{
    enum { SAMPLES = 40 };
    mn_World* world = load_world("rigid/buoyancy", radius, "coupling.method=direct_forcing");
    for (double t = cut; t < 1.5; t += cut)
        advance(world, t);
    for (int n = 0; n < SAMPLES; n++) {
        advance(world, 1.5 + 0.025 * (n + 1));
        for (int k = 0; k < BODIES; k++) {
            char name[32];
            snprintf(name, sizeof name, "ball%d", floating[k]);
            mean[k] += named(world, name).pose.position.y / (SAMPLES * DRAWS);
        }
    }
    double particles = (double)mn_world_stats(world).fluid_particles;
    finish(world);
    return particles;
}

static void test_floating(void** state)
{
    double mean[BODIES] = {0}, particles = 0, d = 2 / 60.0, whole = ball_below(0.16, 0.08);
    for (int n = 0; n < DRAWS; n++)
        particles = add_heights("particle_radius=0.0166666667", n == 0 ? 1.5 : 0.1 / n, mean);
    double filled = particles * d * d * d;
    for (int k = 0; k < BODIES; k++)
        filled += whole * floating[k] / 1000;
    for (int k = 0; k < BODIES; k++) {
        double depth = filled / (2 * 0.4) - (mean[k] - 0.08), wanted = depth_of_ball(floating[k] / 1000.0, 0.08);
        print_message("ball%d: depth %.4f m, Archimedes %.4f m, off by %.2f %% of its height\n", floating[k], depth, wanted,
                      100 * (depth - wanted) / 0.16);
        assert_near(depth, wanted, 0.03 * 0.16);
    }
}

// The ship fills through the hole in its bottom, and sinks; none of its planks lets water through.
static void test_ship(void** state)
{
    mn_World* world = load_world("direct/ship", NULL, NULL);
    advance(world, 0.8);
    assert_true(named(world, "ship").pose.position.y > 0.25); // afloat
    advance(world, 2.4);
    assert_below(named(world, "ship").pose.position.y, 0.12); // on the ground
    assert_int_equal(mn_world_stats(world).expelled_particles, 0);
    finish(world);
}

// How often the stone goes up by more than half a radius after it came down as much.
static int bounces_of(const char* response, double* height)
{
    mn_World* world = load_world("direct/skipping", response, NULL);
    double low = INFINITY, high = -INFINITY;
    int bounces = 0;
    bool is_up = false;
    for (int k = 1; k <= 200; k++) {
        advance(world, 0.005 * k);
        double y = named(world, "stone").pose.position.y;
        low = fmin(low, y);
        high = fmax(high, y);
        if (is_up ? y < high - 0.006 : y > low + 0.006) {
            bounces += !is_up;
            is_up = !is_up;
            low = high = y;
        }
    }
    *height = named(world, "stone").pose.position.y;
    finish(world);
    return bounces;
}

static void test_skipping(void** state)
{
    double height[2];
    int global = bounces_of("coupling.response=global", &height[0]), local = bounces_of("coupling.response=local", &height[1]);
    print_message("%d bounces with global and %d with local response, then at %.3f and %.3f m\n", global, local, height[0],
                  height[1]);
    assert_int_equal(global, local);
    assert_true(global >= 2);
    assert_true(height[0] < 0.125 && height[1] < 0.125); // below the surface
}

static void test_cuboids(void** state)
{
    mn_World* world = load_world("direct/cuboids", "particle_radius=0.02", NULL);
    advance(world, 0.5);
    double light = named(world, "light").pose.position.y, medium = named(world, "medium").pose.position.y;
    double heavy = named(world, "heavy").pose.position.y;
    print_message("after 0.5 s at %.3f, %.3f and %.3f m\n", light, medium, heavy);
    assert_true(light > 0.48 && light > medium + 0.1 && medium > heavy + 0.1);
    assert_int_equal(mn_world_stats(world).expelled_particles, 0);
    finish(world);
}

static void test_vessel(void** state)
{
    mn_World* world = load_world("direct/vessel", NULL, NULL);
    advance(world, 1.2);
    mn_Vec3 at = named(world, "vessel").pose.position;
    const Fluid* fluid = &world_sph(world)->fluid;
    for (size_t i = 0; i < fluid->set.count; i++) { // dry inside
        double x = (double)fluid->position[i].x - at.x, z = (double)fluid->position[i].z - at.z;
        assert_false((double)fluid->position[i].y > at.y - 0.06 && hypot(x, z) < 0.1);
    }
    assert_int_equal(mn_world_stats(world).expelled_particles, 0);
    finish(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ramps),    cmocka_unit_test(test_couette),
                                       cmocka_unit_test(test_floating), cmocka_unit_test(test_ship),
                                       cmocka_unit_test(test_cuboids),  cmocka_unit_test(test_vessel),
                                       cmocka_unit_test(test_skipping)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
