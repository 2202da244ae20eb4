// SPDX-License-Identifier: MIT
// State is registered once, by the module that owns it: name, element, per what, and where it lies. From the register follow
// saving, loading, the hash, taking a failed step back, and the account of what is saved. Nobody lists arrays in a second place.
//
// An array may lie in a field of a struct: `stride` is the distance between elements. Arrays may move when they grow: what is
// registered is where the owner keeps the pointer. What has no fixed layout registers functions instead (a record).
// Particle arrays are registered through their ParticleSet (particles/particle_set.h), which also sorts and removes.
#ifndef BASE_REGISTER_H
#define BASE_REGISTER_H

#include "base/memory.h"
#include "base/parallel.h"
#include <meniscus/base.h>

typedef enum StatePer {
    PER_WORLD,
    PER_PARTICLE,
    PER_BOUNDARY_PARTICLE,
    PER_SOLID,
    PER_BODY,
    PER_VERTEX,
    PER_OTHER, // joints, emitters, pins: the name says it
} StatePer;

typedef enum StateType {
    STATE_BYTES, // a struct without padding
    STATE_FLOAT,
    STATE_DOUBLE,
    STATE_UINT32,
    STATE_UINT8,
} StateType;

typedef struct StateArray {
    const char* name; // "fluid.position"; must stay
    StatePer per;
    StateType type;      // of the numbers that an element is made of: for messages about differences
    size_t size;         // [bytes] of an element
    size_t stride;       // [bytes] from one to the next; 0: size
    size_t offset;       // [bytes] of the first one from where the pointer points
    void* data;          // address of the owner's pointer to the first element; with `is_value` the element itself
    bool is_value;       // one element, at `data`
    const size_t* count; // elements; not read with `is_value`
    bool in_try;         // a try at a step changes it before the step is accepted: kept, and taken back if it fails
} StateArray;

// State without a fixed layout. Sizes must be those of the saved state when the same scene is loaded.
typedef struct StateRecord {
    const char* name; // must stay
    StatePer per;
    void* owner;
    size_t (*bytes)(const void* owner);
    void (*save)(const void* owner, void* out);
    bool (*load)(void* owner, const void* in); // false: not a state of this owner, or no memory
} StateRecord;

// The same whose size may be another one when it is loaded: it checks what it is given.
typedef struct StateGrowing {
    const char* name; // must stay
    StatePer per;
    void* owner;
    size_t (*bytes)(const void* owner);
    void (*save)(const void* owner, void* out);
    bool (*load)(void* owner, const void* in, size_t bytes); // false: not a state of this owner, or no memory
} StateGrowing;

// Called in the order of registration when all arrays of a load are there: checks, and derives what is not saved. False: damaged.
typedef bool StateLoadedFn(void* owner);

// Takes one array; false stops the saving.
typedef bool StateWriteFn(void* user, const char* name, const void* data, size_t bytes);
// Gives one array back (valid until the load is done) or NULL if there is none of that name.
typedef const void* StateReadFn(void* user, const char* name, size_t* out_bytes);

typedef struct Register Register;

Register* register_create(Memory* memory); // NULL: out of memory
void register_destroy(Register* reg);      // NULL is allowed

// False: out of memory, or the name is taken. Several arrays may be registered under one owner's name, as "rigid.state".
bool register_array(Register* reg, const StateArray* array);
bool register_record(Register* reg, const StateRecord* record);
bool register_growing(Register* reg, const StateGrowing* record);
bool register_loaded(Register* reg, StateLoadedFn* loaded, void* owner);

// State that is in a try and whose owner keeps it by own means: `keep` before the first try, `take_back` after one that failed.
typedef struct StateTry {
    void* owner;
    void (*keep)(void* owner);
    void (*take_back)(void* owner);
} StateTry;
bool register_try(Register* reg, const StateTry* tried);

// In the order of registration. False: `write` said so, or out of memory.
bool register_save(const Register* reg, StateWriteFn* write, void* user);
// Arrays must have the sizes that they have now: who grows with the state has registered a count that is loaded before.
mn_Result register_load(Register* reg, StateReadFn* read, void* user, mn_Error* error);
uint64_t register_hash(const Register* reg);

// Before a step: keeps what is `in_try`. False: out of memory.
bool register_keep(Register* reg, Pool* pool);
void register_take_back(Register* reg, Pool* pool);

// What is registered, for accounts and tests.
size_t register_count(const Register* reg);
size_t register_bytes(const Register* reg, StatePer per);               // of one element of each array
const StateArray* register_find(const Register* reg, const char* name); // NULL: none

#endif
