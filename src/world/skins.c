// SPDX-License-Identifier: MIT
// Elastic solids and the fluid: skins in the boundary and their coupling; the guard of sides, which needs to know them.
#include "world/world_parts.h"

#include "base/error.h"

static bool is_elastic(const mn_World* world, size_t k)
{
    return world->elastic && world->elastic_of[k] >= 0;
}

bool world_is_sheet(const mn_World* world, size_t k)
{
    mn_ElasticStructure structure = world->solid_def[k].structure;
    return is_elastic(world, k) && (structure == MN_STRUCTURE_SHEET || (structure == MN_STRUCTURE_AUTO && !world->solid[k].closed));
}

mn_Result world_add_skins(mn_World* world, mn_Error* error)
{
    for (size_t k = 0; k < world->solid_count; k++) {
        if (!is_elastic(world, k))
            continue;
        ElasticSurface s = elastic_surface(world->elastic, world->elastic_of[k]);
        SkinDef def = {.solid = (uint32_t)k,
                       .vertex_count = s.vertex_count,
                       .triangle_count = s.triangle_count,
                       .triangle = s.triangle,
                       .position = s.position,
                       .velocity = s.velocity,
                       .spacing = 2 * world->def.particle_radius,
                       .inset = world_is_sheet(world, k) ? 0 : world->boundary.layer.offset,
                       .kernel = &world->sph.kernel};
        if (!boundary_add_skin(&world->boundary, world->pool, &def))
            return error_set(error, MN_OUT_OF_MEMORY, "no memory for the particles of an elastic solid");
    }
    return MN_OK;
}

mn_Result world_couple_skins(mn_World* world, mn_Error* error)
{
    const Boundary* b = &world->boundary;
    if (b->skin_count == 0)
        return MN_OK;
    int* body = memory_take(NULL, b->skin_count * sizeof *body);
    for (size_t k = 0; body && k < b->skin_count; k++)
        body[k] = world->elastic_of[b->skin[k].solid];
    bool ok = body && elastic_coupling_create(&world->soft, &world->memory, &world->sph, &world->boundary, world->solid,
                                              world->elastic, body, world->def.coupling.strong);
    memory_give(NULL, body);
    return ok ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for elastic solids");
}

mn_Result world_create_guard(mn_World* world, mn_Error* error)
{
    GuardDef def = {.memory = &world->memory,
                    .sph = &world->sph,
                    .boundary = &world->boundary,
                    .solid = world->solid,
                    .solid_count = world->solid_count,
                    .emitter = world->emitter,
                    .emitter_count = world->emitter_count};
    return guard_create(&world->guard, &def) ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for the guard of sides");
}

void world_free_skins(mn_World* world)
{
    elastic_coupling_destroy(&world->soft);
    guard_destroy(&world->guard);
}

void world_fade_skins(mn_World* world, double time)
{
    for (size_t k = 0; k < world->boundary.skin_count; k++)
        world->boundary.skin[k].resample.fade_time = time;
}
