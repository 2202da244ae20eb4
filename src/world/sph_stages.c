// SPDX-License-Identifier: MIT
// The stages of a step with an SPH fluid. The first ones are a try at new velocities: if it went wrong, all registered state is
// taken back and they run again with half the length (step.c).
#include "world/world_parts.h"

#include "base/error.h"
#include "fluid/tension/tension.h"
#include "fluid/viscosity/viscosity.h"

// Most that pressure may add to the kinetic energy of a fast fluid in one step.
static const double MOST_GAIN = 1.01;

static StageResult fail(Step* step, mn_Result result)
{
    step->result = result;
    return STAGE_FAILED;
}

static StageResult no_memory(const mn_World* world, Step* step)
{
    return fail(step, error_set(step->error, MN_OUT_OF_MEMORY, "no memory for %zu particles and %zu solids",
                                world->sph.fluid.set.count, world->solid_count));
}

static StageResult done_or_no_memory(const mn_World* world, Step* step, bool ok)
{
    return ok ? STAGE_DONE : no_memory(world, step);
}

static StageResult solids_failed(const mn_World* world, Step* step, const char* message)
{
    mn_Result result = world_solids_no_memory(world) ? MN_OUT_OF_MEMORY : MN_INVALID;
    return fail(step, error_set(step->error, result, "%s, in step %llu at t = %g s", message,
                                (unsigned long long)world->state.steps, world->state.time));
}

// --- a try at new velocities

static StageResult predict(mn_World* world, Step* step)
{
    Sph* sph = &world->sph;
    sph->first_step = world->state.steps == 0;
    sph->usual_dt = step->usual;
    const char* message = world_predict_solids(world, step->dt);
    return message ? solids_failed(world, step, message) : STAGE_DONE;
}

// Viscosity passes by all that a divergence needs: one look at both, and another only if there is divergence to take away.
static StageResult viscosity(mn_World* world, Step* step)
{
    tension_normals(&world->sph);
    viscosity_acceleration(&world->sph, (float)step->dt);
    return STAGE_DONE;
}

static StageResult divergence(mn_World* world, Step* step)
{
    const PressureMethod* method = pressure_method(world->sph.solver.method);
    step->report = (PressureReport){.converged = true};
    step->corrected = method->prepare && method->prepare(&world->sph, (float)step->dt, &step->report);
    return STAGE_DONE;
}

static StageResult forces(mn_World* world, Step* step)
{
    Sph* sph = &world->sph;
    if (step->corrected)
        viscosity_acceleration(sph, (float)step->dt);
    tension_acceleration(sph);
    bool ok = world->coupling.method->forces(world->coupling.data, step->dt);
    world->state.force_limit = fluid_kick(sph, (float)step->dt, world->def.gravity);
    return done_or_no_memory(world, step, ok);
}

// A step went wrong if something is not finite, flies farther than the lists can see, or if pressure made the fluid
// faster as a whole: it turns and stops what would run together, it does not fire it. Speeds at which a step hardly leads
// anywhere do not count: water that starts to fall is one. Not having converged is no reason: the next step goes on where this
// one stopped, and is counted.
static bool went_wrong(const mn_World* world, const Step* step)
{
    const mn_SolverDef* solver = &world->sph.solver;
    if (!isfinite(step->gain.speed))
        return true;
    if (solver->time_step > 0)
        return false;
    double share = step->gain.speed * step->dt / (2 * world->def.particle_radius);
    return share > fmax(1, 2 * solver->cfl) || (share > 0.5 * solver->cfl && step->gain.after > MOST_GAIN * step->gain.before);
}

// The speed of sound is ten times what falling through the scene or its fastest source and solid give.
static bool is_impossible(const mn_World* world, double speed)
{
    return speed > 30 * world->sph.solver.speed_of_sound;
}

