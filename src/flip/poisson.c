// SPDX-License-Identifier: MIT
// Conjugate gradients with the multigrid cycle, and plain Jacobi iterations.
#include "flip/poisson.h"

#include "base/reduce.h"
#include "flip/poisson_parts.h"

void poisson_init(Poisson* poisson, Memory* memory, Pool* pool, int dimension)
{
    *poisson = (Poisson){.memory = memory, .pool = pool, .dimension = dimension};
    for (int k = 0; k < LEVELS_MOST; k++)
        blocks_init(&poisson->level[k].own, memory);
}

void poisson_free(Poisson* poisson)
{
    Memory* m = poisson->memory;
    for (int k = 0; k < LEVELS_MOST; k++) {
        PoissonLevel* level = &poisson->level[k];
        blocks_free(&level->own);
        void* arrays[] = {level->coef, level->x, level->b, level->used, level->parent, level->part};
        for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
            memory_give(m, arrays[a]);
    }
    void* arrays[] = {poisson->r, poisson->s, poisson->as, poisson->body, poisson->face};
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
        memory_give(m, arrays[a]);
    poisson_init(poisson, m, poisson->pool, poisson->dimension);
}

// --- operator

typedef struct Product {
    const Poisson* poisson;
    const float* q;
    float* out;
    const float* b; // NULL: out = A q, else out = b - A q
} Product;

static void product_block(const Product* job, size_t k, double out[])
{
    const PoissonLevel* level = &job->poisson->level[0];
    const float* coef = level->coef + k * COEFS * CELLS;
    int depth = poisson_depth(job->poisson);
    F8 square = f8_zero();
    Pad pad;
    pad_gather(&pad, job->q, level->blocks->around[k], depth, -1);
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < EDGE; y++) {
            size_t i = (size_t)(z * ROWS + y * EDGE);
            F8 q = f8_load(job->q + k * CELLS + i), aq = f8_mul(f8_load(coef + COEF_DIAGONAL * CELLS + i), q);
            aq = f8_sub(aq, poisson_around(coef, &pad, y, z));
            F8 r = job->b ? f8_sub(f8_load(job->b + k * CELLS + i), aq) : aq;
            f8_store(job->out + k * CELLS + i, r);
            square = f8_mad(job->b ? r : q, r, square);
        }
    out[0] += (double)f8_sum(square);
}

static void product_blocks(void* context, size_t begin, size_t end, double out[])
{
    const Product* job = context;
    for (size_t k = begin; k < end; k++)
        if (job->poisson->level[0].used[k])
            product_block(job, k, out);
}

// Sums of J q of each body, and its velocities by them: gain = W sum J q. Returns sum over bodies of gain . sum.
static double push_bodies(const Poisson* poisson, const float* q)
{
    double energy = 0;
    for (size_t k = 0; k < poisson->body_count; k++) {
        PoissonBody* body = &poisson->body[k];
        double sum[6] = {0};
        for (size_t f = body->first; f < body->first + body->count; f++)
            for (int n = 0; n < 6; n++)
                sum[n] += (double)(poisson->face[f].j[n] * q[poisson->face[f].cell]);
        for (int n = 0; n < 6; n++) {
            body->gain[n] = 0;
            for (int m = 0; m < 6; m++)
                body->gain[n] += body->w[n][m] * sum[m];
            energy += body->gain[n] * sum[n];
        }
    }
    return energy;
}

static void add_bodies(const Poisson* poisson, float* out, double sign)
{
    for (size_t k = 0; k < poisson->body_count; k++) {
        const PoissonBody* body = &poisson->body[k];
        for (size_t f = body->first; f < body->first + body->count; f++) {
            const BodyFace* face = &poisson->face[f];
            double flow = 0;
            for (int n = 0; n < 6; n++)
                flow += (double)face->j[n] * body->gain[n];
            out[face->cell] += (float)(sign * flow);
        }
    }
}

// A q and q . A q, or b - A q and its square.
static double product(Poisson* poisson, const float* q, float* out, const float* b)
{
    Product job = {poisson, q, out, b};
    const Blocks* blocks = poisson->level[0].blocks;
    double sum = reduce_sum(poisson_pool(poisson, blocks), blocks->count, BLOCK_GRAIN, product_blocks, &job);
    if (poisson->body_count) {
        sum += push_bodies(poisson, q);
        add_bodies(poisson, out, b ? -1 : 1);
    }
    return sum;
}

void poisson_apply(Poisson* poisson, const float* q, float* out)
{
    product(poisson, q, out, NULL);
}

// --- vectors of the finest level

typedef struct Vectors {
    const PoissonLevel* level;
    float *a, *b;
    const float *c, *d;
    float alpha, beta;
} Vectors;

