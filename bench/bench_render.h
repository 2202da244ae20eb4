// SPDX-License-Identifier: MIT
#ifndef BENCH_RENDER_H
#define BENCH_RENDER_H

#include "bench.h"

// Writes the table of fast pictures.
void bench_render(FILE* out, const BenchChoice* choice);

#endif
