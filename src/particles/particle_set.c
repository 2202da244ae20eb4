// SPDX-License-Identifier: MIT
#include "particles/particle_set.h"

#include <assert.h>
#include <string.h>

enum { LANES_OF_CAPACITY = 8, GRAIN = 4096 };

static void* pointer_of(const ParticleArray* a)
{
    void* p;
    memcpy(&p, a->data, sizeof p);
    return p;
}

static void set_pointer(const ParticleArray* a, void* p)
{
    memcpy(a->data, &p, sizeof p);
}

void particle_set_init(ParticleSet* set, Memory* memory)
{
    *set = (ParticleSet){.memory = memory};
}

void particle_set_free(ParticleSet* set)
{
    for (size_t k = 0; k < set->array_count; k++) {
        memory_give(set->memory, pointer_of(&set->array[k]));
        set_pointer(&set->array[k], NULL);
    }
    memory_give(set->memory, set->scratch);
    particle_set_init(set, set->memory);
}

// --- growing

// The array keeps what the particles that there are have, and has zeros behind them.
static bool grow(ParticleSet* set, void** data, size_t size, size_t capacity)
{
    size_t bytes = (capacity + PARTICLE_PADDING) * size, used = *data ? set->count * size : 0;
    unsigned char* grown = memory_take(set->memory, bytes);
    if (!grown)
        return false;
    if (used)
        memcpy(grown, *data, used);
    memset(grown + used, 0, bytes - used);
    memory_give(set->memory, *data);
    *data = grown;
    return true;
}

static bool grow_array(ParticleSet* set, const ParticleArray* a, size_t capacity)
{
    void* data = pointer_of(a);
    bool ok = grow(set, &data, a->size, capacity);
    set_pointer(a, data);
    return ok;
}

bool particle_set_add(ParticleSet* set, const ParticleArray* array)
{
    if (set->array_count == PARTICLE_ARRAYS)
        return false;
    set_pointer(array, NULL);
    set->array[set->array_count] = *array;
    if (set->capacity && !grow_array(set, array, set->capacity))
        return false;
    set->array_count++;
    return true;
}

bool particle_set_register(ParticleSet* set, Register* reg)
{
    for (size_t k = 0; k < set->array_count; k++) {
        const ParticleArray* a = &set->array[k];
        StateArray state = {.name = a->name,
                            .per = PER_PARTICLE,
                            .type = a->type,
                            .size = a->size,
                            .data = a->data,
                            .count = &set->count,
                            .in_try = a->in_try};
        if (a->role == PARTICLE_STATE && !register_array(reg, &state))
            return false;
    }
    return true;
}

bool particle_set_reserve(ParticleSet* set, size_t count)
{
    if (count <= set->capacity)
        return true;
    size_t grown = set->capacity + set->capacity / 8, capacity = count > grown ? count : grown;
    capacity = (capacity + LANES_OF_CAPACITY - 1) / LANES_OF_CAPACITY * LANES_OF_CAPACITY;
    void* scratch = set->scratch;
    bool ok = grow(set, &scratch, sizeof *set->scratch, capacity);
    set->scratch = scratch;
    for (size_t k = 0; k < set->array_count && ok; k++)
        ok = grow_array(set, &set->array[k], capacity);
    if (ok)
        set->capacity = capacity;
    return ok;
}

size_t particle_set_append(ParticleSet* set)
{
    if (!particle_set_reserve(set, set->count + 1))
        return SIZE_MAX;
    size_t i = set->count++;
    for (size_t k = 0; k < set->array_count; k++)
        if (set->array[k].role == PARTICLE_STATE)
            memset((unsigned char*)pointer_of(&set->array[k]) + i * set->array[k].size, 0, set->array[k].size);
    return i;
}

size_t particle_set_append_copy(ParticleSet* set, size_t of)
{
    if (!particle_set_reserve(set, set->count + 1))
        return SIZE_MAX;
    size_t i = set->count++;
    for (size_t k = 0; k < set->array_count; k++) {
        unsigned char* data = pointer_of(&set->array[k]);
        size_t size = set->array[k].size;
        memcpy(data + i * size, data + of * size, size);
    }
    return i;
}

// --- sorting

typedef struct Permute {
    const uint32_t* order;
    const void* from;
    void* to;
    size_t size;
} Permute;

