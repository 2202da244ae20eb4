// SPDX-License-Identifier: MIT
// Water that starts with a sheet in it is not thrown by the sheet, wherever that lies between the layers of the water's lattice.
#include "support.h"

#include <meniscus/meniscus.h>
#include <stdio.h>
#include <string.h>

typedef struct Start {
    double error;  // [1] the largest compression at the start
    double speed;  // [m/s] root of the mean square after 20 ms
    size_t carved; // particles
} Start;

// A sheet of 0.3 x 0.3 m in the middle of 0.3 m of water in a tank of 0.4 x 0.4 m, so many radii above a layer of the lattice.
static Start start_with(const char* sheet, double above)
{
    char text[1024];
    const double radius = 0.01;
    snprintf(text, sizeof text,
             "{\"particle_radius\": %g, \"fluids\": [{\"density\": 1000, \"blocks\": [{\"min\": [-0.2, 0, -0.2], \"max\": [0.2, "
             "0.3, 0.2]}]}],"
             " \"solids\": [{\"shape\": {\"box\": [0.4, 0.6, 0.4]}, \"position\": [0, 0.3, 0], \"inside\": true},"
             " {\"shape\": {\"grid\": [0.3, 0.3], \"cells\": [15, 15]}, \"position\": [0, %g, 0], %s}]}",
             radius, 0.15 + above * radius, sheet);
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(text, strlen(text), NULL, NULL, NULL, 0, &error);
    if (!scene)
        fail_msg("%s: %s", error.key, error.message);
    mn_World* world = mn_scene_build(scene, &error);
    if (!world)
        fail_msg("%s: %s", error.key, error.message);
    mn_scene_free(scene);
    mn_Stats stats = mn_world_stats(world);
    Start start = {.error = stats.density_error_max, .carved = stats.carved};
    if (mn_world_advance(world, 0.02, NULL, NULL, &error) != MN_OK)
        fail_msg("%s", error.message);
    mn_ParticleView p = mn_world_particles(world);
    double sum = 0;
    for (size_t i = 0; i < p.count; i++)
        for (int k = 0; k < 3; k++)
            sum += (double)p.velocity[4 * i + k] * (double)p.velocity[4 * i + k];
    start.speed = sqrt(sum / (double)p.count);
    mn_world_destroy(world);
    return start;
}

// Layers of the lattice are 225 particles where the sheet is; it displaces 1.4 of them.
static void check(const char* sheet)
{
    const double above[] = {0, 0.5, 1};
    for (int k = 0; k < 3; k++) {
        Start start = start_with(sheet, above[k]);
        assert_below(start.error, 0.0501);
        assert_below(start.speed, 0.2); // falling freely for that long; it was 0.9 and 0.5 in the first and the last place
        assert_true(start.carved >= 256 && start.carved <= 512);
    }
}

static void test_static(void** state)
{
    check("\"type\": \"static\"");
}

static void test_elastic(void** state)
{
    check("\"type\": \"elastic\", \"density\": 1000, \"thickness\": 0.002, \"young\": 1e6, \"pins\": [\"border\"]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_static), cmocka_unit_test(test_elastic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
