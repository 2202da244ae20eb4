// SPDX-License-Identifier: MIT
// A search by trying: how hard must a ball be kicked to land in the left half of a pool? From one snapshot, kick after kick.
#include <meniscus/meniscus.h>
#include <stdio.h>

static int fail(const mn_Error* error)
{
    return fprintf(stderr, "%s\n", error->message), 1;
}

int main(void)
{
    mn_Error error;
    mn_WorldDef def = mn_default_world_def();
    def.dimension = 2;
    def.particle_radius = 0.01;
    mn_World* world = mn_world_create(&def, NULL, &error);
    mn_SolidDef tank = mn_default_solid_def(), ball = tank;
    tank.name = "tank", tank.inside = true;
    tank.shape.size = (mn_Vec3){1, 0.8, 1}, tank.pose.position = (mn_Vec3){0.5, 0.4, 0};
    ball.name = "ball", ball.type = MN_SOLID_RIGID, ball.density = 500;
    ball.shape.type = MN_SHAPE_SPHERE, ball.shape.size.x = 0.05, ball.pose.position = (mn_Vec3){0.8, 0.5, 0};
    mn_Block block = {.max = {1, 0.2, 0}};
    mn_FluidDef water = mn_default_fluid_def();
    water.name = "water", water.blocks = &block, water.block_count = 1;
    if (!world || !mn_world_add_solid(world, &tank, &error) || !mn_world_add_solid(world, &ball, &error) ||
        !mn_world_add_fluid(world, &water, &error) || mn_world_prepare(world, &error) != MN_OK)
        return fail(&error);
    mn_SolidId id = mn_world_find_solid(world, "ball");
    double mass = mn_world_solid(world, id).mass;

    mn_Snapshot* start = mn_world_save(world, &error);
    if (!start)
        return fail(&error);
    double low = 0, high = 4; // [m/s]
    for (int k = 0; k < 6; k++) {
        double speed = (low + high) / 2;
        if (mn_world_load(world, start, &error) != MN_OK ||
            mn_world_push(world, id, (mn_Vec3){-mass * speed, 0, 0}, NULL, &error) != MN_OK ||
            mn_world_advance(world, 0.25, NULL, NULL, &error) != MN_OK)
            return fail(&error);
        double x = mn_world_solid(world, id).pose.position.x;
        printf("%.3f m/s leads to x = %.3f m\n", speed, x);
        if (x < 0.5)
            high = speed;
        else
            low = speed;
    }
    printf("%.2f m/s will do\n", high);
    mn_snapshot_free(start);
    mn_world_destroy(world);
}
