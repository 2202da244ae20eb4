// SPDX-License-Identifier: MIT
// Who flies alone becomes a cloud of spray around its way; whoever has company stays fluid, whatever its density says.
#include "support.h"

#include "render/droplets.h"
#include <stdlib.h>
#include <string.h>

enum { SIDE = 6, BLOCK = SIDE * SIDE * SIDE, N = BLOCK + 3 };
static const double R = 0.01;

// A block of fluid with the densities that a grid gives its surface, one particle alone and fast, and a pair far from all.
static Frame make_fluid(void)
{
    Frame f = {.count = N,
               .position = calloc(3 * N, sizeof(float)),
               .velocity = calloc(3 * N, sizeof(float)),
               .density = calloc(N, sizeof(float)),
               .pressure = calloc(N, sizeof(float)),
               .id = calloc(N, sizeof(uint32_t)),
               .fluid = calloc(N, 1)};
    for (int i = 0; i < N; i++) {
        const int cell[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        f.id[i] = (uint32_t)(100 + i);
        f.density[i] = 400;
        for (int k = 0; k < 3; k++)
            f.position[3 * i + k] = i < BLOCK ? (float)(2 * R * cell[k]) : (float)(1 + (i > BLOCK ? 1 : 0) + 0.01 * (i - BLOCK));
    }
    f.velocity[3 * BLOCK] = 5; // along x
    return f;
}

static void lone_particles_become_spray(void** state)
{
    Frame fluid = make_fluid(), foam = {0};
    mn_FluidDef water = {.density = 1000};
    mn_Scene scene = {.fluid_count = 1, .fluids = &water, .frame_rate = 50};
    scene.world.dimension = 3;
    assert_true(droplets_to_spray(&fluid, &foam, &scene, R));
    assert_int_equal(fluid.count, BLOCK); // edges of the block have neighbours enough
    assert_int_equal(foam.count % 3, 0);
    size_t each = foam.count / 3;
    assert_true(each >= 16);
    double mean[3] = {0}, spread[3] = {0};
    for (size_t k = 0; k < each; k++)
        for (int j = 0; j < 3; j++) {
            double off = (double)foam.position[3 * k + (size_t)j] - 1;
            mean[j] += off / (double)each;
            spread[j] = fmax(spread[j], fabs(off));
        }
    for (int j = 0; j < 3; j++)
        assert_near(mean[j], 0, 0.02);
    assert_true(spread[0] > 0.015 && spread[0] <= 0.06 + 1e-6); // drawn out along x, by four radii and two of the cloud at most
    assert_true(spread[1] <= 0.02 + 1e-6 && spread[2] <= 0.02 + 1e-6);
    for (size_t k = 0; k < foam.count; k++)
        assert_true(foam.fluid[k] == 0 && foam.pressure[k] == 1);
    frame_free(&fluid);
    frame_free(&foam);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lone_particles_become_spray)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
