// SPDX-License-Identifier: MIT
// Memory: aligned, counted allocations. A Memory belongs to one world (or one job) and knows what it holds, so that
// "bytes per particle" and "no allocation in a steady step" are facts and not hopes.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct MemoryShelf MemoryShelf;

typedef struct Memory {
    atomic_size_t bytes;              // held now
    atomic_uint_fast64_t allocations; // calls that asked the system for memory, since the start
    MemoryShelf* shelf;               // NULL: none, see memory_keep
} Memory;

enum { MEMORY_ALIGNMENT = 64 };

// 64-byte aligned, not cleared; NULL when the system has no more. `memory` may be NULL (not counted).
void* memory_take(Memory* memory, size_t bytes);
void memory_give(Memory* memory, void* pointer); // NULL is allowed

// From now on large blocks that are given back stay on a shelf for whoever asks next, up to a few dozen of them. For jobs that ask
// for the same again and again, frame by frame: clearing fresh pages costs the system more than we spend on what is in them.
// Without memory for a shelf nothing changes. memory_clear gives all of them to the system; it ends the keeping.
void memory_keep(Memory* memory);
void memory_clear(Memory* memory);

// Grows `*array` so that it holds `needed` elements of `size` bytes, keeping the first `used`; grows by half to stay rare.
// `*capacity` counts elements. False when out of memory; the array is then unchanged.
bool memory_reserve(Memory* memory, void* array, size_t* capacity, size_t used, size_t needed, size_t size);

// Frees a copy made by strdup() that its owner shows to others as constant; NULL is allowed.
void memory_free_string(const char* string);

#endif
