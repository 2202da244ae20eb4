// SPDX-License-Identifier: MIT
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stdio.h>

// Writes the table of surface sampling.
void bench_sample(FILE* out);
// Writes the table of adaptive resampling.
void bench_resample(FILE* out);

#endif
