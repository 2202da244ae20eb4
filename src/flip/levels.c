// SPDX-License-Identifier: MIT
// The levels of the pressure equation and the cycle through them.
#include "flip/poisson_parts.h"

#include <string.h>

enum { COARSEST_SWEEPS = 8 };

// --- coarse coefficients

static bool reserve_level(Poisson* poisson, PoissonLevel* level)
{
    Memory* m = poisson->memory;
    size_t n = level->blocks->count;
    return memory_reserve(m, &level->coef, &level->coef_capacity, 0, n * COEFS * CELLS, sizeof *level->coef) &&
           memory_reserve(m, &level->x, &level->x_capacity, 0, n * CELLS, sizeof *level->x) &&
           memory_reserve(m, &level->b, &level->b_capacity, 0, n * CELLS, sizeof *level->b) &&
           memory_reserve(m, &level->used, &level->used_capacity, 0, n, 1) &&
           memory_reserve(m, &level->parent, &level->parent_capacity, 0, n, sizeof *level->parent) &&
           memory_reserve(m, &level->part, &level->part_capacity, 0, n, 1);
}

static void clear_level(void* context, size_t begin, size_t end, size_t block, int worker)
{
    PoissonLevel* level = context;
    size_t n = end - begin;
    memset(level->coef + begin * COEFS * CELLS, 0, n * COEFS * CELLS * sizeof *level->coef);
    memset(level->x + begin * CELLS, 0, n * CELLS * sizeof *level->x);
    memset(level->b + begin * CELLS, 0, n * CELLS * sizeof *level->b);
    memset(level->used + begin, 0, n);
}

static void clear_vectors(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Poisson* poisson = context;
    memset(poisson->r + begin * CELLS, 0, (end - begin) * CELLS * sizeof *poisson->r);
    memset(poisson->s + begin * CELLS, 0, (end - begin) * CELLS * sizeof *poisson->s);
    memset(poisson->as + begin * CELLS, 0, (end - begin) * CELLS * sizeof *poisson->as);
}

bool poisson_take(Poisson* poisson, const Blocks* blocks)
{
    PoissonLevel* level = &poisson->level[0];
    size_t n = blocks->count * CELLS;
    Memory* m = poisson->memory;
    level->blocks = blocks;
    poisson->body_count = poisson->face_count = 0;
    if (!reserve_level(poisson, level) || !memory_reserve(m, &poisson->r, &poisson->r_capacity, 0, n, sizeof *poisson->r) ||
        !memory_reserve(m, &poisson->s, &poisson->s_capacity, 0, n, sizeof *poisson->s) ||
        !memory_reserve(m, &poisson->as, &poisson->as_capacity, 0, n, sizeof *poisson->as))
        return false;
    memset(level->used, 1, blocks->count);
    return true;
}

// What cells that take no part show.
void poisson_leave_out(Poisson* poisson, size_t block)
{
    PoissonLevel* level = &poisson->level[0];
    float* vectors[] = {level->x, poisson->r, poisson->s, poisson->as};
    level->used[block] = 0;
    memset(level->coef + block * COEFS * CELLS + COEF_DIAGONAL * CELLS, 0, 2 * CELLS * sizeof *level->coef);
    for (int k = 0; k < 4; k++)
        memset(vectors[k] + block * CELLS, 0, CELLS * sizeof **vectors);
}

bool poisson_begin(Poisson* poisson, const Blocks* blocks)
{
    if (!poisson_take(poisson, blocks))
        return false;
    parallel_for(poisson->pool, blocks->count, BLOCK_GRAIN, clear_level, &poisson->level[0]);
    parallel_for(poisson->pool, blocks->count, BLOCK_GRAIN, clear_vectors, poisson);
    memset(poisson->level[0].used, 1, blocks->count);
    return true;
}

