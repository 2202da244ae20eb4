// SPDX-License-Identifier: MIT
// Solids and the fluid: skins in the boundary, the coupling, and who passes through a sheet.
#include "world/world_parts.h"

#include "base/error.h"
#include <string.h>

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

mn_Result world_couple(mn_World* world, mn_Error* error)
{
    CouplingDef def = {.memory = &world->memory,
                       .sph = &world->sph,
                       .boundary = &world->boundary,
                       .solid = world->solid,
                       .solid_count = world->solid_count,
                       .strong = world->def.coupling.strong};
    if (!coupling_create(&world->coupling, coupling_method(NULL), &def))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for the coupling of %zu solids", world->solid_count);
    return MN_OK;
}

mn_Result world_watch_sheets(mn_World* world, mn_Error* error)
{
    const Boundary* b = &world->boundary;
    world->is_sheet = memory_take(&world->memory, (b->skin_count + 1) * sizeof *world->is_sheet);
    for (size_t k = 0; world->is_sheet && k < b->skin_count; k++)
        world->is_sheet[k] = world_is_sheet(world, b->skin[k].solid);
    PassagesDef def = {.memory = &world->memory,
                       .sph = &world->sph,
                       .boundary = b,
                       .sheet = world->is_sheet,
                       .solid = world->solid,
                       .solid_count = world->solid_count};
    bool ok = world->is_sheet && passages_create(&world->passages, &def);
    return ok ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for sheets");
}

void world_free_skins(mn_World* world)
{
    coupling_destroy(&world->coupling);
    passages_destroy(&world->passages);
    memory_give(&world->memory, world->is_sheet);
}

void world_fade_skins(mn_World* world, double time)
{
    for (size_t k = 0; k < world->boundary.skin_count; k++)
        world->boundary.skin[k].resample.fade_time = time;
}
