// SPDX-License-Identifier: MIT
// Stiff sheets and walls let nothing through, however hard they are used.
#include "coupling/coupling_support.h"

#include "world/sph_parts.h"
#include "world/state.h"

static Rigid* rigid_of(const mn_World* world)
{
    return ((RigidSystem*)world_system(world, &rigid_system))->rigid;
}

// A pool with a sheet in it.
#define SHEET(sheet)                                                                                                               \
    "{\"particle_radius\": 0.02, \"gravity\": [0, 0, 0],"                                                                          \
    "\"fluids\": [{\"density\": 1000, \"blocks\": [{\"min\": [-0.2, 0.04, -0.2], \"max\": [0.2, 0.2, 0.2]}]}],"                    \
    "\"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [1, 1, 1]}, \"inside\": true}, " sheet "]}"

#define LIGHT                                                                                                                      \
    "{\"name\": \"sheet\", \"type\": \"rigid\", \"density\": 200, \"thickness\": 0.01, \"shape\": {\"plane\": [0.6, 0.6]}}"
#define FIXED "{\"name\": \"sheet\", \"type\": \"static\", \"shape\": {\"plane\": [0.6, 0.6]}}"

// The step is about to take particle `i`, and it alone, along `path`; the sheet stays.
static void begin_path(mn_World* world, size_t i, Vec3d path)
{
    Fluid* fluid = &world_sph(world)->fluid;
    assert_true(guard_begin_step(&world->guard));
    memcpy(fluid->set.scratch, fluid->position, fluid->set.count * sizeof *fluid->set.scratch);
    fluid->position[i].x += (float)path.x;
    fluid->position[i].y += (float)path.y;
    fluid->position[i].z += (float)path.z;
    fluid->velocity[i] = (Vec4){(float)path.x / 1e-3f, (float)path.y / 1e-3f, (float)path.z / 1e-3f, fluid->velocity[i].w};
}

// One of the lowest layer, not far from the middle.
static size_t find_low(const mn_World* world)
{
    const Fluid* fluid = &world_sph(world)->fluid;
    for (size_t i = 0; i < fluid->set.count; i++)
        if (fluid->position[i].y < 0.07f && fabsf(fluid->position[i].x - 0.06f) < 0.03f && fabsf(fluid->position[i].z) < 0.03f)
            return i;
    fail_msg("no particle there");
    return 0;
}

static Vec3d velocity_of(const mn_World* world, size_t i)
{
    Vec4 v = world_sph(world)->fluid.velocity[i];
    return vec3d((double)v.x, (double)v.y, (double)v.z);
}

// Put back to its side, and as fast as the place it met: the sheet gets what the particle gives.
static void test_thrown_at_a_light_sheet(void** state)
{
    mn_World* world = build(SHEET(LIGHT));
    assert_int_equal(mn_world_step(world, 1e-5, NULL), MN_OK);
    size_t i = find_low(world), stopped = 0;
    begin_path(world, i, vec3d(0.01, -0.1, 0));
    double mass = 1000 * (double)world_sph(world)->mass_volume, sheet = rigid_mass(rigid_of(world), 1).mass;
    Vec3d before = vec3d_mad(vec3d_scale(velocity_of(world, i), mass), sheet, rigid_state(rigid_of(world), 1).velocity);
    assert_true(guard_end_step(&world->guard, world->state.time, world->state.steps, &stopped));
    assert_int_equal(stopped, 1);
    assert_int_equal(guard_count_leaks(&world->guard), 0);
    Vec4 x = world_sph(world)->fluid.position[i];
    assert_true(x.y > 0 && x.y <= 0.021f);
    BodyState body = rigid_state(rigid_of(world), 1);
    Vec3d after = vec3d_mad(vec3d_scale(velocity_of(world, i), mass), sheet, body.velocity);
    assert_below(vec3d_distance(after, before), 1e-5 * vec3d_length(before));
    Vec3d met =
        vec3d_add(body.velocity, vec3d_cross(body.angular_velocity, vec3d_sub(vec3d((double)x.x, 0, (double)x.z), body.position)));
    assert_true(met.y < -0.1);
    assert_true(fabs(body.angular_velocity.z) > 0.01); // it was met beside its middle
    assert_near(velocity_of(world, i).y, met.y, 1e-3 * fabs(met.y));
    mn_world_destroy(world);
}

static void test_thrown_at_a_fixed_sheet(void** state)
{
    mn_World* world = build(SHEET(FIXED));
    assert_int_equal(mn_world_step(world, 1e-5, NULL), MN_OK);
    size_t i = find_low(world), stopped = 0;
    begin_path(world, i, vec3d(0.01, -0.1, 0));
    assert_true(guard_end_step(&world->guard, world->state.time, world->state.steps, &stopped));
    assert_int_equal(stopped, 1);
    assert_near(velocity_of(world, i).y, 0, 1e-6);
    assert_near(velocity_of(world, i).x, 10, 1e-4); // along the sheet it is free
    // round the border it is free as well
    begin_path(world, i, vec3d(0.4, 0, 0));
    assert_true(guard_end_step(&world->guard, world->state.time, world->state.steps, &stopped));
    begin_path(world, i, vec3d(0, -0.1, 0));
    assert_true(guard_end_step(&world->guard, world->state.time, world->state.steps, &stopped));
    begin_path(world, i, vec3d(-0.4, 0, 0));
    assert_true(guard_end_step(&world->guard, world->state.time, world->state.steps, &stopped));
    assert_int_equal(stopped, 0);
    assert_true(world_sph(world)->fluid.position[i].y < 0);
    assert_int_equal(guard_count_leaks(&world->guard), 0);
    mn_world_destroy(world);
}

