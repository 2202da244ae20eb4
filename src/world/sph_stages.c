// SPDX-License-Identifier: MIT
// The stages of a step with an SPH fluid. The first ones are a try at new velocities: if it went wrong, all registered state is
// taken back and they run again with half the length (step.c).
#include "world/sph_parts.h"

#include "base/error.h"
#include "fluid/mirror.h"
#include "fluid/pressure/bulk.h"
#include "fluid/tension/tension.h"
#include "fluid/viscosity/implicit.h"
#include "fluid/viscosity/viscosity.h"

// Most that pressure may add to the kinetic energy of a fast fluid in one step.
static const double MOST_GAIN = 1.01;

// --- a try at new velocities

static StageResult predict(mn_World* world, Step* step)
{
    Sph* sph = world_sph(world);
    sph->first_step = world->state.steps == 0;
    sph->usual_dt = step->usual;
    const char* message = world_predict_solids(world, step->dt);
    return message ? stage_solids_failed(world, step, message) : STAGE_DONE;
}

// Viscosity passes by all that a divergence needs: one look at both, and another only if there is divergence to take away.
static StageResult viscosity(mn_World* world, Step* step)
{
    tension_normals(world_sph(world));
    viscosity_acceleration(world_sph(world), (float)step->dt);
    return STAGE_DONE;
}

static StageResult divergence(mn_World* world, Step* step)
{
    SphFluid* fluid = world_sph_fluid(world);
    const PressureMethod* method = pressure_method(world_sph(world)->solver.method);
    fluid->report = (PressureReport){.converged = true};
    fluid->corrected = method->prepare && method->prepare(world_sph(world), (float)step->dt, &fluid->report);
    return STAGE_DONE;
}

static StageResult forces(mn_World* world, Step* step)
{
    SphFluid* fluid = world_sph_fluid(world);
    Sph* sph = world_sph(world);
    if (fluid->corrected)
        viscosity_acceleration(sph, (float)step->dt);
    bool ok = tension_acceleration(sph);
    ok = world->coupling.method->forces(world->coupling.data, step->dt) && ok;
    world->state.force_limit = fluid_kick(sph, (float)step->dt, world->def.gravity);
    implicit_solve(sph, (float)step->dt);
    world_drive_sources(world, step->dt);
    return stage_done_or_no_memory(world, step, ok);
}

// A step went wrong if something is not finite, flies farther than the lists can see, or if pressure made the fluid
// faster as a whole: it turns and stops what would run together, it does not fire it. Speeds at which a step hardly leads
// anywhere do not count: water that starts to fall is one. Not having converged is no reason: the next step goes on where this
// one stopped, and is counted.
static bool went_wrong(const mn_World* world, const Step* step)
{
    const SphFluid* fluid = world_sph_fluid(world);
    const mn_SolverDef* solver = &world_sph(world)->solver;
    if (!isfinite(fluid->gain.speed))
        return true;
    if (solver->time_step > 0)
        return false;
    double share = fluid->gain.speed * step->dt / (2 * world->def.particle_radius);
    return share > fmax(1, 2 * solver->cfl) || (share > 0.5 * solver->cfl && fluid->gain.after > MOST_GAIN * fluid->gain.before);
}

// The speed of sound is ten times what falling through the scene or its fastest source and solid give.
static bool is_impossible(const mn_World* world, double speed)
{
    return speed > 30 * world_sph(world)->solver.speed_of_sound;
}

static StageResult judge(mn_World* world, Step* step)
{
    const SphFluid* fluid = world_sph_fluid(world);
    bool is_shortest = world_sph(world)->solver.time_step > 0 || step->dt <= world->limits.least_dt;
    if (went_wrong(world, step) && !is_shortest)
        return STAGE_REPEAT;
    if (!isfinite(fluid->gain.speed)) {
        mn_Result result = world_fail_invalid(world, step->error);
        register_take_back(world->reg, world->pool);
        return stage_fail(step, result);
    }
    if (is_impossible(world, fluid->gain.speed))
        return stage_fail(step, world_fail_impossible(world, fluid->gain.speed, step->error));
    return STAGE_DONE;
}

