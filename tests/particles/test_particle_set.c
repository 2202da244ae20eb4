// SPDX-License-Identifier: MIT
// Sets of particles: arrays of any size grow, sort, and lose particles together.
#include "support.h"

#include "base/random.h"
#include "particles/particle_set.h"
#include <stdlib.h>
#include <string.h>

typedef struct Toy {
    Memory memory;
    ParticleSet set;
    Vec4* place;
    uint32_t* number;
    double* heavy; // of a size that no spare array has
    uint8_t* flag;
    float* spare;
    float* derived;
} Toy;

static void toy_create(Toy* t)
{
    memset(t, 0, sizeof *t);
    particle_set_init(&t->set, &t->memory);
    const ParticleArray arrays[] = {
        {"toy.place", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &t->place, false, 0},
        {"toy.number", PARTICLE_STATE, STATE_UINT32, sizeof(uint32_t), &t->number, true, 0},
        {"toy.heavy", PARTICLE_STATE, STATE_DOUBLE, sizeof(double), &t->heavy, false, 0},
        {"toy.spare", PARTICLE_SPARE, STATE_FLOAT, sizeof(float), &t->spare, false, 0},
        {"toy.derived", PARTICLE_DERIVED, STATE_FLOAT, sizeof(float), &t->derived, false, 0x3f800000},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        assert_true(particle_set_add(&t->set, &arrays[k]));
}

static void toy_fill(Toy* t, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        size_t i = particle_set_append(&t->set);
        assert_int_equal(i, k);
        assert_int_equal(t->number[i], 0);
        t->place[i] = (Vec4){(float)k, 0, 0, 1};
        t->number[i] = (uint32_t)k;
        t->heavy[i] = (double)k;
    }
}

static void check_together(const Toy* t)
{
    for (size_t i = 0; i < t->set.count; i++) {
        assert_true(t->place[i].x == (float)t->number[i]);
        assert_true(t->heavy[i] == (double)t->number[i]);
        if (t->flag)
            assert_int_equal(t->flag[i], t->number[i] % 7);
    }
}

static void test_arrays_stay_together(void** state)
{
    enum { COUNT = 20011 };
    Toy t;
    toy_create(&t);
    toy_fill(&t, COUNT);
    // one more array when there are particles: it begins with zeros
    assert_true(particle_set_add(&t.set, &(ParticleArray){"toy.flag", PARTICLE_STATE, STATE_UINT8, 1, &t.flag, false, 0}));
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(t.flag[i], 0);
        t.flag[i] = (uint8_t)(t.number[i] % 7);
    }
    uint32_t* order = malloc(COUNT * sizeof *order);
    Random random = {5};
    for (uint32_t k = 0; k < COUNT; k++)
        order[k] = k;
    for (uint32_t k = COUNT - 1; k > 0; k--) {
        uint32_t j = (uint32_t)(random_unit(&random) * (k + 1)), swap = order[k];
        order[k] = order[j];
        order[j] = swap;
    }
    Pool* pool = pool_create(3);
    particle_set_permute(&t.set, pool, order);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(t.number[i], order[i]);
    check_together(&t);
    uint8_t* gone = malloc(COUNT);
    size_t expected = 0;
    for (size_t i = 0; i < COUNT; i++)
        expected += gone[i] = t.number[i] % 3 == 0;
    assert_int_equal(particle_set_remove(&t.set, gone), expected);
    assert_int_equal(t.set.count, COUNT - expected);
    check_together(&t);
    for (size_t i = 0; i < t.set.count; i++)
        assert_int_not_equal(t.number[i] % 3, 0);
    particle_set_clear_padding(&t.set);
    for (size_t i = t.set.count; i < t.set.count + PARTICLE_PADDING; i++) {
        assert_true(t.place[i].x == 0);
        assert_true(t.derived[i] == 1);
    }
    pool_destroy(pool);
    free(order);
    free(gone);
    particle_set_free(&t.set);
    assert_null(t.place);
    assert_int_equal(t.memory.bytes, 0);
}

static void test_state_is_registered(void** state)
{
    Toy t;
    toy_create(&t);
    toy_fill(&t, 100);
    Register* reg = register_create(&t.memory);
    assert_true(particle_set_register(&t.set, reg));
    assert_int_equal(register_count(reg), 3);
    assert_int_equal(register_bytes(reg, PER_PARTICLE), sizeof(Vec4) + sizeof(uint32_t) + sizeof(double));
    uint64_t before = register_hash(reg);
    t.derived[3] = 5;
    assert_true(register_hash(reg) == before);
    assert_true(register_keep(reg, NULL));
    t.number[99] = 7;
    assert_true(register_hash(reg) != before);
    register_take_back(reg, NULL);
    assert_true(register_hash(reg) == before);
    register_destroy(reg);
    particle_set_free(&t.set);
}

static void test_scratch_is_lent_to_one(void** state)
{
    Toy t;
    toy_create(&t);
    toy_fill(&t, 8);
    Vec4* lent = particle_set_borrow(&t.set, "a test");
    assert_non_null(lent);
    assert_string_equal(t.set.borrower, "a test");
    particle_set_return(&t.set, lent);
    assert_null(t.set.borrower);
    particle_set_free(&t.set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays_stay_together),
        cmocka_unit_test(test_state_is_registered),
        cmocka_unit_test(test_scratch_is_lent_to_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
