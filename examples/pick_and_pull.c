// SPDX-License-Identifier: MIT
// What a mouse does: a ray picks a ball, a spring pulls it out of the water along a path, and lets go.
#include <math.h>
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
    mn_SolidDef tank = mn_default_solid_def(), ball = tank;
    tank.name = "tank", tank.inside = true;
    tank.shape.size = (mn_Vec3){0.6, 0.8, 0.4}, tank.pose.position = (mn_Vec3){0.3, 0.4, 0.2};
    ball.name = "ball", ball.type = MN_SOLID_RIGID, ball.density = 600;
    ball.shape.type = MN_SHAPE_SPHERE, ball.shape.size.x = 0.08, ball.pose.position = (mn_Vec3){0.3, 0.2, 0.2};
    mn_Block block = {.max = {0.6, 0.2, 0.4}};
    mn_FluidDef water = mn_default_fluid_def();
    water.name = "water", water.blocks = &block, water.block_count = 1;
    if (!world || !mn_world_add_solid(world, &tank, &error) || !mn_world_add_solid(world, &ball, &error) ||
        !mn_world_add_fluid(world, &water, &error) || mn_world_advance(world, 0.02, NULL, NULL, &error) != MN_OK)
        return fail(&error);

    // from the eye through the pixel: the first solid that is no container
    mn_Pick pick = mn_world_pick(world, (mn_Vec3){0.32, 0.9, 0.2}, (mn_Vec3){0, -1, 0}, MN_PICK_SOLIDS | MN_PICK_FLUIDS);
    if (pick.what != MN_PICK_SOLID)
        return fprintf(stderr, "the ray met no solid\n"), 1;
    const char* name = mn_world_solid(world, pick.solid).name;
    printf("picked '%s' at (%.3f, %.3f, %.3f) m\n", name, pick.point.x, pick.point.y, pick.point.z);

    mn_PullDef pull = mn_default_pull_def();
    pull.name = "mouse", pull.solid = name, pull.point = pull.target = pick.point;
    if (mn_world_pull(world, &pull, &error) != MN_OK)
        return fail(&error);
    for (int frame = 1; frame <= 12; frame++) {
        mn_Vec3 hand = {pick.point.x + 0.1 * sin(0.5 * frame), pick.point.y + 0.02 * frame, pick.point.z};
        if (mn_world_pull_to(world, "mouse", hand, &error) != MN_OK ||
            mn_world_advance(world, 0.02 + frame / 60.0, NULL, NULL, &error) != MN_OK)
            return fail(&error);
    }
    double high = mn_world_solid(world, pick.solid).pose.position.y;
    if (mn_world_pull_end(world, "mouse", &error) != MN_OK || mn_world_advance(world, 0.6, NULL, NULL, &error) != MN_OK)
        return fail(&error);
    printf("pulled up to %.3f m, then it fell to %.3f m\n", high, mn_world_solid(world, pick.solid).pose.position.y);

    // what was done, as a scene that `meniscus run` repeats to the bit
    mn_Scene* scene = mn_world_scene(world, &error);
    if (!scene)
        return fail(&error);
    printf("%zu events were recorded\n", scene->event_count);
    mn_scene_free(scene);
    mn_world_destroy(world);
}
