// SPDX-License-Identifier: MIT
// The guard at work in whole worlds: steps that are far too long, memory that runs out, any number of threads, a restart in the
// middle, leaked particles that are drained.
#include "coupling/coupling_support.h"

#include "guard/guard_parts.h"
#include "world/sph_parts.h"
#include "world/state.h"
#include <stdatomic.h>

// All memory of a world comes from here.
static atomic_bool is_memory_gone;

void* aligned_alloc(size_t alignment, size_t size)
{
    void* block = NULL;
    return is_memory_gone || posix_memalign(&block, alignment, size) ? NULL : block;
}

// A dam break whose steps take water several spacings far, with a rock, a plate and a cloth in its way.
#define TOO_LONG                                                                                                                   \
    "{\"particle_radius\": 0.02, \"solver\": {\"time_step\": 0.04}, \"fluids\": [{\"density\": 1000, \"blocks\": [{\"min\": "      \
    "[-0.4, 0, -0.2], \"max\": [0, 0.32, 0.2]}]}], \"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [0.8, 0.8, 0.4]}, "      \
    "\"position\": [0, 0.4, 0], \"inside\": true}, {\"name\": \"rock\", \"shape\": {\"sphere\": 0.1}, \"position\": [0.2, 0.05, "  \
    "0]}, {\"name\": \"plate\", \"shape\": {\"plane\": [0.2, 0.2]}, \"position\": [0.3, 0.3, 0], \"rotation\": {\"axis\": [0, 0, " \
    "1], \"angle\": 70}}, {\"name\": \"float\", \"type\": \"rigid\", \"density\": 300, \"shape\": {\"box\": [0.12, 0.12, 0.12]}, " \
    "\"position\": [0.1, 0.4, 0]}]}"

static void test_steps_too_long(void** state)
{
    mn_World* world = build(TOO_LONG);
    uint64_t carved = 0;
    for (int step = 0; step < 60; step++) {
        mn_Error error = {0};
        if (mn_world_step(world, INFINITY, &error) != MN_OK)
            fail_with(&error);
        mn_Stats s = mn_world_stats(world);
        carved = s.carved;
        assert_int_equal(s.leaked_particles, 0);
        assert_int_equal(s.lost_particles, 0);
    }
    mn_Stats stats = mn_world_stats(world);
    print_message("too long steps: %llu particles (%llu carved), put back %llu\n", (unsigned long long)stats.fluid_particles,
                  (unsigned long long)carved, (unsigned long long)stats.expelled_particles);
    assert_true(stats.expelled_particles > 20); // otherwise this shows nothing
    uint64_t sum = 0, by_carving = 0;
    for (size_t k = 0; k < world->solids.count; k++) {
        GuardCount n = world->guard.record[k].count;
        sum += n.crossed + n.caught + n.behind_wall;
        by_carving += n.carved;
    }
    assert_int_equal(sum, stats.expelled_particles);
    assert_int_equal(by_carving, carved);
    assert_true(world->guard.record[0].count.behind_wall > 0);
    assert_true(vec3d_length(world->guard.record[0].impulse) > 0);
    mn_world_destroy(world);
}

static void test_threads(void** state)
{
    mn_World* world = build(TOO_LONG);
    advance(world, 1);
    assert_true(mn_world_stats(world).expelled_particles > 0);
    expect_with_threads(world, TOO_LONG, 1, 1);
    expect_with_threads(world, TOO_LONG, 1, 3);
    expect_with_threads(world, TOO_LONG, 1, 8);
    mn_world_destroy(world);
}

static void test_restart_in_the_middle(void** state)
{
    mn_World *straight = build(TOO_LONG), *first = build(TOO_LONG), *second = build(TOO_LONG);
    Saved saved = {0};
    advance(straight, 0.8);
    advance(straight, 1.6);
    advance(first, 0.8);
    assert_true(mn_world_stats(first).expelled_particles > 0);
    assert_true(world_save_state(first, keep, &saved));
    assert_int_equal(world_load_state(second, give, &saved, NULL), MN_OK);
    assert_memory_equal(first->guard.record, second->guard.record, first->solids.count * sizeof *first->guard.record);
    advance(second, 1.6);
    assert_same_state(second, straight);
    forget(&saved);
    mn_world_destroy(straight);
    mn_world_destroy(first);
    mn_world_destroy(second);
}

