// SPDX-License-Identifier: MIT
#ifndef BENCH_RENDER_H
#define BENCH_RENDER_H

#include <stdio.h>

// Writes the table of fast pictures; `quick`: small sizes only.
void bench_render(FILE* out, int threads, int quick);

#endif
