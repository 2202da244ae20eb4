// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/memory.h"
#include <string.h>

static size_t held(Memory* memory)
{
    return atomic_load(&memory->bytes);
}

static uint64_t asked(Memory* memory)
{
    return atomic_load(&memory->allocations);
}

static void blocks_are_aligned_and_counted(void** state)
{
    Memory memory = {0};
    void* blocks[200];
    size_t expected = 0;
    for (size_t k = 0; k < 200; k++) {
        blocks[k] = memory_take(&memory, k);
        assert_non_null(blocks[k]);
        assert_int_equal((uintptr_t)blocks[k] % MEMORY_ALIGNMENT, 0);
        memset(blocks[k], 0xab, k); // the sanitizers watch that all of it is ours
        expected += k;
        assert_int_equal(held(&memory), expected);
    }
    assert_int_equal(asked(&memory), 200);
    for (size_t k = 0; k < 200; k++)
        memory_give(&memory, blocks[k]);
    assert_int_equal(held(&memory), 0);
    assert_int_equal(asked(&memory), 200);
}

static void nobody_needs_to_count(void** state)
{
    char* block = memory_take(NULL, 10);
    assert_non_null(block);
    memory_give(NULL, block);
    memory_give(NULL, NULL);
    Memory memory = {0};
    memory_give(&memory, NULL);
    assert_int_equal(held(&memory), 0);
}

// What was given back is used again, if it fits; counters tell what is held, not what lies on the shelf.
static void a_shelf_keeps_large_blocks(void** state)
{
    Memory memory = {0};
    memory_keep(&memory);
    void* small = memory_take(&memory, 1000);
    char* large = memory_take(&memory, 3 << 20);
    assert_non_null(large);
    large[0] = large[(3 << 20) - 1] = 1;
    memory_give(&memory, small);
    memory_give(&memory, large);
    assert_int_equal(held(&memory), 0);
    assert_int_equal(asked(&memory), 2);

    char* again = memory_take(&memory, 2 << 20);
    assert_ptr_equal(again, large);
    assert_int_equal(held(&memory), 2 << 20);
    assert_int_equal(asked(&memory), 2);
    char* larger = memory_take(&memory, 9 << 20); // does not fit
    assert_int_equal(asked(&memory), 3);
    memory_give(&memory, again);
    char* tiny = memory_take(&memory, 1 << 19); // too small for what lies there
    assert_int_equal(asked(&memory), 4);
    again = memory_take(&memory, 3 << 20); // all of its room is still there
    assert_ptr_equal(again, large);
    again[(3 << 20) - 1] = 1;
    memory_give(&memory, again);
    memory_give(&memory, larger);
    memory_give(&memory, tiny);
    assert_int_equal(held(&memory), 0);
    memory_clear(&memory); // the sanitizers watch that nothing stays
    memory_clear(&memory);
}

static void impossible_sizes_are_refused(void** state)
{
    Memory memory = {0};
    assert_null(memory_take(&memory, SIZE_MAX));
    assert_null(memory_take(&memory, SIZE_MAX - 64));
    assert_null(memory_take(&memory, SIZE_MAX / 2 + 1));
    assert_int_equal(held(&memory), 0);
    assert_int_equal(asked(&memory), 0);
}

static void reserve_keeps_what_is_used(void** state)
{
    Memory memory = {0};
    int* array = NULL;
    size_t capacity = 0;
    for (size_t count = 0; count < 10000; count++) {
        assert_true(memory_reserve(&memory, &array, &capacity, count, count + 1, sizeof *array));
        assert_true(capacity > count);
        array[count] = (int)(count * 7);
    }
    for (size_t k = 0; k < 10000; k++)
        assert_int_equal(array[k], k * 7);
    // growing by half stays rare: log(10000) / log(1.5) = 23, plus the first few single steps
    assert_in_range(asked(&memory), 10, 30);
    assert_int_equal(held(&memory), capacity * sizeof *array);
    memory_give(&memory, array);
    assert_int_equal(held(&memory), 0);
}

static void reserve_asks_only_when_it_must(void** state)
{
    Memory memory = {0};
    double* array = NULL;
    size_t capacity = 0;
    assert_true(memory_reserve(&memory, &array, &capacity, 0, 1000, sizeof *array));
    assert_int_equal(capacity, 1000);
    double* before = array;
    for (size_t needed = 0; needed <= 1000; needed += 100)
        assert_true(memory_reserve(&memory, &array, &capacity, 0, needed, sizeof *array));
    assert_ptr_equal(array, before);
    assert_int_equal(asked(&memory), 1);
    memory_give(&memory, array);
}

static void reserve_that_fails_changes_nothing(void** state)
{
    Memory memory = {0};
    double* array = NULL;
    size_t capacity = 0;
    assert_true(memory_reserve(&memory, &array, &capacity, 0, 4, sizeof *array));
    array[3] = 42;
    double* before = array;
    assert_false(memory_reserve(&memory, &array, &capacity, 4, SIZE_MAX / 4, sizeof *array));  // would overflow
    assert_false(memory_reserve(&memory, &array, &capacity, 4, SIZE_MAX / 32, sizeof *array)); // nobody has that much
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, 4);
    assert_near(array[3], 42, 0);
    assert_int_equal(held(&memory), 4 * sizeof *array);
    memory_give(&memory, array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_counted),     cmocka_unit_test(nobody_needs_to_count),
        cmocka_unit_test(a_shelf_keeps_large_blocks),         cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(reserve_keeps_what_is_used),         cmocka_unit_test(reserve_asks_only_when_it_must),
        cmocka_unit_test(reserve_that_fails_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
