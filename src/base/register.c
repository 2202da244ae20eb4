// SPDX-License-Identifier: MIT
#include "base/register.h"

#include "base/error.h"
#include <string.h>

typedef struct Entry {
    StateArray array;
    StateRecord record;
    bool is_record;
    bool (*load)(void* owner, const void* in, size_t bytes); // of a record that grows; else NULL
    void* kept;                                              // copy of an array that is in_try
    size_t kept_capacity;
} Entry;

typedef struct Loaded {
    StateLoadedFn* loaded;
    void* owner;
} Loaded;

struct Register {
    Memory* memory;
    Entry* entry;
    size_t count, capacity;
    Loaded* loaded;
    size_t loaded_count, loaded_capacity;
    StateTry* tried;
    size_t tried_count, tried_capacity;
};

Register* register_create(Memory* memory)
{
    Register* reg = memory_take(memory, sizeof *reg);
    if (reg)
        *reg = (Register){.memory = memory};
    return reg;
}

void register_destroy(Register* reg)
{
    if (!reg)
        return;
    for (size_t k = 0; k < reg->count; k++)
        memory_give(reg->memory, reg->entry[k].kept);
    memory_give(reg->memory, reg->entry);
    memory_give(reg->memory, reg->loaded);
    memory_give(reg->memory, reg->tried);
    memory_give(reg->memory, reg);
}

static const char* name_of(const Entry* e)
{
    return e->is_record ? e->record.name : e->array.name;
}

static bool is_taken(const Register* reg, const char* name)
{
    for (size_t k = 0; k < reg->count; k++)
        if (!strcmp(name_of(&reg->entry[k]), name))
            return true;
    return false;
}

static bool add(Register* reg, const Entry* entry)
{
    if (is_taken(reg, name_of(entry)) ||
        !memory_reserve(reg->memory, &reg->entry, &reg->capacity, reg->count, reg->count + 1, sizeof *reg->entry))
        return false;
    reg->entry[reg->count++] = *entry;
    return true;
}

bool register_array(Register* reg, const StateArray* array)
{
    Entry entry = {.array = *array};
    if (!entry.array.stride)
        entry.array.stride = array->size;
    return add(reg, &entry);
}

bool register_record(Register* reg, const StateRecord* record)
{
    return add(reg, &(Entry){.record = *record, .is_record = true});
}

bool register_growing(Register* reg, const StateGrowing* growing)
{
    StateRecord record = {growing->name, growing->per, growing->owner, growing->bytes, growing->save, NULL};
    return add(reg, &(Entry){.record = record, .is_record = true, .load = growing->load});
}

bool register_loaded(Register* reg, StateLoadedFn* loaded, void* owner)
{
    if (!memory_reserve(reg->memory, &reg->loaded, &reg->loaded_capacity, reg->loaded_count, reg->loaded_count + 1,
                        sizeof *reg->loaded))
        return false;
    reg->loaded[reg->loaded_count++] = (Loaded){loaded, owner};
    return true;
}

bool register_try(Register* reg, const StateTry* tried)
{
    if (!memory_reserve(reg->memory, &reg->tried, &reg->tried_capacity, reg->tried_count, reg->tried_count + 1, sizeof *reg->tried))
        return false;
    reg->tried[reg->tried_count++] = *tried;
    return true;
}

// --- elements

static size_t count_of(const StateArray* a)
{
    return a->is_value ? 1 : *a->count;
}

static unsigned char* first_of(const StateArray* a)
{
    void* data;
    if (a->is_value)
        return a->data;
    memcpy(&data, a->data, sizeof data);
    return data ? (unsigned char*)data + a->offset : NULL;
}

static bool is_dense(const StateArray* a)
{
    return a->stride == a->size || a->is_value;
}

// Elements one after the other.
static void pack(const StateArray* a, void* out)
{
    const unsigned char* in = first_of(a);
    unsigned char* to = out;
    size_t n = count_of(a);
    if (n && is_dense(a))
        memcpy(to, in, n * a->size);
    for (size_t k = 0; k < n && !is_dense(a); k++)
        memcpy(to + k * a->size, in + k * a->stride, a->size);
}

static void unpack(const StateArray* a, const void* in)
{
    unsigned char* to = first_of(a);
    const unsigned char* from = in;
    size_t n = count_of(a);
    if (n && is_dense(a))
        memcpy(to, from, n * a->size);
    for (size_t k = 0; k < n && !is_dense(a); k++)
        memcpy(to + k * a->stride, from + k * a->size, a->size);
}

static size_t bytes_of(const Entry* e)
{
    return e->is_record ? e->record.bytes(e->record.owner) : count_of(&e->array) * e->array.size;
}

// --- saving

