// SPDX-License-Identifier: MIT
// Soft boxes for tests of the grid that carries them.
#ifndef TESTS_SOFT_BOXES_H
#define TESTS_SOFT_BOXES_H

#include "worlds.h"

#include "base/vec.h"

static inline mn_SolidDef soft_box(mn_Vec3 min, mn_Vec3 max, double density)
{
    mn_SolidDef def = box_def(min, max, false);
    def.name = (char*)"jelly";
    def.type = MN_SOLID_ELASTIC;
    def.model = MN_ELASTIC_REDUCED;
    def.density = density;
    def.young = 1e5;
    def.poisson = 0.4;
    def.handles = 12;
    def.resolution = 0.05;
    return def;
}

static inline double height_of(const mn_World* world, mn_SolidId id)
{
    mn_SolidView view = mn_world_solid(world, id);
    return quat_rotate(view.pose.rotation, view.centre).y + view.pose.position.y;
}

// How deep a flat soft box lies in the water, of its height.
static inline double draught(double density, double radius)
{
    double side = 0.28, tall = 0.2, wide = 0.64, high = 0.4;
    mn_WorldDef def = water_def(3, radius, MN_PRESSURE_FLIP);
    mn_World* world = world_new(&def);
    add_tank(world, v3(wide, 0.9, wide));
    add_block(world, 1000, v3(0, 0, 0), v3(wide, high, wide), v3(0, 0, 0));
    double y = high - density / 1000 * tall; // the water rises a little when it goes in
    mn_SolidDef box = soft_box(v3(0.18, y, 0.18), v3(0.18 + side, y + tall, 0.18 + side), density);
    mn_SolidId id = add_solid(world, &box);
    world_prepare(world);
    double sum = 0;
    size_t particles = mn_world_particles(world).count;
    for (int k = 1; k <= 20; k++) {
        world_until(world, 0.1 * k);
        sum += k > 10 ? height_of(world, id) / 10 : 0;
    }
    mn_Stats stats = mn_world_stats(world);
    assert_int_equal(stats.lost_particles + stats.leaked_particles, 0);
    double water = (double)particles * pow(2 * radius, 3), level = (water + density / 1000 * side * side * tall) / (wide * wide);
    mn_world_destroy(world);
    return (level - (sum - tall / 2)) / tall;
}

#endif
