// SPDX-License-Identifier: MIT
// Worlds in threads of their own do what they do alone, bit for bit.
#include "place.h"

#include <pthread.h>

enum { WORLDS = 8, STEPS = 1000 };

typedef struct Job {
    void* bytes; // the state at the end
    size_t size;
} Job;

static void* work(void* context)
{
    Job* job = context;
    Place* p = tumble(1);
    for (int n = 0; n < STEPS; n++)
        job->size = rigid_step(p->rigid, 0.003) ? rigid_state_bytes(p->rigid) : 0;
    job->bytes = calloc(1, rigid_state_bytes(p->rigid));
    rigid_save(p->rigid, job->bytes);
    place_destroy(p);
    return NULL;
}

static void test_threads(void** state)
{
    Job alone = {0}, together[WORLDS] = {{0}};
    pthread_t thread[WORLDS];
    work(&alone);
    assert_true(alone.size > 0);
    for (int k = 0; k < WORLDS; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, work, &together[k]), 0);
    for (int k = 0; k < WORLDS; k++)
        pthread_join(thread[k], NULL);
    for (int k = 0; k < WORLDS; k++) {
        assert_int_equal(together[k].size, alone.size);
        assert_memory_equal(together[k].bytes, alone.bytes, alone.size);
        free(together[k].bytes);
    }
    free(alone.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
