// SPDX-License-Identifier: MIT
// Measured work behind `meniscus bench`. Each function writes one table; what is compared does the same work.
#ifndef BENCH_H
#define BENCH_H

#include "base/clock.h"
#include <stdio.h>

static inline double bench_clock(void) // [s]
{
    return clock_seconds();
}

// Time per particle of each pass of a step: 100 000, 1 million and 4 million particles (`quick`: 100 000 only).
void bench_passes(FILE* out, int threads, int quick);

// Time per step of scenes for which figures of another simulator were measured on the same hardware.
void bench_peers(FILE* out, int threads, int quick);

// What surface tension and adhesion add to a step: 1 million particles (`quick`: 100 000).
void bench_tension(FILE* out, int threads, int quick);

#endif