static StageResult pressure(mn_World* world, Step* step)
{
    SphFluid* fluid = world_sph_fluid(world);
    Sph* sph = world_sph(world);
    double path = sph->solver.cfl * 2 * world->def.particle_radius;
    pressure_method(sph->solver.method)->solve(sph, (float)step->dt, &fluid->report);
    world->coupling.method->settle(world->coupling.data, step->dt);
    fluid->gain = fluid_apply_pressure(sph, (float)step->dt);
    mirror_hold(sph, (float)step->dt);
    fluid->gain.speed = fmax(fluid->gain.speed, world->coupling.method->speed_after(world->coupling.data, path, step->dt));
    return judge(world, step);
}

// --- the step is accepted

static StageResult coupling(mn_World* world, Step* step)
{
    SphFluid* fluid = world_sph_fluid(world);
    WorldState* state = &world->state;
    state->iterations = fluid->report.iterations;
    state->divergence_iterations = fluid->report.divergence_iterations;
    state->iterations_total += (uint64_t)fluid->report.iterations;
    state->divergence_iterations_total += (uint64_t)fluid->report.divergence_iterations;
    state->not_converged += !fluid->report.converged;
    if (bulk_lacks_memory(fluid->sph.bulk))
        world_log(world, MN_LOG_WARNING,
                  "there is no memory for the coarse level of pressure solves: deep water takes more iterations");
    const CouplingMethod* method = world->coupling.method;
    bool ok = !method->constrain || method->constrain(world->coupling.data, stage_end(world, step), step->dt);
    ok = ok && method->finish(world->coupling.data, step->dt) && world_watch_parts(world);
    fluid_accept(&fluid->sph.fluid);
    return stage_done_or_no_memory(world, step, ok);
}

static StageResult move(mn_World* world, Step* step)
{
    Vec4* before = particle_set_borrow(&world_sph(world)->fluid.set, "positions before the step");
    fluid_move(world_sph(world), (float)step->dt, before);
    stage_advance_time(world, step);
    return STAGE_DONE;
}

static StageResult neighbours(mn_World* world, Step* step)
{
    return stage_done_or_no_memory(world, step, sph_find_neighbours(world, step->dt));
}

// docs/architecture.md has the same table, in words.
static const Stage stages[] = {
    {"predict", predict},
    {"forces", viscosity},
    {"divergence", divergence},
    {"forces", forces},
    {"pressure", pressure},
    {"coupling", coupling},
    {"move", move},
    {"solids", stage_solids},
    {"guard", stage_guard},
    {"boundary", stage_boundary},
    {"sources", stage_sources},
    {"sort", stage_sort},
    {"neighbours", neighbours},
    {"foam", stage_foam},
};

const FluidKind fluid_sph = {.name = "sph",
                             .stage = stages,
                             .stage_count = sizeof stages / sizeof *stages,
                             .knows = sph_knows,
                             .traits = sph_traits,
                             .create = sph_create,
                             .destroy = sph_destroy,
                             .add = sph_add,
                             .seed = sph_seed,
                             .prepare = sph_prepare,
                             .couple = sph_couple,
                             .begin = sph_begin,
                             .register_state = sph_register,
                             .thin = sph_thin,
                             .relax = sph_relax,
                             .rest = sph_rest,
                             .reserve = sph_reserve,
                             .longest_step = sph_longest_step,
                             .sources = world_sources,
                             .search = sph_search,
                             .forget = sph_forget,
                             .set_gravity = sph_set_gravity,
                             .change = sph_change,
                             .use = sph_use,
                             .expect = sph_expect,
                             .show = sph_show,
                             .hide = sph_hide,
                             .view = sph_view,
                             .sample = sph_sample,
                             .expected_step = sph_expected_step};
