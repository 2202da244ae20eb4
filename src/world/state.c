// SPDX-License-Identifier: MIT
// What the next step depends on: saved, loaded and hashed in one list of arrays.
#include "world/state.h"

#include "base/error.h"
#include "world/world_parts.h"
#include <stdio.h>
#include <string.h>

// Numbers of the state, in the order of mn_World.
typedef struct Numbers {
    double time, dt_control, last_dt, force_limit, kappa, unseen;
    uint64_t steps, iterations_total, divergence_iterations_total, not_converged, repeated_steps;
    uint64_t emitted, drained, carved, lost, expelled;
    uint64_t next_id, particles, emitters, events_done;
    int64_t iterations, divergence_iterations, check_prediction;
} Numbers;

typedef struct EmitterState {
    uint64_t layers;
    int64_t emitted;
} EmitterState;

static Numbers numbers_of(const mn_World* w)
{
    return (Numbers){.time = w->time,
                     .dt_control = w->dt_control,
                     .last_dt = w->last_dt,
                     .force_limit = w->force_limit,
                     .kappa = (double)w->sph.kappa,
                     .unseen = w->sph.unseen,
                     .steps = w->steps,
                     .iterations_total = w->iterations_total,
                     .divergence_iterations_total = w->divergence_iterations_total,
                     .not_converged = w->not_converged,
                     .repeated_steps = w->repeated_steps,
                     .emitted = w->emitted,
                     .drained = w->drained,
                     .carved = w->carved,
                     .lost = w->lost,
                     .expelled = w->expelled,
                     .next_id = w->next_id,
                     .particles = w->sph.fluid.count,
                     .emitters = w->emitter_count,
                     .events_done = w->events_done,
                     .iterations = w->iterations,
                     .divergence_iterations = w->divergence_iterations,
                     .check_prediction = w->sph.check_prediction};
}

bool world_save_state(const mn_World* world, StateWriteFn* write, void* user)
{
    const Fluid* fluid = &world->sph.fluid;
    Numbers numbers = numbers_of(world);
    bool ok = write(user, "numbers", &numbers, sizeof numbers) &&
              write(user, "fluid.position", fluid->position, fluid->count * sizeof(Vec4)) &&
              write(user, "fluid.velocity", fluid->velocity, fluid->count * sizeof(Vec4)) &&
              write(user, "fluid.divergence_pressure", fluid->divergence_pressure, fluid->count * sizeof(float)) &&
              write(user, "fluid.id", fluid->id, fluid->count * sizeof(uint32_t));
    EmitterState* emitters = memory_take(NULL, (world->emitter_count + 1) * sizeof *emitters);
    if (!emitters)
        return false;
    for (size_t k = 0; k < world->emitter_count; k++)
        emitters[k] = (EmitterState){world->emitter[k].layers, world->emitter[k].emitted};
    ok = ok && write(user, "emitters", emitters, world->emitter_count * sizeof *emitters);
    memory_give(NULL, emitters);
    // forces of the last step are part of what a resumed run shows first
    for (size_t k = 0; k < world->solid_count && ok; k++) {
        Vec3d wrench[2] = {world->solid[k].force, world->solid[k].torque};
        char name[48];
        snprintf(name, sizeof name, "solid.%zu.wrench", k);
        ok = write(user, name, wrench, sizeof wrench);
    }
    if (world->rigid && ok) {
        size_t bytes = rigid_state_bytes(world->rigid);
        void* bodies = memory_take(NULL, bytes);
        if (bodies)
            rigid_save(world->rigid, bodies);
        ok = bodies && write(user, "rigid", bodies, bytes);
        memory_give(NULL, bodies);
    }
    if (world->elastic && ok) {
        size_t bytes = elastic_state_bytes(world->elastic);
        void* bodies = memory_take(NULL, bytes);
        if (bodies)
            elastic_save(world->elastic, bodies);
        ok = bodies && write(user, "elastic", bodies, bytes);
        memory_give(NULL, bodies);
    }
    if (world->sph.soft && ok) {
        size_t bytes = elastic_coupling_state_bytes(&world->soft);
        void* state = memory_take(NULL, bytes);
        if (state)
            elastic_coupling_save(&world->soft, state);
        ok = state && write(user, "elastic.coupling", state, bytes);
        memory_give(NULL, state);
    }
    if (world->passages.active && ok)
        ok = write(user, "passed", world->passages.passed, world->next_id);
    return ok;
}