// --- memory

static void test_memory_runs_out_at_the_start(void** state)
{
    mn_World* world = build(TOO_LONG);
    assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
    size_t removed;
    world->fluid->hide(world);
    is_memory_gone = true;
    bool carved = guard_carve(&world->guard, &removed), thinned = guard_thin_overlaps(&world->guard, 0, &removed);
    bool lightened = world->fluid->thin(world, &removed);
    uint64_t leaked = guard_count_leaks(&world->guard); // needs none
    is_memory_gone = false;
    assert_false(carved);
    assert_false(thinned);
    assert_false(lightened);
    assert_int_equal(leaked, 0);
    mn_world_destroy(world);
}

static void test_memory_runs_out_in_a_step(void** state)
{
    mn_World* world = build(TOO_LONG);
    assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
    Fluid* fluid = &world_sph(world)->fluid;
    world->fluid->hide(world);
    assert_true(guard_begin_step(&world->guard));
    for (size_t i = 0; i < fluid->set.count; i++) { // all go through the wall
        fluid->set.scratch[i] = fluid->position[i];
        fluid->position[i].x -= 1;
    }
    size_t put_back;
    is_memory_gone = true;
    bool ok = guard_end_step(&world->guard, 0, 0, &put_back);
    is_memory_gone = false;
    assert_false(ok);
    // with memory it goes on
    assert_true(guard_end_step(&world->guard, 0, 0, &put_back));
    assert_int_equal(put_back, fluid->set.count);
    assert_int_equal(guard_count_leaks(&world->guard), 0);
    mn_world_destroy(world);
}

// --- who leaked and is gone

static void test_leaked_and_drained(void** state)
{
    mn_World* world = build(TOO_LONG);
    assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
    Guard* g = &world->guard;
    uint8_t* removed = calloc(world_sph(world)->fluid.set.count, 1);
    g->crossings[3] = 1;
    g->crossings[5] = -2;
    assert_int_equal(guard_count_leaks(g), 2);
    removed[3] = removed[4] = 1;
    guard_note_removed(g, removed);
    particle_set_remove(&world_sph(world)->fluid.set, removed);
    assert_int_equal(g->crossings[3], -2); // it goes with its particle
    assert_int_equal(guard_count_leaks(g), 2);
    free(removed);
    mn_world_destroy(world);
}

// --- two dimensions

// The side where a particle came into a thin body is kept in two bytes: its normal may point out of the plane by 0.01, and took
// particles along to cells in which there are no walls.
static void test_normals_stay_in_the_plane(void** state)
{
    mn_World* world =
        build("{\"dimension\": 2, \"particle_radius\": 0.02, \"fluids\": [{\"density\": 1000, \"blocks\": [{\"min\": [0, 0], "
              "\"max\": [0.4, 0.4]}]}], \"solids\": [{\"name\": \"tank\", \"shape\": {\"box\": [1, 1]}, \"position\": [0.5, "
              "0.5], \"inside\": true}]}");
    assert_int_equal(mn_world_prepare(world, NULL), MN_OK);
    MeetingList* list = &world->guard.list[0];
    const Meeting meeting = {.place.point = {0.1, 0.2, 1e-17}, .normal = {0.6, 0.8, 0.01}};
    guard_note(&world->guard, 0, &meeting);
    assert_int_equal(list->count, 1);
    assert_true(list->item[0].normal.z == 0 && list->item[0].place.point.z == 0);
    assert_near(vec3d_length(list->item[0].normal), 1, 1e-12);
    list->count = 0;
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_too_long),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_restart_in_the_middle),
        cmocka_unit_test(test_memory_runs_out_at_the_start),
        cmocka_unit_test(test_memory_runs_out_in_a_step),
        cmocka_unit_test(test_leaked_and_drained),
        cmocka_unit_test(test_normals_stay_in_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
