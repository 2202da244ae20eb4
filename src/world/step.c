// SPDX-License-Identifier: MIT
// The order of a step. Between steps lists, densities and boundary particles belong to the current positions (search.c).
#include "world/world_parts.h"

#include "base/clock.h"
#include "base/error.h"
#include "fluid/tension/tension.h"
#include "fluid/viscosity/viscosity.h"
#include <stdio.h>
#include <string.h>

// Most that pressure may add to the kinetic energy of a fast fluid in one step.
static const double MOST_GAIN = 1.01;

typedef struct Kick {
    Sph* sph;
    float dt;
    Vec3 gravity;
} Kick;

// --- velocities

static void save_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fluid* fluid = &((Sph*)context)->fluid;
    memcpy(fluid->scratch + begin, fluid->velocity + begin, (end - begin) * sizeof(Vec4));
}

static void restore_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fluid* fluid = &((Sph*)context)->fluid;
    memcpy(fluid->velocity + begin, fluid->scratch + begin, (end - begin) * sizeof(Vec4));
}

// v += dt (a + g); the largest |a + g|^2 goes to partial
static void kick_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Kick* job = context;
    Fluid* fluid = &job->sph->fluid;
    float most = 0, dt = job->dt;
    for (size_t i = begin; i < end; i++) {
        Vec4 a = fluid->acceleration[i], *v = &fluid->velocity[i];
        a.x += job->gravity.x;
        a.y += job->gravity.y;
        a.z += job->gravity.z;
        float a2 = a.x * a.x + a.y * a.y + a.z * a.z;
        most = a2 > most ? a2 : most;
        v->x += dt * a.x;
        v->y += dt * a.y;
        v->z += dt * a.z;
    }
    job->sph->partial[block] = (double)most;
}

// What comes on top of viscosity_acceleration(). False: out of memory.
static bool apply_forces(mn_World* world, float dt)
{
    Sph* sph = &world->sph;
    tension_acceleration(sph);
    bool ok = !world->rigid || akinci_rub(&world->coupling, (double)dt);
    if (sph->soft)
        soft_rub(sph, (double)dt);
    Kick job = {sph, dt, {(float)world->def.gravity.x, (float)world->def.gravity.y, (float)world->def.gravity.z}};
    parallel_for(sph->pool, sph->fluid.count, PARTICLE_GRAIN, kick_block, &job);
    world->force_limit = sqrt(sph_partial_max(sph, block_count(sph->fluid.count, PARTICLE_GRAIN)));
    return ok;
}

// What a try makes of the velocities.
typedef struct Gain {
    double speed;         // [m/s] the largest, infinite if something is not a number
    double before, after; // [kg m2/s2 per volume] sums of rho |v|^2 without and with the pressure
} Gain;

enum { GAIN_VALUES = 3 };

// v += dt a; per block the largest |v|^2 (infinity if one is not finite) and both sums go to partial
static void finish_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Kick* job = context;
    Fluid* fluid = &job->sph->fluid;
    float most = 0, dt = job->dt;
    double before = 0, after = 0;
    bool finite = true;
    for (size_t i = begin; i < end; i++) {
        Vec4 a = fluid->acceleration[i], *v = &fluid->velocity[i];
        float rho = job->sph->material[(int)v->w].density;
        before += (double)(rho * (v->x * v->x + v->y * v->y + v->z * v->z));
        v->x += dt * a.x;
        v->y += dt * a.y;
        v->z += dt * a.z;
        float v2 = v->x * v->x + v->y * v->y + v->z * v->z;
        finite &= v2 < 1e30f; // false for NaN too
        most = v2 > most ? v2 : most;
        after += (double)(rho * v2);
    }
    double* out = job->sph->partial + GAIN_VALUES * block;
    out[0] = finite ? (double)most : (double)INFINITY;
    out[1] = before;
    out[2] = after;
}

static Gain apply_pressure(mn_World* world, float dt)
{
    Sph* sph = &world->sph;
    Kick job = {.sph = sph, .dt = dt};
    parallel_for(sph->pool, sph->fluid.count, PARTICLE_GRAIN, finish_block, &job);
    Gain gain = {0, 0, 0};
    for (size_t b = 0; b < block_count(sph->fluid.count, PARTICLE_GRAIN); b++) {
        const double* in = sph->partial + GAIN_VALUES * b;
        gain.speed = fmax(gain.speed, sqrt(in[0]));
        gain.before += in[1];
        gain.after += in[2];
    }
    return gain;
}

static void move_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Kick* job = context;
    Fluid* fluid = &job->sph->fluid;
    float dt = job->dt;
    for (size_t i = begin; i < end; i++) {
        Vec4 v = fluid->velocity[i], *x = &fluid->position[i];
        fluid->scratch[i] = *x; // passages_stop() asks where it was
        x->x += dt * v.x;
        x->y += dt * v.y;
        x->z += dt * v.z;
    }
}

