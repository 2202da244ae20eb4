// SPDX-License-Identifier: MIT
// Velocities beyond the fluid: faces that nothing is known of take the mean of their neighbours, layer by layer. First all of a
// layer is found, then it is written: no face sees another of its own layer, whichever thread comes first.
#include "flip/cell.h"

enum { LAYERS_MOST = 3 };

typedef struct Extend {
    Flip* flip;
    int axis, layer;
} Extend;

// Means of the known faces around: now and before the pressure. False: there are none.
static bool mean_around(const Extend* job, size_t k, int i, float* now, float* old)
{
    const Flip* flip = job->flip;
    float count = 0, sum = 0, before = 0;
    for (int a = 0; a < flip->def.dimension; a++) {
        size_t beside[2] = {cell_previous(&flip->blocks, k, i, a), cell_next(&flip->blocks, k, i, a)};
        for (int s = 0; s < 2; s++) {
            uint8_t layer = flip->layer[job->axis][beside[s]];
            if (layer == 0 || layer >= job->layer)
                continue;
            sum += flip->velocity[job->axis][beside[s]];
            before += flip->old[job->axis][beside[s]];
            count++;
        }
    }
    *now = sum / count;
    *old = before / count;
    return count > 0;
}

static void find_layer(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Extend* job = context;
    Flip* flip = job->flip;
    for (size_t k = begin; k < end; k++)
        for (int i = 0; i < CELLS && k; i++) {
            size_t c = k * CELLS + (size_t)i;
            float now, old;
            bool found = flip->layer[job->axis][c] == 0 && mean_around(job, k, i, &now, &old);
            flip->wanted[c] = found ? now : NAN;
            if (found)
                flip->b[c] = old;
        }
}

static void write_layer(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Extend* job = context;
    Flip* flip = job->flip;
    for (size_t c = begin * CELLS; c < end * CELLS; c++)
        if (c >= CELLS && flip->layer[job->axis][c] == 0 && !isnan(flip->wanted[c])) {
            flip->velocity[job->axis][c] = flip->wanted[c];
            flip->old[job->axis][c] = flip->b[c];
            flip->layer[job->axis][c] = (uint8_t)job->layer;
        }
}

// u_new - (1 - c) u_old takes the place of u_old: velocities of particles need no other field.
static void blend_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    float keep = flip->def.apic ? 0 : (float)(1 - flip->def.pic);
    for (int a = 0; a < 3; a++)
        for (size_t c = begin * CELLS; c < end * CELLS; c++) {
            bool known = flip->layer[a][c] != 0;
            flip->velocity[a][c] = known ? flip->velocity[a][c] : 0;
            flip->old[a][c] = known ? flip->velocity[a][c] - keep * flip->old[a][c] : 0;
        }
}

void flip_extend(Flip* flip, double speed)
{
    size_t n = flip->blocks.count;
    // particles look for velocities half a step ahead, and the cells around their own are known; slivers in an edge between two
    // walls are two faces away from what is
    int layers = (int)ceil(0.5 * speed * flip->dt / flip->dx), last = layers < 2 ? 2 : layers > LAYERS_MOST ? LAYERS_MOST : layers;
    for (int layer = 2; layer < 2 + last; layer++)
        for (int axis = 0; axis < flip->def.dimension; axis++) {
            Extend job = {flip, axis, layer};
            parallel_for(flip->def.pool, n, BLOCKS_GRAIN, find_layer, &job);
            parallel_for(flip->def.pool, n, BLOCKS_GRAIN, write_layer, &job);
        }
    parallel_for(flip->def.pool, n, BLOCKS_GRAIN, blend_blocks, flip);
}
