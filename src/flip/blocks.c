// SPDX-License-Identifier: MIT
#include "flip/blocks.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST_SLOTS = 64, GRAIN = 64, NOWHERE = INT32_MIN / 2 };

void blocks_init(Blocks* blocks, Memory* memory)
{
    *blocks = (Blocks){.memory = memory};
}

void blocks_free(Blocks* blocks)
{
    void* arrays[] = {blocks->key, blocks->around, blocks->table, blocks->sort};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(blocks->memory, arrays[k]);
    blocks_init(blocks, blocks->memory);
}

// Where the key is, or the free slot where it belongs.
static size_t slot_of(const Blocks* blocks, BlockKey key)
{
    return cell_key_slot(blocks->table, blocks->slots, 0, blocks->key, sizeof *blocks->key, key);
}

static void fill_table(Blocks* blocks)
{
    memset(blocks->table, 0, blocks->slots * sizeof *blocks->table);
    for (size_t k = 1; k < blocks->count; k++)
        blocks->table[slot_of(blocks, blocks->key[k])] = (uint32_t)k;
}

static bool reserve(Blocks* blocks, size_t count)
{
    if (!memory_reserve(blocks->memory, &blocks->key, &blocks->key_capacity, blocks->count, count, sizeof *blocks->key))
        return false;
    size_t slots = blocks->slots ? blocks->slots : FEWEST_SLOTS;
    while (slots < 2 * count)
        slots *= 2;
    if (slots == blocks->slots)
        return true;
    if (!memory_reserve(blocks->memory, &blocks->table, &blocks->table_capacity, 0, slots, sizeof *blocks->table))
        return false;
    blocks->slots = slots;
    fill_table(blocks);
    return true;
}

bool blocks_clear(Blocks* blocks)
{
    blocks->count = 0;
    if (!reserve(blocks, 1))
        return false;
    blocks->count = 1;
    blocks->key[0] = (BlockKey){NOWHERE, NOWHERE, NOWHERE};
    memset(blocks->table, 0, blocks->slots * sizeof *blocks->table);
    return true;
}

uint32_t blocks_add(Blocks* blocks, BlockKey key)
{
    size_t slot = slot_of(blocks, key);
    if (blocks->table[slot])
        return blocks->table[slot];
    if (!reserve(blocks, blocks->count + 1))
        return 0;
    slot = slot_of(blocks, key);
    blocks->key[blocks->count] = key;
    blocks->table[slot] = (uint32_t)blocks->count;
    return (uint32_t)blocks->count++;
}

uint32_t blocks_find(const Blocks* blocks, BlockKey key)
{
    return blocks->table[slot_of(blocks, key)];
}

// --- order

typedef struct SortKey {
    uint64_t code;
    BlockKey key;
} SortKey;

// 21 bits of each number, one after the other.
static uint64_t spread(int32_t a)
{
    uint64_t v = (uint64_t)(uint32_t)(a + (1 << 20)) & 0x1fffff;
    v = (v | v << 32) & 0x1f00000000ffff;
    v = (v | v << 16) & 0x1f0000ff0000ff;
    v = (v | v << 8) & 0x100f00f00f00f00f;
    v = (v | v << 4) & 0x10c30c30c30c30c3;
    return (v | v << 2) & 0x1249249249249249;
}

static int compare_int(int32_t a, int32_t b)
{
    return a < b ? -1 : a > b;
}

// Beyond 2^20 blocks codes repeat: then the numbers themselves decide.
static int by_code(const void* a, const void* b)
{
    const SortKey *p = a, *q = b;
    if (p->code != q->code)
        return p->code < q->code ? -1 : 1;
    int c = compare_int(p->key.z, q->key.z);
    c = c ? c : compare_int(p->key.y, q->key.y);
    return c ? c : compare_int(p->key.x, q->key.x);
}

static void find_around(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Blocks* blocks = context;
    for (size_t k = begin; k < end; k++) {
        BlockKey key = blocks->key[k];
        for (int n = 0; n < AROUND; n++) {
            BlockKey there = {key.x + n % 3 - 1, key.y + n / 3 % 3 - 1, key.z + n / 9 - 1};
            blocks->around[k][n] = k ? blocks_find(blocks, there) : 0;
        }
    }
}

bool blocks_finish(Blocks* blocks, Pool* pool)
{
    size_t n = blocks->count;
    if (!memory_reserve(blocks->memory, &blocks->around, &blocks->around_capacity, 0, n, sizeof *blocks->around) ||
        !memory_reserve(blocks->memory, &blocks->sort, &blocks->sort_capacity, 0, n, sizeof(SortKey)))
        return false;
    SortKey* sort = blocks->sort;
    for (size_t k = 1; k < n; k++) {
        BlockKey key = blocks->key[k];
        sort[k] = (SortKey){spread(key.x) | spread(key.y) << 1 | spread(key.z) << 2, key};
    }
    if (n > 2)
        qsort(sort + 1, n - 1, sizeof *sort, by_code);
    for (size_t k = 1; k < n; k++)
        blocks->key[k] = sort[k].key;
    fill_table(blocks);
    parallel_for(pool, n, GRAIN, find_around, blocks);
    return true;
}
