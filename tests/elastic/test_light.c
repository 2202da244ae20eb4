// SPDX-License-Identifier: MIT
// Heavy things on light ones: a rigid body of grams that holds up a soft block of kilograms, and vertices of a surface that hang
// outside of all tetrahedra. Both were found by random scenes (tests/random), which ended with bodies at kilometres per second.
#include "support.h"

#include "world/world_parts.h"
#include <meniscus/meniscus.h>
#include <string.h>

static mn_World* world_of(const char* text)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(text, strlen(text), NULL, ".", NULL, 0, &error);
    mn_World* world = scene ? mn_scene_build(scene, &error) : NULL;
    if (!world)
        fail_msg("%s: %s", error.key, error.message);
    mn_scene_free(scene);
    return world;
}

static void advance(mn_World* world, double time)
{
    mn_Error error = {0};
    if (mn_world_advance(world, time, NULL, NULL, &error) != MN_OK)
        fail_msg("%s", error.message);
}

// 16 kg on 4 g, on the floor.
static void a_light_box_carries_a_heavy_block(void** state)
{
    static const char* const MODELS[] = {"fem", "mass_points"};
    for (int m = 0; m < 2; m++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"particle_radius\": 0.01, \"solids\": ["
                 "{\"name\": \"floor\", \"shape\": {\"box\": [2, 0.2, 2]}, \"position\": [0, -0.1, 0]},"
                 "{\"name\": \"light\", \"type\": \"rigid\", \"shape\": {\"box\": [0.2, 0.1, 0.2]}, \"position\": [0, 0.051, 0], "
                 "\"density\": 1},"
                 "{\"name\": \"heavy\", \"type\": \"elastic\", \"model\": \"%s\", \"resolution\": 0.05, \"shape\": {\"box\": [0.2, "
                 "0.2, 0.2]},"
                 " \"position\": [0, 0.205, 0], \"density\": 2000, \"young\": 1e6}]}",
                 MODELS[m]);
        mn_World* world = world_of(text);
        for (int k = 1; k <= 20; k++) {
            advance(world, 0.025 * k);
            assert_below(mn_world_stats(world).max_speed, 1);
        }
        assert_near(mn_world_solid(world, 2).pose.position.y, 0.05, 0.003);
        const mn_SolidView heavy = mn_world_solid(world, 3);
        double lowest = INFINITY;
        for (size_t v = 0; v < heavy.vertex_count; v++)
            lowest = fmin(lowest, heavy.vertex[v].y + heavy.pose.position.y);
        assert_near(lowest, 0.1, 0.005);
        mn_world_destroy(world);
    }
}

// A ring of 33 mg between a block of 2.6 kg that falls on it and the floor. It bounces back and forth in the gap; the block must
// not take it for a wall on its way up (energy times 5 with finite elements of 1 MPa, times 3 with mass points of 3 MPa).
static void a_ring_in_a_gap_throws_nothing(void** state)
{
    static const struct {
        const char* model;
        double young;
    } CASES[] = {{"fem", 1e6}, {"mass_points", 3e6}};
    for (int m = 0; m < 2; m++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "{\"particle_radius\": 0.02, \"solids\": ["
            "{\"name\": \"ring\", \"type\": \"rigid\", \"shape\": {\"torus\": [0.06, 0.0085]}, \"density\": 1.2, "
            "\"position\": [0, 0.01, 0]},"
            "{\"name\": \"block\", \"type\": \"elastic\", \"model\": \"%s\", \"shape\": {\"box\": [0.2, 0.1, 0.13]}, "
            "\"density\": 1000, \"young\": %g, \"resolution\": 0.035, \"position\": [0.01, 0.2, 0.02], \"velocity\": [0, -1, 0]},"
            "{\"name\": \"tank\", \"shape\": {\"box\": [0.6, 0.8, 0.6]}, \"position\": [0, 0.4, 0], \"inside\": true}]}",
            CASES[m].model, CASES[m].young);
        mn_World* world = world_of(text);
        mn_Stats stats = mn_world_stats(world);
        double first = stats.kinetic_energy + stats.potential_energy;
        for (int k = 1; k <= 30; k++) {
            advance(world, 0.02 * k);
            stats = mn_world_stats(world);
            assert_below(stats.kinetic_energy + stats.potential_energy, first);
        }
        mn_world_destroy(world);
    }
}

// The tip of a coarse cone lies outside of its tetrahedra: weights of +-1 must not cancel to a mass of nothing.
static void no_vertex_is_without_mass(void** state)
{
    mn_World* world =
        world_of("{\"particle_radius\": 0.165, \"solids\": [{\"type\": \"elastic\", \"model\": \"mass_points\", \"shape\": "
                 "{\"cone\": [0.629462, 0.685078]}, \"density\": 1000, \"young\": 1e7}]}");
    const ElasticSet* set = ((ElasticSystem*)world_system(world, &elastic_system))->set;
    double inverse[1024], sum = 0, whole = elastic_mass(set, 0);
    size_t count = elastic_surface(set, 0).vertex_count;
    assert_in_range(count, 10, 1024);
    elastic_shared_masses(set, 0, inverse);
    for (size_t v = 0; v < count; v++) {
        assert_true(inverse[v] > 0);
        assert_below(1e-4 * whole / (double)count, 1 / inverse[v]);
        sum += 1 / inverse[v];
    }
    // what hangs on the points at the surface has their mass and no more
    assert_true(sum > 0.3 * whole);
    assert_true(sum < 1.001 * whole);
    mn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_light_box_carries_a_heavy_block),
        cmocka_unit_test(a_ring_in_a_gap_throws_nothing),
        cmocka_unit_test(no_vertex_is_without_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
