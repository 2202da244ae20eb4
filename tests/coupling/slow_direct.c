// SPDX-License-Identifier: MIT
// Direct forcing in longer scenes: Couette's flow between cylinders, and what the scenes of scenes/direct/ are there
// for.
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
    for (int k = 0; k < 4; k++) // whatever is below 1 stops the layer on the ramp within a few steps
        assert_true(sum[k] >= sum[0] && sum[k] < 0.5 * sum[4]);
    mn_world_destroy(world);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ramps), cmocka_unit_test(test_ship), cmocka_unit_test(test_cuboids),
                                       cmocka_unit_test(test_vessel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