static bool save_entry(const Entry* e, StateWriteFn* write, void* user)
{
    size_t bytes = bytes_of(e);
    if (!e->is_record && is_dense(&e->array))
        return write(user, e->array.name, first_of(&e->array), bytes);
    void* packed = memory_take(NULL, bytes + 1);
    if (!packed)
        return false;
    if (e->is_record)
        e->record.save(e->record.owner, packed);
    else
        pack(&e->array, packed);
    bool ok = write(user, name_of(e), packed, bytes);
    memory_give(NULL, packed);
    return ok;
}

bool register_save(const Register* reg, StateWriteFn* write, void* user)
{
    for (size_t k = 0; k < reg->count; k++)
        if (!save_entry(&reg->entry[k], write, user))
            return false;
    return true;
}

static bool hash_bytes(void* user, const char* name, const void* data, size_t bytes)
{
    uint64_t h = *(uint64_t*)user;
    const unsigned char* p = data;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    for (; bytes; bytes--)
        h = (h ^ *p++) * 0x100000001b3u;
    *(uint64_t*)user = h;
    return true;
}

uint64_t register_hash(const Register* reg)
{
    uint64_t h = 0xcbf29ce484222325u;
    register_save(reg, hash_bytes, &h);
    return h;
}

// --- loading

static mn_Result load_entry(Entry* e, StateReadFn* read, void* user, mn_Error* error)
{
    size_t found = 0, bytes = bytes_of(e);
    const void* data = read(user, name_of(e), &found);
    if (!data || (found != bytes && !e->load))
        return error_set(error, MN_BAD_INPUT, "the checkpoint is of another scene or damaged: '%s' has %zu bytes, %zu expected",
                         name_of(e), found, bytes);
    bool ok = true;
    if (!e->is_record)
        unpack(&e->array, data);
    else
        ok = e->load ? e->load(e->record.owner, data, found) : e->record.load(e->record.owner, data);
    if (!ok)
        return error_set(error, MN_BAD_INPUT, "the checkpoint is of another scene or damaged: '%s' cannot be used", name_of(e));
    return MN_OK;
}

mn_Result register_load(Register* reg, StateReadFn* read, void* user, mn_Error* error)
{
    for (size_t k = 0; k < reg->count; k++) {
        mn_Result result = load_entry(&reg->entry[k], read, user, error);
        if (result != MN_OK)
            return result;
    }
    for (size_t k = 0; k < reg->loaded_count; k++)
        if (!reg->loaded[k].loaded(reg->loaded[k].owner))
            return error_set(error, MN_BAD_INPUT, "the checkpoint is of another scene or damaged, or there is no memory for it");
    return MN_OK;
}

// --- tries

typedef struct Copy {
    unsigned char* to;
    const unsigned char* from;
} Copy;

static void copy_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Copy* copy = context;
    memcpy(copy->to + begin, copy->from + begin, end - begin);
}

static void copy_bytes(Pool* pool, void* to, const void* from, size_t bytes)
{
    enum { GRAIN = 1 << 16 };
    parallel_for(pool, bytes, GRAIN, copy_block, &(Copy){to, from});
}

bool register_keep(Register* reg, Pool* pool)
{
    for (size_t k = 0; k < reg->count; k++) {
        Entry* e = &reg->entry[k];
        if (e->is_record || !e->array.in_try)
            continue;
        if (!memory_reserve(reg->memory, &e->kept, &e->kept_capacity, 0, bytes_of(e) + 1, 1))
            return false;
        if (is_dense(&e->array))
            copy_bytes(pool, e->kept, first_of(&e->array), bytes_of(e));
        else
            pack(&e->array, e->kept);
    }
    for (size_t k = 0; k < reg->tried_count; k++)
        reg->tried[k].keep(reg->tried[k].owner);
    return true;
}

void register_take_back(Register* reg, Pool* pool)
{
    for (size_t k = 0; k < reg->count; k++) {
        Entry* e = &reg->entry[k];
        if (e->is_record || !e->array.in_try)
            continue;
        if (is_dense(&e->array))
            copy_bytes(pool, first_of(&e->array), e->kept, bytes_of(e));
        else
            unpack(&e->array, e->kept);
    }
    for (size_t k = 0; k < reg->tried_count; k++)
        reg->tried[k].take_back(reg->tried[k].owner);
}

// --- accounts

size_t register_count(const Register* reg)
{
    return reg->count;
}

size_t register_bytes(const Register* reg, StatePer per)
{
    size_t sum = 0;
    for (size_t k = 0; k < reg->count; k++)
        sum += !reg->entry[k].is_record && reg->entry[k].array.per == per ? reg->entry[k].array.size : 0;
    return sum;
}

const StateArray* register_find(const Register* reg, const char* name)
{
    for (size_t k = 0; k < reg->count; k++)
        if (!reg->entry[k].is_record && !strcmp(reg->entry[k].array.name, name))
            return &reg->entry[k].array;
    return NULL;
}
