// SPDX-License-Identifier: MIT
// Nothing passes through cloth, also where its vertices do not see it: corners, tips, edges and balls that come between the
// vertices of a coarse cloth. How far something is through is measured geometrically, by
// points on the solid's surface against the cloth's triangles.
#include "support.h"

#include "base/vec.h"
#include "mesh/closest.h"
#include "mesh/inside.h"
#include "mesh/tri_mesh.h"
#include <meniscus/meniscus.h>
#include <string.h>

static mn_World* world_of(const char* text, int threads)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(text, strlen(text), NULL, NULL, NULL, 0, &error);
    if (!scene)
        fail_msg("%s: %s", error.key, error.message);
    scene->world.threads = threads;
    mn_World* world = mn_scene_build(scene, &error);
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

static double energy_of(const mn_World* world)
{
    mn_Stats stats = mn_world_stats(world);
    return stats.kinetic_energy + stats.potential_energy;
}

// --- how far points are below a cloth that nowhere hangs over itself

static bool is_below(const mn_SolidView* cloth, Vec3d p)
{
    for (size_t k = 0; k < cloth->triangle_count; k++) {
        const uint32_t* t = cloth->triangle[k];
        Vec3d a = cloth->vertex[t[0]], b = vec3d_sub(cloth->vertex[t[1]], a), c = vec3d_sub(cloth->vertex[t[2]], a),
              r = vec3d_sub(p, a);
        double area = b.x * c.z - b.z * c.x, u = (r.x * c.z - r.z * c.x) / area, v = (b.x * r.z - b.z * r.x) / area;
        if (u >= 0 && v >= 0 && u + v <= 1)
            return p.y < a.y + u * b.y + v * c.y;
    }
    return false;
}

// [m] to the cloth's middle
static double distance_to(const mn_SolidView* cloth, Vec3d p)
{
    double least = INFINITY;
    for (size_t k = 0; k < cloth->triangle_count; k++) {
        const uint32_t* t = cloth->triangle[k];
        Vec3d q = closest_on_triangle(p, cloth->vertex[t[0]], cloth->vertex[t[1]], cloth->vertex[t[2]]);
        least = fmin(least, vec3d_distance(p, q));
    }
    return least;
}

// [m] The farthest that the solid's surface is through the cloth, looked at every 2 mm; 0: nowhere.
static double farthest_through(const mn_SolidView* cloth, const mn_SolidView* solid)
{
    double deepest = 0;
    for (size_t k = 0; k < solid->triangle_count; k++) {
        const uint32_t* t = solid->triangle[k];
        Vec3d a = solid->vertex[t[0]], b = vec3d_sub(solid->vertex[t[1]], a), c = vec3d_sub(solid->vertex[t[2]], a);
        int n = 1 + (int)(fmax(vec3d_length(b), vec3d_length(c)) / 0.002);
        for (int i = 0; i <= n; i++)
            for (int j = 0; i + j <= n; j++) {
                Vec3d local = vec3d_mad(vec3d_mad(a, (double)i / n, b), (double)j / n, c);
                Vec3d p = vec3d_add(quat_rotate(solid->pose.rotation, local), solid->pose.position);
                if (p.y < 0.01 && is_below(cloth, p))
                    deepest = fmax(deepest, distance_to(cloth, p));
            }
    }
    return deepest;
}

// A cloth of 0.5 m with cells of 5 cm, held at its border, and a solid above it.
static mn_World* drop(const char* solid, double step)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"particle_radius\": 0.01, \"solver\": {\"time_step\": %g}, \"solids\": ["
             "{\"name\": \"cloth\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.5, 0.5], \"cells\": [10, 10]},"
             " \"young\": 3e5, \"thickness\": 0.002, \"density\": 300, \"pins\": [\"border\"]},"
             "{\"name\": \"solid\", %s}]}",
             step, solid);
    return world_of(text, 2);
}

// Never through, never with more energy than in the beginning.
static void check_drop(const char* solid)
{
    const double step[] = {1e-3, 5e-3};
    for (int k = 0; k < 2; k++) {
        mn_World* world = drop(solid, step[k]);
        double deepest = 0, begin = energy_of(world);
        for (int i = 1; i <= 30; i++) {
            advance(world, 0.02 * i);
            mn_SolidView cloth = mn_world_solid(world, 1), body = mn_world_solid(world, 2);
            deepest = fmax(deepest, farthest_through(&cloth, &body));
            if (deepest > 0.01)
                break; // farther away it is slow to measure
            assert_below(energy_of(world), begin + 0.01 * fabs(begin));
        }
        assert_below(deepest, 1e-3); // half its thickness
        mn_world_destroy(world);
    }
}