// The diagonal has g_c so far. Blocks in which no cell takes part are not used.
static void complete_diagonal(void* context, size_t begin, size_t end, size_t block, int worker)
{
    PoissonLevel* level = context;
    for (size_t k = begin; k < end; k++) {
        float* c = level->coef + k * COEFS * CELLS;
        F8 any = f8_zero();
        for (int i = 0; i < CELLS && level->used[k]; i += LANES) {
            F8 air = f8_load(c + COEF_DIAGONAL * CELLS + i), sum = air;
            for (int f = COEF_X_LOW; f <= COEF_Z_HIGH; f++)
                sum = f8_add(sum, f8_load(c + f * CELLS + i));
            F8 part = f8_and(f8_less(f8_set(1e-6f), sum), f8_less(f8_set(-0.5f), air));
            f8_store(c + COEF_DIAGONAL * CELLS + i, f8_and(sum, part));
            f8_store(c + COEF_INVERSE * CELLS + i, f8_and(f8_div(f8_set(1), f8_pick(part, sum, f8_set(1))), part));
            any = f8_or(any, part);
        }
        level->used[k] = f8_mask(any) != 0;
    }
}

typedef struct Coarsen {
    PoissonLevel *fine, *coarse;
    int depth;
} Coarsen;

static float* part_cells(float* cells, int part)
{
    return cells + (part & 1) * 4 + (part >> 1 & 1) * 4 * EDGE + (part >> 2) * 4 * ROWS;
}

// What faces to the air become: the air is theta = a / g away from a cell's centre, in cells, and half a cell farther from the
// centre of the coarse one: g becomes a / (theta + 1/2). What only rounding left is no air.
static F8 coarse_air(const float* c, F8 part)
{
    F8 diagonal = f8_load(c + COEF_DIAGONAL * CELLS), air = diagonal, face = f8_zero(), half = f8_set(0.5f);
    for (int f = COEF_X_LOW; f <= COEF_Z_HIGH; f++) {
        F8 a = f8_load(c + f * CELLS);
        air = f8_sub(air, a);
        face = f8_max(face, a);
    }
    F8 is_air = f8_and(f8_less(f8_mul(f8_set(1e-5f), diagonal), air), part);
    if (!f8_mask(is_air))
        return f8_zero();
    F8 beside = f8_not_zero(face), far = f8_pick(beside, f8_mad(half, air, face), f8_set(1));
    return f8_and(f8_pick(beside, f8_div(f8_mul(air, face), far), f8_mul(half, air)), is_air);
}

// Halves of what the outer faces of its cells add up to, for each cell of the eighth that a block is.
static void coarsen_block(const float* coef, float* to, int part, int depth)
{
    for (int row = 0; row < depth * EDGE; row++) {
        const float* c = coef + row * EDGE;
        int y = row & 7, z = row >> 3;
        float *out = part_cells(to, part) + (z >> 1) * ROWS + (y >> 1) * EDGE, air[EDGE];
        F8 takes_part = f8_not_zero(f8_load(c + COEF_INVERSE * CELLS));
        if (!f8_mask(takes_part))
            continue;
        f8_store(air, coarse_air(c, takes_part));
        int fy = y & 1 ? COEF_Y_HIGH : COEF_Y_LOW, fz = z & 1 ? COEF_Z_HIGH : COEF_Z_LOW;
        for (int h = 0; h < EDGE / 2; h++) {
            int i = 2 * h;
            out[COEF_X_LOW * CELLS + h] += 0.5f * c[COEF_X_LOW * CELLS + i];
            out[COEF_X_HIGH * CELLS + h] += 0.5f * c[COEF_X_HIGH * CELLS + i + 1];
            out[fy * CELLS + h] += 0.5f * (c[fy * CELLS + i] + c[fy * CELLS + i + 1]);
            out[fz * CELLS + h] += 0.5f * (c[fz * CELLS + i] + c[fz * CELLS + i + 1]);
            out[COEF_DIAGONAL * CELLS + h] += air[i] + air[i + 1];
        }
    }
}

static void coarsen_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Coarsen* job = context;
    for (size_t k = begin; k < end; k++)
        if (job->fine->used[k])
            coarsen_block(job->fine->coef + k * COEFS * CELLS, job->coarse->coef + (size_t)job->fine->parent[k] * COEFS * CELLS,
                          job->fine->part[k], job->depth);
}

// Halves alternate between rounding down and up: with one of them alone blocks on both sides of the origin never meet.
static BlockKey coarse_key(BlockKey key, int up)
{
    return (BlockKey){(key.x + up) >> 1, (key.y + up) >> 1, (key.z + up) >> 1};
}

