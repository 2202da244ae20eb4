// SPDX-License-Identifier: MIT
#ifndef BENCH_FOAM_H
#define BENCH_FOAM_H

#include "bench.h"

// Making foam from frames, and drawing it.
void bench_foam(FILE* out, const BenchChoice* choice);

#endif
