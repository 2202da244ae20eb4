// SPDX-License-Identifier: MIT
#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// The size of a block stands in the aligned header before it.
typedef struct Header {
    size_t bytes; // asked for
    size_t room;  // that it has: more, if it comes from a shelf
    char padding[MEMORY_ALIGNMENT - 2 * sizeof(size_t)];
} Header;
_Static_assert(sizeof(Header) == MEMORY_ALIGNMENT, "header keeps the alignment");

// Large blocks ask for huge pages: a step streams through hundreds of megabytes, and looking up small pages costs as much as
// the memory itself. Without huge pages the advice does nothing.
enum { HUGE_PAGE = 2 << 20 };

static void* take_aligned(size_t bytes)
{
    // a last huge page that would be mostly empty is left to small ones
    size_t huge = (bytes + HUGE_PAGE / 4) / HUGE_PAGE * HUGE_PAGE;
    size_t alignment = huge ? HUGE_PAGE : MEMORY_ALIGNMENT;
    size_t total = (bytes + alignment - 1) / alignment * alignment;
    void* block = aligned_alloc(alignment, total);
    if (block && huge)
        madvise(block, huge, MADV_HUGEPAGE);
    return block;
}

// --- shelf

enum { SHELF_PLACES = 48, SHELF_LEAST = 1 << 18 }; // smaller blocks are left to the system's allocator

struct MemoryShelf {
    pthread_mutex_t mutex;
    size_t count;
    Header* block[SHELF_PLACES];
};

void memory_keep(Memory* memory)
{
    if (memory->shelf)
        return;
    MemoryShelf* shelf = calloc(1, sizeof *shelf);
    if (shelf && pthread_mutex_init(&shelf->mutex, NULL)) {
        free(shelf);
        shelf = NULL;
    }
    memory->shelf = shelf;
}

void memory_clear(Memory* memory)
{
    MemoryShelf* shelf = memory->shelf;
    if (!shelf)
        return;
    for (size_t k = 0; k < shelf->count; k++)
        free(shelf->block[k]);
    pthread_mutex_destroy(&shelf->mutex);
    free(shelf);
    memory->shelf = NULL;
}

// The tightest block that is not more than twice too large.
static Header* shelf_take(MemoryShelf* shelf, size_t bytes)
{
    Header* found = NULL;
    pthread_mutex_lock(&shelf->mutex);
    size_t best = shelf->count;
    for (size_t k = 0; k < shelf->count; k++) {
        size_t room = shelf->block[k]->room;
        if (room >= bytes && room / 2 <= bytes && (best == shelf->count || room < shelf->block[best]->room))
            best = k;
    }
    if (best < shelf->count) {
        found = shelf->block[best];
        shelf->block[best] = shelf->block[--shelf->count];
    }
    pthread_mutex_unlock(&shelf->mutex);
    return found;
}

// False: the shelf is full.
static bool shelf_put(MemoryShelf* shelf, Header* block)
{
    pthread_mutex_lock(&shelf->mutex);
    bool room = shelf->count < SHELF_PLACES;
    if (room)
        shelf->block[shelf->count++] = block;
    pthread_mutex_unlock(&shelf->mutex);
    return room;
}

// --- blocks

void* memory_take(Memory* memory, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bool keep = memory && memory->shelf && bytes >= SHELF_LEAST;
    Header* header = keep ? shelf_take(memory->shelf, bytes) : NULL;
    if (!header) {
        // frames grow: a little more room now saves a new block next time
        size_t room = keep ? bytes + bytes / 8 : bytes;
        header = take_aligned(sizeof(Header) + room);
        if (!header)
            return NULL;
        header->room = room;
        if (memory)
            atomic_fetch_add(&memory->allocations, 1);
    }
    header->bytes = bytes;
    if (memory)
        atomic_fetch_add(&memory->bytes, bytes);
    return header + 1;
}

void memory_give(Memory* memory, void* pointer)
{
    if (!pointer)
        return;
    Header* header = (Header*)pointer - 1;
    if (memory)
        atomic_fetch_sub(&memory->bytes, header->bytes);
    if (memory && memory->shelf && header->room >= SHELF_LEAST && shelf_put(memory->shelf, header))
        return;
    free(header);
}

bool memory_reserve(Memory* memory, void* array, size_t* capacity, size_t used, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return true;
    size_t grown = *capacity + *capacity / 2;
    size_t count = needed > grown ? needed : grown;
    if (size && count > SIZE_MAX / 2 / size)
        return false;
    void* old;
    memcpy(&old, array, sizeof old);
    void* fresh = memory_take(memory, count * size);
    if (!fresh)
        return false;
    if (used)
        memcpy(fresh, old, used * size);
    memory_give(memory, old);
    memcpy(array, &fresh, sizeof fresh);
    *capacity = count;
    return true;
}

void memory_free_string(const char* string)
{
    free((char*)string);
}
