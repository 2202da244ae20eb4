// SPDX-License-Identifier: MIT
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// The size of a block stands in the aligned header before it.
typedef struct Header {
    size_t bytes;
    char padding[MEMORY_ALIGNMENT - sizeof(size_t)];
} Header;
_Static_assert(sizeof(Header) == MEMORY_ALIGNMENT, "header keeps the alignment");

void* memory_take(Memory* memory, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    size_t total = (sizeof(Header) + bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    Header* header = aligned_alloc(MEMORY_ALIGNMENT, total);
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
