// SPDX-License-Identifier: MIT
#include "support.h"

#include "base/random.h"

// splitmix64 as published (Steele, Lea, Flood 2014): the first values for seed 1234567, known from other implementations
static void numbers_are_those_of_splitmix64(void** state)
{
    const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u,
                                 16408922859458223821u};
    Random random = {1234567};
    for (int k = 0; k < 5; k++)
        assert_int_equal(random_next(&random), expected[k]);
}

static void same_seed_same_numbers(void** state)
{
    Random a = {7}, b = {7}, c = {8};
    int different = 0;
    for (int k = 0; k < 100; k++) {
        uint64_t value = random_next(&a);
        assert_int_equal(value, random_next(&b));
        different += value != random_next(&c);
    }
    assert_int_equal(different, 100);
}

// mean 1/2, variance 1/12, no correlation of neighbours: within five standard errors of 100 000 numbers
static void unit_is_uniform(void** state)
{
    enum { COUNT = 100000, BINS = 20 };
    Random random = {42};
    double sum = 0, squares = 0, products = 0, last = 0.5;
    int bins[BINS] = {0};
    for (int k = 0; k < COUNT; k++) {
        double u = random_unit(&random);
        assert_true(u >= 0 && u < 1);
        sum += u;
        squares += (u - 0.5) * (u - 0.5);
        products += (u - 0.5) * (last - 0.5);
        last = u;
        bins[(int)(u * BINS)]++;
    }
    assert_near(sum / COUNT, 0.5, 5 * sqrt(1.0 / 12 / COUNT));
    assert_near(squares / COUNT, 1.0 / 12, 5 * sqrt(1.0 / 180 / COUNT));
    assert_near(products / COUNT, 0, 5 * sqrt(1.0 / 144 / COUNT));
    for (int k = 0; k < BINS; k++)
        assert_near(bins[k], COUNT / BINS, 5 * sqrt(COUNT / BINS));
}

static void range_stays_inside(void** state)
{
    Random random = {3};
    double least = 1e9, most = -1e9;
    for (int k = 0; k < 10000; k++) {
        double value = random_range(&random, -2, 5);
        assert_true(value >= -2 && value < 5);
        least = fmin(least, value);
        most = fmax(most, value);
    }
    assert_below(least, -1.99);
    assert_below(4.99, most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_splitmix64),
        cmocka_unit_test(same_seed_same_numbers),
        cmocka_unit_test(unit_is_uniform),
        cmocka_unit_test(range_stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
