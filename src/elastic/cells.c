// SPDX-License-Identifier: MIT
#include "elastic/cells.h"

#include <string.h>

void cells_free(Cells* c)
{
    void* arrays[] = {c->item, c->start, c->given, c->slot_of};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(c->memory, arrays[k]);
    *c = (Cells){.memory = c->memory};
}

void cells_begin(Cells* c, double width)
{
    c->inverse = 1 / width;
    c->count = 0;
}

bool cells_add(Cells* c, CellItem item)
{
    if (!memory_reserve(c->memory, &c->given, &c->given_capacity, c->count, c->count + 1, sizeof *c->given))
        return false;
    item.key = cells_key(cells_number(c, item.at.x), cells_number(c, item.at.y), cells_number(c, item.at.z));
    c->given[c->count++] = item;
    return true;
}

bool cells_sort(Cells* c)
{
    for (c->slots = 1024, c->shift = 54; c->slots < 2 * c->count; c->slots *= 2)
        c->shift--;
    if (!memory_reserve(c->memory, &c->item, &c->item_capacity, 0, c->count + 1, sizeof *c->item) ||
        !memory_reserve(c->memory, &c->slot_of, &c->slot_capacity, 0, c->count + 1, sizeof *c->slot_of) ||
        !memory_reserve(c->memory, &c->start, &c->start_capacity, 0, c->slots + 2, sizeof *c->start))
        return false;
    memset(c->start, 0, (c->slots + 2) * sizeof *c->start);
    uint32_t* ends = c->start + 1; // becomes the starts, one place on
    for (size_t i = 0; i < c->count; i++) {
        c->slot_of[i] = cells_slot(c, c->given[i].key);
        ends[c->slot_of[i] + 1]++;
    }
    for (size_t k = 0; k < c->slots; k++)
        ends[k + 1] += ends[k];
    // in the order they came
    for (size_t i = 0; i < c->count; i++)
        c->item[ends[c->slot_of[i]]++] = c->given[i];
    return true;
}