static void test_corner(void** state)
{
    check_drop("\"type\": \"rigid\", \"shape\": {\"box\": [0.06, 0.06, 0.06]}, \"density\": 1000, \"position\": [0.02, 0.2, 0.015],"
               " \"rotation\": {\"axis\": [1, 0, -1], \"angle\": 54.7356}");
}

static void test_spike(void** state)
{
    check_drop("\"type\": \"rigid\", \"shape\": {\"cone\": [0.02, 0.1]}, \"density\": 2000, \"position\": [0.02, 0.2, 0.03],"
               " \"rotation\": {\"axis\": [1, 0, 0], \"angle\": 180}");
}

static void test_rod_on_edge(void** state)
{
    check_drop("\"type\": \"rigid\", \"shape\": {\"box\": [0.3, 0.01, 0.01]}, \"density\": 3000, \"position\": [0.01, 0.2, 0.025],"
               " \"rotation\": {\"axis\": [1, 0, 0], \"angle\": 45}");
}

static void test_rod_on_end(void** state)
{
    check_drop(
        "\"type\": \"rigid\", \"shape\": {\"box\": [0.01, 0.2, 0.01]}, \"density\": 3000, \"position\": [0.01, 0.25, 0.025]");
}

static void test_small_ball(void** state)
{
    check_drop("\"type\": \"rigid\", \"shape\": {\"sphere\": 0.012}, \"density\": 8000, \"position\": [0.02, 0.2, 0.03]");
}

// 0.2 g: as heavy as a twentieth of a cell
static void test_light_ball(void** state)
{
    check_drop("\"type\": \"rigid\", \"shape\": {\"sphere\": 0.012}, \"density\": 30, \"position\": [0.02, 0.2, 0.03]");
}

// It goes twice its size in a step of 5 ms.
static void test_fast_ball(void** state)
{
    check_drop("\"type\": \"rigid\", \"shape\": {\"sphere\": 0.01}, \"density\": 3000, \"position\": [0.02, 0.2, 0.03],"
               " \"velocity\": [0, -8, 0]");
}

// A tip that nothing stops goes 12 cm deep and comes back: the cloth goes with it.
static void test_driven_spike(void** state)
{
    mn_World* world = drop("\"type\": \"kinematic\", \"shape\": {\"cone\": [0.02, 0.1]}, \"rotation\": {\"axis\": [1, 0, 0],"
                           " \"angle\": 180}, \"motion\": [{\"time\": 0, \"position\": [0.02, 0.1, 0.03]},"
                           " {\"time\": 0.1, \"position\": [0.02, -0.07, 0.03]}, {\"time\": 0.2, \"position\": [0.02, 0.1, 0.03]}]",
                           2e-3);
    for (int i = 1; i <= 20; i++) {
        advance(world, 0.01 * i);
        mn_SolidView cloth = mn_world_solid(world, 1), body = mn_world_solid(world, 2);
        assert_below(farthest_through(&cloth, &body), 1e-3);
    }
    mn_world_destroy(world);
}

// Far from everything else: what the cloth gets the tip loses.
static void test_momentum(void** state)
{
    mn_World* world =
        world_of("{\"particle_radius\": 0.01, \"gravity\": [0, 0, 0], \"solver\": {\"time_step\": 0.002}, \"solids\": ["
                 "{\"name\": \"cloth\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.5, 0.5], \"cells\": [10, 10]},"
                 " \"young\": 3e5, \"thickness\": 0.002, \"density\": 300},"
                 "{\"name\": \"box\", \"type\": \"rigid\", \"shape\": {\"box\": [0.03, 0.03, 0.03]}, \"density\": 1000,"
                 " \"position\": [0.03, 0.04, 0.015], \"rotation\": {\"axis\": [1, 0, -1], \"angle\": 40},"
                 " \"velocity\": [0.5, -2, 0]}]}",
                 1);
    mn_Stats begin = mn_world_stats(world);
    advance(world, 0.1);
    mn_Stats end = mn_world_stats(world);
    double size = vec3d_length(begin.momentum);
    assert_below(mn_world_solid(world, 2).mass * fabs(mn_world_solid(world, 2).velocity.y), 0.8 * size); // they have met
    assert_below(vec3d_distance(end.momentum, begin.momentum), 1e-6 * size);
    assert_below(vec3d_distance(end.angular_momentum, begin.angular_momentum), 0.01 * 0.25 * size);
    assert_below(energy_of(world), begin.kinetic_energy + begin.potential_energy);
    mn_world_destroy(world);
}

