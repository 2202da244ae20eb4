// SPDX-License-Identifier: MIT
// Neighbour lists, rebuilt every step for particles that are sorted by cell.
//
// Work goes in chunks of eight consecutive particles. A chunk's list is stored slot by slot for its eight lanes: slot s
// holds the s-th neighbour of each of the eight, as a 32-bit index and, in half precision, the pair's kernel coefficient
// c(q) (kernel.h): grad W_ij = kernel.gradient c x_ij. c depends on the distance only and is rounded the same for ij and
// ji, so pair forces stay exactly symmetric. Lanes with fewer neighbours are padded with the particle itself and c = 0.
#ifndef PARTICLES_NEIGHBOURS_H
#define PARTICLES_NEIGHBOURS_H

#include "base/simd.h"
#include "particles/cell_grid.h"
#include "particles/kernel.h"
#include "particles/sweep.h"
#include <pthread.h>

// What a chunk knows about boundary particles around it; only chunks that have any own one.
typedef struct NearBoundary {
    uint32_t* index; // (8 slots) then (8 slots) half coefficients, as for particles
    uint32_t slots;
    int32_t solid;            // that all of them belong to; -1: several, or nobody said
    uint8_t lanes;            // bit k: lane k has any
    float gradient[3][LANES]; // [1/m] sum_b V_b grad W_ib
    float source[LANES];      // [1/s] sum_b V_b v_b . grad W_ib
} NearBoundary;

// Finds `solid` and `lanes`, given the solid of every boundary particle, while the list is at hand: those who ask come by when it
// is far away.
void near_note_solid(NearBoundary* near, const uint32_t* solid);

enum { NEAR_SOLIDS = 16 };

// The solids that boundary particles around a chunk belong to, given the solid of every boundary particle; -1: more than there is
// room for.
int near_solids(const NearBoundary* near, const uint32_t* solid, uint32_t out[NEAR_SOLIDS]);

typedef struct ChunkList {
    uint32_t* twice;    // (8 slots) indices times two (simd.h), then (8 slots) half coefficients
    NearBoundary* near; // or NULL
    uint32_t slots;
    uint32_t moving; // the first slot of `near` with boundary particles of the second part; NOTHING_MOVES: none
} ChunkList;

#define NOTHING_MOVES UINT32_MAX

static inline const uint16_t* list_coefficients(const uint32_t* index, uint32_t slots)
{
    return (const uint16_t*)(index + (size_t)LANES * slots);
}

// Lists are long streams from memory. Asking for a slot some pages before it is needed makes a pass 1.7 times faster than the
// processor's own prefetching (at a million particles; asking for a whole chunk at once does not help). The lists of chunks follow
// each other, so asking for as many bytes as a slot has, indices and coefficients, comes by all of them.
enum { SLOT_BYTES = LANES * (sizeof(uint32_t) + sizeof(uint16_t)) };

static inline void list_prefetch(const uint32_t* index, uint32_t slot)
{
    enum { AHEAD = 4096 }; // bytes
    __builtin_prefetch((const char*)index + (size_t)SLOT_BYTES * slot + AHEAD);
}

// The same for passes over a few chunks with boundary particles: what is kept of them, and the list that mostly follows.
static inline void near_prefetch(const NearBoundary* near)
{
    enum { BYTES = 640, LINE = 64 };
    for (size_t k = 0; k < BYTES; k += LINE)
        __builtin_prefetch((const char*)near + k);
}

// Lists live in pages that workers take as they need them. Pages are cut from slabs, which are kept from step to step.
typedef struct ListSlab {
    unsigned char* data;
    size_t bytes;
} ListSlab;

// Boundary segments around the segment of particles that was looked at last: its chunks follow each other.
typedef struct SegmentsNear {
    size_t segment; // of the particles' grid; SIZE_MAX: none yet
    bool any;
    uint32_t around[27];
} SegmentsNear;

typedef struct ListScratch {
    SegmentsNear near[2]; // per part of the boundary
    uint32_t* lane;       // (8 x lane_capacity) hits of each lane
    size_t lane_capacity;
    float* candidate[3]; // (candidate_capacity) x, y, z
    uint32_t* candidate_index;
    size_t candidate_capacity;
    unsigned char *free, *free_end; // rest of the worker's page
    uint32_t reach;                 // end of the last run of particles that candidates came from
} ListScratch;

typedef struct Neighbours {
    Memory* memory;
    ChunkList* chunk; // (count / 8, rounded up)
    size_t chunk_capacity;
    size_t count; // particles

    ListSlab* slab;
    size_t slab_capacity, slab_count;
    size_t slab_next, slab_used; // the slab that pages are cut from, and how much of it is gone
    pthread_mutex_t page_mutex;
    ListScratch* scratch; // (threads)
    int scratch_count;
    uint32_t (*around)[27]; // (segments) numbers of the segments around each
    size_t around_capacity;
    Sweep sweep; // the order in which two passes go over the lists together
    bool out_of_memory;
} Neighbours;

// Boundary particles as the lists see them: up to two grids over one array, e.g. resting and moving ones.
typedef struct BoundaryPoints {
    const Vec4* position;  // [m] x, y, z, volume [m^d]
    const Vec4* velocity;  // [m/s]
    const float* weight;   // [1] share of a particle in number densities; NULL: all 1
    const uint32_t* solid; // of each; may be NULL
    bool are_marks;        // they have no volume: only whose they are counts, and lists have one of each solid
    struct {
        const CellGrid* grid;
        uint32_t base; // index of its first particle
        bool moves;    // velocities matter
    } part[2];
} BoundaryPoints;

// What the search finds out on the way, per particle.
typedef struct KernelSums {
    float volume;     // V0 [m^d] of a fluid particle
    float* density;   // [1] V0 sum_j W_ij + sum_b V_b W_ib, self included
    float* diagonal;  // [1/m2] |V0 sum_j grad W_ij + sum_b V_b grad W_ib|^2 + V0^2 sum_j |grad W_ij|^2
    float* gradient;  // [1/m] |V0 sum_j grad W_ij + sum_b V_b grad W_ib|; may be NULL
    bool along_walls; // of that, not the part along sum_b V_b grad W_ib
} KernelSums;

bool neighbours_init(Neighbours* nb, Memory* memory, Pool* pool);
void neighbours_free(Neighbours* nb);

// `position` is sorted by `grid` and readable for sixteen records beyond. False: out of memory.
bool neighbours_build(Neighbours* nb, Pool* pool, const Kernel* kernel, const CellGrid* grid, const Vec4* position, size_t count,
                      const BoundaryPoints* boundary, const KernelSums* sums);

#endif