// --- stages

static double stage_begin(void)
{
    return clock_seconds();
}

static void stage_end(mn_World* world, Stage stage, double since)
{
    world->stage[stage].seconds += clock_seconds() - since;
    world->stage[stage].calls++;
}

typedef struct Try {
    PressureReport report;
    Gain gain;
    bool memory; // there was enough
    bool bodies; // the rigid solver could predict
} Try;

// One try at new velocities.
static Try try_velocities(mn_World* world, float dt)
{
    Try try = {.report = {.converged = true}};
    PressureReport* report = &try.report;
    Sph* sph = &world->sph;
    const PressureMethod* method = pressure_method(sph->solver.method);
    double t = stage_begin();
    if (world->rigid)
        rigid_set_time(world->rigid, world->time);
    try.bodies = !world->rigid || akinci_begin(&world->coupling, (double)dt);
    if (sph->soft)
        elastic_coupling_begin(&world->soft, (double)dt);
    stage_end(world, STAGE_COUPLING, t);
    // viscosity passes by all that a divergence needs: one look at both, and another only if there is divergence to take away
    t = stage_begin();
    tension_normals(sph);
    viscosity_acceleration(sph, dt);
    double between = stage_begin();
    bool corrected = method->prepare && method->prepare(sph, dt, report);
    stage_end(world, STAGE_DIVERGENCE, between);
    t += stage_begin() - between; // forces go on where they stopped
    if (corrected)
        viscosity_acceleration(sph, dt);
    try.memory = apply_forces(world, dt);
    stage_end(world, STAGE_FORCES, t);
    t = stage_begin();
    method->solve(sph, dt, report);
    if (world->rigid)
        akinci_settle(&world->coupling, (double)dt);
    try.gain = apply_pressure(world, dt);
    if (world->rigid)
        try.gain.speed = fmax(try.gain.speed, akinci_speed(&world->coupling, (double)dt));
    if (sph->soft)
        try.gain.speed =
            fmax(try.gain.speed, elastic_coupling_speed(&world->soft, sph->solver.cfl * 2 * world->def.particle_radius, true));
    stage_end(world, STAGE_PRESSURE, t);
    return try;
}

// A step went wrong if something is not finite, flies farther than the lists can see, or if pressure made the fluid
// faster as a whole: it turns and stops what would run together, it does not fire it. Speeds at which a step hardly leads
// anywhere do not count: water that starts to fall is one. Not having converged is no reason: the next step goes on where this
// one stopped, and is counted.
static bool went_wrong(const mn_World* world, double dt, const Gain* gain)
{
    const Sph* sph = &world->sph;
    if (!isfinite(gain->speed))
        return true;
    if (sph->solver.time_step > 0)
        return false;
    double d = 2 * world->def.particle_radius, share = gain->speed * dt / d;
    return share > fmax(1, 2 * sph->solver.cfl) || (share > 0.5 * sph->solver.cfl && gain->after > MOST_GAIN * gain->before);
}

// The speed of sound is ten times what falling through the scene or its fastest source and solid give.
static bool is_impossible(const mn_World* world, double speed)
{
    return speed > 30 * world->sph.solver.speed_of_sound;
}

static void move_fluid(mn_World* world, float dt)
{
    Kick job = {.sph = &world->sph, .dt = dt};
    parallel_for(world->pool, world->sph.fluid.count, PARTICLE_GRAIN, move_block, &job);
}

static bool couple_solids(mn_World* world)
{
    for (size_t k = 0; k < world->solid_count; k++)
        world->centre[k] = world->solid[k].pose.position;
    // friction acted on the velocities before the step, to first order
    const Reaction* movers = world->rigid ? &world->coupling.reaction : NULL;
    if (!wall_forces(&world->sph, world->sph.fluid.scratch, world->centre, world->solid_count, movers, world->wrench))
        return false;
    for (size_t k = 0; k < world->solid_count; k++) {
        if (movers && movers->mover_of[k] >= 0)
            continue;
        world->solid[k].force = world->wrench[k].force;
        world->solid[k].torque = world->wrench[k].torque;
    }
    return true;
}

static bool move_solids(mn_World* world, double next_dt)
{
    world_events(world);
    for (size_t k = 0; k < world->solid_count; k++)
        world_move_solid(world, k, world->time, next_dt);
    if (world->rigid)
        akinci_place(&world->coupling);
    if (world->sph.soft)
        elastic_coupling_place(&world->soft);
    const Kernel* kernel = &world->sph.kernel;
    return boundary_resample(&world->boundary, world->pool, kernel, world->solid, world->solid_count, world->last_dt,
                             world->def.coupling.resample_by_density) &&
           boundary_update(&world->boundary, world->pool, kernel, world->solid, world->solid_count);
}