// A box falls with a corner on a cloth that lies on a floor: it comes to rest there, and nothing is thrown.
static void test_cloth_between(void** state)
{
    mn_World* world =
        world_of("{\"particle_radius\": 0.01, \"solver\": {\"time_step\": 0.002}, \"solids\": ["
                 "{\"name\": \"cloth\", \"type\": \"elastic\", \"shape\": {\"grid\": [0.5, 0.5], \"cells\": [20, 20]},"
                 " \"young\": 3e5, \"thickness\": 0.002, \"density\": 300, \"position\": [0, 0.001, 0]},"
                 "{\"name\": \"box\", \"type\": \"rigid\", \"shape\": {\"box\": [0.1, 0.1, 0.1]}, \"density\": 500,"
                 " \"position\": [0.03, 0.2, 0.015], \"rotation\": {\"axis\": [1, 0, -1], \"angle\": 40}},"
                 "{\"name\": \"floor\", \"shape\": {\"box\": [2, 0.1, 2]}, \"position\": [0, -0.05, 0]}]}",
                 1);
    double begin = energy_of(world);
    for (int k = 1; k <= 50; k++) {
        advance(world, 0.02 * k);
        assert_below(energy_of(world), begin);
        mn_SolidView cloth = mn_world_solid(world, 1);
        for (size_t i = 0; i < cloth.vertex_count; i++)
            assert_true(cloth.vertex[i].y < 0.2 && cloth.vertex[i].y > -0.002);
    }
    mn_SolidView box = mn_world_solid(world, 2);
    assert_near(box.pose.position.y, 0.05, 0.003);
    assert_below(vec3d_length(box.velocity), 0.05);
    mn_world_destroy(world);
}

// --- needles

// A millimetre thin, driven 10 cm into the cloth between its vertices and out again.
static void test_driven_needle(void** state)
{
    static const char* const shape[] = {"{\"capsule\": [0.001, 0.1]}", "{\"cone\": [0.003, 0.1]}"};
    for (int k = 0; k < 2; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "\"type\": \"kinematic\", \"shape\": %s, \"rotation\": {\"axis\": [1, 0, 0], \"angle\": 180},"
                 " \"motion\": [{\"time\": 0, \"position\": [0.02, 0.06, 0.03]},"
                 " {\"time\": 0.1, \"position\": [0.02, -0.05, 0.03]}, {\"time\": 0.2, \"position\": [0.02, 0.06, 0.03]}]",
                 shape[k]);
        mn_World* world = drop(text, 2e-3);
        for (int i = 1; i <= 20; i++) {
            advance(world, 0.01 * i);
            mn_SolidView cloth = mn_world_solid(world, 1), needle = mn_world_solid(world, 2);
            assert_below(farthest_through(&cloth, &needle), 1e-3);
        }
        mn_world_destroy(world);
    }
}

// [m] The farthest that points on the solid are inside of a closed deformed surface.
static double farthest_inside(const mn_SolidView* soft, const mn_SolidView* solid)
{
    TriMesh mesh = {0};
    for (size_t k = 0; k < soft->vertex_count; k++)
        assert_true(tri_mesh_add_vertex(&mesh, soft->vertex[k]));
    for (size_t k = 0; k < soft->triangle_count; k++)
        assert_true(tri_mesh_add_triangle(&mesh, soft->triangle[k][0], soft->triangle[k][1], soft->triangle[k][2]));
    InsideTest* test = inside_create(&mesh, NULL);
    double deepest = 0;
    for (size_t k = 0; k < solid->triangle_count; k++) {
        const uint32_t* t = solid->triangle[k];
        Vec3d a = solid->vertex[t[0]], b = vec3d_sub(solid->vertex[t[1]], a), c = vec3d_sub(solid->vertex[t[2]], a);
        int n = 1 + (int)(fmax(vec3d_length(b), vec3d_length(c)) / 0.002);
        for (int i = 0; i <= n; i++)
            for (int j = 0; i + j <= n; j++) {
                Vec3d local = vec3d_mad(vec3d_mad(a, (double)i / n, b), (double)j / n, c);
                Vec3d p = vec3d_add(quat_rotate(solid->pose.rotation, local), solid->pose.position);
                if (inside_contains(test, p))
                    deepest = fmax(deepest, inside_distance(test, p, 1, NULL, NULL));
            }
    }
    inside_destroy(test);
    tri_mesh_free(&mesh);
    return deepest;
}

