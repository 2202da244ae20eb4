// SPDX-License-Identifier: MIT
#include "foam/foam.h"

#include "base/reduce.h"
#include <string.h>

// Diffuse particles that follow each other in memory should be close in space, so that they look for fluid together. Their order
// means nothing, so it is enough to sort now and then: every so many steps, or when groups have lost a fifth of their particles.
enum { SORT_EVERY = 16, GRAIN = 8192 };
static const double SORT_BELOW = 0.8;

// --- making

bool foam_create(Foam* foam, const FoamRules* rules, Memory* memory, Pool* pool)
{
    foam->rules = *rules;
    foam->memory = memory;
    foam->pool = pool;
    particle_set_init(&foam->set, memory);
    grid_init(&foam->grid, memory, rules->support_radius, rules->dimension);
    const ParticleArray arrays[] = {
        {"foam.position", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &foam->position, false, 0},
        {"foam.velocity", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &foam->velocity, false, 0},
        {"foam.id", PARTICLE_STATE, STATE_UINT32, sizeof(uint32_t), &foam->id, false, 0},
        {"foam.kind", PARTICLE_STATE, STATE_UINT8, sizeof(uint8_t), &foam->kind, false, 0},
        {"foam.gone", PARTICLE_SPARE, STATE_UINT8, sizeof(uint8_t), &foam->gone, false, 0},
    };
    bool ok = true;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        ok = particle_set_add(&foam->set, &arrays[k]) && ok;
    return ok;
}

void foam_destroy(Foam* foam)
{
    if (!foam->memory)
        return;
    void* arrays[] = {foam->potentials.normal,
                      foam->potentials.trapped_air,
                      foam->potentials.wave_crest,
                      foam->born,
                      foam->block,
                      foam->order,
                      foam->groups};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(foam->memory, arrays[k]);
    grid_free(&foam->grid);
    particle_set_free(&foam->set);
    *foam = (Foam){0};
}

// --- state

static size_t state_bytes(const void* owner)
{
    return sizeof(FoamState);
}

static void state_save(const void* owner, void* out)
{
    const Foam* foam = owner;
    FoamState state = foam->state;
    state.count = foam->set.count;
    memcpy(out, &state, sizeof state);
}

// Makes room for the particles that follow.
static bool state_load(void* owner, const void* in)
{
    Foam* foam = owner;
    memcpy(&foam->state, in, sizeof foam->state);
    size_t count = (size_t)foam->state.count;
    bool ok =
        foam->state.count <= UINT32_MAX / 2 && foam->state.count <= foam->state.next_id && particle_set_reserve(&foam->set, count);
    if (ok)
        foam->set.count = count;
    return ok;
}

static bool is_loaded(void* owner)
{
    const Foam* foam = owner;
    for (size_t i = 0; i < foam->set.count; i++)
        if (foam->kind[i] >= FOAM_KINDS)
            return false;
    return true;
}

bool foam_register(Foam* foam, Register* reg)
{
    const StateRecord numbers = {"foam", PER_WORLD, foam, state_bytes, state_save, state_load};
    return register_record(reg, &numbers) && particle_set_register(&foam->set, reg) && register_loaded(reg, is_loaded, foam);
}

// --- who stays

typedef struct Keep {
    const uint8_t* gone;
    uint32_t *block, *order;
} Keep;

static void count_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Keep* keep = context;
    uint32_t count = 0;
    for (size_t i = begin; i < end; i++)
        count += !keep->gone[i];
    keep->block[block] = count;
}

static void order_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Keep* keep = context;
    uint32_t place = keep->block[block];
    for (size_t i = begin; i < end; i++)
        if (!keep->gone[i])
            keep->order[place++] = (uint32_t)i;
}

static bool remove_gone(Foam* foam)
{
    size_t count = foam->set.count, blocks = block_count(count, GRAIN);
    if (!memory_reserve(foam->memory, &foam->block, &foam->block_capacity, 0, blocks + 1, sizeof *foam->block) ||
        !memory_reserve(foam->memory, &foam->order, &foam->order_capacity, 0, count + 1, sizeof *foam->order))
        return false;
    Keep keep = {foam->gone, foam->block, foam->order};
    parallel_for(foam->pool, count, GRAIN, count_block, &keep);
    uint32_t kept = 0;
    for (size_t k = 0; k < blocks; k++) {
        uint32_t here = foam->block[k];
        foam->block[k] = kept;
        kept += here;
    }
    if (kept == count)
        return true;
    parallel_for(foam->pool, count, GRAIN, order_block, &keep);
    foam->set.count = kept;
    particle_set_permute(&foam->set, foam->pool, foam->order);
    return true;
}

static bool sort(Foam* foam)
{
    if (!foam->set.count)
        return true;
    Vec4* scratch = particle_set_borrow(&foam->set, "grid");
    bool ok = grid_build(&foam->grid, foam->pool, foam->position, foam->set.count, scratch);
    particle_set_return(&foam->set, scratch);
    if (ok)
        particle_set_permute(&foam->set, foam->pool, foam->grid.order);
    foam->state.filled_best = 0;
    return ok;
}

// --- a step

bool foam_step(Foam* foam, const FoamFluid* fluid, const FoamSides* sides, double dt)
{
    uint64_t planned;
    if (!foam_plan_births(foam, fluid, dt, &planned))
        return false;
    if (!foam_advect(foam, fluid, sides, dt) || !foam_give_birth(foam, fluid, sides, dt) || !remove_gone(foam))
        return false;
    foam->state.filled_best = foam->state.filled_best > 0 ? foam->state.filled_best : foam->filled;
    foam->state.steps++;
    return (foam->state.steps % SORT_EVERY && foam->filled >= SORT_BELOW * foam->state.filled_best) || sort(foam);
}

static void count_kinds(void* context, size_t begin, size_t end, double out[])
{
    const Foam* foam = context;
    for (size_t i = begin; i < end; i++)
        out[foam->kind[i]] += 1;
}

void foam_count_kinds(const Foam* foam, uint64_t out[FOAM_KINDS])
{
    double sum[FOAM_KINDS];
    static const ReduceOp op[FOAM_KINDS] = {REDUCE_SUM, REDUCE_SUM, REDUCE_SUM};
    Foam* context = (Foam*)(uintptr_t)foam;
    reduce(foam->pool, foam->set.count, GRAIN, count_kinds, context, FOAM_KINDS, op, sum);
    for (int k = 0; k < FOAM_KINDS; k++)
        out[k] = (uint64_t)sum[k];
}
