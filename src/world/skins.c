// SPDX-License-Identifier: MIT
// Solids and the fluid: skins in the boundary, the coupling, and the guard of sides.
#include "world/world_parts.h"

#include "base/error.h"

bool world_is_sheet(const mn_World* world, size_t k)
{
    mn_ElasticStructure structure = world->solid_def[k].structure;
    return world->solid[k].kind->deforms &&
           (structure == MN_STRUCTURE_SHEET || (structure == MN_STRUCTURE_AUTO && !world->solid[k].closed));
}

mn_Result world_add_skins(mn_World* world, mn_Error* error)
{
    for (size_t k = 0; k < world->solid_count; k++) {
        const Solid* solid = &world->solid[k];
        if (!solid->kind->deforms)
            continue;
        SolidSurface s = solid->kind->surface(solid);
        SkinDef def = {.solid = (uint32_t)k,
                       .vertex_count = s.vertex_count,
                       .triangle_count = s.triangle_count,
                       .triangle = s.triangle,
                       .position = s.position,
                       .velocity = s.velocity,
                       .spacing = 2 * world->def.particle_radius,
                       .inset = world_is_sheet(world, k) ? 0 : world->boundary.layer.offset,
                       .kernel = &world->kernel};
        if (!boundary_add_skin(&world->boundary, world->pool, &def))
            return error_set(error, MN_OUT_OF_MEMORY, "no memory for the particles of an elastic solid");
    }
    return MN_OK;
}

mn_Result world_create_guard(mn_World* world, mn_Error* error)
{
    GuardDef def = {
        .memory = &world->memory,
        .pool = world->pool,
        .dimension = world->def.dimension,
        .radius = world->def.particle_radius,
        .support = (double)world->kernel.h,
        .boundary = &world->boundary,
        .solid = world->solid,
        .solid_count = world->solid_count,
        .emitter = world->emitter,
        .emitter_count = world->emitter_count,
        .fluid = {.particles = world->particles, .grid = world->grid, .neighbours = world->neighbours, .is_counted = true}};
    for (int k = 0; k < (int)world->fluid_count; k++)
        def.mass[k] = (double)((float)world->particle_volume * (float)world_density(world, k));
    return guard_create(&world->guard, &def) ? MN_OK : error_set(error, MN_OUT_OF_MEMORY, "no memory for the guard of sides");
}

void world_free_skins(mn_World* world)
{
    coupling_destroy(&world->coupling);
    guard_destroy(&world->guard);
}

void world_fade_skins(mn_World* world, double time)
{
    for (size_t k = 0; k < world->boundary.skin_count; k++)
        world->boundary.skin[k].resample.fade_time = time;
}
