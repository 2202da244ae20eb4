// SPDX-License-Identifier: MIT
#include "support.h"

#include "particles/kernel.h"

static const mn_Kernel types[] = {MN_KERNEL_CUBIC, MN_KERNEL_WENDLAND, MN_KERNEL_POLY6, MN_KERNEL_SPIKY};

static void integrates_to_one(void** state)
{
    for (int t = 0; t < 4; t++)
        for (int dimension = 2; dimension <= 3; dimension++) {
            Kernel k = kernel_create(types[t], dimension, 0.37);
            enum { STEPS = 20000 };
            double sum = 0, dr = (double)k.h / STEPS;
            for (int s = 0; s < STEPS; s++) {
                double r = (s + 0.5) * dr;
                sum += kernel_w(&k, r) * (dimension == 3 ? 4 * M_PI * r * r : 2 * M_PI * r) * dr;
            }
            assert_near(sum, 1, 1e-6);
        }
}

static void slope_is_derivative(void** state)
{
    for (int t = 0; t < 4; t++) {
        Kernel k = kernel_create(types[t], 3, 0.5);
        for (double r = 0.01; r < 0.49; r += 0.013) {
            double difference = (kernel_w(&k, r + 1e-6) - kernel_w(&k, r - 1e-6)) / 2e-6;
            assert_near(kernel_slope(&k, r), difference, 1e-4 * kernel_w(&k, 0) / 0.5);
        }
        assert_near(kernel_w(&k, 0.5), 0, 1e-12);
        assert_near(kernel_slope(&k, 0.51), 0, 0);
    }
}

// the vector forms that the solver uses are the same functions
static void vector_form_agrees(void** state)
{
    for (int t = 0; t < 4; t++)
        for (int dimension = 2; dimension <= 3; dimension++) {
            Kernel k = kernel_create(types[t], dimension, 0.04);
            for (double q = 0.005; q < 1.1; q += 0.007) {
                float w[LANES], c[LANES];
                f8_store(w, kernel8_w(k.type, f8_set((float)q)));
                f8_store(c, kernel8_c(k.type, f8_set((float)q)));
                double r = (double)(float)q * (double)k.h;
                assert_near((double)(w[3] * k.norm), kernel_w(&k, r), 2e-6 * kernel_w(&k, 0));
                double scale = fabs(kernel_slope(&k, 0.3 * (double)k.h));
                assert_near((double)(c[5] * k.gradient) * r, kernel_slope(&k, r), 2e-5 * scale);
            }
        }
}

static void half_precision_round_trip(void** state)
{
    // every half that is a number survives; ties go to even
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        uint16_t in[LANES] = {(uint16_t)bits, (uint16_t)(bits | 0x8000u)}, out[LANES];
        f8_store_half(out, f8_load_half(in));
        assert_int_equal(in[0], out[0]);
        assert_int_equal(in[1], out[1]);
    }
    float ties[LANES] = {2049.0f, 2051.0f, 65519.0f, 0x1p-25f, 0x1.8p-24f, -2049.0f, 1e-9f, 0x1.002p0f};
    uint16_t out[LANES];
    f8_store_half(out, f8_load(ties));
    float back[LANES];
    f8_store(back, f8_load_half(out));
    float expected[LANES] = {2048.0f, 2052.0f, 65504.0f, 0, 0x1p-23f, -2048.0f, 0, 1.0f};
    for (int k = 0; k < LANES; k++)
        assert_near((double)back[k], (double)expected[k], 0);
}

// what lies beyond the reach of lists has no coefficient there, and adds nothing to a density that single precision would see
static void beyond_reach_is_nothing(void** state)
{
    for (int t = 0; t < 4; t++)
        for (int dimension = 2; dimension <= 3; dimension++) {
            Kernel k = kernel_create(types[t], dimension, 0.37);
            double reach = sqrt((double)k.reach2);
            assert_true(reach < (double)k.h && reach > 0.998 * (double)k.h);
            for (double r = reach; r <= (double)k.h; r += ((double)k.h - reach) / 50) {
                F8 q = f8_mul(f8_sqrt(f8_set((float)(r * r))), f8_set(1 / k.h));
                uint16_t half[LANES];
                f8_store_half(half, kernel8_c(types[t], q));
                assert_int_equal(half[0] & 0x7fff, 0);
                assert_below(kernel_w(&k, r) / kernel_w(&k, 0), 1e-8);
            }
            // and not much else does
            uint16_t half[LANES];
            f8_store_half(half, kernel8_c(types[t], f8_set((float)(1 - 1.1 * (1 - reach / (double)k.h)))));
            assert_int_not_equal(half[0] & 0x7fff, 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrates_to_one),       cmocka_unit_test(slope_is_derivative),
        cmocka_unit_test(vector_form_agrees),      cmocka_unit_test(half_precision_round_trip),
        cmocka_unit_test(beyond_reach_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
