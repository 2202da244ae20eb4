// SPDX-License-Identifier: MIT
// The stages of a step with the grid fluid. Up to the pressure nothing of the particles changes but for the speeds in nozzles: a
// step that would carry them too far begins again with half its length.
#include "base/error.h"
#include "flip/bodies.h"
#include "world/flip_parts.h"

// --- a try at new velocities

static StageResult predict(mn_World* world, Step* step)
{
    const char* message = world_predict_solids(world, step->dt);
    return message ? stage_solids_failed(world, step, message) : STAGE_DONE;
}

// How a solid will move in the step if there were no fluid, and how it gives way.
static void set_motion(const Solid* solid, double dt, WallSolid* w)
{
    w->velocity = solid->velocity;
    w->angular_velocity = solid->angular_velocity;
    w->centre = solid->pose.position;
    w->gives_way = false;
    if (!solid_is_body(solid))
        return;
    SolidBody body = solid->kind->body(solid);
    Vec3d linear, angular;
    solid->kind->other_acceleration(solid, &linear, &angular);
    w->centre = body.centre;
    w->velocity = vec3d_mad(body.velocity, dt, linear);
    w->angular_velocity = vec3d_mad(body.angular_velocity, dt, angular);
    w->gives_way = body.inverse_mass > 0;
    w->inverse_mass = body.inverse_mass;
    for (int n = 0; n < 9; n++)
        w->inverse_inertia[n / 3][n % 3] = body.inverse_inertia[n / 3][n % 3];
}

static StageResult blocks(mn_World* world, Step* step)
{
    FlipFluid* f = world_flip(world);
    Walls* walls = &f->flip.walls;
    for (size_t k = 0; k < walls->solid_count; k++)
        set_motion(&world->solids.solid[k], step->dt, &walls->solid[k]);
    return stage_done_or_no_memory(world, step, flip_find(&f->flip, &f->grid) && walls_update(walls, &f->flip.blocks));
}

static StageResult to_grid(mn_World* world, Step* step)
{
    FlipFluid* f = world_flip(world);
    FlipParticles particles = flip_particles(f);
    f->flip.gravity = world->def.gravity;
    world_drive_sources(world, step->dt);
    flip_to_grid(&f->flip, &particles, step->dt);
    return STAGE_DONE;
}

static StageResult forces(mn_World* world, Step* step)
{
    FlipFluid* f = world_flip(world);
    flip_gravity(&f->flip, world->def.gravity);
    world->state.force_limit = vec3d_length(world->def.gravity);
    flip_viscosity(&f->flip);
    return STAGE_DONE;
}

static StageResult pressure(mn_World* world, Step* step)
{
    Flip* flip = &world_flip(world)->flip;
    if (!flip_solve(flip))
        return stage_done_or_no_memory(world, step, false);
    double speed = flip->speed;
    bool fixed = world->def.solver.time_step > 0 || step->dt <= world->limits.least_dt;
    // what a sudden impact does is known only now
    if (!fixed && !(speed * step->dt <= 4 * fmax(0.5, world->def.solver.cfl) * flip->dx))
        return STAGE_REPEAT;
    if (!isfinite(speed))
        return stage_fail(step, world_fail_invalid(world, step->error));
    if (speed > 300 * world->state.expected_speed)
        return stage_fail(step, world_fail_impossible(world, speed, step->error));
    flip_extend(flip, fmax(speed, world->measured.max_speed));
    return STAGE_DONE;
}

// --- the step is accepted

static StageResult coupling(mn_World* world, Step* step)
{
    const Flip* flip = &world_flip(world)->flip;
    WorldState* state = &world->state;
    state->iterations = flip->report.iterations;
    state->iterations_total += (uint64_t)flip->report.iterations;
    state->not_converged += !flip->report.converged;
    world->measured.residual_divergence = flip->residual;
    for (size_t k = 0; k < flip->walls.solid_count; k++) {
        const WallSolid* w = &flip->walls.solid[k];
        Solid* solid = &world->solids.solid[k];
        if (solid->kind->deforms)
            continue;
        Vec3d arm = vec3d_sub(w->centre, solid->pose.position);
        solid->force = w->force;
        solid->torque = vec3d_add(w->torque, vec3d_cross(arm, w->force));
        if (solid_is_body(solid))
            solid->kind->set_load(solid, w->force, w->torque);
    }
    return STAGE_DONE;
}

static StageResult move(mn_World* world, Step* step)
{
    FlipFluid* f = world_flip(world);
    FlipParticles particles = flip_particles(f);
    flip_to_particles(&f->flip, &particles, particle_set_borrow(&f->set, "positions before the step"));
    for (size_t k = 0; k < f->flip.inside.solid_count; k++) {
        const CarriedSolid* carried = &f->flip.inside.solid[k];
        carried->solid->force = carried->force;
        carried->solid->torque = vec3d_sub(carried->torque, vec3d_cross(carried->solid->pose.position, carried->force));
    }
    flip_compression(&f->flip, &world->measured.density_error_mean, &world->measured.density_error_max);
    stage_advance_time(world, step);
    return STAGE_DONE;
}

static StageResult solids(mn_World* world, Step* step)
{
    FlipFluid* f = world_flip(world);
    StageResult result = stage_solids(world, step);
    FlipParticles particles = flip_particles(f);
    const Inside* inside = &f->flip.inside;
    if (result != STAGE_DONE || !inside->count)
        return result;
    if (!flip_leave_solids(&f->flip, &particles))
        return stage_done_or_no_memory(world, step, false);
    world->guard.asked = (GuardAsked){inside->suspect, inside->suspects};
    return STAGE_DONE;
}

// docs/architecture.md has the same table, in words.
static const Stage stages[] = {
    {"predict", predict},       {"blocks", blocks},   {"to grid", to_grid}, {"forces", forces},     {"pressure", pressure},
    {"coupling", coupling},     {"move", move},       {"solids", solids},   {"guard", stage_guard}, {"boundary", stage_boundary},
    {"sources", stage_sources}, {"sort", stage_sort}, {"foam", stage_foam},
};

const FluidKind fluid_flip = {.name = "flip",
                              .stage = stages,
                              .stage_count = sizeof stages / sizeof *stages,
                              .carries_solids = true,
                              .knows = flip_fluid_knows,
                              .traits = flip_fluid_traits,
                              .create = flip_fluid_create,
                              .destroy = flip_fluid_destroy,
                              .add = flip_fluid_add,
                              .seed = flip_fluid_seed,
                              .prepare = flip_fluid_prepare,
                              .couple = flip_fluid_couple,
                              .begin = flip_fluid_begin,
                              .register_state = flip_fluid_register,
                              .reserve = flip_fluid_reserve,
                              .longest_step = flip_fluid_longest_step,
                              .sources = world_sources,
                              .search = flip_fluid_search,
                              .forget = flip_fluid_forget,
                              .set_gravity = flip_fluid_set_gravity,
                              .change = flip_fluid_change,
                              .show = flip_fluid_show,
                              .view = flip_fluid_view,
                              .sample = flip_fluid_sample,
                              .expected_step = flip_fluid_expected_step};
