// SPDX-License-Identifier: MIT
// Sums and maxima: the same bits for any number of threads, and right.
#include "support.h"

#include "base/random.h"
#include "base/reduce.h"
#include <stdlib.h>

typedef struct Numbers {
    const double* value;
} Numbers;

static void block(void* context, size_t begin, size_t end, double out[])
{
    const Numbers* n = context;
    for (size_t k = begin; k < end; k++) {
        out[0] += n->value[k];
        out[1] = fmax(out[1], n->value[k]);
        out[2] += 1;
    }
}

static void sum_block(void* context, size_t begin, size_t end, double out[])
{
    const Numbers* n = context;
    for (size_t k = begin; k < end; k++)
        out[0] += n->value[k];
}

static void check(size_t count, size_t grain)
{
    double* value = malloc((count + 1) * sizeof *value);
    assert_non_null(value);
    Random random = {42};
    long double sum = 0;
    double most = 0;
    for (size_t k = 0; k < count; k++) {
        value[k] = random_unit(&random) - 0.3;
        sum += (long double)value[k];
        most = fmax(most, value[k]);
    }
    const ReduceOp op[] = {REDUCE_SUM, REDUCE_MAX, REDUCE_SUM};
    double first[3] = {0, 0, 0};
    for (int threads = 1; threads <= 8; threads++) {
        Pool* pool = pool_create(threads);
        double out[3];
        reduce(pool, count, grain, block, &(Numbers){value}, 3, op, out);
        for (int c = 0; c < 3; c++) {
            if (threads == 1)
                first[c] = out[c];
            assert_true(out[c] == first[c]);
        }
        assert_true(reduce_sum(pool, count, grain, sum_block, &(Numbers){value}) == first[0]);
        pool_destroy(pool);
    }
    assert_near(first[0], (double)sum, 1e-9 * (double)count);
    assert_true(first[1] == most);
    assert_true(first[2] == (double)count);
    free(value);
}

static void test_any_number_of_items(void** state)
{
    check(0, 16);
    check(1, 16);
    check(1000, 16);
    check(1024 * 16, 16);
    check(1024 * 16 + 1, 16); // larger blocks from here on
    check(1000003, 7);
}

static void test_values_of_a_loop_of_ones_own(void** state)
{
    const double value[] = {1, 5, 2, 7, 4, 3};
    const ReduceOp op[] = {REDUCE_SUM, REDUCE_MAX};
    double out[2];
    reduce_blocks(value, 3, 2, op, out);
    assert_true(out[0] == 7);
    assert_true(out[1] == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_number_of_items),
                                       cmocka_unit_test(test_values_of_a_loop_of_ones_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
