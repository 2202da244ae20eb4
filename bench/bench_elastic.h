// SPDX-License-Identifier: MIT
#ifndef BENCH_ELASTIC_H
#define BENCH_ELASTIC_H

#include "bench.h"

// Time per step of elastic solids by themselves.
void bench_elastic(FILE* out, const BenchChoice* choice);

#endif
