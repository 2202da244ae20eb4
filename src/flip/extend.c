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

static const uint64_t LOW_BITS = 0x0101010101010101; // x = 0 of each row

// Which of a layer's faces have a known one beside them: along x back and on, along y, along z.
static void bits_beside(const Flip* flip, size_t k, int axis, int z, uint64_t out[6])
{
    const uint32_t* around = &flip->blocks.around[k][AROUND_SELF];
    uint64_t own = flip->known[k][axis][z];
    out[0] = (own & ~(LOW_BITS << 7)) << 1 | (flip->known[around[-1]][axis][z] >> 7 & LOW_BITS);
    out[1] = (own >> 1 & ~(LOW_BITS << 7)) | (flip->known[around[1]][axis][z] & LOW_BITS) << 7;
    out[2] = own << 8 | flip->known[around[-3]][axis][z] >> 56;
    out[3] = own >> 8 | flip->known[around[3]][axis][z] << 56;
    out[4] = z > 0 ? flip->known[k][axis][z - 1] : flip->known[around[-9]][axis][EDGE - 1];
    out[5] = z + 1 < EDGE ? flip->known[k][axis][z + 1] : flip->known[around[9]][axis][0];
    if (flip->def.dimension == 2)
        out[4] = out[5] = 0;
}

static unsigned row_bits(uint64_t layer, int y)
{
    return layer >> 8 * y & 0xff;
}

// Means of both fields over the known neighbours of a row.
static void find_row(Flip* flip, size_t k, int axis, int y, int z, const uint64_t beside[6])
{
    const uint32_t* around = flip->blocks.around[k];
    F8 count = f8_zero(), now = count, then = count, one = f8_set(1);
    for (int n = 0; n < 2 * flip->def.dimension; n++) {
        unsigned bits = row_bits(beside[n], y);
        if (!bits)
            continue;
        F8 lanes = f8_lanes(bits);
        const float *u = flip->velocity[axis], *old = flip->old[axis];
        F8 u_there = n & 1 ? row_next(u, around, y, z, n >> 1) : row_previous(u, around, y, z, n >> 1);
        F8 old_there = n & 1 ? row_next(old, around, y, z, n >> 1) : row_previous(old, around, y, z, n >> 1);
        count = f8_add(count, f8_and(one, lanes));
        now = f8_add(now, f8_and(u_there, lanes));
        then = f8_add(then, f8_and(old_there, lanes));
    }
    count = f8_max(count, one);
    size_t c = k * CELLS + (size_t)(z * ROWS + y * EDGE);
    f8_store(waiting(flip, axis, false) + c, f8_div(now, count));
    f8_store(waiting(flip, axis, true) + c, f8_div(then, count));
}

static void find_layer(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    int depth = flip->def.dimension == 3 ? EDGE : 1;
    for (size_t k = begin ? begin : 1; k < end; k++)
        for (int axis = 0; axis < flip->def.dimension; axis++)
            for (int z = 0; z < depth; z++) {
                uint64_t beside[6], fresh = ~flip->known[k][axis][z];
                if (fresh) {
                    bits_beside(flip, k, axis, z, beside);
                    fresh &= beside[0] | beside[1] | beside[2] | beside[3] | beside[4] | beside[5];
                }
                flip->fresh[k][axis][z] = fresh;
                for (int y = 0; y < EDGE && fresh; y++)
                    if (row_bits(fresh, y))
                        find_row(flip, k, axis, y, z, beside);
            }
}

static void write_row(Flip* flip, size_t c, int axis, unsigned fresh)
{
    float *u = flip->velocity[axis] + c, *old = flip->old[axis] + c;
    F8 lanes = f8_lanes(fresh);
    f8_store(u, f8_pick(lanes, f8_load(waiting(flip, axis, false) + c), f8_load(u)));
    f8_store(old, f8_pick(lanes, f8_load(waiting(flip, axis, true) + c), f8_load(old)));
}

static void write_layer(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Flip* flip = context;
    int depth = flip->def.dimension == 3 ? EDGE : 1;
    for (size_t k = begin ? begin : 1; k < end; k++)
        for (int axis = 0; axis < flip->def.dimension; axis++)
            for (int z = 0; z < depth; z++) {
                uint64_t fresh = flip->fresh[k][axis][z];
                for (int y = 0; y < EDGE && fresh; y++)
                    if (row_bits(fresh, y))
                        write_row(flip, k * CELLS + (size_t)(z * ROWS + y * EDGE), axis, row_bits(fresh, y));
                flip->known[k][axis][z] |= fresh;
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
                F8 known = f8_lanes(row_bits(flip->known[k][a][row >> 3], row & 7)),
                   u = f8_and(f8_load(flip->velocity[a] + c), known);
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
