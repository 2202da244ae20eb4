// SPDX-License-Identifier: MIT
// What a step does with all solids of a world: predict, couple, step, guard, place.
#include "world/world_parts.h"

const char* world_predict_solids(mn_World* world, double dt)
{
    const char* message = world_predict_systems(world, dt);
    if (!message)
        world->coupling.method->begin(world->coupling.data, dt);
    return message;
}

const char* world_step_solids(mn_World* world, double dt)
{
    const Coupling* coupling = &world->coupling;
    coupling->method->before_solids(coupling->data);
    const char* message = world_step_systems(world, dt);
    coupling->method->after_solids(coupling->data, dt, world->state.dt_control);
    if (!message && coupling->method->keep_apart)
        coupling->method->keep_apart(coupling->data, world->state.time);
    return message;
}

bool world_guard_sides(mn_World* world)
{
    size_t put_back;
    bool ok = guard_end_step(&world->guard, world->state.time, world->state.steps, &put_back);
    world->state.expelled += put_back;
    return ok;
}

bool world_place_solids(mn_World* world, double next_dt)
{
    const Kernel* kernel = &world->scale.kernel;
    bool changed;
    if (!world_break_systems(world) || !world_events(world))
        return false;
    for (size_t k = 0; k < world->solids.count; k++)
        solid_move(&world->solids.solid[k], world->state.time, next_dt);
    world_place_systems(world);
    if (!world_follow_surfaces(world, &changed))
        return false;
    world->coupling.method->place(world->coupling.data);
    return (!changed || guard_follow(&world->guard)) &&
           boundary_resample(&world->boundary, world->pool, kernel, world->solids.solid, world->solids.count, world->state.last_dt,
                             world->def.coupling.resample_by_density) &&
           boundary_update(&world->boundary, world->pool, kernel, world->solids.solid, world->solids.count);
}
