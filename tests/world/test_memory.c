// SPDX-License-Identifier: MIT
// A steady step takes no memory.
#include "worlds.h"

static void settled_water_allocates_nothing(void** state)
{
    for (size_t k = 0; k < COUNT_OF(ALL_METHODS); k++) {
        mn_World* world = column_world(3, 0.01, ALL_METHODS[k], 10, 10);
        world_until(world, 0.5);
        mn_Stats before = mn_world_stats(world);
        world_steps(world, 30);
        mn_Stats after = mn_world_stats(world);
        if (after.allocations != before.allocations)
            fail_msg("%s: %llu allocations in 30 steps", METHOD_NAME[ALL_METHODS[k]],
                     (unsigned long long)(after.allocations - before.allocations));
        assert_true(after.memory_bytes == before.memory_bytes);
        assert_true(after.allocations > 0);
        mn_world_destroy(world);
    }
}

// Moving solids sort their particles every step, in memory that they have.
static void a_steady_stirrer_allocates_nothing(void** state)
{
    mn_World* world = column_world(2, 0.01, MN_PRESSURE_DFSPH, 30, 20);
    mn_SolidDef stick = box_def(v3(0.25, 0.15, 0), v3(0.35, 0.2, 0), false);
    mn_Keyframe motion[24];
    for (int k = 0; k < 24; k++)
        motion[k] = (mn_Keyframe){0.2 * k, {v3(0.3 + (k & 1 ? 0.05 : -0.05), 0.175, 0), {1, 0, 0, 0}}};
    stick.type = MN_SOLID_KINEMATIC;
    stick.motion = motion;
    stick.motion_count = 24;
    add_solid(world, &stick);
    world_until(world, 1.2);
    uint64_t before = mn_world_stats(world).allocations;
    world_steps(world, 40);
    assert_int_equal(mn_world_stats(world).allocations, before);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settled_water_allocates_nothing),
        cmocka_unit_test(a_steady_stirrer_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
