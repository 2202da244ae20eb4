// SPDX-License-Identifier: MIT
#ifndef BENCH_RENDER_H
#define BENCH_RENDER_H

#include "bench.h"

// Writes the table of fast pictures.
void bench_render(FILE* out, const BenchChoice* choice);
// The same of the window's drafts: what one picture takes; then the window as a whole.
void bench_view(FILE* out, const BenchChoice* choice);
// The window with scripted input, beside the simulation that it shows.
void bench_window(FILE* out, const BenchChoice* choice);

#endif
