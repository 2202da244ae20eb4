// SPDX-License-Identifier: MIT
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
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

    // the loop under way
    WorkFn* work;
    void* context;
    size_t count, grain, blocks;
    atomic_size_t next_block;
    atomic_int busy;        // workers that have not finished this loop
    atomic_uint generation; // raised for every loop

    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool stop;
};

// Spinning this often before sleeping keeps short loops cheap; a step has dozens of them.
enum { SPINS = 2000 };

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

static void* worker_main(void* argument)
{
    Worker* self = argument;
    Pool* pool = self->pool;
    unsigned seen = 0;
    for (;;) {
        for (int spin = 0; spin < SPINS && atomic_load_explicit(&pool->generation, memory_order_acquire) == seen; spin++)
            if (spin % 64 == 63)
                sched_yield();
        pthread_mutex_lock(&pool->mutex);
        while (!pool->stop && atomic_load(&pool->generation) == seen)
            pthread_cond_wait(&pool->wake, &pool->mutex);
        bool stop = pool->stop;
        seen = atomic_load(&pool->generation);
        pthread_mutex_unlock(&pool->mutex);
        if (stop)
            return NULL;
        run_blocks(pool, self->index);
        atomic_fetch_sub_explicit(&pool->busy, 1, memory_order_release);
    }
}

Pool* pool_create(int threads)
{
    if (threads <= 0)
        threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (threads < 1)
        threads = 1;
    Pool* pool = calloc(1, sizeof *pool);
    Worker* workers = calloc((size_t)threads, sizeof *workers);
    if (!pool || !workers) {
        free(pool);
        free(workers);
        return NULL;
    }
    pool->workers = workers;
    pool->threads = 1;
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
    pool->work = work;
    pool->context = context;
    pool->count = count;
    pool->grain = grain;
    pool->blocks = blocks;
    atomic_store_explicit(&pool->next_block, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->busy, pool->threads - 1, memory_order_relaxed);
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add_explicit(&pool->generation, 1, memory_order_release);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    run_blocks(pool, 0);
    for (int spin = 0; atomic_load_explicit(&pool->busy, memory_order_acquire) != 0; spin++)
        if (spin % 64 == 63)
            sched_yield();
}
