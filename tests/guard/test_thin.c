// SPDX-License-Identifier: MIT
// Closed plates thinner than a particle: nobody creeps through them in short steps, and along them and around them all are free.
#include "hail.h"

#include "saved_state.h"
#include "world/state.h"

// A pool over a plate as thick as a quarter of a particle's radius.
#define POOL(plate)                                                                                                                \
    "{\"particle_radius\": 0.02, \"gravity\": [0, 0, 0], \"fluids\": [{\"density\": 1000, \"blocks\": [{\"min\": [-0.2, 0.04, "    \
    "-0.2], \"max\": [0.2, 0.2, 0.2]}]}], \"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [1, 1, 1]}, \"inside\": true}, "  \
    "{\"name\": \"plate\", \"shape\": {\"box\": [0.6, 0.005, 0.6]}, " plate "}]}"
#define FIXED "\"type\": \"static\""
#define LIGHT "\"type\": \"rigid\", \"density\": 500"

static size_t find_low(const mn_World* world)
{
    const Fluid* fluid = &world_sph(world)->fluid;
    for (size_t i = 0; i < fluid->set.count; i++)
        if (fluid->position[i].y < 0.07f && fabsf(fluid->position[i].x - 0.06f) < 0.03f && fabsf(fluid->position[i].z) < 0.03f)
            return i;
    fail_msg("no particle there");
    return 0;
}

// Particle `i` goes along `path` in one step, all others and the plate stay. Returns how many were put back.
static size_t creep(mn_World* world, size_t i, Vec3d path)
{
    Fluid* fluid = &world_sph(world)->fluid;
    size_t put_back = 0;
    assert_true(guard_begin_step(&world->guard));
    memcpy(fluid->set.scratch, fluid->position, fluid->set.count * sizeof *fluid->set.scratch);
    Vec4* x = &fluid->position[i];
    *x = (Vec4){x->x + (float)path.x, x->y + (float)path.y, x->z + (float)path.z, x->w};
    fluid->velocity[i] = (Vec4){(float)path.x / 1e-3f, (float)path.y / 1e-3f, (float)path.z / 1e-3f, fluid->velocity[i].w};
    assert_true(guard_end_step(&world->guard, world->state.time, world->state.steps++, &put_back));
    return put_back;
}

static void expect_held(const char* scene, double step)
{
    mn_World* world = build(scene);
    assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
    Fluid* fluid = &world_sph(world)->fluid;
    size_t i = find_low(world), put_back = 0;
    fluid->position[i].y = 0.01f;
    assert_true(world->fluid->search(world));
    i = find_low(world);
    for (int k = 0; k < 200; k++) {
        put_back += creep(world, i, vec3d(0, -step, 0));
        if (!(fluid->position[i].y > -0.00251f)) // it may be in the plate, but not below
            fail_msg("after %d steps of %g m it is at y = %g m", k + 1, step, (double)fluid->position[i].y);
    }
    assert_true(put_back > 0);
    mn_world_destroy(world);
}

static void test_nobody_creeps_through(void** state)
{
    const double step[] = {0.0001, 0.0007, 0.002, 0.004, 0.012, 0.019, 0.03};
    for (size_t k = 0; k < sizeof step / sizeof *step; k++) {
        expect_held(POOL(FIXED), step[k]);
        expect_held(POOL(LIGHT), step[k]);
    }
}

// Where a particle came in is part of the state.
static void test_a_restart_in_between(void** state)
{
    mn_World *world = build(POOL(FIXED)), *again = build(POOL(FIXED));
    assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
    Fluid* fluid = &world_sph(world)->fluid;
    fluid->position[find_low(world)].y = 0.01f;
    assert_true(world->fluid->search(world));
    size_t i = find_low(world), put_back = 0;
    for (int k = 0; k < 17; k++)
        put_back += creep(world, i, vec3d(0, -0.0007, 0));
    assert_true(fluid->position[i].y < 0 && put_back == 0); // nearer to the other side
    Saved saved = {0};
    assert_true(world_save_state(world, keep, &saved));
    assert_int_equal(world_load_state(again, give, &saved, NULL), MN_OK);
    forget(&saved);
    fluid = &world_sph(again)->fluid;
    again->fluid->hide(again);
    for (i = 0; i < fluid->set.count && fluid->position[i].y > 0.005f;)
        i++;
    for (int k = 0; k < 20; k++)
        put_back += creep(again, i, vec3d(0, -0.0007, 0));
    assert_true(put_back > 0 && fluid->position[i].y > -0.00251f);
    mn_world_destroy(world);
    mn_world_destroy(again);
}

static void test_along_and_around_it_is_free(void** state)
{
    mn_World* world = build(POOL(FIXED));
    assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
    Fluid* fluid = &world_sph(world)->fluid;
    size_t i = find_low(world), put_back = 0;
    fluid->position[i].y = 0.003f;
    for (int k = 0; k < 40; k++)
        put_back += creep(world, i, vec3d(0.01, 0, 0)); // to the border and beyond
    assert_true(fluid->position[i].x > 0.4f);
    for (int k = 0; k < 3; k++)
        put_back += creep(world, i, vec3d(0, -0.01, 0));
    for (int k = 0; k < 40; k++)
        put_back += creep(world, i, vec3d(-0.01, 0, 0));
    assert_true(fluid->position[i].y < 0);
    assert_int_equal(put_back, 0);
    mn_world_destroy(world);
}

// Bodies with room for particles let them creep in and out as before.
static void test_thick_bodies_are_not_thin(void** state)
{
    mn_World *thick = build(HAIL("{\"name\": \"cube\", \"shape\": {\"box\": [0.2, 0.2, 0.2]}}")),
             *thin = build(HAIL("{\"name\": \"plate\", \"shape\": {\"box\": [0.2, 0.03, 0.2]}}"));
    assert_int_equal(mn_world_prepare(thick, NULL), MN_OK);
    assert_int_equal(mn_world_prepare(thin, NULL), MN_OK);
    assert_false(thick->guard.solid[0].is_thin);
    assert_true(thin->guard.solid[0].is_thin);
    mn_world_destroy(thick);
    mn_world_destroy(thin);
}

// A hull as thick as 0.9 particle radii displaces less than a layer of particles, but it is a wall: water does not creep through
// it, and the guard has nothing to do.
static void test_a_hull_holds_water_off(void** state)
{
    mn_World* world =
        build("{\"particle_radius\": 0.02, \"fluids\": [{\"viscosity\": 0.02, \"blocks\": [{\"min\": [0, 0, 0], \"max\": [0.96, "
              "0.24, 0.64]}]}], "
              "\"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [0.96, 1, 0.64]}, \"position\": [0.48, 0.5, 0.32], "
              "\"inside\": true}, {\"name\": \"boat\", \"type\": \"rigid\", \"shape\": {\"boat\": [0.62, 0.22, 0.34]}, "
              "\"density\": 500, \"position\": [0.48, 0.3, 0.32]}]}");
    assert_int_equal(mn_world_advance(world, 0.3, NULL, NULL, NULL), MN_OK);
    mn_Stats stats = mn_world_stats(world);
    print_message("put back %llu, largest density error %g\n", (unsigned long long)stats.expelled_particles,
                  stats.density_error_max);
    assert_int_equal(stats.expelled_particles, 0);
    assert_true(stats.density_error_max < 0.02);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_creeps_through),       cmocka_unit_test(test_a_restart_in_between),
        cmocka_unit_test(test_along_and_around_it_is_free), cmocka_unit_test(test_thick_bodies_are_not_thin),
        cmocka_unit_test(test_a_hull_holds_water_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
