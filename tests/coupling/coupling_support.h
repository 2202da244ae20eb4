// SPDX-License-Identifier: MIT
// Worlds from scenes, for tests of fluid and solids together: what fails is said and ends the test.
#ifndef TESTS_COUPLING_SUPPORT_H
#define TESTS_COUPLING_SUPPORT_H

#include "saved_state.h"

#include <meniscus/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void fail_with(const mn_Error* error)
{
    char text[700];
    fail_msg("%s", mn_error_text(error, text, sizeof text));
}

// Builds and frees the scene.
static inline mn_World* world_of(mn_Scene* scene, mn_Error* error)
{
    mn_World* world = scene ? mn_scene_build(scene, error) : NULL;
    if (!world)
        fail_with(error);
    mn_scene_free(scene);
    return world;
}

// From text; meshes are looked for in `folder` (NULL: the current one).
static inline mn_World* build_in(const char* folder, const char* json, const char* const* sets, size_t set_count)
{
    mn_Error error = {0};
    return world_of(mn_scene_parse(json, strlen(json), "test", folder, sets, set_count, &error), &error);
}

static inline mn_World* build_with(const char* json, const char* const* sets, size_t set_count)
{
    return build_in(NULL, json, sets, set_count);
}

static inline mn_World* build(const char* json)
{
    return build_in(NULL, json, NULL, 0);
}

// From scenes/NAME.json, with `sets` as for --set.
static inline mn_World* load_set(const char* name, const char* const* sets, size_t set_count)
{
    char path[512];
    mn_Error error = {0};
    snprintf(path, sizeof path, "%s/scenes/%s.json", MENISCUS_SOURCE_DIR, name);
    return world_of(mn_scene_load(path, sets, set_count, &error), &error);
}

// The same with none, one or two of them; else NULL.
static inline mn_World* load_world(const char* name, const char* first, const char* second)
{
    const char* const sets[] = {first, second};
    return load_set(name, sets, (size_t)(first != NULL) + (second != NULL));
}

// The same with another particle radius.
static inline mn_World* load_coarse(const char* name, const char* radius)
{
    char set[64];
    snprintf(set, sizeof set, "particle_radius=%s", radius);
    return load_world(name, set, NULL);
}

static inline void advance(mn_World* world, double time)
{
    mn_Error error = {0};
    if (mn_world_advance(world, time, NULL, NULL, &error) != MN_OK)
        fail_with(&error);
}

// The end of a world that lost and leaked nothing.
static inline void finish(mn_World* world)
{
    mn_Stats stats = mn_world_stats(world);
    assert_int_equal(stats.lost_particles, 0);
    assert_int_equal(stats.leaked_particles, 0);
    mn_world_destroy(world);
}

static inline mn_SolidView named(const mn_World* world, const char* name)
{
    for (size_t k = 1; k <= mn_world_solid_count(world); k++) {
        mn_SolidView view = mn_world_solid(world, (mn_SolidId)k);
        if (!strcmp(view.name, name))
            return view;
    }
    fail_msg("no solid %s", name);
    return (mn_SolidView){0};
}

static inline double length(mn_Vec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static inline mn_World* build_with_threads(const char* json, int threads)
{
    mn_Error error = {0};
    mn_Scene* scene = mn_scene_parse(json, strlen(json), "test", NULL, NULL, 0, &error);
    if (scene)
        scene->world.threads = threads;
    return world_of(scene, &error);
}

// The same bits at `time` as `world` with so many threads.
static inline void expect_with_threads(const mn_World* world, const char* json, double time, int threads)
{
    mn_World* other = build_with_threads(json, threads);
    advance(other, time);
    assert_same_state(other, world);
    mn_world_destroy(other);
}

static inline double ball_below(double depth, double radius) // [m3] of a ball that reaches `depth` down from the surface
{
    return M_PI * depth * depth * (radius - depth / 3);
}

// How deep a ball floats that weighs this share of what it would displace.
static inline double depth_of_ball(double share, double radius)
{
    double low = 0, high = 2 * radius;
    for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2;
        if (ball_below(middle, radius) < share * ball_below(2 * radius, radius))
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
