// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/parallel.h"
#include <stdlib.h>

static void mark(void* context, size_t begin, size_t end, size_t block, int worker)
{
    unsigned char* seen = context;
    for (size_t i = begin; i < end; i++)
        seen[i]++;
}

// every item is visited once, whatever the number of threads, and loops follow each other without gaps
static void visits_each_item_once(void** state)
{
    enum { COUNT = 10007, LOOPS = 200 };
    for (int threads = 1; threads <= 8; threads++) {
        Pool* pool = pool_create(threads);
        assert_non_null(pool);
        assert_int_equal(pool_threads(pool), threads);
        unsigned char* seen = calloc(COUNT, 1);
        for (int loop = 0; loop < LOOPS; loop++)
            parallel_for(pool, COUNT, 64, mark, seen);
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(seen[i], LOOPS);
        free(seen);
        pool_destroy(pool);
    }
}

static void empty_loop_calls_nothing(void** state)
{
    unsigned char seen = 0;
    parallel_for(NULL, 0, 16, mark, &seen);
    assert_int_equal(seen, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_each_item_once),
        cmocka_unit_test(empty_loop_calls_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
