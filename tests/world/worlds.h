// SPDX-License-Identifier: MIT
// Small worlds for tests, built by the public API. Every builder fails the test with the library's own words.
#ifndef TESTS_WORLDS_H
#define TESTS_WORLDS_H

#include "support.h"

#include <meniscus/world.h>
#include <stdlib.h>

// All of SPH; the grid fluid has tests of its own.
static const mn_Pressure ALL_METHODS[] = {MN_PRESSURE_SESPH, MN_PRESSURE_PCISPH, MN_PRESSURE_IISPH, MN_PRESSURE_DFSPH};
static const char* const METHOD_NAME[] = {"sesph", "pcisph", "iisph", "dfsph", "flip"};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static inline void expect_ok(bool ok, const mn_Error* error)
{
    char text[1024];
    if (!ok)
        fail_msg("%s", mn_error_text(error, text, sizeof text));
}

static inline mn_Vec3 v3(double x, double y, double z)
{
    return (mn_Vec3){x, y, z};
}

static inline mn_WorldDef water_def(int dimension, double radius, mn_Pressure method)
{
    mn_WorldDef def = mn_default_world_def();
    def.dimension = dimension;
    def.particle_radius = radius;
    def.solver.method = method;
    def.threads = 1;
    return def;
}

static inline mn_World* world_new(const mn_WorldDef* def)
{
    mn_Error error = {0};
    mn_World* world = mn_world_create(def, NULL, &error);
    expect_ok(world != NULL, &error);
    return world;
}

static inline mn_FluidId add_fluid(mn_World* world, const mn_FluidDef* def)
{
    mn_Error error = {0};
    mn_FluidId id = mn_world_add_fluid(world, def, &error);
    expect_ok(id != 0, &error);
    return id;
}

static inline mn_SolidId add_solid(mn_World* world, const mn_SolidDef* def)
{
    mn_Error error = {0};
    mn_SolidId id = mn_world_add_solid(world, def, &error);
    expect_ok(id != 0, &error);
    return id;
}

static inline mn_ProbeId add_probe(mn_World* world, mn_ProbeType type, mn_Vec3 position)
{
    mn_Error error = {0};
    mn_ProbeDef def = mn_default_probe_def();
    def.name = (char*)"probe";
    def.type = type;
    def.position = position;
    mn_ProbeId id = mn_world_add_probe(world, &def, &error);
    expect_ok(id != 0, &error);
    return id;
}

// A block of fluid with the default material but for its density.
static inline mn_FluidId add_block(mn_World* world, double density, mn_Vec3 min, mn_Vec3 max, mn_Vec3 velocity)
{
    mn_Block block = {min, max, velocity};
    mn_FluidDef def = mn_default_fluid_def();
    def.density = density;
    def.blocks = &block;
    def.block_count = 1;
    return add_fluid(world, &def);
}

static inline mn_SolidDef box_def(mn_Vec3 min, mn_Vec3 max, bool inside)
{
    mn_SolidDef def = mn_default_solid_def();
    def.name = (char*)(inside ? "tank" : "box");
    def.inside = inside;
    def.shape.size = v3(max.x - min.x, max.y - min.y, max.z - min.z);
    def.pose.position = v3((min.x + max.x) / 2, (min.y + max.y) / 2, (min.z + max.z) / 2);
    return def;
}

// A container from the origin to `size`.
static inline mn_SolidId add_tank(mn_World* world, mn_Vec3 size)
{
    mn_SolidDef def = box_def(v3(0, 0, 0), size, true);
    return add_solid(world, &def);
}

static inline void world_prepare(mn_World* world)
{
    mn_Error error = {0};
    expect_ok(mn_world_prepare(world, &error) == MN_OK, &error);
}

static inline void world_steps(mn_World* world, int steps)
{
    mn_Error error = {0};
    for (int k = 0; k < steps; k++)
        expect_ok(mn_world_step(world, INFINITY, &error) == MN_OK, &error);
}

// A world that explodes takes ever shorter steps: no test waits for that.
static inline bool count_down(void* user)
{
    return --*(int*)user > 0;
}

static inline void world_until(mn_World* world, double time)
{
    mn_Error error = {0};
    int steps = 5000;
    expect_ok(mn_world_advance(world, time, count_down, &steps, &error) == MN_OK, &error);
}

// Water `across` spacings wide (and deep in 3D) and `high` spacings high, at rest in a tank that it fills to two thirds.
static inline mn_World* column_world(int dimension, double radius, mn_Pressure method, double across, double high)
{
    double d = 2 * radius, w = across * d, deep = dimension == 3 ? w : 0;
    mn_WorldDef def = water_def(dimension, radius, method);
    mn_World* world = world_new(&def);
    add_tank(world, v3(w, 1.5 * high * d, deep));
    add_block(world, 1000, v3(0, 0, 0), v3(w, high * d, deep), v3(0, 0, 0));
    return world;
}

// A dam break: water in the left part of a tank four times as long.
static inline mn_World* dam_world(const mn_WorldDef* def, double wide, double high, double deep)
{
    double d = 2 * def->particle_radius, z = def->dimension == 3 ? deep * d : 0;
    mn_World* world = world_new(def);
    add_tank(world, v3(4 * wide * d, 2 * high * d, z));
    add_block(world, 1000, v3(0, 0, 0), v3(wide * d, high * d, z), v3(0, 0, 0));
    return world;
}

static inline double front_of(const mn_World* world)
{
    mn_ParticleView view = mn_world_particles(world);
    double most = -INFINITY;
    for (size_t i = 0; i < view.count; i++)
        most = fmax(most, (double)view.position[4 * i]);
    return most;
}

static inline int compare_floats(const void* a, const void* b)
{
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

// All coordinates along an axis in ascending order; free with free().
static inline float* sorted_along(const mn_World* world, int axis)
{
    mn_ParticleView view = mn_world_particles(world);
    float* value = malloc((view.count + 1) * sizeof *value);
    assert_non_null(value);
    for (size_t i = 0; i < view.count; i++)
        value[i] = view.position[4 * i + (size_t)axis];
    qsort(value, view.count, sizeof *value, compare_floats);
    return value;
}

// Coordinate along an axis below which is `share` of the fluid.
static inline double reach_of(const mn_World* world, int axis, double share)
{
    float* value = sorted_along(world, axis);
    double reach = (double)value[(size_t)(share * (double)(mn_world_particles(world).count - 1))];
    free(value);
    return reach;
}

static inline double top_of(const mn_World* world)
{
    mn_ParticleView view = mn_world_particles(world);
    double most = -INFINITY;
    for (size_t i = 0; i < view.count; i++)
        most = fmax(most, (double)view.position[4 * i + 1]);
    return most;
}

#endif