// A soft block of 10 cm with cells of 2.5 cm on a floor, and a needle above the middle of a face.
static mn_World* block_under(const char* needle, const char* model, double young, double step)
{
    char text[1200];
    snprintf(text, sizeof text,
             "{\"particle_radius\": 0.01, \"solver\": {\"time_step\": %g}, \"solids\": ["
             "{\"name\": \"block\", \"type\": \"elastic\", \"model\": \"%s\", \"shape\": {\"box\": [0.1, 0.1, 0.1]},"
             " \"resolution\": 0.025, \"young\": %g, \"density\": 1000, \"thickness\": 0.002, \"damping\": 0.005,"
             " \"position\": [0, 0.051, 0]},"
             "{\"name\": \"needle\", \"rotation\": {\"axis\": [1, 0, 0], \"angle\": 180}, %s},"
             "{\"name\": \"floor\", \"shape\": {\"box\": [1, 0.1, 1]}, \"position\": [0, -0.05, 0]}]}",
             step, model, young, needle);
    return world_of(text, 2);
}

static void test_needle_into_block(void** state)
{
    static const char* const model[] = {"fem", "mass_points"};
    static const char* const shape[] = {"{\"capsule\": [0.001, 0.1]}", "{\"cone\": [0.003, 0.1]}"};
    for (int k = 0; k < 4; k++) {
        char needle[400];
        snprintf(needle, sizeof needle,
                 "\"type\": \"kinematic\", \"shape\": %s, \"motion\": [{\"time\": 0, \"position\": [0.008, 0.16, 0.005]},"
                 " {\"time\": 0.15, \"position\": [0.008, 0.13, 0.005]}, {\"time\": 0.3, \"position\": [0.008, 0.16, 0.005]}]",
                 shape[k / 2]);
        mn_World* world = block_under(needle, model[k % 2], 3e4, 3e-3);
        double deepest = 0;
        for (int i = 1; i <= 30; i++) {
            advance(world, 0.01 * i);
            mn_SolidView block = mn_world_solid(world, 1), body = mn_world_solid(world, 2);
            deepest = fmax(deepest, farthest_inside(&block, &body));
        }
        print_message("%s, needle %d: at most %.2f mm inside\n", model[k % 2], k / 2, 1e3 * deepest);
        assert_below(deepest, 5e-4);
        mn_world_destroy(world);
    }
}

// 20 g of steel falls on its point and bounces.
static void test_needle_falls_on_block(void** state)
{
    static const char* const model[] = {"fem", "mass_points"};
    for (int k = 0; k < 2; k++) {
        mn_World* world =
            block_under("\"type\": \"rigid\", \"shape\": {\"cone\": [0.005, 0.1]}, \"mass\": 0.02, \"position\": [0.008, "
                        "0.18, 0.005], \"velocity\": [0, -1, 0]",
                        model[k], 3e4, 2e-3);
        double deepest = 0, begin = energy_of(world);
        for (int i = 1; i <= 15; i++) {
            advance(world, 0.01 * i);
            mn_SolidView block = mn_world_solid(world, 1), body = mn_world_solid(world, 2);
            deepest = fmax(deepest, farthest_inside(&block, &body));
            assert_below(energy_of(world), begin + 0.01);
        }
        print_message("%s: at most %.2f mm inside, needle at %.3f m\n", model[k], 1e3 * deepest,
                      mn_world_solid(world, 2).pose.position.y);
        assert_below(deepest, 1e-3);                           // half its thickness
        assert_true(mn_world_solid(world, 2).velocity.y > -1); // it bounced, and falls again
        mn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corner),
                                       cmocka_unit_test(test_spike),
                                       cmocka_unit_test(test_rod_on_edge),
                                       cmocka_unit_test(test_rod_on_end),
                                       cmocka_unit_test(test_small_ball),
                                       cmocka_unit_test(test_light_ball),
                                       cmocka_unit_test(test_fast_ball),
                                       cmocka_unit_test(test_driven_spike),
                                       cmocka_unit_test(test_momentum),
                                       cmocka_unit_test(test_cloth_between),
                                       cmocka_unit_test(test_driven_needle),
                                       cmocka_unit_test(test_needle_into_block),
                                       cmocka_unit_test(test_needle_falls_on_block)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
