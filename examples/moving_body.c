// SPDX-License-Identifier: MIT
// A body that is told what to do while the world runs: a paddle that is moved, a ball that is kicked and one that is thrown in.
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
    def.particle_radius = 0.02;
    mn_World* world = mn_world_create(&def, NULL, &error);
    if (!world)
        return fail(&error);

    mn_SolidDef tank = mn_default_solid_def(), paddle = tank, ball = tank;
    tank.name = "tank", tank.inside = true;
    tank.shape.size = (mn_Vec3){1, 0.8, 0.4}, tank.pose.position = (mn_Vec3){0.5, 0.4, 0.2};
    paddle.name = "paddle", paddle.type = MN_SOLID_KINEMATIC;
    paddle.shape.size = (mn_Vec3){0.05, 0.3, 0.36}, paddle.pose.position = (mn_Vec3){0.1, 0.2, 0.2};
    ball.name = "ball", ball.type = MN_SOLID_RIGID, ball.density = 400;
    ball.shape.type = MN_SHAPE_SPHERE, ball.shape.size.x = 0.07, ball.pose.position = (mn_Vec3){0.7, 0.35, 0.2};
    mn_Block block = {.max = {1, 0.2, 0.4}};
    mn_FluidDef water = mn_default_fluid_def();
    water.name = "water", water.blocks = &block, water.block_count = 1;
    mn_SolidId paddle_id = 0, ball_id = 0;
    if (!mn_world_add_solid(world, &tank, &error) || !(paddle_id = mn_world_add_solid(world, &paddle, &error)) ||
        !(ball_id = mn_world_add_solid(world, &ball, &error)) || !mn_world_add_fluid(world, &water, &error))
        return fail(&error);

    // the paddle makes a wave
    mn_Pose there = {{0.3, 0.2, 0.2}, {1, 0, 0, 0}};
    if (mn_world_move(world, paddle_id, &there, 0.15, &error) != MN_OK || mn_world_advance(world, 0.1, NULL, NULL, &error) != MN_OK)
        return fail(&error);
    // the ball gets a kick [N s], off its centre, and starts to turn
    mn_Vec3 at = mn_world_solid(world, ball_id).pose.position;
    at.y += 0.05;
    if (mn_world_push(world, ball_id, (mn_Vec3){-0.5, 0.3, 0}, &at, &error) != MN_OK)
        return fail(&error);
    // another one comes
    ball.name = "second", ball.pose.position = (mn_Vec3){0.85, 0.6, 0.2}, ball.velocity = (mn_Vec3){0, -2, 0};
    if (!mn_world_add_solid(world, &ball, &error) || mn_world_advance(world, 0.2, NULL, NULL, &error) != MN_OK)
        return fail(&error);
    mn_SolidView view = mn_world_solid(world, ball_id);
    printf("ball at (%.3f, %.3f, %.3f) m, turning with %.2f rad/s\n", view.pose.position.x, view.pose.position.y,
           view.pose.position.z, view.angular_velocity.z);
    mn_world_destroy(world);
}
