// SPDX-License-Identifier: MIT
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// The size of a block stands in the aligned header before it.
typedef struct Header {
    size_t bytes;
    char padding[MEMORY_ALIGNMENT - sizeof(size_t)];
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

void* memory_take(Memory* memory, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    Header* header = take_aligned(sizeof(Header) + bytes);
    if (!header)
        return NULL;
    header->bytes = bytes;
    if (memory) {
        atomic_fetch_add(&memory->bytes, bytes);
        atomic_fetch_add(&memory->allocations, 1);
    }
    return header + 1;
}

void memory_give(Memory* memory, void* pointer)
{
    if (!pointer)
        return;
    Header* header = (Header*)pointer - 1;
    if (memory)
        atomic_fetch_sub(&memory->bytes, header->bytes);
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
