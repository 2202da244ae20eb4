// SPDX-License-Identifier: MIT
// A set of particles: arrays side by side, each registered once by the module that owns it. The set grows, sorts, removes, keeps
// and saves all of them alike. Between steps it stays sorted by cell (cell_grid.h).
//
// One record of scratch per particle is lent to whoever works, one at a time: the sort, the guard of sides (where particles were),
// a step that may be taken back (how fast they were). Nobody finds there what somebody else has left.
#ifndef PARTICLES_PARTICLE_SET_H
#define PARTICLES_PARTICLE_SET_H

#include "base/parallel.h"
#include "base/register.h"
#include "base/vec.h"

enum { PARTICLE_ARRAYS = 32, PARTICLE_PADDING = 16 };

typedef enum ParticleRole {
    PARTICLE_STATE,   // goes with its particle: sorted, removed, saved, hashed
    PARTICLE_DERIVED, // belongs to the present order and is computed anew after each sort, in which it may hold something else
    PARTICLE_SPARE,   // means nothing between steps: the sort may exchange it for another array of the same size
} ParticleRole;

typedef struct ParticleArray {
    const char* name; // must stay
    ParticleRole role;
    StateType type;
    size_t size;  // [bytes] per particle
    void* data;   // address of the owner's pointer, which the set moves when it grows or sorts
    bool in_try;  // see StateArray
    uint32_t pad; // bits of each word of the records beyond the last particle that eight-lane loops read
} ParticleArray;

typedef struct ParticleSet {
    size_t count;
    size_t capacity; // multiple of 8, with PARTICLE_PADDING records beyond
    Memory* memory;
    Vec4* scratch;        // one record per particle, to be borrowed
    const char* borrower; // of scratch, or NULL
    ParticleArray array[PARTICLE_ARRAYS];
    size_t array_count;
} ParticleSet;

void particle_set_init(ParticleSet* set, Memory* memory);
void particle_set_free(ParticleSet* set);

// The array comes to life at once if there are particles, with zeros. False: out of memory or too many arrays.
bool particle_set_add(ParticleSet* set, const ParticleArray* array);
// All state arrays go to the register; those that are added later do not.
bool particle_set_register(ParticleSet* set, Register* reg);

bool particle_set_reserve(ParticleSet* set, size_t count); // false: out of memory
// One more particle at the end, all its state 0; its index, or SIZE_MAX when out of memory.
size_t particle_set_append(ParticleSet* set);
// One more particle at the end, a copy of another; its index, or SIZE_MAX when out of memory.
size_t particle_set_append_copy(ParticleSet* set, size_t of);
// Puts particles into an order: order[new] = old. Scratch must be free.
void particle_set_permute(ParticleSet* set, Pool* pool, const uint32_t* order);
// Room for the order of a sort: one number per particle, in an array that is computed anew after it. NULL: none is as large.
uint32_t* particle_set_order_room(const ParticleSet* set);
// Removes particles whose `gone` byte is set, keeping the order of the others; returns how many.
size_t particle_set_remove(ParticleSet* set, const uint8_t* gone);
void particle_set_clear_padding(ParticleSet* set);

Vec4* particle_set_borrow(ParticleSet* set, const char* borrower); // a caller's mistake asserts: it is lent already
void particle_set_return(ParticleSet* set, const Vec4* scratch);

#endif
