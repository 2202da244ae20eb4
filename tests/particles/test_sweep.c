// SPDX-License-Identifier: MIT
// Two passes in one go: every block once per stage, and never before what it needs.
#include "support.h"

#include "base/random.h"
#include "particles/sweep.h"
#include <string.h>

enum { BLOCKS = 300, CHUNKS = BLOCKS * SWEEP_CHUNKS - 5 };

typedef struct Watch {
    Sweep* sweep;
    atomic_int before[BLOCKS], first[BLOCKS], second[BLOCKS]; // how often a block was through
    atomic_int early;                                         // blocks that came before what they need
    atomic_size_t chunks;
    bool has_before;
} Watch;

static void need(Watch* watch, const atomic_int* stage, size_t block)
{
    for (size_t b = 0; b <= watch->sweep->reach[block]; b++)
        atomic_fetch_add(&watch->early, atomic_load(&stage[b]) != 1);
}

static void before(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Watch* watch = context;
    assert_int_equal(begin, block * SWEEP_CHUNKS);
    atomic_fetch_add(&watch->before[block], 1);
}

static void first(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Watch* watch = context;
    if (watch->has_before)
        need(watch, watch->before, block);
    atomic_fetch_add(&watch->chunks, end - begin);
    atomic_fetch_add(&watch->first[block], 1);
}

static void second(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Watch* watch = context;
    need(watch, watch->first, block);
    atomic_fetch_add(&watch->second[block], 1);
}

static void check_run(Sweep* sweep, Pool* pool, bool has_before, bool has_second)
{
    static Watch watch;
    memset(&watch, 0, sizeof watch);
    watch.sweep = sweep;
    watch.has_before = has_before;
    sweep_run(sweep, pool, &(SweepWork){has_before ? before : NULL, first, has_second ? second : NULL, &watch});
    assert_int_equal(atomic_load(&watch.early), 0);
    assert_int_equal(atomic_load(&watch.chunks), CHUNKS);
    for (size_t b = 0; b < BLOCKS; b++) {
        assert_int_equal(atomic_load(&watch.before[b]), has_before);
        assert_int_equal(atomic_load(&watch.first[b]), 1);
        assert_int_equal(atomic_load(&watch.second[b]), has_second);
    }
}

// blocks that need nobody but themselves, a few after them, any number, all
static uint32_t reach_of(Random* random, int kind, size_t b)
{
    double left = (double)(BLOCKS - 1 - b), share = random_unit(random);
    double far[] = {0, fmin(left, 5 * share), left * share * share, left};
    return (uint32_t)(b + (size_t)far[kind]);
}

static void nothing_comes_early(void** state)
{
    Memory memory = {0};
    Sweep sweep = {.memory = &memory};
    Random random = {7};
    for (int threads = 1; threads <= 8; threads++) {
        Pool* pool = pool_create(threads);
        for (int kind = 0; kind < 4; kind++) {
            assert_true(sweep_reserve(&sweep, CHUNKS));
            assert_int_equal(sweep.blocks, BLOCKS);
            for (size_t b = 0; b < BLOCKS; b++)
                sweep.reach[b] = reach_of(&random, kind, b);
            sweep_plan(&sweep);
            for (int run = 0; run < 4; run++)
                check_run(&sweep, pool, run & 1, run & 2);
        }
        pool_destroy(pool);
    }
    sweep_free(&sweep);
    assert_int_equal(memory.bytes, 0);
}

static void empty_sweep_calls_nothing(void** state)
{
    Memory memory = {0};
    Sweep sweep = {.memory = &memory};
    assert_true(sweep_reserve(&sweep, 0));
    sweep_plan(&sweep);
    sweep_run(&sweep, NULL, &(SweepWork){before, first, second, NULL});
    sweep_free(&sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_comes_early),
        cmocka_unit_test(empty_sweep_calls_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
