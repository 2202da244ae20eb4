// SPDX-License-Identifier: MIT
// Neighbour lists and densities of the current positions: the end of every step, so that what the world shows between steps
// belongs to where its particles are.
#include "world/sph_parts.h"

#include "fluid/corrected.h"
#include "fluid/mirror.h"
#include "fluid/packing.h"
#include "fluid/responder.h"

// Density errors at the new positions, and whether solves foresaw them.
static void measure_errors(mn_World* world)
{
    fluid_density_errors(world_sph(world), &world->measured.density_error_mean, &world->measured.density_error_max);
    pressure_compare(world_sph(world), world->measured.density_error_mean);
}

bool sph_find_neighbours(mn_World* world, double dt)
{
    Sph* sph = world_sph(world);
    Fluid* fluid = &sph->fluid;
    bool walls = world->boundary.count > 0;
    sph->walls.points = walls ? boundary_points(&world->boundary) : (BoundaryPoints){0};
    sph->walls.solid = world->boundary.solid;
    sph->walls.viscosity = world->boundary.wall_viscosity;
    KernelSums sums = {sph->volume, fluid->density, fluid->diagonal, packing_gradient(sph), vec3d_length(sph->gravity) == 0};
    bool ok = sph_reserve_partial(sph) && neighbours_build(&sph->neighbours, world->pool, &sph->kernel, &sph->grid, fluid->position,
                                                           fluid->set.count, walls ? &sph->walls.points : NULL, &sums);
    if (ok && sph->solver.density == MN_DENSITY_CORRECTED)
        density_correct(sph);
    if (ok && sph->material_count > 1)
        weighted_diagonal(sph);
    if (ok && mirror_any(sph))
        mirror_sums(sph, sums.gradient);
    ok = ok && responders_build(sph);
    if (ok) {
        packing_apply(sph, dt);
        measure_errors(world);
    }
    return ok;
}

bool sph_search(mn_World* world)
{
    sph_hide(world);
    return moving_sort(&world->particles, world->grid, world->pool) && sph_find_neighbours(world, 0);
}

void sph_rest(mn_World* world)
{
    bool filled = false;
    for (size_t k = 0; k < world->fluids.count; k++)
        filled |= world->fluids.def[k].fill.solid != NULL;
    packing_begin(world_sph(world), filled ? PACKING_FILLED : PACKING_MOST);
    fluid_density_errors(world_sph(world), &world->measured.density_error_mean, &world->measured.density_error_max);
}
