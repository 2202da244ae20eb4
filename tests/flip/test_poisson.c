// SPDX-License-Identifier: MIT
// The pressure equation: against a direct solve on a small grid, iterations for growing sizes, bodies that give way, two
// dimensions.
#include "base/random.h"
#include "flip/poisson.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

typedef struct Box {
    Blocks blocks;
    Poisson poisson;
    float *q, *b;
    int n, depth;
} Box;

// An n x n x n box of cells with walls below and around and air above; some cells inside are solid.
static void make_box(Box* box, Pool* pool, int dimension, int n)
{
    *box = (Box){.n = n, .depth = dimension == 3 ? n : 1};
    blocks_init(&box->blocks, NULL);
    poisson_init(&box->poisson, NULL, pool, dimension);
    assert_true(blocks_clear(&box->blocks));
    int nb = (n + 7) / 8, nz = dimension == 3 ? nb : 1;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < nb; y++)
            for (int x = 0; x < nb; x++)
                assert_int_not_equal(blocks_add(&box->blocks, (BlockKey){x - 1, y - 1, dimension == 3 ? z - 1 : 0}), 0);
    assert_true(blocks_finish(&box->blocks, pool));
    assert_true(poisson_begin(&box->poisson, &box->blocks));
    box->q = calloc(box->blocks.count * CELLS, sizeof *box->q);
    box->b = calloc(box->blocks.count * CELLS, sizeof *box->b);
}

static size_t cell_of(const Box* box, int x, int y, int z)
{
    uint32_t k = blocks_find(&box->blocks, (BlockKey){(x >> 3) - 1, (y >> 3) - 1, box->depth > 1 ? (z >> 3) - 1 : 0});
    assert_int_not_equal(k, 0);
    return (size_t)k * CELLS + (size_t)((z & 7) * ROWS + (y & 7) * EDGE + (x & 7));
}

static float* coef_of(Box* box, int x, int y, int z, int f)
{
    size_t i = cell_of(box, x, y, z);
    return box->poisson.level[0].coef + i / CELLS * COEFS * CELLS + (size_t)f * CELLS + i % CELLS;
}

static void connect(Box* box, const int a[3], const int b[3], int axis, float value)
{
    *coef_of(box, a[0], a[1], a[2], 2 * axis + 1) = value;
    *coef_of(box, b[0], b[1], b[2], 2 * axis) = value;
}

// Faces have random lightness within a factor, and a share of the cells is solid; the top has air above, as theta says.
static void fill_box(Box* box, double contrast, double solid_share)
{
    Random random = {7};
    int n = box->n;
    uint8_t* solid = calloc((size_t)n * (size_t)n * (size_t)box->depth, 1);
    for (size_t k = 0; k < (size_t)n * (size_t)n * (size_t)box->depth; k++)
        solid[k] = random_unit(&random) < solid_share;
    for (int z = 0; z < box->depth; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                const int a[3] = {x, y, z};
                bool out = solid[(z * n + y) * n + x];
                for (int axis = 0; axis < 3; axis++) {
                    int b[3] = {x, y, z};
                    b[axis]++;
                    if (b[axis] >= (axis == 2 ? box->depth : n) || out || solid[(b[2] * n + b[1]) * n + b[0]])
                        continue;
                    connect(box, a, b, axis, (float)pow(contrast, random_unit(&random) - 0.5));
                }
                float* air = coef_of(box, x, y, z, COEF_DIAGONAL);
                *air = out ? -1.0f : y == n - 1 ? (float)(1 / (0.1 + 0.9 * random_unit(&random))) : 0.0f;
            }
    // cells beyond the box take no part
    for (size_t k = 1; k < box->blocks.count; k++)
        for (int i = 0; i < CELLS; i++) {
            int x = 8 * (box->blocks.key[k].x + 1) + (i & 7), y = 8 * (box->blocks.key[k].y + 1) + (i >> 3 & 7),
                z = 8 * (box->blocks.key[k].z + (box->depth > 1)) + (i >> 6);
            if (x >= n || y >= n || z >= box->depth)
                box->poisson.level[0].coef[k * COEFS * CELLS + COEF_DIAGONAL * CELLS + (size_t)i] = -1;
        }
    free(solid);
    assert_true(poisson_finish(&box->poisson));
    for (int z = 0; z < box->depth; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                if (*coef_of(box, x, y, z, COEF_INVERSE) > 0)
                    box->b[cell_of(box, x, y, z)] = (float)(random_unit(&random) - 0.5);
}

static void free_box(Box* box)
{
    free(box->q);
    free(box->b);
    poisson_free(&box->poisson);
    blocks_free(&box->blocks);
}

static double residual_of(Box* box)
{
    float* out = calloc(box->blocks.count * CELLS, sizeof *out);
    poisson_apply(&box->poisson, box->q, out);
    double r = 0, b = 0;
    for (size_t i = 0; i < box->blocks.count * CELLS; i++) {
        r += pow((double)(box->b[i] - out[i]), 2);
        b += pow((double)box->b[i], 2);
    }
    free(out);
    return sqrt(r / b);
}

// --- against a direct solve

enum { TINY = 9 }; // more than a block, so that the seam is in it

static void solve_dense(size_t n, double* a, double* b)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            if (f == 0)
                continue;
            for (size_t j = k; j < n; j++)
                a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
}

