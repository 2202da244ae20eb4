// SPDX-License-Identifier: MIT
// Foam in worlds with periodic axes: two drops that meet make as much of it across borders as anywhere, it stays in the domain, and
// threads do not matter.
#include "worlds.h"

static const double LENGTH = 0.4; // [m]

// Two drops meet off centre and drift over the borders of all axes meanwhile.
static mn_World* drops(bool periodic, int threads)
{
    mn_WorldDef def = water_def(3, 0.01, MN_PRESSURE_DFSPH);
    def.threads = threads;
    def.gravity = v3(0, 0, 0);
    for (int k = 0; k < 3; k++)
        def.periodic[k] = periodic;
    def.domain = (mn_Domain){v3(0, 0, 0), v3(LENGTH, LENGTH, LENGTH)};
    if (!periodic)
        def.domain = (mn_Domain){v3(-1, -1, -1), v3(1, 1, 1)};
    def.has_foam = true;
    def.foam.amount = 20;
    mn_World* world = world_new(&def);
    mn_Ball balls[2];
    for (int k = 0; k < 2; k++) {
        double side = k ? 1 : -1, middle = LENGTH / 2;
        balls[k] = (mn_Ball){v3(middle + 0.08 * side, middle + 0.03 * side, middle), 0.07, v3(4 - 1.5 * side, 4, 4)};
    }
    mn_FluidDef fluid = mn_default_fluid_def();
    fluid.balls = balls;
    fluid.ball_count = 2;
    add_fluid(world, &fluid);
    world_prepare(world);
    return world;
}

static void as_much_as_anywhere(void** state)
{
    double count[2];
    for (int periodic = 0; periodic < 2; periodic++) {
        mn_World* world = drops(periodic, 1);
        size_t low = 0;
        world_until(world, 0.06);
        mn_FoamView foam = mn_world_foam(world);
        for (size_t i = 0; i < foam.count && periodic; i++) {
            const float* x = foam.position + 4 * i;
            low += (double)x[0] < LENGTH / 2;
            for (int k = 0; k < 3; k++)
                assert_true(x[k] >= 0 && (double)x[k] <= LENGTH);
        }
        count[periodic] = (double)foam.count;
        if (periodic)
            print_message("%.0f diffuse particles, across borders %.0f, %zu of them beyond\n", count[0], count[1], low);
        assert_true(!periodic || (low > foam.count / 4 && low < foam.count));
        mn_world_destroy(world);
    }
    assert_below(1000, count[0]);
    assert_below(fabs(count[1] - count[0]), 0.005 * count[0]);
}

static void threads_do_not_matter(void** state)
{
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        mn_World* world = drops(true, k ? 3 : 1);
        world_until(world, 0.05);
        hash[k] = mn_world_hash(world);
        mn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_much_as_anywhere),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
