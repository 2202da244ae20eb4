// SPDX-License-Identifier: MIT
// Stages that no kind of fluid does otherwise, and what stages are made of.
#include "world/world_parts.h"

#include "base/error.h"

StageResult stage_fail(Step* step, mn_Result result)
{
    step->result = result;
    return STAGE_FAILED;
}

StageResult stage_done_or_no_memory(const mn_World* world, Step* step, bool ok)
{
    return ok ? STAGE_DONE
              : stage_fail(step, error_set(step->error, MN_OUT_OF_MEMORY, "no memory for %zu particles and %zu solids",
                                           moving_count(&world->particles), world->solids.count));
}

StageResult stage_solids_failed(const mn_World* world, Step* step, const char* message)
{
    mn_Result result = world_solids_no_memory(world) ? MN_OUT_OF_MEMORY : MN_INVALID;
    return stage_fail(step, error_set(step->error, result, "%s, in step %llu at t = %g s", message,
                                      (unsigned long long)world->state.steps, world->state.time));
}

double stage_end(const mn_World* world, const Step* step)
{
    return step->dt >= step->left * (1 - 1e-9) ? step->until : world->state.time + step->dt;
}

void stage_advance_time(mn_World* world, const Step* step)
{
    WorldState* state = &world->state;
    state->time = stage_end(world, step);
    state->last_dt = step->dt;
    state->steps++;
}

StageResult stage_solids(mn_World* world, Step* step)
{
    if (!guard_begin_step(&world->guard) || !world_begin_foam(world))
        return stage_done_or_no_memory(world, step, false);
    if (!world_push_solids(world, step->dt))
        return stage_done_or_no_memory(world, step, false);
    const char* message = world_step_solids(world, step->dt);
    return message ? stage_solids_failed(world, step, message) : STAGE_DONE;
}

StageResult stage_guard(mn_World* world, Step* step)
{
    ParticleSet* set = world->particles.set;
    bool ok = world_guard_sides(world);
    particle_set_return(set, set->scratch);
    return stage_done_or_no_memory(world, step, ok);
}

StageResult stage_boundary(mn_World* world, Step* step)
{
    if (!world_place_solids(world, world->state.dt_control))
        return stage_done_or_no_memory(world, step, false);
    int solid = world_at_border(world);
    return solid < 0 ? STAGE_DONE
                     : stage_fail(step, error_set(step->error, MN_INVALID,
                                                  "solid '%.64s' has come to a periodic border, at t = %g s: only fluid can pass",
                                                  world->solids.solid[solid].name, world->state.time));
}

StageResult stage_sources(mn_World* world, Step* step)
{
    return stage_done_or_no_memory(world, step, world->fluid->sources(world));
}

StageResult stage_sort(mn_World* world, Step* step)
{
    return stage_done_or_no_memory(world, step, moving_sort(&world->particles, world->grid, world->pool));
}

StageResult stage_foam(mn_World* world, Step* step)
{
    return stage_done_or_no_memory(world, step, world_step_foam(world, step->dt));
}
