// SPDX-License-Identifier: MIT
// The scenes of surface tension and adhesion, coarse enough for a test, each with what it is there to show.
#include "support.h"

#include <meniscus/scene.h>
#include <stdlib.h>
#include <string.h>

static mn_World* load(const char* name, const char* first, const char* second)
{
    char path[512], text[700];
    snprintf(path, sizeof path, "%s/scenes/tension/%s.json", MENISCUS_SOURCE_DIR, name);
    const char* sets[] = {first, second};
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_load(path, sets, (size_t)(first != NULL) + (second != NULL), &error);
    mn_World* world = scene ? mn_scene_build(scene, &error) : NULL;
    if (!world)
        fail_msg("%s", mn_error_text(&error, text, sizeof text));
    mn_scene_free(scene);
    return world;
}

static void advance(mn_World* world, double time)
{
    char text[700];
    mn_Error error = {0};
    if (mn_world_advance(world, time, NULL, NULL, &error) != MN_OK)
        fail_msg("%s", mn_error_text(&error, text, sizeof text));
}

static void finish(mn_World* world)
{
    mn_Stats stats = mn_world_stats(world);
    assert_int_equal(stats.lost_particles, 0);
    assert_int_equal(stats.leaked_particles, 0);
    mn_world_destroy(world);
}

// --- drops on five plates: the more a solid attracts, the lower the drop lies

static void drops_lie_lower_on_solids_that_wet_more(void** state)
{
    mn_World* world = load("wetting", "particle_radius=0.0001", NULL);
    advance(world, 0.025);
    mn_ParticleView view = mn_world_particles(world);
    double height[5] = {0}, count[5] = {0};
    for (size_t i = 0; i < view.count; i++) {
        int k = (int)floor(((double)view.position[4 * i] + 0.009) / 0.0036);
        if (k < 0 || k > 4)
            continue;
        height[k] += (double)view.position[4 * i + 1];
        count[k]++;
    }
    for (int k = 0; k < 5; k++) {
        height[k] /= count[k];
        print_message("contact angle %d: centre of mass at %.3f mm\n", 150 - 30 * k, 1e3 * height[k]);
        if (k)
            assert_true(height[k] < 0.93 * height[k - 1]);
    }
    finish(world);
}

// --- a stream over a ball

// Share of the water below the ball's equator that is within a millimetre and a half of its surface.
static double share_that_follows(const char* adhesion)
{
    mn_World* world = load("stream", "particle_radius=0.00075", adhesion);
    double near = 0, all = 0;
    for (int k = 0; k < 5; k++) {
        advance(world, 0.3 + 0.02 * k);
        mn_ParticleView view = mn_world_particles(world);
        for (size_t i = 0; i < view.count; i++) {
            const float* x = view.position + 4 * i;
            double r = sqrt((double)(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
            if (x[1] > -0.008f || x[1] < -0.02f)
                continue;
            all++;
            near += r < 0.025 + 4 * 0.00075;
        }
    }
    finish(world);
    print_message("%s: %.2f of the water below the equator is at the ball\n", adhesion, near / all);
    return all > 0 ? near / all : 0;
}

static void streams_follow_a_ball_that_attracts_them(void** state)
{
    assert_true(share_that_follows("solids.0.adhesion=1") > 0.5); // beta = gamma
    assert_true(share_that_follows("solids.0.adhesion=0") < 0.2);
}

// --- bodies

static mn_SolidView named(const mn_World* world, const char* name)
{
    for (size_t k = 1; k <= mn_world_solid_count(world); k++)
        if (!strcmp(mn_world_solid(world, (mn_SolidId)k).name, name))
            return mn_world_solid(world, (mn_SolidId)k);
    fail_msg("no solid %s", name);
    return (mn_SolidView){0};
}

// Three times as dense as water; without tension it sinks.
static void surfaces_carry_a_needle(void** state)
{
    double depth[2];
    for (int k = 0; k < 2; k++) {
        mn_World* world = load("needle", k ? "fluids.0.surface_tension=0" : NULL, NULL);
        advance(world, 0.12);
        depth[k] = named(world, "needle").pose.position.y;
        finish(world);
    }
    print_message("the needle is at %.2f mm; without tension at %.2f mm, of 4 mm of water\n", 1e3 * depth[0], 1e3 * depth[1]);
    assert_true(depth[0] > 0.0038);
    assert_true(depth[1] < 0.002);
}

// Distance to the middle of the water, in radii of the drop.
static double distance_to_drop(const mn_World* world, const char* name)
{
    mn_ParticleView view = mn_world_particles(world);
    double c[3] = {0, 0, 0};
    for (size_t i = 0; i < view.count; i++)
        for (int a = 0; a < 3; a++)
            c[a] += (double)view.position[4 * i + (size_t)a] / (double)view.count;
    mn_Vec3 p = named(world, name).pose.position;
    return sqrt(pow(p.x - c[0], 2) + pow(p.y - c[1], 2) + pow(p.z - c[2], 2)) / 0.008;
}

static void sticky_bodies_ride_on_a_drop_and_others_slip_off(void** state)
{
    mn_World* world = load("incline", "particle_radius=0.0006", NULL);
    advance(world, 0.22);
    static const char* const name[] = {"sticky1", "sticky2", "slippery1", "slippery2"};
    for (int k = 0; k < 4; k++) {
        double distance = distance_to_drop(world, name[k]);
        print_message("%s: %.2f radii from the middle of the drop\n", name[k], distance);
        if (k < 2)
            assert_below(distance, 1.3);
        else
            assert_true(distance > 1.3);
    }
    finish(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_lie_lower_on_solids_that_wet_more),
        cmocka_unit_test(streams_follow_a_ball_that_attracts_them),
        cmocka_unit_test(surfaces_carry_a_needle),
        cmocka_unit_test(sticky_bodies_ride_on_a_drop_and_others_slip_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
