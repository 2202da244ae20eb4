// SPDX-License-Identifier: MIT
// The world's own part of the register, and what follows from a state that was loaded.
#include "world/state.h"

#include "base/error.h"
#include "world/world_parts.h"
#include <string.h>

// --- numbers

_Static_assert(sizeof(WorldState) == 19 * 8, "the state is saved as it is: no padding");

static size_t state_bytes(const void* owner)
{
    return sizeof(WorldState);
}

static void state_save(const void* owner, void* out)
{
    const mn_World* world = owner;
    WorldState state = world->state;
    state.particles = moving_count(&world->particles);
    memcpy(out, &state, sizeof state);
}

// Makes room for the particles that follow.
static bool state_load(void* owner, const void* in)
{
    mn_World* world = owner;
    ParticleSet* set = world->particles.set;
    memcpy(&world->state, in, sizeof world->state);
    size_t count = (size_t)world->state.particles;
    const WorldState* s = &world->state;
    bool ok = s->time >= 0 && isfinite(s->time) && s->dt_control > 0 && isfinite(s->dt_control) && s->last_dt >= 0 &&
              isfinite(s->last_dt) && isfinite(s->force_limit) && s->next_id >= count && count <= UINT32_MAX / 2 &&
              particle_set_reserve(set, count);
    if (ok)
        set->count = count;
    return ok && world->fluid->reserve(world);
}

// --- registration

static bool register_solids(mn_World* world)
{
    StateArray solid = {.per = PER_SOLID,
                        .type = STATE_DOUBLE,
                        .size = sizeof(Vec3d),
                        .stride = sizeof(Solid),
                        .data = &world->solid,
                        .count = &world->solid_count};
    // forces of the last step are what the next one starts from, and what a resumed run shows first
    solid.name = "solid.force";
    solid.offset = offsetof(Solid, force);
    bool ok = register_array(world->reg, &solid);
    solid.name = "solid.torque";
    solid.offset = offsetof(Solid, torque);
    return ok && register_array(world->reg, &solid);
}

static bool register_emitters(mn_World* world)
{
    StateArray emitter = {.per = PER_OTHER,
                          .type = STATE_BYTES,
                          .size = sizeof(uint64_t),
                          .stride = sizeof(Emitter),
                          .data = &world->emitter,
                          .count = &world->emitter_count};
    emitter.name = "emitter.layers";
    emitter.offset = offsetof(Emitter, layers);
    bool ok = register_array(world->reg, &emitter);
    emitter.name = "emitter.emitted";
    emitter.offset = offsetof(Emitter, emitted);
    return ok && register_array(world->reg, &emitter);
}

bool world_register(mn_World* world)
{
    Register* reg = world->reg;
    const StateRecord numbers = {"world", PER_WORLD, world, state_bytes, state_save, state_load};
    return register_record(reg, &numbers) && world->fluid->register_state(world, reg) && register_solids(world) &&
           register_emitters(world) && world_register_systems(world) &&
           world->coupling.method->register_state(world->coupling.data, reg) && guard_register(&world->guard, reg) &&
           world_register_foam(world);
}

// --- the whole

bool world_save_state(const mn_World* world, StateWriteFn* write, void* user)
{
    return register_save(world->reg, write, user);
}

uint64_t mn_world_hash(const mn_World* world)
{
    return register_hash(world->reg);
}

// What is derived: gravity by the events that are done, solids where they are now, boundary particles, lists.
static bool derive(mn_World* world)
{
    world_restore_gravity(world);
    for (size_t k = 0; k < world->solid_count; k++)
        solid_move(&world->solid[k], world->state.time, world->state.dt_control);
    world_place_systems(world);
    world->coupling.method->place(world->coupling.data);
    return guard_follow(&world->guard) &&
           boundary_update(&world->boundary, world->pool, &world->kernel, world->solid, world->solid_count) &&
           world->fluid->search(world);
}

mn_Result world_load_state(mn_World* world, StateReadFn* read, void* user, mn_Error* error)
{
    mn_Result result = mn_world_prepare(world, error);
    if (result == MN_OK)
        result = register_load(world->reg, read, user, error);
    if (result == MN_OK && !derive(world))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", moving_count(&world->particles));
    return result == MN_OK ? world_shown(world, result) : result;
}
