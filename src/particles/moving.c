// SPDX-License-Identifier: MIT
#include "particles/moving.h"

bool moving_append(const MovingParticles* particles, Vec3d position, Vec3d velocity, int kind, uint32_t id)
{
    size_t i = particle_set_append(particles->set);
    if (i == SIZE_MAX)
        return false;
    (*particles->position)[i] = (Vec4){(float)position.x, (float)position.y, (float)position.z, 0};
    (*particles->velocity)[i] = (Vec4){(float)velocity.x, (float)velocity.y, (float)velocity.z, (float)kind};
    (*particles->id)[i] = id;
    return true;
}

bool moving_sort(const MovingParticles* particles, CellGrid* grid, Pool* pool)
{
    ParticleSet* set = particles->set;
    particle_set_clear_padding(set);
    Vec4* scratch = particle_set_borrow(set, "grid");
    bool ok = grid_build(grid, pool, *particles->position, set->count, scratch);
    particle_set_return(set, scratch);
    if (!ok)
        return false;
    particle_set_permute(set, pool, grid->order);
    particle_set_clear_padding(set);
    return true;
}