static bool move_elastics(mn_World* world, double dt)
{
    if (!world->elastic)
        return true;
    elastic_coupling_before(&world->soft);
    bool ok = world_move_elastics(world, dt);
    elastic_coupling_after(&world->soft, dt, world->dt_control);
    return ok;
}

static bool stop_passages(mn_World* world)
{
    Passages* p = &world->passages;
    if (!p->active)
        return true;
    for (size_t k = 0; k < p->shell_count; k++) { // rigid ones are there already
        size_t solid = p->shell[k].solid;
        p->shell[k].now =
            world->solid[solid].type == MN_SOLID_RIGID ? world->solid[solid].pose : world_pose_at(world, solid, world->time);
    }
    size_t stopped;
    bool ok = passages_stop(p, &stopped);
    world->expelled += stopped;
    return ok;
}

// Cuts what is left until a frame into equal steps: pressures of the last step fit the next one best when both are alike.
static double fit_step(double dt, double left)
{
    return isfinite(left) ? left / fmax(1, ceil(left / dt - 1e-9)) : dt;
}

static mn_Result fail_invalid(const mn_World* world, mn_Error* error)
{
    const Fluid* fluid = &world->sph.fluid;
    for (size_t i = 0; i < fluid->count; i++) {
        Vec4 v = fluid->velocity[i], x = fluid->position[i];
        if (!(v.x * v.x + v.y * v.y + v.z * v.z < 1e30f))
            return error_set(error, MN_INVALID,
                             "particle %u at (%g, %g, %g) has no finite velocity after the pressure solve of step %llu at t = %g s",
                             fluid->id[i], (double)x.x, (double)x.y, (double)x.z, (unsigned long long)world->steps, world->time);
    }
    return error_set(error, MN_INVALID, "velocities are not finite in step %llu at t = %g s", (unsigned long long)world->steps,
                     world->time);
}

// The solids around a point, as ", next to 'a' and 'b'".
static void name_around(const mn_World* world, Vec3d p, char* text, size_t size)
{
    double near = 3 * world->def.particle_radius;
    size_t used = 0;
    text[0] = 0;
    for (size_t k = 0, named = 0; k < world->solid_count && named < 3; k++) {
        const Solid* s = &world->solid[k];
        Vec3d local = solid_to_local(s, p);
        if (s->type == MN_SOLID_ELASTIC || vec3d_distance(local, s->bound_centre) > s->bound_radius + near)
            continue;
        bool in = s->closed && !s->inside && inside_contains(s->test, local);
        if (in || inside_distance(s->test, local, near, NULL, NULL) < near)
            used += (size_t)snprintf(text + used, size - used, "%s'%.64s'", named++ ? " and " : ", next to ", s->name);
    }
}

// The solid whose particle moves fastest, as " of 'a'".
static void name_fastest_solid(const mn_World* world, char* text, size_t size)
{
    const Boundary* b = &world->boundary;
    float most = -1;
    snprintf(text, size, " of a solid");
    for (size_t i = 0; i < b->count; i++) {
        Vec4 v = b->velocity[i];
        float v2 = v.x * v.x + v.y * v.y + v.z * v.z;
        if (v2 > most) {
            most = v2;
            snprintf(text, size, " of '%.64s'", world->solid[b->solid[i]].name);
        }
    }
}

static mn_Result fail_impossible(const mn_World* world, double speed, mn_Error* error)
{
    const Fluid* fluid = &world->sph.fluid;
    size_t fastest = 0;
    float most = -1;
    for (size_t i = 0; i < fluid->count; i++) {
        Vec4 v = fluid->velocity[i];
        float v2 = v.x * v.x + v.y * v.y + v.z * v.z;
        if (v2 > most) {
            most = v2;
            fastest = i;
        }
    }
    char where[256], around[256] = "";
    if (sqrt((double)most) > 0.99 * speed) {
        Vec4 x = fluid->position[fastest];
        name_around(world, vec3d((double)x.x, (double)x.y, (double)x.z), around, sizeof around);
        snprintf(where, sizeof where, " at (%.3g, %.3g, %.3g)%.180s", (double)x.x, (double)x.y, (double)x.z, around);
    } else {
        name_fastest_solid(world, where, sizeof where);
    }
    return error_set(error, MN_INVALID,
                     "a particle%s%s moves at %.3g m/s in step %llu at t = %g s, far beyond what the scene can cause", where,
                     around[0] ? "," : "", speed, (unsigned long long)world->steps, world->time);
}

static mn_Result fail_try(const mn_World* world, const Try* try, mn_Error* error)
{
    if (!try->memory || (world->rigid && rigid_no_memory(world->rigid)))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu solids", world->solid_count);
    return error_set(error, MN_INVALID, "rigid bodies: %s, in step %llu at t = %g s", rigid_message(world->rigid),
                     (unsigned long long)world->steps, world->time);
}

