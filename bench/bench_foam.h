// SPDX-License-Identifier: MIT
#ifndef BENCH_FOAM_H
#define BENCH_FOAM_H

#include "bench.h"

// Making foam from frames, and drawing it.
void bench_foam(FILE* out, const BenchChoice* choice);
// Whether there is such a scene; NULL is all of them.
bool bench_foam_has(const char* scene);

#endif