static int part_of(BlockKey key, int up)
{
    return ((key.x + up) & 1) | ((key.y + up) & 1) << 1 | ((key.z + up) & 1) << 2;
}

// In 2D there is one layer of blocks, and it stays the lower one.
static bool coarse_blocks(PoissonLevel* fine, PoissonLevel* coarse, int up, int depth, Pool* pool)
{
    Blocks* own = &coarse->own;
    const Blocks* blocks = fine->blocks;
    if (!blocks_clear(own))
        return false;
    for (size_t k = 1; k < blocks->count; k++) {
        if (fine->used[k] && !blocks_add(own, coarse_key(blocks->key[k], up)))
            return false;
    }
    if (!blocks_finish(own, own->count > FEW_BLOCKS ? pool : NULL))
        return false;
    coarse->blocks = own;
    fine->parent[0] = fine->part[0] = 0;
    for (size_t k = 1; k < blocks->count; k++) {
        int part = part_of(blocks->key[k], up);
        fine->parent[k] = blocks_find(own, coarse_key(blocks->key[k], up));
        fine->part[k] = (uint8_t)(depth == 1 ? part & 3 : part);
    }
    return true;
}

bool poisson_finish(Poisson* poisson)
{
    PoissonLevel* level = poisson->level;
    int depth = poisson_depth(poisson), n = 0;
    parallel_for(poisson->pool, level[0].blocks->count, BLOCK_GRAIN, complete_diagonal, &level[0]);
    for (size_t used = level[0].blocks->count; n + 1 < LEVELS_MOST && (n == 0 || used > 2); n++) {
        PoissonLevel *fine = &level[n], *coarse = &level[n + 1];
        if (!coarse_blocks(fine, coarse, n & 1, depth, poisson->pool) || !reserve_level(poisson, coarse))
            return false;
        used = coarse->blocks->count;
        Pool* pool = poisson_pool(poisson, fine->blocks);
        Coarsen job = {fine, coarse, depth};
        parallel_for(pool, used, BLOCK_GRAIN, clear_level, coarse);
        memset(coarse->used, 1, used);
        parallel_for(pool, fine->blocks->count, BLOCK_GRAIN, coarsen_blocks, &job);
        parallel_for(pool, used, BLOCK_GRAIN, complete_diagonal, coarse);
    }
    poisson->levels = n + 1;
    return true;
}

// --- smoothing

typedef struct Smooth {
    PoissonLevel* level;
    int depth, colour;
    bool from_zero; // x is not read: it is zero
} Smooth;

// All bits set in lanes whose x has that parity.
static F8 parity_mask(int parity)
{
    F8 x = f8_ramp(), half = f8_mul(x, f8_set(0.5f));
    F8 odd = f8_not_zero(f8_sub(half, f8_floor(half)));
    return parity ? odd : f8_less(f8_sub(half, f8_floor(half)), f8_set(0.25f));
}

static void smooth_block(const Smooth* job, size_t k, const F8 mask[2])
{
    const PoissonLevel* level = job->level;
    const float *coef = level->coef + k * COEFS * CELLS, *b = level->b + k * CELLS;
    float* x = level->x + k * CELLS;
    Pad pad;
    if (!job->from_zero)
        pad_gather(&pad, level->x, level->blocks->around[k], job->depth, 1 - job->colour);
    for (int z = 0; z < job->depth; z++)
        for (int y = 0; y < EDGE; y++) {
            size_t i = (size_t)(z * ROWS + y * EDGE);
            F8 here = mask[(job->colour + y + z) & 1], inverse = f8_load(coef + COEF_INVERSE * CELLS + i), sum = f8_load(b + i);
            if (job->from_zero) {
                f8_store(x + i, f8_and(f8_mul(sum, inverse), here));
                continue;
            }
            sum = f8_add(sum, poisson_around(coef, &pad, y, z));
            f8_store(x + i, f8_pick(here, f8_mul(sum, inverse), f8_load(x + i)));
        }
}

static void smooth_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Smooth* job = context;
    F8 mask[2] = {parity_mask(0), parity_mask(1)};
    for (size_t k = begin; k < end; k++)
        if (job->level->used[k])
            smooth_block(job, k, mask);
}