static mn_Result read_array(StateReadFn* read, void* user, const char* name, void* to, size_t bytes, mn_Error* error)
{
    size_t found = 0;
    const void* data = read(user, name, &found);
    if (!data || found != bytes)
        return error_set(error, MN_BAD_INPUT, "the checkpoint is of another scene or damaged: '%s' has %zu bytes, %zu expected",
                         name, found, bytes);
    if (bytes)
        memcpy(to, data, bytes);
    return MN_OK;
}

static void take_numbers(mn_World* w, const Numbers* n)
{
    w->time = n->time;
    w->dt_control = n->dt_control;
    w->last_dt = n->last_dt;
    w->force_limit = n->force_limit;
    w->sph.kappa = (float)n->kappa;
    w->sph.unseen = n->unseen;
    w->steps = n->steps;
    w->iterations_total = n->iterations_total;
    w->divergence_iterations_total = n->divergence_iterations_total;
    w->not_converged = n->not_converged;
    w->repeated_steps = n->repeated_steps;
    w->emitted = n->emitted;
    w->drained = n->drained;
    w->carved = n->carved;
    w->lost = n->lost;
    w->expelled = n->expelled;
    w->next_id = (uint32_t)n->next_id;
    w->events_done = n->events_done;
    w->iterations = (int)n->iterations;
    w->divergence_iterations = (int)n->divergence_iterations;
    w->sph.check_prediction = n->check_prediction != 0;
}

static mn_Result load_fluid(mn_World* world, StateReadFn* read, void* user, size_t count, mn_Error* error)
{
    Fluid* fluid = &world->sph.fluid;
    if (count > UINT32_MAX / 2 || !fluid_reserve(fluid, count) || !world_reserve_predicted(world))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", count);
    fluid->count = count;
    struct {
        const char* name;
        void* data;
        size_t size;
    } arrays[] = {{"fluid.position", fluid->position, sizeof(Vec4)},
                  {"fluid.velocity", fluid->velocity, sizeof(Vec4)},
                  {"fluid.divergence_pressure", fluid->divergence_pressure, sizeof(float)},
                  {"fluid.id", fluid->id, sizeof(uint32_t)}};
    mn_Result result = MN_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && result == MN_OK; k++)
        result = read_array(read, user, arrays[k].name, arrays[k].data, count * arrays[k].size, error);
    for (size_t i = 0; i < count && result == MN_OK; i++)
        if (!(fluid->velocity[i].w >= 0 && fluid->velocity[i].w < (float)world->fluid_count))
            result = error_set(error, MN_BAD_INPUT, "the checkpoint is of another scene or damaged: a particle of fluid %g",
                               (double)fluid->velocity[i].w);
    return result;
}

static mn_Result load_bodies(mn_World* world, StateReadFn* read, void* user, mn_Error* error)
{
    if (!world->rigid)
        return MN_OK;
    size_t bytes = rigid_state_bytes(world->rigid);
    void* bodies = memory_take(NULL, bytes);
    if (!bodies)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for bodies");
    mn_Result result = read_array(read, user, "rigid", bodies, bytes, error);
    if (result == MN_OK && !rigid_load(world->rigid, bodies))
        result = rigid_no_memory(world->rigid)
                     ? error_set(error, MN_OUT_OF_MEMORY, "no memory for bodies")
                     : error_set(error, MN_BAD_INPUT, "the checkpoint is damaged: the state of bodies or joints cannot be");
    memory_give(NULL, bodies);
    if (result == MN_OK) {
        akinci_place(&world->coupling);
        world_note_joints(world, false);
    }
    return result;
}

static mn_Result load_coupling(mn_World* world, StateReadFn* read, void* user, mn_Error* error)
{
    if (!world->sph.soft)
        return MN_OK;
    size_t bytes = elastic_coupling_state_bytes(&world->soft);
    void* state = memory_take(NULL, bytes);
    if (!state)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for elastic solids");
    mn_Result result = read_array(read, user, "elastic.coupling", state, bytes, error);
    if (result == MN_OK && !elastic_coupling_load(&world->soft, world->pool, state))
        result = error_set(error, MN_BAD_INPUT, "the checkpoint is damaged: particles of an elastic solid");
    memory_give(NULL, state);
    return result;
}

