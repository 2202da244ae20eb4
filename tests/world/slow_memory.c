// SPDX-License-Identifier: MIT
// At most 350 bytes per fluid particle, lists included, from 100 000 particles on, and 35 more for the bulk level of pressures.
#include "worlds.h"

static void check(mn_Pressure method)
{
    mn_WorldDef def = water_def(3, 0.005, method);
    def.threads = 2;
    mn_World* world = world_new(&def);
    add_tank(world, v3(1.2, 0.8, 0.48));
    add_block(world, 1000, v3(0, 0, 0), v3(0.48, 0.48, 0.48), v3(0, 0, 0));
    double most = 0;
    for (int k = 0; k < 4; k++) {
        world_until(world, 0.02 * k);
        mn_Stats stats = mn_world_stats(world);
        most = fmax(most, (double)stats.memory_bytes / (double)stats.fluid_particles);
    }
    mn_Stats stats = mn_world_stats(world);
    print_message("%s: %llu fluid and %llu boundary particles, at most %.0f bytes per fluid particle\n", METHOD_NAME[method],
                  (unsigned long long)stats.fluid_particles, (unsigned long long)stats.boundary_particles, most);
    assert_true(stats.fluid_particles >= 100000);
    assert_below(most, 350 + 35);
    mn_world_destroy(world);
}

static void dfsph_is_small(void** state)
{
    check(MN_PRESSURE_DFSPH);
}

static void iisph_is_small(void** state)
{
    check(MN_PRESSURE_IISPH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dfsph_is_small),
        cmocka_unit_test(iisph_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
