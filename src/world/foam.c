// SPDX-License-Identifier: MIT
// Spray, foam and bubbles of a world: made after each step, from where the fluid and solids are then.
#include "world/foam.h"

#include "base/error.h"
#include "world/world_parts.h"
#include <stdlib.h>

FoamScale world_foam_scale(const mn_World* world)
{
    return (FoamScale){.dimension = world->def.dimension,
                       .particle_radius = world->def.particle_radius,
                       .support_radius = world->scale.support,
                       .gravity = world_strongest_gravity(world),
                       .speed = world->state.expected_speed,
                       .seed = world->def.seed,
                       .period = world->scale.period};
}

double world_foam_margin(const mn_World* world)
{
    return 0.05 * world->def.particle_radius;
}

bool world_foam_sides(const mn_World* world, Memory* memory, FoamSides* sides)
{
    return foam_sides_create(sides, memory, world->solids.solid, world->solids.count, world->def.dimension,
                             world_foam_margin(world));
}

bool world_foam_told_pose(const mn_World* world, size_t solid, double time, mn_Pose* out)
{
    const Solid* s = &world->solids.solid[solid];
    if (!s->kind->is_driven)
        return false;
    *out = solid_pose_at(s, time);
    return true;
}

// --- in a step

// Solids are where the state says: nothing has moved on the way there.
static bool solids_loaded(void* owner)
{
    mn_World* world = owner;
    world->foam->is_behind = true;
    return true;
}

mn_Result world_create_foam(mn_World* world, mn_Error* error)
{
    if (!world->def.has_foam)
        return MN_OK;
    FoamScale scale = world_foam_scale(world);
    FoamRules rules = foam_rules(&world->def.foam, &scale);
    world->foam = calloc(1, sizeof *world->foam);
    if (!world->foam || !foam_create(&world->foam->foam, &rules, &world->memory, world->pool) ||
        !world_foam_sides(world, &world->memory, &world->foam->sides) ||
        !foam_images_create(&world->foam->images, rules.support_radius, rules.dimension, &world->memory))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for foam");
    return MN_OK;
}

bool world_register_foam(mn_World* world)
{
    return !world->foam || (foam_register(&world->foam->foam, world->reg) && register_loaded(world->reg, solids_loaded, world));
}

bool world_renew_foam(mn_World* world)
{
    if (!world->foam)
        return true;
    foam_sides_destroy(&world->foam->sides);
    world->foam->sides = (FoamSides){0};
    world->foam->is_behind = true;
    return world_foam_sides(world, &world->memory, &world->foam->sides);
}

void world_free_foam(mn_World* world)
{
    if (!world->foam)
        return;
    foam_destroy(&world->foam->foam);
    foam_sides_destroy(&world->foam->sides);
    foam_images_destroy(&world->foam->images);
    free(world->foam);
    world->foam = NULL;
}

static bool place_sides(mn_World* world)
{
    FoamSides* sides = &world->foam->sides;
    for (size_t k = 0; k < world->solids.count; k++) {
        const Solid* solid = &world->solids.solid[k];
        foam_sides_pose(sides, k, solid->pose);
        if (!foam_sides_deform(sides, k, &solid->mesh))
            return false;
    }
    return true;
}

bool world_begin_foam(mn_World* world)
{
    if (!world->foam || !world->foam->is_behind)
        return true;
    world->foam->is_behind = false;
    if (!place_sides(world))
        return false;
    foam_sides_end_step(&world->foam->sides);
    return true;
}

bool world_step_foam(mn_World* world, double dt)
{
    if (!world->foam)
        return true;
    const MovingParticles* p = &world->particles;
    FoamFluid seen = {
        .count = moving_count(p), .position = *p->position, .velocity = *p->velocity, .id = *p->id, .grid = world->grid};
    const Period* period = &world->scale.period;
    if (period->any && !foam_images_of(&world->foam->images, world->pool, period, &seen, &seen))
        return false;
    if (!place_sides(world) || !foam_step(&world->foam->foam, &seen, &world->foam->sides, dt))
        return false;
    foam_sides_end_step(&world->foam->sides);
    return true;
}

mn_FoamView mn_world_foam(const mn_World* world)
{
    if (!world->foam)
        return (mn_FoamView){0};
    const Foam* foam = &world->foam->foam;
    return (mn_FoamView){.count = foam->set.count,
                         .position = (const float*)foam->position,
                         .velocity = (const float*)foam->velocity,
                         .id = foam->id,
                         .kind = foam->kind,
                         .radius = foam->rules.radius};
}
