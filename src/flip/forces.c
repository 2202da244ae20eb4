// SPDX-License-Identifier: MIT
#include "flip/flip.h"

typedef struct Gravity {
    Flip* flip;
    float gain[3]; // [m/s]
} Gravity;

static void gravity_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Gravity* job = context;
    for (int a = 0; a < 3; a++)
        for (size_t c = begin * CELLS; c < end * CELLS; c++)
            job->flip->velocity[a][c] += job->flip->mass[a][c] > 0 ? job->gain[a] : 0;
}

void flip_gravity(Flip* flip, Vec3d gravity)
{
    Gravity job = {flip, {(float)(gravity.x * flip->dt), (float)(gravity.y * flip->dt), (float)(gravity.z * flip->dt)}};
    parallel_for(flip->def.pool, flip->blocks.count, BLOCKS_GRAIN, gravity_blocks, &job);
}
