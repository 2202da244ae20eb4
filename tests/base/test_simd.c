// SPDX-License-Identifier: MIT
// The vector wrapper against plain C, bit for bit. Runs in the vector build and in the scalar one, so both agree.
#include "support.h"

#include "base/random.h"
#include "base/simd.h"

enum { TRIES = 2000 };

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

// magnitudes from 1e-6 to 1e6, both signs
static void fill(Random* random, float* a, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        double magnitude = pow(10, random_range(random, -6, 6));
        a[k] = (float)(random_unit(random) < 0.5 ? -magnitude : magnitude);
    }
}

#define assert_lanes(vector, expression)                                                                                           \
    do {                                                                                                                           \
        float out_[LANES];                                                                                                         \
        f8_store(out_, (vector));                                                                                                  \
        for (int k = 0; k < LANES; k++)                                                                                            \
            if (bits_of(out_[k]) != bits_of(expression))                                                                           \
                fail_msg("%s, lane %d: %.9g, expected %.9g", #vector, k, (double)out_[k], (double)(expression));                   \
    } while (0)

static void arithmetic_is_correctly_rounded(void** state)
{
    Random random = {1};
    for (int t = 0; t < TRIES; t++) {
        float a[LANES], b[LANES], c[LANES];
        fill(&random, a, LANES);
        fill(&random, b, LANES);
        fill(&random, c, LANES);
        F8 x = f8_load(a), y = f8_load(b), z = f8_load(c);
        assert_lanes(f8_add(x, y), a[k] + b[k]);
        assert_lanes(f8_sub(x, y), a[k] - b[k]);
        assert_lanes(f8_mul(x, y), a[k] * b[k]);
        assert_lanes(f8_div(x, y), a[k] / b[k]);
        assert_lanes(f8_mad(x, y, z), fmaf(a[k], b[k], c[k]));
        assert_lanes(f8_nmad(x, y, z), fmaf(-a[k], b[k], c[k]));
        assert_lanes(f8_sqrt(f8_mul(x, x)), sqrtf(a[k] * a[k]));
        assert_lanes(f8_max(x, y), a[k] > b[k] ? a[k] : b[k]);
        assert_lanes(f8_min(x, y), a[k] < b[k] ? a[k] : b[k]);
    }
    assert_lanes(f8_zero(), 0.0f);
    assert_lanes(f8_set(1.5f), 1.5f);
}

static void masks_choose_lanes(void** state)
{
    float a[LANES] = {1, -2, 0, 4, 5, -6, -0.0f, 8}, b[LANES] = {2, -3, 0, 4, 6, -5, 1, 7};
    F8 x = f8_load(a), y = f8_load(b), less = f8_less(x, y);
    assert_int_equal(f8_mask(less), 1u << 0 | 1u << 4 | 1u << 5 | 1u << 6);
    assert_int_equal(f8_mask(f8_not_zero(x)), 0xffu & ~(1u << 2) & ~(1u << 6));
    assert_lanes(f8_and(x, less), a[k] < b[k] ? a[k] : 0.0f);
    assert_lanes(f8_pick(less, x, y), a[k] < b[k] ? a[k] : b[k]);
    float with_nan[LANES] = {NAN, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(f8_mask(f8_less(f8_load(with_nan), f8_set(2))), 0xfe);
}

static void lanes_move_and_are_named(void** state)
{
    float a[LANES] = {1, -2, 0, 4, 5, -6, -0.5f, 8};
    F8 x = f8_load(a);
    assert_lanes(f8_before(x, 9), k == 0 ? 9.0f : a[k - 1]);
    assert_lanes(f8_after(x, 9), k == LANES - 1 ? 9.0f : a[k + 1]);
    for (unsigned bits = 0; bits < 256; bits++) {
        assert_int_equal(f8_mask(f8_lanes(bits)), bits);
        assert_lanes(f8_and(x, f8_lanes(bits)), bits >> k & 1 ? a[k] : 0.0f);
        assert_int_equal(f8_mask(f8_or(f8_lanes(bits), f8_lanes(0x11))), bits | 0x11);
    }
    uint32_t whole[LANES];
    i8_store(whole, i8_of(f8_mul(f8_ramp(), f8_set(1000))));
    for (uint32_t k = 0; k < LANES; k++)
        assert_int_equal(whole[k], 1000 * k);
}

static void sums_have_the_stated_order(void** state)
{
    Random random = {2};
    for (int t = 0; t < TRIES; t++) {
        float a[LANES];
        fill(&random, a, LANES);
        float sum = ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
        assert_int_equal(bits_of(f8_sum(f8_load(a))), bits_of(sum));
        float largest = a[0];
        for (int k = 1; k < LANES; k++)
            largest = fmaxf(largest, a[k]);
        assert_int_equal(bits_of(f8_largest(f8_load(a))), bits_of(largest));
    }
}

// Every half there is comes back; every float near a half rounds to the nearest, ties to even.
static void halves_round_to_nearest_even(void** state)
{
    for (uint32_t h = 0; h < 0x7c00; h += LANES) { // finite and positive
        uint16_t in[LANES], out[LANES];
        float value[LANES];
        for (uint32_t k = 0; k < LANES; k++)
            in[k] = (uint16_t)(h + k);
        f8_store(value, f8_load_half(in));
        for (int k = 0; k < LANES; k++) {
            int exponent = in[k] >> 10, fraction = in[k] & 1023;
            float expected = exponent ? ldexpf((float)(1024 + fraction), exponent - 25) : ldexpf((float)fraction, -24);
            assert_int_equal(bits_of(value[k]), bits_of(expected));
        }
        f8_store_half(out, f8_load(value));
        assert_memory_equal(in, out, sizeof in);
        assert_lanes(f8_round_half(f8_load(value)), value[k]);
        f8_store_half(out, f8_sub(f8_zero(), f8_load(value)));
        for (int k = 0; k < LANES; k++)
            assert_int_equal(out[k] & 0x7fff, in[k]);
    }
    float middle[LANES] = {0x1.002p0f, 0x1.006p0f, 0x1.00cp0f, 0x1.002002p0f, 65519, 65520, 0x1p-25f, 0x1.8p-24f};
    const uint16_t expected[LANES] = {0x3c00, 0x3c02, 0x3c03, 0x3c01, 0x7bff, 0x7c00, 0, 2};
    uint16_t out[LANES];
    f8_store_half(out, f8_load(middle));
    for (int k = 0; k < LANES; k++)
        assert_int_equal(out[k], expected[k]);
    float rounded[LANES];
    f8_store(rounded, f8_load_half(out));
    assert_lanes(f8_round_half(f8_load(middle)), rounded[k]);
}

static void records_become_columns(void** state)
{
    Vec4 record[16], back[LANES];
    for (int k = 0; k < 16; k++)
        record[k] = (Vec4){(float)k, (float)k + 100, (float)k + 200, (float)k + 300};
    const uint32_t index[LANES] = {3, 15, 0, 7, 7, 1, 12, 9};
    F8 x, y, z, w;
    f8_gather4(record, index, &x, &y, &z, &w);
    assert_lanes(x, record[index[k]].x);
    assert_lanes(y, record[index[k]].y);
    assert_lanes(z, record[index[k]].z);
    assert_lanes(w, record[index[k]].w);
    uint32_t twice[LANES];
    for (int k = 0; k < LANES; k++)
        twice[k] = 2 * index[k];
    f8_gather4_twice(record, twice, &x, &y, &z, &w);
    assert_lanes(x, record[index[k]].x);
    assert_lanes(y, record[index[k]].y);
    assert_lanes(z, record[index[k]].z);
    assert_lanes(w, record[index[k]].w);
    f8_load4(record + 5, &x, &y, &z, &w);
    assert_lanes(x, record[5 + k].x);
    assert_lanes(w, record[5 + k].w);
    f8_store4(back, x, y, z, w);
    assert_memory_equal(back, record + 5, sizeof back);
}

static void records_are_summed(void** state)
{
    Random random = {3};
    Vec4 record[16], expected[LANES] = {{0}};
    fill(&random, &record[0].x, 64);
    R8 sum = r8_zero();
    for (int t = 0; t < 20; t++) {
        float factor[LANES];
        uint32_t twice[LANES];
        fill(&random, factor, LANES);
        for (uint32_t k = 0; k < LANES; k++) {
            uint32_t j = (uint32_t)(16 * random_unit(&random));
            twice[k] = 2 * j;
            expected[k] = (Vec4){fmaf(factor[k], record[j].x, expected[k].x), fmaf(factor[k], record[j].y, expected[k].y),
                                 fmaf(factor[k], record[j].z, expected[k].z), fmaf(factor[k], record[j].w, expected[k].w)};
        }
        // the same records, by the place of their first number
        uint32_t place[LANES];
        for (int k = 0; k < LANES; k++)
            place[k] = 2 * twice[k];
        if (t % 2)
            r8_mad_floats(&sum, f8_load(factor), &record[0].x, place);
        else
            r8_mad_twice(&sum, f8_load(factor), record, twice);
    }
    F8 x, y, z, w;
    r8_columns(&sum, &x, &y, &z, &w);
    assert_lanes(x, expected[k].x);
    assert_lanes(y, expected[k].y);
    assert_lanes(z, expected[k].z);
    assert_lanes(w, expected[k].w);
}

// sixteen candidates at a time: the same hits in the same order as one by one
static void near_candidates_are_packed(void** state)
{
    enum { COUNT = 5 * WIDE };
    Random random = {5};
    Vec4 record[COUNT];
    float x[COUNT], y[COUNT], z[COUNT];
    uint32_t name[COUNT], out[COUNT + WIDE];
    for (uint32_t k = 0; k < COUNT; k++) {
        record[k] = (Vec4){(float)random_unit(&random), (float)random_unit(&random), (float)random_unit(&random), 7};
        name[k] = 0xfffffff0u - 3 * k;
    }
    for (int k = 0; k < COUNT; k += WIDE)
        wide_columns(record + k, x + k, y + k, z + k);
    for (int k = 0; k < COUNT; k++)
        assert_true(x[k] == record[k].x && y[k] == record[k].y && z[k] == record[k].z);
    const Candidates c = {x, y, z, name};
    for (int t = 0; t < 200; t++) {
        int self = (int)(COUNT * random_unit(&random));
        Vec4 p = record[self];
        float h2 = (float)random_range(&random, 0, 1.2);
        bool skip = t % 2;
        size_t count = 0, n = 0;
        for (size_t k = 0; k < COUNT; k += WIDE)
            count += wide_near(out + count, &c, k, p, h2, skip, name[self]);
        for (int k = 0; k < COUNT; k++) {
            float dx = x[k] - p.x, dy = y[k] - p.y, dz = z[k] - p.z;
            if (fmaf(dz, dz, fmaf(dy, dy, dx * dx)) < h2 && !(skip && k == self))
                assert_int_equal(out[n++], name[k]);
        }
        assert_int_equal(count, n);
    }
}

static void packing_keeps_order(void** state)
{
    const uint32_t in[LANES] = {1000, 1001, 0xffffffffu, 1003, 0, 1005, 1006, 1007};
    for (unsigned bits = 0; bits < 256; bits++) {
        uint32_t out[LANES];
        unsigned count = i8_pack(out, i8_load(in), bits), n = 0;
        for (unsigned k = 0; k < LANES; k++)
            if (bits >> k & 1)
                assert_int_equal(out[n++], in[k]);
        assert_int_equal(count, n);
    }
}

static void equal_lanes_are_found(void** state)
{
    const uint32_t in[LANES] = {7, 0, 7, 0x80000000u, 7, 1, 2, 7};
    uint32_t out[LANES];
    i8_store(out, i8_load(in));
    assert_memory_equal(in, out, sizeof in);
    assert_int_equal(i8_equal_mask(i8_load(in), 7), 0x95);
    assert_int_equal(i8_equal_mask(i8_load(in), 0x80000000u), 0x08);
    assert_int_equal(i8_equal_mask(i8_load(in), 9), 0);
    const uint32_t even[LANES] = {6, 8, 10, 12, 14, 16, 18, 20};
    i8_store(out, i8_even(6));
    assert_memory_equal(even, out, sizeof even);
}

static void lookup_picks_from_the_table(void** state)
{
    float table[LANES] = {10, 11, -12, 13, 14, -0.0f, 16, 17}, index[LANES] = {7, 0, 5, 5, 2, 1, 6, 3};
    assert_lanes(f8_lookup(f8_load(table), f8_load(index)), table[(int)index[k]]);
}

static void pixels_are_found_by_column_and_row(void** state)
{
    enum { STRIDE = 13, ROWS = 5 };
    float image[STRIDE * ROWS];
    for (int k = 0; k < STRIDE * ROWS; k++)
        image[k] = (float)(k * k) - 7;
    float x[LANES] = {0, 12, 3, 3, 7, 1, 0, 12}, y[LANES] = {0, 4, 2, 1, 3, 0, 4, 0};
    assert_lanes(f8_gather(image, i8_place(f8_load(x), f8_load(y), STRIDE)), image[(int)y[k] * STRIDE + (int)x[k]]);
    // beyond what a float holds exactly
    uint32_t place[LANES];
    i8_store(place, i8_place(f8_set(5), f8_set(9001), 16384));
    assert_int_equal(place[3], 9001u * 16384u + 5u);
}

static void transpose_turns_rows_into_columns(void** state)
{
    enum { STRIDE = 11 };
    uint32_t in[8 * STRIDE], out[64];
    for (uint32_t k = 0; k < 8 * STRIDE; k++)
        in[k] = 0x7f800000u + k; // also signalling NaNs: bits must pass untouched
    i8_transpose(in, STRIDE, out);
    for (size_t row = 0; row < 8; row++)
        for (size_t column = 0; column < 8; column++)
            assert_int_equal(out[8 * column + row], in[row * STRIDE + column]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_is_correctly_rounded),
        cmocka_unit_test(masks_choose_lanes),
        cmocka_unit_test(lanes_move_and_are_named),
        cmocka_unit_test(sums_have_the_stated_order),
        cmocka_unit_test(halves_round_to_nearest_even),
        cmocka_unit_test(records_become_columns),
        cmocka_unit_test(records_are_summed),
        cmocka_unit_test(near_candidates_are_packed),
        cmocka_unit_test(packing_keeps_order),
        cmocka_unit_test(equal_lanes_are_found),
        cmocka_unit_test(lookup_picks_from_the_table),
        cmocka_unit_test(pixels_are_found_by_column_and_row),
        cmocka_unit_test(transpose_turns_rows_into_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
