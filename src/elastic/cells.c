// SPDX-License-Identifier: MIT
#include "elastic/cells.h"

#include <string.h>

void cells_free(Cells* c)
{
    void* arrays[] = {c->item, c->start, c->order, c->slot_of};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(c->memory, arrays[k]);
    *c = (Cells){.memory = c->memory};
}

void cells_begin(Cells* c, double width)
{
    c->inverse = 1 / width;
    c->count = 0;
}

bool cells_reserve(Cells* c, size_t count)
{
    c->count = count;
    for (c->slots = 1024, c->shift = 54; c->slots < 2 * count; c->slots *= 2)
        c->shift--;
    return memory_reserve(c->memory, &c->order, &c->order_capacity, 0, count + 1, sizeof *c->order) &&
           memory_reserve(c->memory, &c->item, &c->item_capacity, 0, count + 1, sizeof *c->item) &&
           memory_reserve(c->memory, &c->slot_of, &c->slot_capacity, 0, count + 1, sizeof *c->slot_of) &&
           memory_reserve(c->memory, &c->start, &c->start_capacity, 0, c->slots + 2, sizeof *c->start);
}

static uint64_t key_at(const Cells* c, Vec3d at)
{
    return cells_key(cells_number(c, at.x), cells_number(c, at.y), cells_number(c, at.z));
}

void cells_put(Cells* c, size_t k, Vec3d at)
{
    c->slot_of[k] = cells_slot(c, key_at(c, at));
}

void cells_fill(Cells* c, size_t k, uint32_t body, uint32_t item, Vec3d at)
{
    c->item[k] = (CellItem){.body = body, .item = item, .at = at, .key = key_at(c, at)};
}

void cells_sort(Cells* c)
{
    memset(c->start, 0, (c->slots + 2) * sizeof *c->start);
    uint32_t* ends = c->start + 1; // becomes the starts, one place on
    for (size_t i = 0; i < c->count; i++)
        ends[c->slot_of[i] + 1]++;
    for (size_t k = 0; k < c->slots; k++)
        ends[k + 1] += ends[k];
    // in the order they came
    for (uint32_t i = 0; i < c->count; i++)
        c->order[ends[c->slot_of[i]]++] = i;
}
