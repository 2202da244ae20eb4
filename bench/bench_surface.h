// SPDX-License-Identifier: MIT
#ifndef BENCH_SURFACE_H
#define BENCH_SURFACE_H

#include "bench.h"

// Writes the table of surface reconstruction.
void bench_surface(FILE* out, const BenchChoice* choice);

#endif
