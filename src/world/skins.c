// SPDX-License-Identifier: MIT
// Solids and the fluid: skins in the boundary, the coupling, and the guard of sides.
#include "world/world_parts.h"

#include "base/error.h"
#include <string.h>

bool world_is_sheet(const mn_World* world, size_t k)
{
    mn_ElasticStructure structure = world->solids.def[k].structure;
    return world->solids.solid[k].kind->deforms &&
           (structure == MN_STRUCTURE_SHEET || (structure == MN_STRUCTURE_AUTO && !world->solids.solid[k].closed));
}

mn_Result world_add_skin(mn_World* world, size_t k, mn_Error* error)
{
    const Solid* solid = &world->solids.solid[k];
    if (!solid->kind->deforms || world->fluid->carries_solids)
        return MN_OK;
    SolidSurface s = solid->kind->surface(solid);
    SkinDef def = {.solid = (uint32_t)k,
                   .vertex_count = s.vertex_count,
                   .triangle_count = s.triangle_count,
                   .triangle = s.triangle,
                   .position = s.position,
                   .velocity = s.velocity,
                   .spacing = 2 * world->def.particle_radius,
                   .inset = world_is_sheet(world, k) ? 0 : world->boundary.layer.offset,
                   .kernel = world->boundary.volumes == VOLUMES_NONE ? NULL : &world->scale.kernel,
                   .revision = s.revision};
    if (!boundary_add_skin(&world->boundary, world->pool, &def))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for the particles of an elastic solid");
    world->boundary.skin[world->boundary.skin_count - 1].resample.fade_time = world->limits.fade_time;
    return MN_OK;
}

mn_Result world_add_skins(mn_World* world, mn_Error* error)
{
    mn_Result result = MN_OK;
    for (size_t k = 0; k < world->solids.count && result == MN_OK; k++)
        result = world_add_skin(world, k, error);
    return result;
}

void world_remove_skin(mn_World* world, size_t number)
{
    Boundary* b = &world->boundary;
    for (size_t k = 0; k < b->skin_count; k++)
        if (b->skin[k].solid == number) {
            skin_free(&b->skin[k]);
            memmove(b->skin + k, b->skin + k + 1, (--b->skin_count - k) * sizeof *b->skin);
            return;
        }
}

static GuardDef guard_def(const mn_World* world)
{
    GuardDef def = {.memory = (Memory*)&world->memory,
                    .pool = world->pool,
                    .dimension = world->def.dimension,
                    .radius = world->def.particle_radius,
                    .support = (double)world->scale.kernel.h,
                    .boundary = &world->boundary,
                    .solid = world->solids.solid,
                    .solid_count = world->solids.count,
                    .emitter = world->sources.emitter,
                    .emitter_count = world->sources.emitter_count,
                    .fluid = {.particles = world->particles, .grid = world->grid, .neighbours = world->neighbours}};
    for (int k = 0; k < (int)world->fluids.count; k++)
        def.mass[k] = (double)((float)world->scale.particle_volume * (float)world_density(world, k));
    return def;
}

bool world_renew_guard(mn_World* world)
{
    GuardDef def = guard_def(world);
    return guard_renew(&world->guard, &def);
}

mn_Result world_create_guard(mn_World* world, mn_Error* error)
{
    GuardDef def = guard_def(world);
    return guard_create(&world->guard, &def) ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for the guard of sides");
}

void world_free_skins(mn_World* world)
{
    coupling_destroy(&world->coupling);
    guard_destroy(&world->guard);
}

void world_fade_skins(mn_World* world, double time)
{
    world->limits.fade_time = time;
    for (size_t k = 0; k < world->boundary.skin_count; k++)
        world->boundary.skin[k].resample.fade_time = time;
}

bool world_follow_surfaces(mn_World* world, bool* out_changed)
{
    const Coupling* coupling = &world->coupling;
    return boundary_follow(&world->boundary, world->pool, world->solids.solid, out_changed) &&
           (!*out_changed || !coupling->method->follow || coupling->method->follow(coupling->data));
}

// --- state: the numbers of their primitives. Solids are loaded before, and what is kept by vertex after.

static size_t skins_bytes(const void* owner)
{
    const Boundary* b = &((const mn_World*)owner)->boundary;
    size_t bytes = 0;
    for (size_t k = 0; k < b->skin_count; k++)
        bytes += resample_state_bytes(&b->skin[k].resample);
    return bytes;
}

static void skins_save(const void* owner, void* out)
{
    const Boundary* b = &((const mn_World*)owner)->boundary;
    char* at = out;
    for (size_t k = 0; k < b->skin_count; k++) {
        resample_save(&b->skin[k].resample, at);
        at += resample_state_bytes(&b->skin[k].resample);
    }
}

static bool skins_load(void* owner, const void* in, size_t bytes)
{
    mn_World* world = owner;
    Boundary* b = &world->boundary;
    const char* at = in;
    bool changed;
    if (!boundary_follow(b, world->pool, world->solids.solid, &changed) || bytes != skins_bytes(world))
        return false;
    for (size_t k = 0; k < b->skin_count; k++) {
        if (!resample_load(&b->skin[k].resample, world->pool, at))
            return false;
        at += resample_state_bytes(&b->skin[k].resample);
    }
    return true;
}

bool world_register_skins(mn_World* world)
{
    const StateGrowing skins = {"boundary.skins", PER_VERTEX, world, skins_bytes, skins_save, skins_load};
    return world->boundary.skin_count == 0 || register_growing(world->reg, &skins);
}