static StageResult judge(mn_World* world, Step* step)
{
    bool is_shortest = world->sph.solver.time_step > 0 || step->dt <= world->least_dt;
    if (went_wrong(world, step) && !is_shortest)
        return STAGE_REPEAT;
    if (!isfinite(step->gain.speed)) {
        mn_Result result = world_fail_invalid(world, step->error);
        register_take_back(world->reg, world->pool);
        return fail(step, result);
    }
    if (is_impossible(world, step->gain.speed))
        return fail(step, world_fail_impossible(world, step->gain.speed, step->error));
    return STAGE_DONE;
}

static StageResult pressure(mn_World* world, Step* step)
{
    Sph* sph = &world->sph;
    double path = sph->solver.cfl * 2 * world->def.particle_radius;
    pressure_method(sph->solver.method)->solve(sph, (float)step->dt, &step->report);
    world->coupling.method->settle(world->coupling.data, step->dt);
    step->gain = fluid_apply_pressure(sph, (float)step->dt);
    step->gain.speed = fmax(step->gain.speed, world->coupling.method->speed_after(world->coupling.data, path, step->dt));
    return judge(world, step);
}

// --- the step is accepted

static double step_end(const mn_World* world, const Step* step)
{
    return step->dt >= step->left * (1 - 1e-9) ? step->until : world->state.time + step->dt;
}

static StageResult coupling(mn_World* world, Step* step)
{
    WorldState* state = &world->state;
    state->iterations = step->report.iterations;
    state->divergence_iterations = step->report.divergence_iterations;
    state->iterations_total += (uint64_t)step->report.iterations;
    state->divergence_iterations_total += (uint64_t)step->report.divergence_iterations;
    state->not_converged += !step->report.converged;
    const CouplingMethod* method = world->coupling.method;
    bool ok = !method->constrain || method->constrain(world->coupling.data, step_end(world, step), step->dt);
    ok = ok && method->finish(world->coupling.data, step->dt);
    fluid_accept(&world->sph.fluid);
    return done_or_no_memory(world, step, ok);
}

static StageResult move(mn_World* world, Step* step)
{
    WorldState* state = &world->state;
    Vec4* before = particle_set_borrow(&world->sph.fluid.set, "positions before the step");
    fluid_move(&world->sph, (float)step->dt, before);
    state->time = step_end(world, step);
    state->last_dt = step->dt;
    state->steps++;
    return STAGE_DONE;
}

static StageResult solids(mn_World* world, Step* step)
{
    if (!guard_begin_step(&world->guard))
        return no_memory(world, step);
    const char* message = world_step_solids(world, step->dt);
    return message ? solids_failed(world, step, message) : STAGE_DONE;
}

static StageResult guard(mn_World* world, Step* step)
{
    bool ok = world_guard_sides(world);
    particle_set_return(&world->sph.fluid.set, world->sph.fluid.set.scratch);
    return done_or_no_memory(world, step, ok);
}

static StageResult boundary(mn_World* world, Step* step)
{
    return done_or_no_memory(world, step, world_place_solids(world, world->state.dt_control));
}

static StageResult sources(mn_World* world, Step* step)
{
    return done_or_no_memory(world, step, world_sources(world));
}

static StageResult sort(mn_World* world, Step* step)
{
    return done_or_no_memory(world, step, world_sort(world));
}

static StageResult neighbours(mn_World* world, Step* step)
{
    return done_or_no_memory(world, step, world_find_neighbours(world));
}

// docs/architecture.md has the same table, in words.
static const Stage stages[] = {
    {"predict", predict},   {"forces", viscosity}, {"divergence", divergence}, {"forces", forces}, {"pressure", pressure},
    {"coupling", coupling}, {"move", move},        {"solids", solids},         {"guard", guard},   {"boundary", boundary},
    {"sources", sources},   {"sort", sort},        {"neighbours", neighbours},
};

const FluidKind fluid_sph = {.name = "sph",
                             .stage = stages,
                             .stage_count = sizeof stages / sizeof *stages,
                             .seed = world_prepare_fluid,
                             .longest_step = world_time_step,
                             .sources = world_sources,
                             .search = world_search};
