// SPDX-License-Identifier: MIT
// Runs the stages of a step, one after the other, and times them. Between steps lists, densities and boundary particles belong to
// the current positions.
#include "world/world_parts.h"

#include "base/clock.h"
#include "base/error.h"
#include <string.h>

// --- time per stage

static mn_StageTime* time_of(mn_World* world, const char* name)
{
    for (size_t k = 0; k < world->timing.count; k++)
        if (!strcmp(world->timing.stage[k].name, name))
            return &world->timing.stage[k];
    if (world->timing.count == STAGES_MOST)
        return &world->timing.stage[STAGES_MOST - 1];
    mn_StageTime* added = &world->timing.stage[world->timing.count++];
    *added = (mn_StageTime){.name = name};
    return added;
}

void world_begin_timing(mn_World* world)
{
    for (size_t k = 0; k < world->fluid->stage_count; k++)
        time_of(world, world->fluid->stage[k].name);
}

static StageResult run_stage(mn_World* world, const Stage* stage, Step* step)
{
    double start = clock_seconds();
    StageResult result = stage->run(world, step);
    mn_StageTime* time = time_of(world, stage->name);
    time->seconds += clock_seconds() - start;
    time->calls++;
    return result;
}

// --- one step

// Cuts what is left until a frame into equal steps: pressures of the last step fit the next one best when both are alike.
static double fit_step(double dt, double left)
{
    return isfinite(left) ? left / fmax(1, ceil(left / dt - 1e-9)) : dt;
}

static void repeat(mn_World* world, Step* step)
{
    register_take_back(world->reg, world->pool);
    step->dt = fmax(0.5 * step->dt, world->limits.least_dt);
    world->state.dt_control = step->dt;
    world->state.repeated_steps++;
}

static mn_Result run_stages(mn_World* world, Step* step)
{
    const FluidKind* fluid = world->fluid;
    for (size_t k = 0; k < fluid->stage_count;) {
        StageResult result = run_stage(world, &fluid->stage[k], step);
        if (result == STAGE_FAILED)
            return step->result;
        if (result == STAGE_REPEAT)
            repeat(world, step);
        k = result == STAGE_REPEAT ? 0 : k + 1;
    }
    return MN_OK;
}

mn_Result world_step(mn_World* world, double dt_most, double until, mn_Error* error)
{
    if (world->fluid->hide)
        world->fluid->hide(world);
    world->state.dt_control = world->fluid->longest_step(world);
    until = fmin(until, world_next_event(world));
    double left = until - world->state.time, dt = fmin(fit_step(world->state.dt_control, left), dt_most);
    Step step = {.dt = dt, .usual = world->state.dt_control, .until = until, .left = left, .error = error};
    if (!register_keep(world->reg, world->pool))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", moving_count(&world->particles));
    world->phase.busy = true;
    mn_Result result = run_stages(world, &step);
    world->phase.busy = false;
    if (result == MN_OK && !world_sample_probes(world, step.dt))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for values of probes");
    if (result == MN_OK)
        result = world_watch_squeeze(world, step.dt, error);
    if (result == MN_OK)
        result = world_events_between(world, error);
    if (result != MN_OK)
        world->fluid->forget(world); // a caller may look at what is left, and try again
    return result;
}

void mn_world_after_step(mn_World* world, mn_AfterStepFn* after_step, void* user)
{
    world->observer = (WorldObserver){after_step, user};
}

// A step that the caller asked for, and whoever wants to know of it.
static mn_Result step_and_tell(mn_World* world, double dt_most, double until, mn_Error* error)
{
    mn_Result result = world_step(world, dt_most, until, error);
    if (result == MN_OK && world->observer.tell)
        world->observer.tell(world->observer.user, world);
    return result;
}

static mn_Result begin(mn_World* world, mn_Error* error)
{
    if (world->phase.broken)
        return error_set(error, MN_INVALID, "this world is lost; it can only be destroyed");
    if (world->phase.busy || world->phase.advancing)
        return error_set(error, MN_BAD_INPUT, "a step cannot begin within another one");
    mn_Result result = mn_world_prepare(world, error);
    world->phase.advancing = result == MN_OK;
    return result;
}

static mn_Result end(mn_World* world, mn_Result result)
{
    world->phase.advancing = false;
    return world_shown(world, result);
}

mn_Result mn_world_step(mn_World* world, double dt_max, mn_Error* error)
{
    mn_Result result = begin(world, error);
    return result == MN_OK ? end(world, step_and_tell(world, dt_max, INFINITY, error)) : result;
}

mn_Result mn_world_advance(mn_World* world, double time, mn_KeepGoingFn* keep_going, void* user, mn_Error* error)
{
    mn_Result result = begin(world, error);
    if (result != MN_OK)
        return result;
    // a rest that only rounding left, as between an event at 2.4 s and 24 frames of 0.1 s, is no step: velocities of contacts are
    // paths divided by it
    while (result == MN_OK && world->state.time < time - 1e-6 * world->state.dt_control) {
        result = step_and_tell(world, INFINITY, time, error);
        if (result == MN_OK && keep_going && world->state.time < time && !keep_going(user))
            result = error_set(error, MN_INTERRUPTED, "interrupted at t = %g s", world->state.time);
    }
    return end(world, result);
}
