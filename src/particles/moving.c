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

typedef struct EnterJob {
    const Period* period;
    Vec4* position;
} EnterJob;

static void enter_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const EnterJob* job = context;
    for (size_t i = begin; i < end; i++) {
        Vec4* x = &job->position[i];
        x->x = period_image(job->period, 0, x->x);
        x->y = period_image(job->period, 1, x->y);
        x->z = period_image(job->period, 2, x->z);
    }
}

bool moving_sort(const MovingParticles* particles, CellGrid* grid, Pool* pool)
{
    ParticleSet* set = particles->set;
    if (grid->period.any)
        parallel_for(pool, set->count, 4096, enter_block, &(EnterJob){&grid->period, *particles->position});
    particle_set_clear_padding(set);
    Vec4* scratch = particle_set_borrow(set, "grid");
    bool ok = grid_build_order(grid, pool, *particles->position, set->count, scratch, particle_set_order_room(set));
    particle_set_return(set, scratch);
    if (!ok)
        return false;
    particle_set_permute(set, pool, grid->order);
    particle_set_clear_padding(set);
    return true;
}