static void permute_records(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Permute* job = context;
    const Vec4* from = job->from;
    Vec4* to = job->to;
    for (size_t k = begin; k < end; k++)
        to[k] = from[job->order[k]];
}

static void permute_words(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Permute* job = context;
    const uint32_t* from = job->from;
    uint32_t* to = job->to;
    for (size_t k = begin; k < end; k++)
        to[k] = from[job->order[k]];
}

static void permute_bytes(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Permute* job = context;
    const unsigned char* from = job->from;
    unsigned char* to = job->to;
    for (size_t k = begin; k < end; k++)
        memcpy(to + k * job->size, from + job->order[k] * job->size, job->size);
}

static WorkFn* permute_of(size_t size)
{
    return size == sizeof(Vec4) ? permute_records : size == sizeof(uint32_t) ? permute_words : permute_bytes;
}

// An array of the same size whose memory may be exchanged for that of a sorted one. NULL: there is none.
static const ParticleArray* find_spare(const ParticleSet* set, size_t size)
{
    for (size_t k = 0; k < set->array_count; k++)
        if (set->array[k].role == PARTICLE_SPARE && set->array[k].size == size)
            return &set->array[k];
    return NULL;
}

static void permute_array(ParticleSet* set, Pool* pool, const ParticleArray* a, const uint32_t* order)
{
    const ParticleArray* spare = find_spare(set, a->size);
    bool is_record = a->size == sizeof(Vec4);
    void* from = pointer_of(a);
    Permute job = {order, from, is_record ? set->scratch : spare ? pointer_of(spare) : set->scratch, a->size};
    parallel_for(pool, set->count, GRAIN, permute_of(a->size), &job);
    if (is_record)
        set->scratch = from;
    else if (spare)
        set_pointer(spare, from);
    if (is_record || spare)
        set_pointer(a, job.to);
    else
        memcpy(from, job.to, set->count * a->size);
}

void particle_set_permute(ParticleSet* set, Pool* pool, const uint32_t* order)
{
    Vec4* scratch = particle_set_borrow(set, "sort");
    for (size_t k = 0; k < set->array_count && scratch; k++)
        if (set->array[k].role == PARTICLE_STATE)
            permute_array(set, pool, &set->array[k], order);
    particle_set_return(set, set->scratch);
}

uint32_t* particle_set_order_room(const ParticleSet* set)
{
    for (size_t k = 0; k < set->array_count; k++)
        if (set->array[k].role == PARTICLE_DERIVED && set->array[k].size == sizeof(uint32_t))
            return pointer_of(&set->array[k]);
    return NULL;
}

size_t particle_set_remove(ParticleSet* set, const uint8_t* gone)
{
    size_t kept = 0;
    for (size_t k = 0; k < set->array_count; k++) {
        const ParticleArray* a = &set->array[k];
        if (a->role != PARTICLE_STATE)
            continue;
        unsigned char* data = pointer_of(a);
        kept = 0;
        for (size_t i = 0; i < set->count; i++)
            if (!gone[i]) {
                if (kept != i)
                    memcpy(data + kept * a->size, data + i * a->size, a->size);
                kept++;
            }
    }
    size_t removed = set->count - kept;
    set->count = kept;
    return removed;
}

void particle_set_clear_padding(ParticleSet* set)
{
    if (!set->capacity)
        return;
    for (size_t k = 0; k < set->array_count; k++) {
        const ParticleArray* a = &set->array[k];
        unsigned char* beyond = (unsigned char*)pointer_of(a) + set->count * a->size;
        size_t bytes = PARTICLE_PADDING * a->size;
        memset(beyond, 0, bytes);
        for (size_t at = 0; at + sizeof a->pad <= bytes && a->pad; at += sizeof a->pad)
            memcpy(beyond + at, &a->pad, sizeof a->pad);
    }
    memset(set->scratch + set->count, 0, PARTICLE_PADDING * sizeof *set->scratch);
}

// --- scratch

Vec4* particle_set_borrow(ParticleSet* set, const char* borrower)
{
    assert(!set->borrower);
    set->borrower = borrower;
    return set->scratch;
}

void particle_set_return(ParticleSet* set, const Vec4* scratch)
{
    assert(scratch == set->scratch);
    set->borrower = NULL;
}
