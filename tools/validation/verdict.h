// SPDX-License-Identifier: MIT
// Rows of the result table: case, quantity, value, reference, error, limit, verdict, separated by tabs, on standard output.
#pragma once

// How an error is told and judged; a limit of 0 tells without a verdict. A value that is not a number always fails.
void judge_relative(const char* name, const char* quantity, double value, double reference, double limit); // |v - r| / |r|, in %
void judge_absolute(const char* name, const char* quantity, double value, double reference, double limit); // |v - r|
void judge_below(const char* name, const char* quantity, double value, double limit);    // value itself is the error
void judge_info(const char* name, const char* quantity, double value, double reference); // told, not judged
void judge_above(const char* name, const char* quantity, double value, double limit);    // the more the better
void judge_told(const char* name, const char* quantity, double value);                   // nothing to compare with
