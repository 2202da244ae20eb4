// SPDX-License-Identifier: MIT
#include "particles/sweep.h"

#include <sched.h>
#include <string.h>

enum { BEFORE, FIRST, SECOND, STAGES };

// Blocks that a stage is ahead of what is needed: while one thread works on a block others find the next ones ready.
enum { AHEAD = 4 };

#define NO_BLOCK 0xffffffffu

void sweep_free(Sweep* sweep)
{
    memory_give(sweep->memory, sweep->reach);
    memory_give(sweep->memory, sweep->task);
    memory_give(sweep->memory, sweep->head);
    memory_give(sweep->memory, sweep->next);
    memory_give(sweep->memory, sweep->done[0]);
    memory_give(sweep->memory, sweep->done[1]);
    memset(sweep, 0, sizeof *sweep);
}

bool sweep_reserve(Sweep* sweep, size_t chunks)
{
    Memory* m = sweep->memory;
    size_t n = block_count(chunks, SWEEP_CHUNKS);
    sweep->chunks = chunks;
    sweep->blocks = n;
    if (!memory_reserve(m, &sweep->reach, &sweep->reach_capacity, 0, n, sizeof *sweep->reach) ||
        !memory_reserve(m, &sweep->task, &sweep->task_capacity, 0, STAGES * n, sizeof *sweep->task) ||
        !memory_reserve(m, &sweep->head, &sweep->head_capacity, 0, n, sizeof *sweep->head) ||
        !memory_reserve(m, &sweep->next, &sweep->next_capacity, 0, n, sizeof *sweep->next))
        return false;
    for (int k = 0; k < 2; k++) {
        if (n <= sweep->done_capacity[k])
            continue;
        if (!memory_reserve(m, &sweep->done[k], &sweep->done_capacity[k], 0, n, sizeof *sweep->done[k]))
            return false;
        for (size_t b = 0; b < sweep->done_capacity[k]; b++)
            atomic_init(&sweep->done[k][b], sweep->run); // not through with the next
    }
    return true;
}

void sweep_plan(Sweep* sweep)
{
    size_t n = sweep->blocks, count = 0, prepared = 0;
    if (n > 0) // without particles there is no array either
        memset(sweep->head, 0xff, n * sizeof *sweep->head);
    for (size_t b = n; b-- > 0;) { // backwards, so that chains run forwards
        size_t ready = sweep->reach[b] + AHEAD < n ? sweep->reach[b] + AHEAD : n - 1;
        sweep->next[b] = sweep->head[ready];
        sweep->head[ready] = (uint32_t)b;
    }
    for (size_t b = 0; b < n; b++) {
        for (; prepared < n && prepared <= sweep->reach[b] + AHEAD; prepared++)
            sweep->task[count++] = (uint32_t)(STAGES * prepared + BEFORE);
        sweep->task[count++] = (uint32_t)(STAGES * b + FIRST);
        for (uint32_t k = sweep->head[b]; k != NO_BLOCK; k = sweep->next[k])
            sweep->task[count++] = STAGES * k + SECOND;
    }
}

typedef struct Run {
    Sweep* sweep;
    const SweepWork* work;
    unsigned number;
    atomic_size_t through[2]; // all blocks below are through a stage; more may be
} Run;

// Waits until blocks 0..last are through a stage.
static void wait_for(Run* run, int stage, size_t last)
{
    size_t b = atomic_load_explicit(&run->through[stage], memory_order_acquire);
    if (b > last)
        return;
    for (int spin = 0; b <= last; b++)
        for (; atomic_load_explicit(&run->sweep->done[stage][b], memory_order_acquire) != run->number; spin++)
            if (spin % 64 == 63)
                sched_yield();
    atomic_store_explicit(&run->through[stage], b, memory_order_release);
}

static void do_task(void* context, size_t begin, size_t end, size_t k, int worker)
{
    Run* run = context;
    Sweep* sweep = run->sweep;
    const SweepWork* work = run->work;
    size_t block = sweep->task[k] / STAGES;
    int stage = (int)(sweep->task[k] % STAGES);
    WorkFn* step[STAGES] = {work->before, work->first, work->second};
    if (!step[stage])
        return;
    if (stage == SECOND || (stage == FIRST && work->before))
        wait_for(run, stage - 1, sweep->reach[block]);
    size_t last = SWEEP_CHUNKS * (block + 1);
    step[stage](work->context, SWEEP_CHUNKS * block, last < sweep->chunks ? last : sweep->chunks, block, worker);
    if (stage != SECOND)
        atomic_store_explicit(&sweep->done[stage][block], run->number, memory_order_release);
}

void sweep_run(Sweep* sweep, Pool* pool, const SweepWork* work)
{
    Run run = {.sweep = sweep, .work = work, .number = ++sweep->run};
    parallel_for(pool, STAGES * sweep->blocks, 1, do_task, &run);
}
