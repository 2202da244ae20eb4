// SPDX-License-Identifier: MIT
// Sorting, neighbour lists and densities of the current positions: the end of every step, so that what the world shows
// between steps belongs to where its particles are.
#include "world/world_parts.h"

#include "fluid/packing.h"
#include "fluid/responder.h"

bool world_sort(mn_World* world)
{
    ParticleSet* set = &world->sph.fluid.set;
    particle_set_clear_padding(set);
    Vec4* scratch = particle_set_borrow(set, "grid");
    bool ok = grid_build(&world->sph.grid, world->pool, world->sph.fluid.position, set->count, scratch);
    particle_set_return(set, scratch);
    if (!ok)
        return false;
    particle_set_permute(set, world->pool, world->sph.grid.order);
    particle_set_clear_padding(set);
    return true;
}

// Density errors at the new positions, and whether solves foresaw them.
static void measure_errors(mn_World* world)
{
    fluid_density_errors(&world->sph, &world->density_error_mean, &world->density_error_max);
    pressure_compare(&world->sph, world->density_error_mean);
}

bool world_find_neighbours(mn_World* world)
{
    Sph* sph = &world->sph;
    Fluid* fluid = &sph->fluid;
    bool walls = world->boundary.count > 0;
    sph->boundary = walls ? boundary_points(&world->boundary) : (BoundaryPoints){0};
    sph->boundary_solid = world->boundary.solid;
    sph->boundary_wall_viscosity = world->boundary.wall_viscosity;
    KernelSums sums = {sph->volume, fluid->density, fluid->diagonal};
    bool ok = sph_reserve_partial(sph) && neighbours_build(&sph->neighbours, world->pool, &sph->kernel, &sph->grid, fluid->position,
                                                           fluid->set.count, walls ? &sph->boundary : NULL, &sums);
    if (ok && sph->material_count > 1)
        weighted_diagonal(sph);
    ok = ok && responders_build(sph);
    if (ok) {
        packing_apply(sph);
        measure_errors(world);
    }
    return ok;
}

bool world_search(mn_World* world)
{
    return world_sort(world) && world_find_neighbours(world);
}
