// SPDX-License-Identifier: MIT
// The register: what is registered once is saved, loaded, hashed and taken back.
#include "support.h"

#include "base/register.h"
#include <stdlib.h>
#include <string.h>

// A state in memory.
typedef struct SavedState {
    int count;
    const char* name[8];
    void* data[8];
    size_t bytes[8];
} SavedState;

static bool saved_keep(void* user, const char* name, const void* data, size_t bytes)
{
    SavedState* s = user;
    s->name[s->count] = name;
    s->data[s->count] = malloc(bytes + 1);
    assert_non_null(s->data[s->count]);
    memcpy(s->data[s->count], data, bytes);
    s->bytes[s->count++] = bytes;
    return true;
}

static const void* saved_give(void* user, const char* name, size_t* out_bytes)
{
    const SavedState* s = user;
    for (int k = 0; k < s->count; k++)
        if (!strcmp(s->name[k], name)) {
            *out_bytes = s->bytes[k];
            return s->data[k];
        }
    return NULL;
}

static void saved_forget(SavedState* s)
{
    while (s->count > 0)
        free(s->data[--s->count]);
}

typedef struct Item {
    double value;
    int other; // not registered
    float weight;
} Item;

typedef struct Owner {
    Memory memory;
    Register* reg;
    Item* item;
    size_t count;
    double number;
    char text[12]; // a record
    size_t text_bytes;
    int loads;
    bool refuses;
} Owner;

static size_t text_bytes(const void* owner)
{
    return ((const Owner*)owner)->text_bytes;
}

static void text_save(const void* owner, void* out)
{
    memcpy(out, ((const Owner*)owner)->text, ((const Owner*)owner)->text_bytes);
}

static bool text_load(void* owner, const void* in)
{
    Owner* o = owner;
    memcpy(o->text, in, o->text_bytes);
    return o->text[0] != '!';
}

static bool loaded(void* owner)
{
    Owner* o = owner;
    o->loads++;
    return !o->refuses;
}

static void owner_create(Owner* o, size_t count)
{
    *o = (Owner){.count = count, .number = 3.5, .text = "words", .text_bytes = 6};
    o->reg = register_create(&o->memory);
    o->item = memory_take(&o->memory, count * sizeof *o->item);
    assert_non_null(o->reg);
    for (size_t k = 0; k < count; k++)
        o->item[k] = (Item){(double)k, -1, 0.5f * (float)k};
    StateArray value = {.name = "item.value", .per = PER_BODY, .type = STATE_DOUBLE, .size = sizeof(double), .data = &o->item};
    value.stride = sizeof(Item);
    value.count = &o->count;
    value.in_try = true;
    StateArray weight = value;
    weight.name = "item.weight";
    weight.type = STATE_FLOAT;
    weight.size = sizeof(float);
    weight.offset = offsetof(Item, weight);
    weight.in_try = false;
    StateArray number = {.name = "number", .type = STATE_DOUBLE, .size = sizeof(double), .data = &o->number, .is_value = true};
    number.in_try = true;
    StateRecord text = {"text", PER_OTHER, o, text_bytes, text_save, text_load};
    assert_true(register_array(o->reg, &value));
    assert_true(register_array(o->reg, &weight));
    assert_true(register_array(o->reg, &number));
    assert_true(register_record(o->reg, &text));
    assert_true(register_loaded(o->reg, loaded, o));
}

static void owner_destroy(Owner* o)
{
    register_destroy(o->reg);
    memory_give(&o->memory, o->item);
    assert_int_equal(o->memory.bytes, 0);
}

static void test_a_name_is_taken_once(void** state)
{
    Owner o;
    owner_create(&o, 3);
    StateArray again = {.name = "number", .size = sizeof(double), .data = &o.number, .is_value = true};
    assert_false(register_array(o.reg, &again));
    assert_int_equal(register_count(o.reg), 4);
    assert_int_equal(register_bytes(o.reg, PER_BODY), sizeof(double) + sizeof(float));
    assert_non_null(register_find(o.reg, "item.weight"));
    assert_null(register_find(o.reg, "text")); // records have no array
    owner_destroy(&o);
}

static void test_what_is_saved_comes_back(void** state)
{
    Owner a, b;
    owner_create(&a, 5);
    owner_create(&b, 5);
    a.item[2].value = 77;
    a.item[4].weight = -2;
    a.number = 1e300;
    strcpy(a.text, "other");
    assert_true(register_hash(a.reg) != register_hash(b.reg));
    SavedState saved = {0};
    assert_true(register_save(a.reg, saved_keep, &saved));
    assert_int_equal(register_load(b.reg, saved_give, &saved, NULL), MN_OK);
    assert_true(register_hash(a.reg) == register_hash(b.reg));
    assert_float_equal(b.item[2].value, 77, 0);
    assert_float_equal(b.item[4].weight, -2, 0);
    assert_int_equal(b.item[2].other, -1); // what is not registered stays
    assert_string_equal(b.text, "other");
    assert_int_equal(b.loads, 1);
    saved_forget(&saved);
    owner_destroy(&a);
    owner_destroy(&b);
}

static void test_what_does_not_fit_is_refused_by_name(void** state)
{
    Owner a, b;
    owner_create(&a, 5);
    owner_create(&b, 6);
    SavedState saved = {0};
    mn_Error error = {0};
    assert_true(register_save(a.reg, saved_keep, &saved));
    assert_int_equal(register_load(b.reg, saved_give, &saved, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "item.value"));
    b.count = 5;
    b.refuses = true;
    assert_int_equal(register_load(b.reg, saved_give, &saved, &error), MN_BAD_INPUT);
    saved_forget(&saved);
    strcpy(a.text, "!bad");
    saved = (SavedState){0};
    assert_true(register_save(a.reg, saved_keep, &saved));
    assert_int_equal(register_load(a.reg, saved_give, &saved, &error), MN_BAD_INPUT);
    assert_non_null(strstr(error.message, "text"));
    saved_forget(&saved);
    owner_destroy(&a);
    owner_destroy(&b);
}

typedef struct Kept {
    int keeps, returns;
} Kept;

static void keep(void* owner)
{
    ((Kept*)owner)->keeps++;
}

static void take_back(void* owner)
{
    ((Kept*)owner)->returns++;
}

static void test_a_try_is_taken_back(void** state)
{
    Owner o;
    Kept kept = {0, 0};
    owner_create(&o, 100000);
    assert_true(register_try(o.reg, &(StateTry){&kept, keep, take_back}));
    Pool* pool = pool_create(2);
    uint64_t before = register_hash(o.reg);
    assert_true(register_keep(o.reg, pool));
    for (size_t k = 0; k < o.count; k++)
        o.item[k].value = -1;
    o.number = 0;
    assert_true(register_hash(o.reg) != before);
    register_take_back(o.reg, pool);
    assert_true(register_hash(o.reg) == before);
    assert_int_equal(kept.keeps, 1);
    assert_int_equal(kept.returns, 1);
    o.item[7].weight = 9; // does not change before a step is accepted, and is not kept
    register_take_back(o.reg, pool);
    assert_float_equal(o.item[7].weight, 9, 0);
    pool_destroy(pool);
    owner_destroy(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_name_is_taken_once),
        cmocka_unit_test(test_what_is_saved_comes_back),
        cmocka_unit_test(test_what_does_not_fit_is_refused_by_name),
        cmocka_unit_test(test_a_try_is_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
