// SPDX-License-Identifier: MIT
// What every test includes: cmocka with its prerequisites, and assertions that print values.
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

// |actual - expected| <= tolerance, with both values in the message.
#define assert_near(actual, expected, tolerance)                                                                                   \
    do {                                                                                                                           \
        double actual_ = (actual), expected_ = (expected), tolerance_ = (tolerance);                                               \
        if (!(fabs(actual_ - expected_) <= tolerance_))                                                                            \
            fail_msg("%s = %.9g, expected %s = %.9g within %.3g", #actual, actual_, #expected, expected_, tolerance_);             \
    } while (0)

#define assert_below(actual, limit)                                                                                                \
    do {                                                                                                                           \
        double actual_ = (actual), limit_ = (limit);                                                                               \
        if (!(actual_ < limit_))                                                                                                   \
            fail_msg("%s = %.9g, expected below %s = %.9g", #actual, actual_, #limit, limit_);                                     \
    } while (0)

#endif
