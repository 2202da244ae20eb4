// SPDX-License-Identifier: MIT
// Velocities beyond the fluid: faces that nothing is known of take the mean of their neighbours, layer by layer. First all of a
// layer is found, then it is written: no face sees another of its own layer, whichever thread comes first.
#include "flip/cell.h"

enum { LAYERS_MOST = 3 };

// Where a layer waits until all of it is found: velocities now and before the pressure, of each component.
static float* waiting(Flip* flip, int axis, bool before)
{
    Poisson* p = &flip->poisson; // its vectors are free
    float* now[3] = {flip->wanted, p->r, p->s};
    float* then[3] = {flip->b, p->as, p->level[0].x};
    return before ? then[axis] : now[axis];
}

// Bits of the known faces beside those of a row: along x back and on, along y, along z.
static void bits_beside(const Flip* flip, size_t k, int axis, int y, int z, uint8_t out[6])
{
    const uint32_t* around = flip->blocks.around[k];
    uint8_t own = flip->known[k][axis][z * EDGE + y];
    out[0] = (uint8_t)(own << 1 | flip->known[around[AROUND_SELF - 1]][axis][z * EDGE + y] >> 7);
    out[1] = (uint8_t)(own >> 1 | flip->known[around[AROUND_SELF + 1]][axis][z * EDGE + y] << 7);
    for (int n = 0; n < 4; n++) {
        size_t row = row_at(around, n == 0 ? y - 1 : n == 1 ? y + 1 : y, n == 2 ? z - 1 : n == 3 ? z + 1 : z);
        out[2 + n] = flip->known[row / CELLS][axis][row % CELLS / EDGE];
    }
    if (flip->def.dimension == 2)
        out[4] = out[5] = 0;
}

static F8 mean_beside(const Flip* flip, const float* field, size_t k, int y, int z, const uint8_t beside[6], F8 count)
{
    const uint32_t* around = flip->blocks.around[k];
    F8 sum = f8_zero();
    for (int n = 0; n < 2 * flip->def.dimension; n++) {
        if (!beside[n])
            continue;
        F8 there = n & 1 ? row_next(field, around, y, z, n >> 1) : row_previous(field, around, y, z, n >> 1);
        sum = f8_add(sum, f8_and(there, f8_lanes(beside[n])));
    }
    return f8_div(sum, count);
}

static void find_row(Flip* flip, size_t k, int axis, int row)
{
    int y = row & 7, z = row >> 3;
    uint8_t beside[6], near = 0;
    bits_beside(flip, k, axis, y, z, beside);
    for (int n = 0; n < 6; n++)
        near |= beside[n];
    flip->fresh[k][axis][row] = near & (uint8_t)~flip->known[k][axis][row];
    if (!flip->fresh[k][axis][row])
        return;
    F8 count = f8_zero();
    for (int n = 0; n < 6; n++)
        count = f8_add(count, f8_and(f8_set(1), f8_lanes(beside[n])));
    count = f8_max(count, f8_set(1));
    size_t c = k * CELLS + (size_t)row * EDGE;
    f8_store(waiting(flip, axis, false) + c, mean_beside(flip, flip->velocity[axis], k, y, z, beside, count));
    f8_store(waiting(flip, axis, true) + c, mean_beside(flip, flip->old[axis], k, y, z, beside, count));
}

static void find_layer(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    int rows = flip->def.dimension == 3 ? ROWS : EDGE;
    for (size_t k = begin ? begin : 1; k < end; k++)
        for (int axis = 0; axis < flip->def.dimension; axis++)
            for (int row = 0; row < rows; row++)
                if (flip->known[k][axis][row] != 0xff)
                    find_row(flip, k, axis, row);
                else
                    flip->fresh[k][axis][row] = 0;
}

static void write_layer(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    int rows = flip->def.dimension == 3 ? ROWS : EDGE;
    for (size_t k = begin ? begin : 1; k < end; k++)
        for (int axis = 0; axis < flip->def.dimension; axis++)
            for (int row = 0; row < rows; row++) {
                unsigned fresh = flip->fresh[k][axis][row];
                if (!fresh)
                    continue;
                size_t c = k * CELLS + (size_t)row * EDGE;
                float *u = flip->velocity[axis] + c, *old = flip->old[axis] + c;
                F8 lanes = f8_lanes(fresh);
                f8_store(u, f8_pick(lanes, f8_load(waiting(flip, axis, false) + c), f8_load(u)));
                f8_store(old, f8_pick(lanes, f8_load(waiting(flip, axis, true) + c), f8_load(old)));
                flip->known[k][axis][row] |= (uint8_t)fresh;
            }
}

// u_new - (1 - c) u_old takes the place of u_old: velocities of particles need no other field.
static void blend_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    F8 keep = f8_set(flip->def.apic ? 0 : (float)(1 - flip->def.pic));
    for (size_t k = begin; k < end; k++)
        for (int a = 0; a < 3; a++)
            for (int row = 0; row < ROWS; row++) {
                size_t c = k * CELLS + (size_t)row * EDGE;
                F8 known = f8_lanes(flip->known[k][a][row]), u = f8_and(f8_load(flip->velocity[a] + c), known);
                f8_store(flip->velocity[a] + c, u);
                f8_store(flip->old[a] + c, f8_and(f8_nmad(keep, f8_load(flip->old[a] + c), u), known));
            }
}

void flip_extend(Flip* flip, double speed)
{
    size_t n = flip->blocks.count;
    // particles look for velocities half a step ahead, and the cells around their own are known; slivers in an edge between two
    // walls are two faces away from what is
    int layers = (int)ceil(0.5 * speed * flip->dt / flip->dx), last = layers < 2 ? 2 : layers > LAYERS_MOST ? LAYERS_MOST : layers;
    for (int layer = 0; layer < last; layer++) {
        parallel_for(flip->def.pool, n, BLOCKS_GRAIN, find_layer, flip);
        parallel_for(flip->def.pool, n, BLOCKS_GRAIN, write_layer, flip);
    }
    parallel_for(flip->def.pool, n, BLOCKS_GRAIN, blend_blocks, flip);
}
