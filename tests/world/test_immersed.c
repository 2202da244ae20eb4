// SPDX-License-Identifier: MIT
// Reduced bodies that the grid carries together with the fluid: free fall, Archimedes, contact, bits, what it does not take.
#include "soft_boxes.h"

#include "saved_state.h"
#include "world/world_parts.h"
#include <meniscus/live.h>
#include <string.h>

// Far from the water a body falls as if there were no grid.
static void bodies_fall(void** state)
{
    mn_WorldDef def = water_def(3, 0.02, MN_PRESSURE_FLIP);
    def.solver.time_step = 1.0 / 60;
    mn_World* world = world_new(&def);
    add_block(world, 1000, v3(2, 0, 0), v3(2.2, 0.2, 0.2), v3(0, 0, 0));
    mn_SolidDef box = soft_box(v3(0, 0, 0), v3(0.2, 0.3, 0.2), 600);
    box.velocity = v3(1, 2, 0);
    box.angular_velocity = v3(0, 0, 2);
    mn_SolidId id = add_solid(world, &box);
    world_prepare(world);
    mn_Stats before = mn_world_stats(world);
    double start = height_of(world, id);
    world_until(world, 0.5);
    // steps take velocities of their end
    assert_near(height_of(world, id) - start, 2 * 0.5 - 9.81 / 2 * 0.5 * (0.5 + 1.0 / 60), 1e-3);
    mn_Stats after = mn_world_stats(world);
    double mass = 600 * 0.012 + 1000 * 0.008;
    assert_near(after.momentum.y - before.momentum.y, -9.81 * 0.5 * mass, 0.002 * 9.81 * 0.5 * mass);
    assert_near(after.momentum.x, before.momentum.x, 0.002 * mass);
    mn_world_destroy(world);
}

static void bodies_float(void** state)
{
    static const double densities[] = {300, 540, 800};
    for (size_t k = 0; k < COUNT_OF(densities); k++) {
        double found = draught(densities[k], 0.02);
        printf("%g kg/m3: %.3f of its height below the water\n", densities[k], found);
        assert_near(found, densities[k] / 1000, 0.04);
    }
}

// A box falls on another one that lies in water.
static mn_World* pile_world(int threads)
{
    mn_WorldDef def = water_def(3, 0.025, MN_PRESSURE_FLIP);
    def.solver.time_step = 1.0 / 60;
    def.threads = threads;
    mn_World* world = world_new(&def);
    add_tank(world, v3(0.8, 1.2, 0.8));
    add_block(world, 1000, v3(0, 0, 0), v3(0.8, 0.3, 0.8), v3(0, 0, 0));
    mn_SolidDef low = soft_box(v3(0.2, 0.02, 0.2), v3(0.6, 0.27, 0.6), 1850);
    mn_SolidDef high = soft_box(v3(0.3, 0.5, 0.25), v3(0.55, 0.75, 0.5), 540);
    high.name = (char*)"upper";
    add_solid(world, &low);
    add_solid(world, &high);
    world_prepare(world);
    return world;
}

static void bits_are_the_same(void** state)
{
    mn_World *one = pile_world(1), *two = pile_world(3), *later = pile_world(1);
    Saved saved = {0};
    mn_Error error = {0};
    world_steps(one, 25);
    world_steps(two, 25);
    assert_true(world_save_state(one, keep, &saved));
    assert_int_equal(mn_world_hash(one), mn_world_hash(two));
    expect_ok(world_load_state(later, give, &saved, &error) == MN_OK, &error);
    forget(&saved);
    world_steps(one, 25);
    world_steps(later, 25);
    assert_int_equal(mn_world_hash(one), mn_world_hash(later));
    mn_Stats stats = mn_world_stats(one);
    assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
    // the upper box lies on the lower one, or floats beside it
    assert_true(height_of(one, 3) > height_of(one, 2) + 0.1);
    mn_world_destroy(one);
    mn_world_destroy(two);
    mn_world_destroy(later);
}

// A hand that pulls a box out of the water.
static void bodies_follow_a_hand(void** state)
{
    mn_World* world = pile_world(1);
    mn_Error error = {0};
    double start = height_of(world, 3);
    mn_PullDef pull = mn_default_pull_def();
    pull.name = "hand";
    pull.solid = "upper";
    pull.point = v3(0.425, 0.75, 0.375);
    pull.target = v3(0.425, 1.0, 0.375);
    expect_ok(mn_world_pull(world, &pull, &error) == MN_OK, &error);
    world_steps(world, 90);
    assert_true(height_of(world, 3) > start);
    assert_true(height_of(world, 3) < start + 0.4);
    mn_world_destroy(world);
}

// A hand that draws circles at 10 m/s, through the water and out of it, and lets go.
static void bodies_survive_a_wild_hand(void** state)
{
    mn_World* world = pile_world(1);
    mn_Error error = {0};
    mn_PullDef pull = mn_default_pull_def();
    pull.name = "hand";
    pull.solid = "upper";
    pull.point = v3(0.425, 0.75, 0.375);
    pull.target = pull.point;
    expect_ok(mn_world_pull(world, &pull, &error) == MN_OK, &error);
    double fastest = 0;
    for (int frame = 1; frame <= 60; frame++) {
        double angle = 10 * frame / 60.0 / 0.25;
        mn_Vec3 to = v3(0.4 + 0.25 * sin(angle), 0.5 + 0.25 * cos(angle), 0.4);
        expect_ok(mn_world_pull_to(world, "hand", to, &error) == MN_OK, &error);
        world_steps(world, 1);
        fastest = fmax(fastest, vec3d_length(mn_world_solid(world, 3).velocity));
        assert_true(fastest < 20);
    }
    expect_ok(mn_world_pull_end(world, "hand", &error) == MN_OK, &error);
    world_steps(world, 60);
    mn_Stats stats = mn_world_stats(world);
    printf("at most %.3g m/s, then %.3g m/s\n", fastest, vec3d_length(mn_world_solid(world, 3).velocity));
    assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
    assert_true(vec3d_length(mn_world_solid(world, 3).velocity) < 0.5);
    mn_world_destroy(world);
}

static void only_reduced_bodies(void** state)
{
    mn_World* world = column_world(3, 0.02, MN_PRESSURE_FLIP, 8, 8);
    mn_SolidDef def = soft_box(v3(0.1, 0.4, 0.1), v3(0.2, 0.5, 0.2), 500);
    def.model = MN_ELASTIC_FEM;
    add_solid(world, &def);
    mn_Error error = {0};
    assert_int_equal(mn_world_prepare(world, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "jelly"));
    assert_string_equal(error.key, "solids.1.model");
    mn_world_destroy(world);

    mn_WorldDef sph = water_def(3, 0.02, MN_PRESSURE_DFSPH);
    sph.coupling.method = MN_COUPLING_IMMERSED;
    world = world_new(&sph);
    assert_int_equal(mn_world_prepare(world, &error), MN_BAD_INPUT);
    assert_string_equal(error.key, "coupling.method");
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_fall),
        cmocka_unit_test(bodies_float),
        cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(bodies_follow_a_hand),
        cmocka_unit_test(bodies_survive_a_wild_hand),
        cmocka_unit_test(only_reduced_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
