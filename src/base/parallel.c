// SPDX-License-Identifier: MIT
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Worker {
    Pool* pool;
    int index;
    pthread_t thread;
} Worker;

struct Pool {
    int threads;
    Worker* workers; // threads - 1 of them; the caller is worker 0

    pthread_mutex_t turn; // of the callers: threads that look at one world at the same time run their loops one after the other
    // the loop under way; workers may look at it between joining and leaving
    WorkFn* work;
    void* context;
    size_t count, grain, blocks;
    atomic_size_t next_block;
    atomic_uint_fast64_t state; // number of the loop << 32 | OPEN while workers may join | workers that joined and have not left

    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_int sleepers;
    bool stop;
};

#define OPEN ((uint64_t)1 << 31)
#define JOINED (OPEN - 1)

// Spinning this often before sleeping keeps short loops cheap; a step has dozens of them.
enum { SPINS = 20000 };

static void pause_spin(int spin)
{
    if (spin % 64 == 63)
        sched_yield();
}

static void run_blocks(Pool* pool, int worker)
{
    for (;;) {
        size_t block = atomic_fetch_add_explicit(&pool->next_block, 1, memory_order_relaxed);
        if (block >= pool->blocks)
            return;
        size_t begin = block * pool->grain;
        size_t end = begin + pool->grain < pool->count ? begin + pool->grain : pool->count;
        pool->work(pool->context, begin, end, block, worker);
    }
}

// Whether there is a loop after number `seen` that can still be joined.
static bool is_new(uint64_t state, uint64_t seen)
{
    return (state & OPEN) && state >> 32 != seen;
}

// Waits for a loop after number `seen`, first spinning, then asleep. False: the pool is closing.
static bool wait_for_loop(Pool* pool, uint64_t seen)
{
    for (int spin = 0; spin < SPINS; spin++) {
        if (is_new(atomic_load(&pool->state), seen))
            return true;
        pause_spin(spin);
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1); // before the last look: parallel_for looks here after it opened a loop
    while (!pool->stop && !is_new(atomic_load(&pool->state), seen))
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->sleepers, 1);
    bool stop = pool->stop;
    pthread_mutex_unlock(&pool->mutex);
    return !stop;
}

static void* worker_main(void* argument)
{
    Worker* self = argument;
    Pool* pool = self->pool;
    uint64_t seen = 0;
    while (wait_for_loop(pool, seen)) {
        uint64_t state = atomic_load(&pool->state);
        if (!is_new(state, seen) || !atomic_compare_exchange_strong(&pool->state, &state, state + 1))
            continue; // closed meanwhile, or another worker joined at the same moment
        seen = state >> 32;
        run_blocks(pool, self->index);
        atomic_fetch_sub_explicit(&pool->state, 1, memory_order_release);
    }
    return NULL;
}

Pool* pool_create(int threads)
{
    if (threads <= 0)
        threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (threads < 1)
        threads = 1;
    if (threads > POOL_MOST)
        threads = POOL_MOST;
    Pool* pool = calloc(1, sizeof *pool);
    Worker* workers = calloc((size_t)threads, sizeof *workers);
    if (!pool || !workers) {
        free(pool);
        free(workers);
        return NULL;
    }
    pool->workers = workers;
    pool->threads = 1;
    pthread_mutex_init(&pool->turn, NULL);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (int k = 1; k < threads; k++) {
        Worker* w = &workers[k - 1];
        *w = (Worker){.pool = pool, .index = k};
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0) {
            pool_destroy(pool);
            return NULL;
        }
        pool->threads++;
    }
    return pool;
}

void pool_destroy(Pool* pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->stop = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (int k = 0; k < pool->threads - 1; k++)
        pthread_join(pool->workers[k].thread, NULL);
    pthread_mutex_destroy(&pool->turn);
    pthread_mutex_destroy(&pool->mutex);
    pthread_cond_destroy(&pool->wake);
    free(pool->workers);
    free(pool);
}

int pool_threads(const Pool* pool)
{
    return pool ? pool->threads : 1;
}

void parallel_for(Pool* pool, size_t count, size_t grain, WorkFn* work, void* context)
{
    size_t blocks = block_count(count, grain);
    if (!pool || pool->threads == 1 || blocks <= 1) {
        for (size_t block = 0; block < blocks; block++) {
            size_t begin = block * grain;
            work(context, begin, begin + grain < count ? begin + grain : count, block, 0);
        }
        return;
    }
    pthread_mutex_lock(&pool->turn);
    pool->work = work;
    pool->context = context;
    pool->count = count;
    pool->grain = grain;
    pool->blocks = blocks;
    atomic_store_explicit(&pool->next_block, 0, memory_order_relaxed);
    atomic_store(&pool->state, ((atomic_load(&pool->state) >> 32) + 1) << 32 | OPEN);
    if (atomic_load(&pool->sleepers) > 0) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
    run_blocks(pool, 0);
    // nobody waits for a worker that has not come: on a busy machine it may sleep through many loops
    atomic_fetch_and(&pool->state, ~OPEN);
    for (int spin = 0; atomic_load_explicit(&pool->state, memory_order_acquire) & JOINED; spin++)
        pause_spin(spin);
    pthread_mutex_unlock(&pool->turn);
}
