// SPDX-License-Identifier: MIT
// Particles that come and go: emitters, drains, and those that left the world of finite numbers.
#include "world/world_parts.h"

#include "base/reduce.h"

#include <string.h>

static bool in_box(const mn_Drain* drain, Vec4 p, int dimension)
{
    return (double)p.x >= drain->min.x && (double)p.x <= drain->max.x && (double)p.y >= drain->min.y &&
           (double)p.y <= drain->max.y && (dimension == 2 || ((double)p.z >= drain->min.z && (double)p.z <= drain->max.z));
}

static bool is_lost(const mn_World* world, Vec4 p)
{
    double limit = 1e7 * world->support;
    return !(fabs((double)p.x) < limit && fabs((double)p.y) < limit && fabs((double)p.z) < limit);
}

static bool is_drained(const mn_World* world, Vec4 p)
{
    for (size_t k = 0; k < world->drain_count; k++) {
        const mn_Drain* drain = &world->drain[k];
        if (world->state.time >= drain->start && world->state.time < drain->end && in_box(drain, p, world->def.dimension))
            return true;
    }
    return false;
}

// gone: 1 drained, 2 lost; returns how many
static void gone_block(void* context, size_t begin, size_t end, double out[])
{
    mn_World* world = context;
    size_t n = 0;
    for (size_t i = begin; i < end; i++) {
        Vec4 p = (*world->particles.position)[i];
        world->gone[i] = is_lost(world, p) ? 2 : is_drained(world, p) ? 1 : 0;
        n += world->gone[i] != 0;
    }
    out[0] = (double)n;
}

static bool remove_gone(mn_World* world)
{
    ParticleSet* set = world->particles.set;
    if (set->count == 0)
        return true;
    if (!memory_reserve(&world->memory, &world->gone, &world->gone_capacity, 0, set->capacity, 1))
        return false;
    if (reduce_sum(world->pool, set->count, PARTICLE_GRAIN, gone_block, world) == 0)
        return true;
    for (size_t i = 0; i < set->count; i++) {
        world->state.drained += world->gone[i] == 1;
        world->state.lost += world->gone[i] == 2;
    }
    // emitters look particles up by their place in the last sort: they come first (world_sources)
    guard_note_removed(&world->guard, world->gone);
    particle_set_remove(set, world->gone);
    return true;
}

bool world_sources(mn_World* world)
{
    EmitterTarget to = {&world->particles, world->grid, world->def.particle_radius, world->def.dimension};
    for (size_t k = 0; k < world->emitter_count; k++)
        if (!emitter_release(&world->emitter[k], &to, world->state.time, &world->state.next_id, &world->state.emitted))
            return false;
    return remove_gone(world) && world->fluid->reserve(world);
}
