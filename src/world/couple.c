// SPDX-License-Identifier: MIT
// What a step does with all solids of a world: predict, couple, step, guard, place.
#include "world/world_parts.h"

static bool move_elastics(mn_World* world, double dt)
{
    if (!world->elastic)
        return true;
    const Coupling* coupling = &world->coupling;
    coupling->method->before_solids(coupling->data);
    bool ok = world_move_elastics(world, dt);
    coupling->method->after_solids(coupling->data, dt, world->state.dt_control);
    return ok;
}

const char* world_predict_solids(mn_World* world, double dt)
{
    bool ok = !world->bodies || rigid_system.predict(world->bodies, world->state.time, dt);
    world->coupling.method->begin(world->coupling.data, dt);
    return ok ? NULL : rigid_message(world->rigid);
}

const char* world_step_solids(mn_World* world, double dt)
{
    if (world->bodies && !rigid_system.step(world->bodies, world->state.time, dt))
        return rigid_message(world->rigid);
    world_note_joints(world, true);
    // solids are still where the step began: elastic ones go along the path of those that they are tied to and touch
    return move_elastics(world, dt) ? NULL : elastic_message(world->elastic);
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
    world_events(world);
    for (size_t k = 0; k < world->solid_count; k++)
        solid_move(&world->solid[k], world->state.time, next_dt);
    if (world->bodies)
        rigid_system.place(world->bodies);
    world->coupling.method->place(world->coupling.data);
    const Kernel* kernel = &world->sph.kernel;
    return boundary_resample(&world->boundary, world->pool, kernel, world->solid, world->solid_count, world->state.last_dt,
                             world->def.coupling.resample_by_density) &&
           boundary_update(&world->boundary, world->pool, kernel, world->solid, world->solid_count);
}

bool world_solids_no_memory(const mn_World* world)
{
    return (world->rigid && rigid_no_memory(world->rigid)) || (world->elastic && elastic_no_memory(world->elastic));
}