static void dot_blocks(void* context, size_t begin, size_t end, double out[])
{
    const Vectors* v = context;
    for (size_t k = begin; k < end; k++) {
        if (!v->level->used[k])
            continue;
        F8 sum = f8_zero();
        for (size_t i = k * CELLS; i < (k + 1) * CELLS; i += LANES)
            sum = f8_mad(f8_load(v->c + i), f8_load(v->d + i), sum);
        out[0] += (double)f8_sum(sum);
    }
}

static double dot(Poisson* poisson, const float* c, const float* d)
{
    const PoissonLevel* level = &poisson->level[0];
    Vectors v = {.level = level, .c = c, .d = d};
    return reduce_sum(poisson_pool(poisson, level->blocks), level->blocks->count, BLOCK_GRAIN, dot_blocks, &v);
}

// a += alpha c, b -= alpha d; the square of b
static void advance_blocks(void* context, size_t begin, size_t end, double out[])
{
    const Vectors* v = context;
    F8 alpha = f8_set(v->alpha);
    for (size_t k = begin; k < end; k++) {
        if (!v->level->used[k])
            continue;
        F8 sum = f8_zero();
        for (size_t i = k * CELLS; i < (k + 1) * CELLS; i += LANES) {
            F8 b = f8_nmad(alpha, f8_load(v->d + i), f8_load(v->b + i));
            f8_store(v->a + i, f8_mad(alpha, f8_load(v->c + i), f8_load(v->a + i)));
            f8_store(v->b + i, b);
            sum = f8_mad(b, b, sum);
        }
        out[0] += (double)f8_sum(sum);
    }
}

// a = c + beta a; with beta 0 what is in a does not matter
static void turn_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Vectors* v = context;
    F8 beta = f8_set(v->beta);
    for (size_t k = begin; k < end; k++)
        if (v->level->used[k])
            for (size_t i = k * CELLS; i < (k + 1) * CELLS; i += LANES)
                f8_store(v->a + i, v->beta == 0 ? f8_load(v->c + i) : f8_mad(beta, f8_load(v->a + i), f8_load(v->c + i)));
}

// z = M r: the cycle works on the arrays of the finest level.
static const float* precondition(Poisson* poisson)
{
    PoissonLevel* level = &poisson->level[0];
    float* r = level->b;
    level->b = poisson->r;
    poisson_cycle(poisson);
    level->b = r;
    return level->x;
}

PoissonReport poisson_solve(Poisson* poisson, float* q, const float* b, double tolerance, int most)
{
    const PoissonLevel* level = &poisson->level[0];
    const Blocks* blocks = level->blocks;
    Pool* pool = poisson_pool(poisson, blocks);
    double wanted = dot(poisson, b, b), square = product(poisson, q, poisson->r, b), last = 0;
    if (poisson->body_count)
        square = dot(poisson, poisson->r, poisson->r);
    PoissonReport report = {0};
    while (square > tolerance * tolerance * wanted && report.iterations < most) {
        const float* z = precondition(poisson);
        double rz = dot(poisson, poisson->r, z);
        if (!(rz > 0))
            break;
        Vectors turn = {.level = level, .a = poisson->s, .c = z, .beta = report.iterations ? (float)(rz / last) : 0};
        parallel_for(pool, blocks->count, BLOCK_GRAIN, turn_blocks, &turn);
        double energy = product(poisson, poisson->s, poisson->as, NULL);
        if (!(energy > 0))
            break;
        Vectors go = {level, q, poisson->r, poisson->s, poisson->as, (float)(rz / energy), 0};
        square = reduce_sum(pool, blocks->count, BLOCK_GRAIN, advance_blocks, &go);
        last = rz;
        report.iterations++;
    }
    report.residual = wanted > 0 ? sqrt(square / wanted) : 0;
    report.converged = square <= tolerance * tolerance * wanted;
    return report;
}

// --- Jacobi

static void jacobi_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Vectors* v = context;
    for (size_t k = begin; k < end; k++) {
        if (!v->level->used[k])
            continue;
        const float* inverse = v->level->coef + k * COEFS * CELLS + COEF_INVERSE * CELLS;
        for (size_t i = 0; i < CELLS; i += LANES) {
            float* a = v->a + k * CELLS + i;
            f8_store(a, f8_mad(f8_load(inverse + i), f8_load(v->c + k * CELLS + i), f8_load(a)));
        }
    }
}

PoissonReport poisson_jacobi(Poisson* poisson, float* q, const float* b, int count)
{
    const PoissonLevel* level = &poisson->level[0];
    double wanted = dot(poisson, b, b);
    Vectors v = {.level = level, .a = q, .c = poisson->r};
    for (int k = 0; k < count; k++) {
        product(poisson, q, poisson->r, b);
        parallel_for(poisson_pool(poisson, level->blocks), level->blocks->count, BLOCK_GRAIN, jacobi_blocks, &v);
    }
    double square = product(poisson, q, poisson->r, b);
    return (PoissonReport){count, wanted > 0 ? sqrt(square / wanted) : 0, true};
}