static bool search_after(mn_World* world, mn_Error* error)
{
    if (world_search(world))
        return true;
    error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", world->sph.fluid.count);
    return false;
}

mn_Result world_step(mn_World* world, double dt_most, double until, mn_Error* error)
{
    Sph* sph = &world->sph;
    world->dt_control = world_time_step(world);
    until = fmin(until, world_next_event(world));
    double left = until - world->time, dt = fmin(fit_step(world->dt_control, left), dt_most);
    PressureReport report = {.converged = true};
    sph->first_step = world->steps == 0;
    sph->usual_dt = world->dt_control;
    parallel_for(world->pool, sph->fluid.count, PARTICLE_GRAIN, save_block, sph);

    Gain gain;
    for (;;) {
        Try try = try_velocities(world, (float)dt);
        gain = try.gain;
        report = try.report;
        if (!try.memory || !try.bodies)
            return fail_try(world, &try, error);
        if (!went_wrong(world, dt, &gain))
            break;
        bool fixed = sph->solver.time_step > 0;
        if (fixed || dt <= world->least_dt) {
            if (isfinite(gain.speed))
                break; // as short as allowed: counted below as not converged
            mn_Result result = fail_invalid(world, error);
            parallel_for(world->pool, sph->fluid.count, PARTICLE_GRAIN, restore_block, sph);
            return result;
        }
        parallel_for(world->pool, sph->fluid.count, PARTICLE_GRAIN, restore_block, sph);
        dt = fmax(0.5 * dt, world->least_dt);
        world->dt_control = dt;
        world->repeated_steps++;
    }
    if (is_impossible(world, gain.speed))
        return fail_impossible(world, gain.speed, error);
    world->iterations = report.iterations;
    world->divergence_iterations = report.divergence_iterations;
    world->iterations_total += (uint64_t)report.iterations;
    world->divergence_iterations_total += (uint64_t)report.divergence_iterations;
    world->not_converged += !report.converged;

    double t = stage_begin();
    bool ok = couple_solids(world);
    if (world->rigid)
        akinci_finish(&world->coupling, dt);
    if (sph->soft)
        elastic_coupling_finish(&world->soft, dt);
    stage_end(world, STAGE_COUPLING, t);
    t = stage_begin();
    move_fluid(world, (float)dt);
    world->time = dt >= left * (1 - 1e-9) ? until : world->time + dt;
    world->last_dt = dt;
    world->steps++;
    stage_end(world, STAGE_MOVE, t);
    t = stage_begin();
    passages_remember(&world->passages);
    if (world->rigid && !akinci_move(&world->coupling, dt))
        return fail_try(world, &(Try){.memory = true}, error);
    world_note_joints(world, true);
    // solids are still where the step began: elastic ones go along the way of those that they are tied to and touch
    double own = world->stage[STAGE_ELASTIC].seconds;
    bool moved = move_elastics(world, dt);
    t += world->stage[STAGE_ELASTIC].seconds - own; // a stage of its own
    if (!moved)
        return error_set(error, MN_INVALID, "%s, in step %llu at t = %g s", elastic_message(world->elastic),
                         (unsigned long long)world->steps, world->time);
    if (world->rigid)
        world->expelled += expel_caught(&world->coupling);
    ok = ok && stop_passages(world) && move_solids(world, world->dt_control);
    if (world->solid_count)
        world->expelled += world_bring_back(world);
    stage_end(world, STAGE_SOLIDS, t);
    t = stage_begin();
    ok = ok && world_sources(world) && (!world->passages.active || passages_reserve(&world->passages, world->next_id));
    stage_end(world, STAGE_SOURCES, t);
    if (!ok)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", sph->fluid.count);
    return search_after(world, error) ? MN_OK : MN_OUT_OF_MEMORY;
}

mn_Result mn_world_step(mn_World* world, double dt_max, mn_Error* error)
{
    mn_Result result = mn_world_prepare(world, error);
    return result == MN_OK ? world_step(world, dt_max, INFINITY, error) : result;
}

mn_Result mn_world_advance(mn_World* world, double time, mn_KeepGoingFn* keep_going, void* user, mn_Error* error)
{
    mn_Result result = mn_world_prepare(world, error);
    // a rest that only rounding left, as between an event at 2.4 s and 24 frames of 0.1 s, is no step: velocities of contacts are
    // ways divided by it
    while (result == MN_OK && world->time < time - 1e-9 * world->dt_control) {
        result = world_step(world, INFINITY, time, error);
        if (result == MN_OK && keep_going && world->time < time && !keep_going(user))
            return error_set(error, MN_INTERRUPTED, "interrupted at t = %g s", world->time);
    }
    return result;
}