// Between two sheets that go through each other there is no place on the right side of both: that is a leak, it is said, and a
// run that goes on from here knows it.
static void test_leaks_are_counted(void** state)
{
    static const char TWO[] = SHEET(FIXED ", {\"name\": \"press\", \"type\": \"kinematic\", \"shape\": {\"plane\": [0.6, 0.6]}, "
                                          "\"position\": [0, 0.24, 0]}");
    mn_World* world = build(TWO);
    assert_int_equal(mn_world_step(world, 1e-5, NULL), MN_OK);
    begin_path(world, 0, vec3d(0, 0, 0));
    assert_int_equal(world->guard.solid[2].sort, GUARD_SHELL);
    world->solids.solid[2].start_position.y -= 0.3; // where a kinematic solid without key frames is
    size_t stopped = 0, count = world_sph(world)->fluid.set.count;
    assert_true(guard_end_step(&world->guard, world->state.time, world->state.steps, &stopped));
    assert_int_equal(stopped, count);
    assert_int_equal(guard_count_leaks(&world->guard), count);
    Saved saved = {0};
    assert_true(world_save_state(world, keep, &saved));
    mn_World* other = build(TWO);
    assert_int_equal(world_load_state(other, give, &saved, NULL), MN_OK);
    assert_int_equal(guard_count_leaks(&other->guard), count);
    forget(&saved);
    mn_world_destroy(other);
    mn_world_destroy(world);
}

// A blade whose edge goes 48 mm in each of the steps that the scene wants, past more than a particle.
#define BLADE                                                                                                                      \
    "{\"particle_radius\": 0.02, \"solver\": {\"time_step\": 0.008}, \"fluids\": [{\"density\": 1000, \"blocks\": [{\"min\": "     \
    "[-0.4, 0, -0.3], \"max\": [0.4, 0.3, "                                                                                        \
    "0.3]}]}], \"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [0.8, 1, 0.6]}, \"position\": [0, 0.5, 0], \"inside\": "     \
    "true}, {\"name\": \"blade\", \"type\": \"kinematic\", \"shape\": {\"plane\": [0.4, 0.3]}, \"position\": [0, 0.2, 0], "        \
    "\"rotation\": {\"axis\": [1, 0, 0], \"angle\": 90}, \"angular_velocity\": [0, 30, 0]}]}"

static void test_fast_blade(void** state)
{
    mn_World* world = build(BLADE);
    advance(world, 0.2);
    mn_Stats stats = mn_world_stats(world);
    print_message("blade: %llu steps, put back %llu\n", (unsigned long long)stats.steps,
                  (unsigned long long)stats.expelled_particles);
    assert_true(stats.expelled_particles > 0); // otherwise this shows nothing
    assert_int_equal(guard_count_leaks(&world->guard), 0);
    expect_with_threads(world, BLADE, 0.2, 3);
    mn_world_destroy(world);
}

// Who got behind a wall, as between a cloth and a container, comes back within a few steps.
static void test_back_from_behind_walls(void** state)
{
    mn_World* world = build(SHEET("{\"name\": \"rock\", \"shape\": {\"sphere\": 0.15}, \"position\": [0, -0.3, 0]}"));
    assert_int_equal(mn_world_step(world, 1e-3, NULL), MN_OK);
    Vec4* x = world_sph(world)->fluid.position;
    const Vec4 astray[] = {{0.53f, 0.1f, 0.1f, 0}, {0.1f, 0.6f, -0.1f, 0}, {0.02f, -0.35f, 0.03f, 0}};
    uint32_t id[3];
    for (size_t k = 0; k < 3; k++) {
        x[7 * k] = (Vec4){astray[k].x, astray[k].y, astray[k].z, x[7 * k].w};
        world_sph(world)->fluid.velocity[7 * k].x = 1; // away from the wall of the first
        id[k] = world_sph(world)->fluid.id[7 * k];
    }
    assert_int_equal(mn_world_stats(world).leaked_particles, 3);
    for (int k = 0; k < 16; k++)
        assert_int_equal(mn_world_step(world, 1e-4, NULL), MN_OK);
    mn_Stats stats = mn_world_stats(world);
    assert_int_equal(stats.expelled_particles, 3);
    assert_int_equal(stats.leaked_particles, 0);
    for (size_t i = 0; i < world_sph(world)->fluid.set.count; i++)
        if (world_sph(world)->fluid.id[i] == id[0]) {
            Vec4 at = world_sph(world)->fluid.position[i];
            assert_near((double)at.x, 0.5, 0.002); // straight back, and on along the wall
            assert_near((double)at.y, 0.1, 0.002);
            assert_true(world_sph(world)->fluid.velocity[i].x <= 0);
        }
    finish(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thrown_at_a_light_sheet), cmocka_unit_test(test_thrown_at_a_fixed_sheet),
        cmocka_unit_test(test_leaks_are_counted),       cmocka_unit_test(test_fast_blade),
        cmocka_unit_test(test_back_from_behind_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
