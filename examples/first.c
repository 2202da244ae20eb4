// SPDX-License-Identifier: MIT
#include <meniscus/meniscus.h>
#include <stdio.h>

int main(void)
{
    mn_Error error;
    mn_Block block = {.max = {0.4, 0.6, 0.4}};
    mn_FluidDef water = mn_default_fluid_def();
    water.blocks = &block, water.block_count = 1;
    mn_SolidDef tank = mn_default_solid_def();
    tank.shape.size = (mn_Vec3){1.2, 0.8, 0.4}, tank.pose.position = (mn_Vec3){0.6, 0.4, 0.2}, tank.inside = true;

    mn_WorldDef def = mn_default_world_def();
    mn_World* world = mn_world_create(&def, NULL, &error);
    if (!world || !mn_world_add_fluid(world, &water, &error) || !mn_world_add_solid(world, &tank, &error) ||
        mn_world_advance(world, 0.1, NULL, NULL, &error) != MN_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    mn_Stats stats = mn_world_stats(world);
    printf("%.1f s: %d particles, fastest %.2f m/s\n", stats.time, (int)stats.fluid_particles, stats.max_speed);
    mn_world_destroy(world);
}
