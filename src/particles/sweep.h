// SPDX-License-Identifier: MIT
// Two passes over the lists in one go. A pass over all lists streams them from memory, which is what it costs. A second pass
// that reads what the first left with a particle's neighbours need not wait for the end of the first: a block can go as soon as
// the blocks that hold its neighbours are through, and then finds its lists in the cache. Particles are sorted by cell, so most
// blocks wait for a few others only.
//
// Blocks are done in the order of a list of tasks that depends on the particles alone; who does a task waits for what it needs.
// Tasks are handed out in order and need only earlier ones, so somebody can always go on.
#ifndef PARTICLES_SWEEP_H
#define PARTICLES_SWEEP_H

#include "base/memory.h"
#include "base/parallel.h"

enum { SWEEP_CHUNKS = 64 }; // chunks of eight particles per block

typedef struct Sweep {
    Memory* memory;
    size_t chunks, blocks;
    uint32_t* reach; // (blocks) the last block that holds neighbours of a particle in this one
    size_t reach_capacity;

    // by sweep_plan
    uint32_t* task; // (3 blocks) 3 block + stage, in order
    size_t task_capacity;
    uint32_t *head, *next; // (blocks) blocks whose second pass can go after the first of this one, as chains
    size_t head_capacity, next_capacity;
    atomic_uint* done[2]; // (blocks) number of the last run in which a block was through a stage
    size_t done_capacity[2];
    unsigned run; // number of the run under way
} Sweep;

void sweep_free(Sweep* sweep);

// Room for `reach` of so many chunks. False: out of memory.
bool sweep_reserve(Sweep* sweep, size_t chunks);
// From `reach` to the order of tasks.
void sweep_plan(Sweep* sweep);

// All functions get ranges of chunks. `before` is through with all blocks that hold neighbours when `first` comes to a block, and
// `first` when `second` does. `before` and `second` may be NULL.
typedef struct SweepWork {
    WorkFn *before, *first, *second;
    void* context;
} SweepWork;
void sweep_run(Sweep* sweep, Pool* pool, const SweepWork* work);

#endif