static void check_against_direct(int dimension, bool bodies)
{
    Box box;
    make_box(&box, NULL, dimension, TINY);
    fill_box(&box, 30, 0.03);
    if (bodies) {
        box.poisson.body = memory_take(NULL, sizeof *box.poisson.body);
        box.poisson.face = memory_take(NULL, 8 * sizeof *box.poisson.face);
        box.poisson.body_capacity = 1;
        box.poisson.face_capacity = 8;
        memset(box.poisson.body, 0, sizeof *box.poisson.body);
        box.poisson.body_count = 1;
        for (int n = 0; n < 6; n++)
            box.poisson.body[0].w[n][n] = 5 + n;
        for (int k = 0; k < TINY; k++)
            if (*coef_of(&box, k, 3, 0, COEF_INVERSE) > 0 && box.poisson.face_count < 8)
                box.poisson.face[box.poisson.face_count++] = (BodyFace){
                    .cell = (uint32_t)cell_of(&box, k, 3, 0), .j = {0.3f, 1, 0, 0.1f * (float)k, 0, 0.2f * (float)(k - 4)}};
        box.poisson.body[0].count = box.poisson.face_count;
    }
    // the operator, column by column
    size_t total = box.blocks.count * CELLS, n = 0;
    uint32_t* of = malloc(total * sizeof *of);
    for (size_t i = 0; i < total; i++)
        if (box.poisson.level[0].coef[i / CELLS * COEFS * CELLS + COEF_INVERSE * CELLS + i % CELLS] > 0)
            of[n++] = (uint32_t)i;
    double *a = calloc(n * n, sizeof *a), *b = calloc(n, sizeof *b);
    float* out = calloc(total, sizeof *out);
    for (size_t j = 0; j < n; j++) {
        box.q[of[j]] = 1;
        poisson_apply(&box.poisson, box.q, out);
        box.q[of[j]] = 0;
        b[j] = (double)box.b[of[j]];
        for (size_t i = 0; i < n; i++)
            a[i * n + j] = (double)out[of[i]];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            assert_near(a[i * n + j], a[j * n + i], 1e-5);
    solve_dense(n, a, b);
    PoissonReport report = poisson_solve(&box.poisson, box.q, box.b, 1e-6, 100);
    assert_true(report.converged);
    double most = 0, error = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(b[i]));
        error = fmax(error, fabs(b[i] - (double)box.q[of[i]]));
    }
    assert_below(error, 2e-5 * most);
    free(a);
    free(b);
    free(out);
    free(of);
    free_box(&box);
}

static void matches_a_direct_solve(void** state)
{
    check_against_direct(3, false);
    check_against_direct(2, false);
    check_against_direct(3, true);
}

// --- sizes

static int iterations_of(int dimension, int n, double contrast, double solid_share, double tolerance)
{
    Box box;
    make_box(&box, NULL, dimension, n);
    fill_box(&box, contrast, solid_share);
    PoissonReport report = poisson_solve(&box.poisson, box.q, box.b, tolerance, 200);
    printf("%dD %d: %d iterations, residual %.2g\n", dimension, n, report.iterations, report.residual);
    assert_true(report.converged);
    assert_below(residual_of(&box), 1.1 * tolerance + 1e-6);
    free_box(&box);
    return report.iterations;
}

static void iterations_do_not_grow_with_the_size(void** state)
{
    int small = iterations_of(3, 32, 1, 0, 1e-4);
    int middle = iterations_of(3, 64, 1, 0, 1e-4);
    assert_true(small <= 12);
    assert_true(middle <= small + 2);
    int plane = iterations_of(2, 64, 1, 0, 1e-4), large = iterations_of(2, 512, 1, 0, 1e-4);
    assert_true(large <= plane + 4);
}

static void uneven_coefficients_are_no_trouble(void** state)
{
    assert_true(iterations_of(3, 32, 100, 0.05, 1e-4) <= 30);
}

// --- the same bits, and Jacobi as the paper has it

static void threads_do_not_matter(void** state)
{
    float* first = NULL;
    size_t count = 0;
    for (int threads = 1; threads <= 3; threads++) {
        Pool* pool = pool_create(threads);
        Box box;
        make_box(&box, pool, 3, 40);
        fill_box(&box, 10, 0.02);
        poisson_solve(&box.poisson, box.q, box.b, 1e-3, 50);
        count = box.blocks.count * CELLS;
        if (!first) {
            first = malloc(count * sizeof *first);
            memcpy(first, box.q, count * sizeof *first);
        }
        assert_memory_equal(first, box.q, count * sizeof *first);
        free_box(&box);
        pool_destroy(pool);
    }
    free(first);
}

static void jacobi_converges_slowly(void** state)
{
    Box box;
    make_box(&box, NULL, 3, 24);
    fill_box(&box, 1, 0);
    double few = poisson_jacobi(&box.poisson, box.q, box.b, 20).residual;
    double more = poisson_jacobi(&box.poisson, box.q, box.b, 180).residual;
    assert_below(more, few);
    assert_below(few, 1);
    assert_near(residual_of(&box), more, 1e-3);
    free_box(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_a_direct_solve),
        cmocka_unit_test(iterations_do_not_grow_with_the_size),
        cmocka_unit_test(uneven_coefficients_are_no_trouble),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(jacobi_converges_slowly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
