// SPDX-License-Identifier: MIT
// Sorting, neighbour lists and densities of the current positions: the end of every step, so that what the world shows
// between steps belongs to where its particles are.
#include "world/world_parts.h"

#include "base/clock.h"

static void timed(mn_World* world, Stage stage, double since)
{
    world->stage[stage].seconds += clock_seconds() - since;
    world->stage[stage].calls++;
}

// Sum and largest of the compressions of a block go to partial.
static void error_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Sph* sph = context;
    double sum = 0, most = 0;
    for (size_t i = begin; i < end; i++) {
        double error = (double)sph->fluid.density[i] - 1;
        if (error > 0) {
            sum += error;
            most = error > most ? error : most;
        }
    }
    sph->partial[2 * block] = sum;
    sph->partial[2 * block + 1] = most;
}

static void measure_errors(mn_World* world)
{
    Sph* sph = &world->sph;
    size_t count = sph->fluid.count;
    double sum = 0, most = 0;
    parallel_for(world->pool, count, PARTICLE_GRAIN, error_block, sph);
    for (size_t b = 0; b < block_count(count, PARTICLE_GRAIN); b++) {
        sum += sph->partial[2 * b];
        most = fmax(most, sph->partial[2 * b + 1]);
    }
    world->density_error_mean = count ? sum / (double)count : 0;
    world->density_error_max = most;
}

bool world_search(mn_World* world)
{
    Sph* sph = &world->sph;
    Fluid* fluid = &sph->fluid;
    double start = clock_seconds();
    world->pressure_of_step = 0;
    particle_set_clear_padding(&fluid->set);
    if (!grid_build(&sph->grid, world->pool, fluid->position, fluid->count, fluid->scratch))
        return false;
    particle_set_permute(&fluid->set, world->pool, sph->grid.order);
    particle_set_clear_padding(&fluid->set);
    timed(world, STAGE_SORT, start);

    start = clock_seconds();
    bool walls = world->boundary.count > 0;
    sph->boundary = walls ? boundary_points(&world->boundary) : (BoundaryPoints){0};
    sph->boundary_solid = world->boundary.solid;
    sph->boundary_wall_viscosity = world->boundary.wall_viscosity;
    KernelSums sums = {sph->volume, fluid->density, fluid->diagonal};
    bool ok = sph_reserve_partial(sph) && neighbours_build(&sph->neighbours, world->pool, &sph->kernel, &sph->grid, fluid->position,
                                                           fluid->count, walls ? &sph->boundary : NULL, &sums);
    if (ok && sph->reaction)
        ok = reaction_build(sph);
    if (ok && sph->material_count > 1)
        weighted_diagonal(sph);
    if (ok && sph->soft)
        ok = soft_build(sph);
    if (ok)
        measure_errors(world);
    if (sph->foreseen >= 0)
        sph->unseen = fmax(0.9 * sph->unseen, world->density_error_mean - sph->foreseen);
    // more compression than was asked for: from now on steps look before they leap
    sph->check_prediction |= pressure_is_checked(sph) && world->density_error_mean > 0.5 * sph->solver.max_density_error;
    timed(world, STAGE_NEIGHBOURS, start);
    return ok;
}