static void smooth(Poisson* poisson, PoissonLevel* level, int colour, bool from_zero)
{
    Smooth job = {level, poisson_depth(poisson), colour, from_zero};
    parallel_for(poisson_pool(poisson, level->blocks), level->blocks->count, BLOCK_GRAIN, smooth_blocks, &job);
}

// --- between levels

typedef struct Between {
    PoissonLevel *fine, *coarse;
    int depth;
} Between;

// What the coarse cells are asked for: the sums of their cells' residuals.
static void restrict_block(const Between* job, size_t k)
{
    const PoissonLevel* fine = job->fine;
    const float *coef = fine->coef + k * COEFS * CELLS, *b = fine->b + k * CELLS, *x = fine->x + k * CELLS;
    float* to = part_cells(job->coarse->b + (size_t)fine->parent[k] * CELLS, fine->part[k]);
    int step = job->depth == 1 ? 1 : 2;
    Pad pad;
    pad_gather(&pad, fine->x, fine->blocks->around[k], job->depth, -1);
    for (int z = 0; z < job->depth; z += step)
        for (int y = 0; y < EDGE; y += 2) {
            float r[EDGE];
            F8 sum = f8_zero();
            for (int n = 0; n < 2 * step; n++) {
                int yn = y + (n & 1), zn = z + (n >> 1);
                size_t i = (size_t)(zn * ROWS + yn * EDGE);
                F8 residual = f8_add(f8_load(b + i), poisson_around(coef, &pad, yn, zn));
                sum = f8_add(sum, f8_nmad(f8_load(coef + COEF_DIAGONAL * CELLS + i), f8_load(x + i), residual));
            }
            f8_store(r, sum);
            for (int h = 0; h < EDGE / 2; h++)
                to[(z >> 1) * ROWS + (y >> 1) * EDGE + h] = r[2 * h] + r[2 * h + 1];
        }
}

static void restrict_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Between* job = context;
    for (size_t k = begin; k < end; k++)
        if (job->fine->used[k])
            restrict_block(job, k);
}

static void prolong_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Between* job = context;
    for (size_t k = begin; k < end; k++) {
        if (!job->fine->used[k])
            continue;
        const float* from = part_cells(job->coarse->x + (size_t)job->fine->parent[k] * CELLS, job->fine->part[k]);
        const float* inverse = job->fine->coef + k * COEFS * CELLS + COEF_INVERSE * CELLS;
        float* x = job->fine->x + k * CELLS;
        for (int z = 0; z < job->depth; z++)
            for (int y = 0; y < EDGE; y++) {
                const float* c = from + (z >> 1) * ROWS + (y >> 1) * EDGE;
                size_t i = (size_t)(z * ROWS + y * EDGE);
                float twice[EDGE] = {c[0], c[0], c[1], c[1], c[2], c[2], c[3], c[3]};
                F8 added = f8_and(f8_load(twice), f8_not_zero(f8_load(inverse + i)));
                f8_store(x + i, f8_add(f8_load(x + i), added));
            }
    }
}

static void coarsest(Poisson* poisson, PoissonLevel* level)
{
    smooth(poisson, level, 0, true);
    smooth(poisson, level, 1, false);
    for (int k = 1; k < COARSEST_SWEEPS; k++) {
        smooth(poisson, level, 0, false);
        smooth(poisson, level, 1, false);
    }
    for (int k = 0; k < COARSEST_SWEEPS; k++) {
        smooth(poisson, level, 1, false);
        smooth(poisson, level, 0, false);
    }
}

static void cycle(Poisson* poisson, int n)
{
    PoissonLevel* level = &poisson->level[n];
    if (n + 1 == poisson->levels) {
        coarsest(poisson, level);
        return;
    }
    Between job = {level, level + 1, poisson_depth(poisson)};
    Pool* pool = poisson_pool(poisson, level->blocks);
    smooth(poisson, level, 0, true);
    smooth(poisson, level, 1, false);
    parallel_for(pool, level->blocks->count, BLOCK_GRAIN, restrict_blocks, &job);
    cycle(poisson, n + 1);
    parallel_for(pool, level->blocks->count, BLOCK_GRAIN, prolong_blocks, &job);
    smooth(poisson, level, 1, false);
    smooth(poisson, level, 0, false);
}

void poisson_cycle(Poisson* poisson)
{
    cycle(poisson, 0);
}