static mn_Result load_elastics(mn_World* world, StateReadFn* read, void* user, mn_Error* error)
{
    if (!world->elastic)
        return MN_OK;
    size_t bytes = elastic_state_bytes(world->elastic);
    void* bodies = memory_take(NULL, bytes);
    if (!bodies)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for elastic solids");
    mn_Result result = read_array(read, user, "elastic", bodies, bytes, error);
    if (result == MN_OK && !elastic_load(world->elastic, bodies))
        result = error_set(error, MN_BAD_INPUT, "the checkpoint is damaged: an elastic solid's state is not finite");
    memory_give(NULL, bodies);
    world_show_elastics(world);
    return result == MN_OK ? load_coupling(world, read, user, error) : result;
}

static mn_Result load_passed(mn_World* world, StateReadFn* read, void* user, mn_Error* error)
{
    if (!world->passages.active)
        return MN_OK;
    if (!passages_reserve(&world->passages, world->next_id))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for sheets");
    return read_array(read, user, "passed", world->passages.passed, world->next_id, error);
}

static mn_Result load_solids(mn_World* world, StateReadFn* read, void* user, mn_Error* error)
{
    mn_Result result = MN_OK;
    for (size_t k = 0; k < world->solid_count && result == MN_OK; k++) {
        Vec3d wrench[2];
        char name[48];
        snprintf(name, sizeof name, "solid.%zu.wrench", k);
        result = read_array(read, user, name, wrench, sizeof wrench, error);
        if (result == MN_OK) {
            world->solid[k].force = wrench[0];
            world->solid[k].torque = wrench[1];
        }
        world_move_solid(world, k, world->time, world->dt_control);
    }
    if (result == MN_OK)
        result = load_bodies(world, read, user, error);
    if (result == MN_OK)
        result = load_elastics(world, read, user, error);
    if (result == MN_OK)
        result = load_passed(world, read, user, error);
    if (result == MN_OK && !boundary_update(&world->boundary, world->pool, &world->sph.kernel, world->solid, world->solid_count))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for boundary particles");
    return result;
}

mn_Result world_load_state(mn_World* world, StateReadFn* read, void* user, mn_Error* error)
{
    mn_Result result = mn_world_prepare(world, error);
    Numbers numbers;
    if (result == MN_OK)
        result = read_array(read, user, "numbers", &numbers, sizeof numbers, error);
    if (result == MN_OK && (numbers.emitters != world->emitter_count || !isfinite(numbers.time)))
        result = error_set(error, MN_BAD_INPUT, "the checkpoint is of another scene: %llu emitters, %zu expected",
                           (unsigned long long)numbers.emitters, world->emitter_count);
    if (result == MN_OK) {
        take_numbers(world, &numbers);
        world_restore_gravity(world);
        result = load_fluid(world, read, user, (size_t)numbers.particles, error);
    }
    size_t bytes = 0;
    const EmitterState* emitters = result == MN_OK ? read(user, "emitters", &bytes) : NULL;
    for (size_t k = 0; k < world->emitter_count && emitters && bytes == world->emitter_count * sizeof *emitters; k++) {
        world->emitter[k].layers = emitters[k].layers;
        world->emitter[k].emitted = emitters[k].emitted;
    }
    if (result == MN_OK)
        result = load_solids(world, read, user, error);
    if (result == MN_OK && (!world_search(world)))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", world->sph.fluid.count);
    return result;
}

// --- hash

static bool hash_bytes(void* user, const char* name, const void* data, size_t bytes)
{
    uint64_t h = *(uint64_t*)user;
    const unsigned char* p = data;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    for (; bytes; bytes--)
        h = (h ^ *p++) * 0x100000001b3u;
    *(uint64_t*)user = h;
    return true;
}

uint64_t mn_world_hash(const mn_World* world)
{
    uint64_t h = 0xcbf29ce484222325u;
    world_save_state(world, hash_bytes, &h);
    return h;
}
