// SPDX-License-Identifier: MIT
// What a step does with all solids of a world: predict, couple, step, guard, place.
#include "world/world_parts.h"

#include "base/error.h"

static bool has_bodies(const mn_World* world)
{
    return world->coupling.rigid != NULL;
}

mn_Result world_couple_bodies(mn_World* world, mn_Error* error)
{
    RigidSystem* bodies = world_system(world, &rigid_system);
    bool ok = !bodies || akinci_create(&world->coupling, &world->memory, &world->sph, &world->boundary, world->solid,
                                       world->solid_count, bodies->rigid, world->def.coupling.strong);
    return ok ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu bodies", world->solid_count);
}

static bool couple_solids(mn_World* world)
{
    for (size_t k = 0; k < world->solid_count; k++)
        world->centre[k] = world->solid[k].pose.position;
    // friction acted on the velocities before the step, to first order
    const Reaction* movers = has_bodies(world) ? &world->coupling.reaction : NULL;
    if (!wall_forces(&world->sph, world->sph.fluid.before, world->centre, world->solid_count, movers, world->wrench))
        return false;
    for (size_t k = 0; k < world->solid_count; k++) {
        if (movers && movers->mover_of[k] >= 0)
            continue;
        world->solid[k].force = world->wrench[k].force;
        world->solid[k].torque = world->wrench[k].torque;
    }
    return true;
}

static bool stop_passages(mn_World* world)
{
    Passages* p = &world->passages;
    if (!p->active)
        return true;
    for (size_t k = 0; k < p->shell_count; k++) { // rigid ones are there already
        size_t solid = p->shell[k].solid;
        p->shell[k].now = world->solid[solid].type == MN_SOLID_RIGID ? world->solid[solid].pose
                                                                     : solid_pose_at(&world->solid[solid], world->state.time);
    }
    size_t stopped;
    bool ok = passages_stop(p, &stopped);
    world->state.expelled += stopped;
    return ok;
}

const char* world_predict_solids(mn_World* world, double dt)
{
    const char* message = world_predict_systems(world, dt);
    if (message)
        return message;
    if (has_bodies(world))
        akinci_begin(&world->coupling, dt);
    if (world->sph.soft)
        elastic_coupling_begin(&world->soft, dt);
    return NULL;
}

bool world_couple_forces(mn_World* world, double dt)
{
    bool ok = !has_bodies(world) || akinci_rub(&world->coupling, dt);
    if (world->sph.soft)
        soft_rub(&world->sph, dt);
    return ok;
}

void world_settle_solids(mn_World* world, double dt)
{
    if (has_bodies(world))
        akinci_settle(&world->coupling, dt);
}

double world_solid_speed_after(const mn_World* world, double dt)
{
    double path = world->sph.solver.cfl * 2 * world->def.particle_radius;
    double bodies = has_bodies(world) ? akinci_speed(&world->coupling, dt) : 0;
    return fmax(bodies, world->sph.soft ? elastic_coupling_speed(&world->soft, path, true) : 0);
}

bool world_finish_coupling(mn_World* world, double dt)
{
    bool ok = couple_solids(world);
    if (has_bodies(world))
        akinci_finish(&world->coupling, dt);
    if (world->sph.soft)
        elastic_coupling_finish(&world->soft, dt);
    return ok;
}

const char* world_step_solids(mn_World* world, double dt)
{
    passages_remember(&world->passages);
    if (world->sph.soft)
        elastic_coupling_before(&world->soft);
    const char* message = world_step_systems(world, dt);
    if (world->sph.soft)
        elastic_coupling_after(&world->soft, dt, world->state.dt_control);
    if (!message)
        world_place_systems(world);
    return message;
}

bool world_guard_sides(mn_World* world)
{
    if (has_bodies(world))
        world->state.expelled += expel_caught(&world->coupling);
    return stop_passages(world);
}

bool world_place_solids(mn_World* world, double next_dt)
{
    world_events(world);
    for (size_t k = 0; k < world->solid_count; k++)
        solid_move(&world->solid[k], world->state.time, next_dt);
    world_place_systems(world);
    if (has_bodies(world))
        akinci_place(&world->coupling);
    if (world->sph.soft)
        elastic_coupling_place(&world->soft);
    const Kernel* kernel = &world->sph.kernel;
    bool ok = boundary_resample(&world->boundary, world->pool, kernel, world->solid, world->solid_count, world->state.last_dt,
                                world->def.coupling.resample_by_density) &&
              boundary_update(&world->boundary, world->pool, kernel, world->solid, world->solid_count);
    world->state.expelled += world_bring_back(world);
    return ok;
}
