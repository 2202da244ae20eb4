// SPDX-License-Identifier: MIT
// States of worlds in memory, and what differs between two of them: a failed comparison names the array, the place and both values.
#ifndef TESTS_SAVED_STATE_H
#define TESTS_SAVED_STATE_H

#include "support.h"

#include "world/state.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SAVED_MOST = 256 };

// keep() and give() are for world_save_state() and world_load_state().
typedef struct Saved {
    int count;
    char name[SAVED_MOST][48];
    void* data[SAVED_MOST];
    size_t bytes[SAVED_MOST];
} Saved;

static inline bool keep(void* user, const char* name, const void* data, size_t bytes)
{
    Saved* s = user;
    assert_true(s->count < SAVED_MOST);
    snprintf(s->name[s->count], sizeof s->name[0], "%s", name);
    s->data[s->count] = malloc(bytes + 8);
    assert_non_null(s->data[s->count]);
    if (bytes)
        memcpy(s->data[s->count], data, bytes);
    s->bytes[s->count++] = bytes;
    return true;
}

static inline const void* give(void* user, const char* name, size_t* bytes)
{
    const Saved* s = user;
    for (int k = 0; k < s->count; k++)
        if (!strcmp(s->name[k], name)) {
            *bytes = s->bytes[k];
            return s->data[k];
        }
    return NULL;
}

static inline void forget(Saved* s)
{
    for (int k = 0; k < s->count; k++)
        free(s->data[k]);
    s->count = 0;
}

// --- differences

static inline size_t state_type_size(StateType type)
{
    return type == STATE_UINT8 ? 1 : type == STATE_FLOAT || type == STATE_UINT32 ? 4 : 8;
}

static inline void state_number_text(StateType type, const unsigned char* at, char* text, size_t size)
{
    float f;
    double d;
    uint32_t u;
    uint64_t word;
    memcpy(&f, at, sizeof f);
    memcpy(&d, at, sizeof d);
    memcpy(&u, at, sizeof u);
    memcpy(&word, at, sizeof word);
    if (type == STATE_FLOAT)
        snprintf(text, size, "%.9g", (double)f);
    else if (type == STATE_DOUBLE)
        snprintf(text, size, "%.17g", d);
    else if (type == STATE_UINT32)
        snprintf(text, size, "%" PRIu32, u);
    else if (type == STATE_UINT8)
        snprintf(text, size, "%d", *at);
    else // of a struct: one of them makes sense
        snprintf(text, size, "0x%016" PRIx64 " (%.17g)", word, d);
}

// The first number that differs between two arrays of a name. False: none.
static inline bool array_difference(const StateArray* array, const char* name, const Saved* a, const Saved* b, char* text,
                                    size_t size)
{
    size_t bytes_a = 0, bytes_b = 0;
    const unsigned char *x = give((void*)(uintptr_t)a, name, &bytes_a), *y = give((void*)(uintptr_t)b, name, &bytes_b);
    if (!x || !y || bytes_a != bytes_b) {
        snprintf(text, size, "'%s' has %zu bytes in one and %zu in the other", name, x ? bytes_a : 0, y ? bytes_b : 0);
        return true;
    }
    StateType type = array ? array->type : STATE_BYTES;
    size_t step = state_type_size(type), differ = 0, first = 0;
    for (size_t k = 0; k < bytes_a; k += step)
        if (memcmp(x + k, y + k, k + step <= bytes_a ? step : bytes_a - k) && !differ++)
            first = k;
    if (!differ)
        return false;
    char left[64], right[64];
    size_t element = array && array->size ? array->size : step;
    state_number_text(type, x + first, left, sizeof left);
    state_number_text(type, y + first, right, sizeof right);
    snprintf(text, size, "'%s' differs first at element %zu of %zu, byte %zu of it: %s and %s; %zu of %zu numbers differ", name,
             first / element, bytes_a / element, first % element, left, right, differ, (bytes_a + step - 1) / step);
    return true;
}

// What differs between two saved states; `reg` (may be NULL) knows what arrays are made of. False: nothing.
static inline bool state_difference(const Register* reg, const Saved* a, const Saved* b, char* text, size_t size)
{
    const StateArray* array = NULL;
    for (int k = 0; k < a->count; k++) {
        array = reg ? register_find(reg, a->name[k]) : NULL;
        if (array_difference(array, a->name[k], a, b, text, size))
            return true;
    }
    for (int k = 0; k < b->count; k++)
        if (array_difference(array, b->name[k], a, b, text, size))
            return true;
    return false;
}

static inline void expect_state(const mn_World* world, const Saved* expected, const char* what, const char* file, int line)
{
    Saved now = {.count = 0};
    char text[512] = "";
    assert_true(world_save_state(world, keep, &now));
    bool differs = state_difference(world_state_register(world), &now, expected, text, sizeof text);
    forget(&now);
    if (differs) {
        print_error("%s: %s\n", what, text);
        _fail(file, line);
    }
}

static inline void expect_same_state(const mn_World* a, const mn_World* b, const char* what, const char* file, int line)
{
    if (mn_world_hash(a) == mn_world_hash(b))
        return;
    Saved other = {.count = 0};
    assert_true(world_save_state(b, keep, &other));
    expect_state(a, &other, what, file, line);
    forget(&other);
    print_error("%s: hashes differ, but no array does\n", what);
    _fail(file, line);
}

// Two worlds have the same state, by their hashes; if not, says what differs.
#define assert_same_state(a, b) expect_same_state(a, b, #a " is not " #b, __FILE__, __LINE__)
// A world has the state that was saved.
#define assert_state(world, saved) expect_state(world, saved, #world " is not as saved", __FILE__, __LINE__)

#endif
