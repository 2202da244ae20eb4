// SPDX-License-Identifier: MIT
// The world's own part of the register, and what follows from a state that was loaded.
#include "world/state.h"

#include "base/error.h"
#include "world/world_parts.h"
#include <string.h>

// --- numbers

_Static_assert(sizeof(WorldState) == 21 * 8, "the state is saved as it is: no padding");

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

static bool drives_loaded(void* owner)
{
    const mn_World* world = owner;
    for (size_t k = 0; k < world->solids.count; k++)
        if (!solid_drive_is_good(&world->solids.solid[k]))
            return false;
    return true;
}

static bool register_solids(mn_World* world)
{
    StateArray solid = {.per = PER_SOLID,
                        .type = STATE_DOUBLE,
                        .size = sizeof(Vec3d),
                        .stride = sizeof(Solid),
                        .data = &world->solids.solid,
                        .count = &world->solids.count};
    // forces of the last step are what the next one starts from, and what a resumed run shows first
    solid.name = "solid.force";
    solid.offset = offsetof(Solid, force);
    bool ok = register_array(world->reg, &solid);
    solid.name = "solid.torque";
    solid.offset = offsetof(Solid, torque);
    ok = ok && register_array(world->reg, &solid);
    solid.name = "solid.push"; // force and torque
    solid.size = 2 * sizeof(Vec3d);
    solid.offset = offsetof(Solid, push);
    ok = ok && register_array(world->reg, &solid);
    solid.name = "solid.drive";
    solid.size = sizeof(SolidDrive);
    solid.offset = offsetof(Solid, drive);
    return ok && register_array(world->reg, &solid) && register_loaded(world->reg, drives_loaded, world);
}

static bool register_emitter_value(mn_World* world, const char* name, StateType type, size_t offset)
{
    StateArray value = {.name = name,
                        .per = PER_OTHER,
                        .type = type,
                        .size = 8,
                        .stride = sizeof(Emitter),
                        .offset = offset,
                        .data = &world->sources.emitter,
                        .count = &world->sources.emitter_count};
    return register_array(world->reg, &value);
}

static size_t columns_bytes(const void* owner)
{
    const mn_World* world = owner;
    size_t count = 0;
    for (size_t k = 0; k < world->sources.emitter_count; k++)
        count += world->sources.emitter[k].nozzle.column_count;
    return count * sizeof(uint64_t);
}

static void columns_save(const void* owner, void* out)
{
    const mn_World* world = owner;
    uint64_t* to = out;
    for (size_t k = 0; k < world->sources.emitter_count; k++)
        for (size_t c = 0; c < world->sources.emitter[k].nozzle.column_count; c++)
            *to++ = world->sources.emitter[k].nozzle.column[c].released;
}

static bool columns_load(void* owner, const void* in)
{
    mn_World* world = owner;
    const uint64_t* from = in;
    for (size_t k = 0; k < world->sources.emitter_count; k++)
        for (size_t c = 0; c < world->sources.emitter[k].nozzle.column_count; c++)
            world->sources.emitter[k].nozzle.column[c].released = *from++;
    return true;
}

static bool emitters_loaded(void* owner)
{
    const mn_World* world = owner;
    for (size_t k = 0; k < world->sources.emitter_count; k++) {
        const Emitter* e = &world->sources.emitter[k];
        if (!(e->path >= 0 && e->path < 1e15 && e->clock >= 0 && e->clock <= world->state.time && e->asked >= 0 &&
              isfinite(e->asked) && e->told <= 1e6 && (e->off == 0 || e->off == 1)))
            return false;
    }
    return true;
}

static bool register_emitters(mn_World* world)
{
    const StateRecord columns = {"emitter.columns", PER_OTHER, world, columns_bytes, columns_save, columns_load};
    return register_emitter_value(world, "emitter.clock", STATE_DOUBLE, offsetof(Emitter, clock)) &&
           register_emitter_value(world, "emitter.path", STATE_DOUBLE, offsetof(Emitter, path)) &&
           register_emitter_value(world, "emitter.asked", STATE_DOUBLE, offsetof(Emitter, asked)) &&
           register_emitter_value(world, "emitter.emitted", STATE_BYTES, offsetof(Emitter, emitted)) &&
           register_emitter_value(world, "emitter.told", STATE_DOUBLE, offsetof(Emitter, told)) &&
           register_emitter_value(world, "emitter.off", STATE_DOUBLE, offsetof(Emitter, off)) &&
           (world->sources.emitter_count == 0 || register_record(world->reg, &columns)) &&
           register_loaded(world->reg, emitters_loaded, world);
}

bool world_register(mn_World* world)
{
    Register* reg = world->reg;
    const StateRecord numbers = {"world", PER_WORLD, world, state_bytes, state_save, state_load};
    return register_record(reg, &numbers) && world->fluid->register_state(world, reg) && register_solids(world) &&
           register_emitters(world) && world_register_systems(world) && world_register_skins(world) &&
           world->coupling.method->register_state(world->coupling.data, reg) && guard_register(&world->guard, reg) &&
           world_register_foam(world) && world_register_pulls(world) && world_register_frames(world) &&
           world_register_probes(world);
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

bool world_settle(mn_World* world)
{
    for (size_t k = 0; k < world->solids.count; k++)
        solid_move(&world->solids.solid[k], world->state.time, world->state.dt_control);
    world_place_systems(world);
    world_place_sources(world);
    world->coupling.method->place(world->coupling.data);
    return guard_follow(&world->guard) &&
           boundary_update(&world->boundary, world->pool, &world->scale.kernel, world->solids.solid, world->solids.count) &&
           world->fluid->search(world);
}

// Solids and joints that events brought, and settings that they left: before anything is loaded that depends on them.
static mn_Result build_as_saved(mn_World* world, StateReadFn* read, void* user, mn_Error* error)
{
    size_t bytes = 0, frames = 0;
    const void* numbers = read(user, "world", &bytes);
    const void* frame = read(user, "joint.frames", &frames);
    if (!numbers || bytes != sizeof(WorldState))
        return MN_OK; // register_load says what is wrong
    WorldState saved;
    memcpy(&saved, numbers, sizeof saved);
    if (saved.events_done > world->events.count || !isfinite(saved.time) || !(saved.expected_speed > 0) ||
        !isfinite(saved.expected_speed))
        return error_set(error, MN_BAD_INPUT, "the checkpoint is of another scene or damaged: 'world' cannot be used");
    mn_Result result = world_take_frames(world, saved.events_done, frame, frame ? frames / sizeof(mn_Pose) : 0, error);
    if (result == MN_OK)
        result = world_build_done(world, saved.events_done, error);
    if (result == MN_OK && !world_restore_settings(world, &saved))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for a state");
    return result;
}

mn_Result world_load_state(mn_World* world, StateReadFn* read, void* user, mn_Error* error)
{
    mn_Result result = mn_world_prepare(world, error);
    if (world->fluid->hide)
        world->fluid->hide(world);
    if (result == MN_OK)
        result = build_as_saved(world, read, user, error);
    if (result == MN_OK)
        result = register_load(world->reg, read, user, error);
    if (result == MN_OK && !world_settle(world))
        result = error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu particles", moving_count(&world->particles));
    return result == MN_OK ? world_shown(world, result) : result;
}
