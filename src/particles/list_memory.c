// SPDX-License-Identifier: MIT
#include "particles/list_memory.h"

// Slabs are small while there are few, so that a small scene stays small, then as large as some huge pages, less what memory.c
// puts in front.
enum { PAGE_BYTES = 256 << 10, SMALL_SLAB = 1 << 20, HUGE_PAGE = 2 << 20, SLAB_FRONT = 64 };

bool neighbours_init(Neighbours* nb, Memory* memory, Pool* pool)
{
    memset(nb, 0, sizeof *nb);
    nb->memory = nb->sweep.memory = memory;
    pthread_mutex_init(&nb->page_mutex, NULL);
    nb->scratch_count = pool_threads(pool);
    nb->scratch = memory_take(memory, (size_t)nb->scratch_count * sizeof *nb->scratch);
    if (!nb->scratch)
        return false;
    memset(nb->scratch, 0, (size_t)nb->scratch_count * sizeof *nb->scratch);
    return true;
}

void neighbours_free(Neighbours* nb)
{
    for (size_t k = 0; k < nb->slab_count; k++)
        memory_give(nb->memory, nb->slab[k].data);
    for (int k = 0; nb->scratch && k < nb->scratch_count; k++) {
        memory_give(nb->memory, nb->scratch[k].lane);
        memory_give(nb->memory, nb->scratch[k].candidate[0]);
        memory_give(nb->memory, nb->scratch[k].candidate_index);
    }
    memory_give(nb->memory, nb->slab);
    memory_give(nb->memory, nb->scratch);
    memory_give(nb->memory, nb->chunk);
    memory_give(nb->memory, nb->around);
    sweep_free(&nb->sweep);
    pthread_mutex_destroy(&nb->page_mutex);
    memset(nb, 0, sizeof *nb);
}

static bool add_slab(Neighbours* nb, size_t least)
{
    size_t total = 0;
    for (size_t k = 0; k < nb->slab_count; k++)
        total += nb->slab[k].bytes;
    size_t usual = total < 2 * HUGE_PAGE ? SMALL_SLAB : (total / 16 / HUGE_PAGE + 1) * HUGE_PAGE - SLAB_FRONT;
    size_t bytes = least > usual ? least : usual;
    if (!memory_reserve(nb->memory, &nb->slab, &nb->slab_capacity, nb->slab_count, nb->slab_count + 1, sizeof *nb->slab))
        return false;
    unsigned char* data = memory_take(nb->memory, bytes);
    if (data)
        nb->slab[nb->slab_count++] = (ListSlab){data, bytes};
    return data != NULL;
}

// The next page of at least `bytes`; old slabs are used again before new ones are made.
static bool page_take(Neighbours* nb, ListScratch* scratch, size_t bytes)
{
    bool ok = true;
    pthread_mutex_lock(&nb->page_mutex);
    size_t least = bytes > PAGE_BYTES / 4 ? bytes : PAGE_BYTES / 4, wanted = bytes > PAGE_BYTES ? bytes : PAGE_BYTES;
    while (nb->slab_next < nb->slab_count && nb->slab[nb->slab_next].bytes - nb->slab_used < least) {
        nb->slab_next++;
        nb->slab_used = 0;
    }
    if (nb->slab_next == nb->slab_count)
        ok = add_slab(nb, wanted);
    if (ok) {
        ListSlab slab = nb->slab[nb->slab_next];
        size_t rest = slab.bytes - nb->slab_used, taken = rest < wanted ? rest : wanted;
        scratch->free = slab.data + nb->slab_used;
        scratch->free_end = scratch->free + taken;
        nb->slab_used += taken;
    } else {
        nb->out_of_memory = true;
    }
    pthread_mutex_unlock(&nb->page_mutex);
    return ok;
}

void* list_take(Neighbours* nb, ListScratch* scratch, size_t bytes)
{
    bytes = (bytes + 31) / 32 * 32;
    if ((size_t)(scratch->free_end - scratch->free) < bytes && !page_take(nb, scratch, bytes))
        return NULL;
    void* taken = scratch->free;
    scratch->free += bytes;
    return taken;
}

void list_prefetch_room(const ListScratch* scratch)
{
    enum { LIKELY = 34 * SLOT_BYTES, LINE = 64 };
    for (size_t k = 0; k < LIKELY && k < (size_t)(scratch->free_end - scratch->free); k += LINE)
        __builtin_prefetch(scratch->free + k, 1);
}

bool list_reserve_candidates(Neighbours* nb, ListScratch* s, size_t used, size_t needed)
{
    size_t room = needed + WIDE;
    if (room <= s->candidate_capacity)
        return true;
    // x, y and z share one allocation, each from the beginning of a cache line on; what is there moves over
    size_t capacity = (room + room / 2 + 15) / 16 * 16;
    float* fresh = memory_take(nb->memory, 3 * capacity * sizeof *fresh);
    size_t index_capacity = s->candidate_capacity;
    if (!fresh || !memory_reserve(nb->memory, &s->candidate_index, &index_capacity, used, capacity, sizeof *s->candidate_index)) {
        memory_give(nb->memory, fresh);
        nb->out_of_memory = true;
        return false;
    }
    for (int d = 0; d < 3 && used; d++)
        memcpy(fresh + (size_t)d * capacity, s->candidate[d], used * sizeof *fresh);
    memory_give(nb->memory, s->candidate[0]);
    for (int d = 0; d < 3; d++)
        s->candidate[d] = fresh + (size_t)d * capacity;
    s->candidate_capacity = capacity;
    return true;
}

bool list_reserve_lanes(Neighbours* nb, ListScratch* s, size_t needed)
{
    size_t room = needed + WIDE;
    if (room <= s->lane_capacity)
        return true;
    size_t capacity = (room + room / 2 + 15) / 16 * 16;
    uint32_t* fresh = memory_take(nb->memory, LANES * capacity * sizeof *fresh);
    if (!fresh) {
        nb->out_of_memory = true;
        return false;
    }
    for (size_t k = 0; k < LANES && s->lane_capacity; k++)
        memcpy(fresh + k * capacity, s->lane + k * s->lane_capacity, s->lane_capacity * sizeof *fresh);
    memory_give(nb->memory, s->lane);
    s->lane = fresh;
    s->lane_capacity = capacity;
    return true;
}
