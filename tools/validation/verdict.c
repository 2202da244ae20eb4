// SPDX-License-Identifier: MIT
#include "verdict.h"

#include <math.h>
#include <stdio.h>

void judge_relative(const char* name, const char* quantity, double value, double reference, double limit)
{
    if (limit == 0) {
        judge_info(name, quantity, value, reference);
        return;
    }
    double error = fabs(value - reference) / fabs(reference);
    printf("%s\t%s\t%.4g\t%.4g\t%.1f %%\t%.1f %%\t%s\n", name, quantity, value, reference, 100 * error, 100 * limit,
           error <= limit ? "pass" : "FAIL");
}

void judge_absolute(const char* name, const char* quantity, double value, double reference, double limit)
{
    double error = fabs(value - reference);
    printf("%s\t%s\t%.4g\t%.4g\t%.3g\t%.3g\t%s\n", name, quantity, value, reference, error, limit,
           error <= limit ? "pass" : "FAIL");
}

void judge_below(const char* name, const char* quantity, double value, double limit)
{
    if (limit == 0) {
        judge_told(name, quantity, value);
        return;
    }
    printf("%s\t%s\t%.4g\t-\t%.3g\t%.3g\t%s\n", name, quantity, value, value, limit, value <= limit ? "pass" : "FAIL");
}

void judge_info(const char* name, const char* quantity, double value, double reference)
{
    printf("%s\t%s\t%.4g\t%.4g\t%.1f %%\t-\tinfo\n", name, quantity, value, reference,
           100 * fabs(value - reference) / fabs(reference));
}

void judge_above(const char* name, const char* quantity, double value, double limit)
{
    printf("%s\t%s\t%.3g\t-\t-\tat least %.3g\t%s\n", name, quantity, value, limit, value >= limit ? "pass" : "FAIL");
}

void judge_told(const char* name, const char* quantity, double value)
{
    printf("%s\t%s\t%.4g\t-\t-\t-\tinfo\n", name, quantity, value);
}
