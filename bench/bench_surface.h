// SPDX-License-Identifier: MIT
#ifndef BENCH_SURFACE_H
#define BENCH_SURFACE_H

#include <stdio.h>

// Writes the table of surface reconstruction; `quick`: small sizes only.
void bench_surface(FILE* out, int threads, int quick);

#endif
