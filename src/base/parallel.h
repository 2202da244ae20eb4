// SPDX-License-Identifier: MIT
// One parallel loop over a small pool of threads. Work is cut into blocks whose borders never depend on the number of
// threads; reductions keep one value per block and add them in block order: any number of threads gives the same bits.
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

typedef struct Pool Pool;

// More threads than this make nothing faster, and take seconds to begin and end.
enum { POOL_MOST = 512 };

// threads 0 = all cores. NULL when threads cannot be made.
Pool* pool_create(int threads);
void pool_destroy(Pool* pool); // NULL is allowed
int pool_threads(const Pool* pool);

// Runs `work(context, begin, end, block, worker)` for each block of `grain` items of [0, count). Blocks are handed out
// dynamically; `worker` is in [0, pool_threads) and may be used to find scratch memory, never to decide results.
// A NULL pool runs in the calling thread. Must not be nested; loops of several threads on one pool take turns.
typedef void WorkFn(void* context, size_t begin, size_t end, size_t block, int worker);
void parallel_for(Pool* pool, size_t count, size_t grain, WorkFn* work, void* context);

static inline size_t block_count(size_t count, size_t grain)
{
    return (count + grain - 1) / grain;
}

#endif
