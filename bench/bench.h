// SPDX-License-Identifier: MIT
// Measured work behind `meniscus bench`. Each function writes one table; what is compared does the same work.
#ifndef BENCH_H
#define BENCH_H

#include "base/clock.h"
#include <stdbool.h>
#include <stdio.h>

static inline double bench_clock(void) // [s]
{
    return clock_seconds();
}

// What to measure.
typedef struct BenchChoice {
    int threads;
    bool quick;                 // small sizes only
    const char *scene, *method; // of bench_peers, bench_direct and bench_foam; NULL: all
    bool stages;                // bench_peers: the stages of a step too
    const char* peer;           // bench_peers: the other simulator's program; NULL: ours alone
} BenchChoice;

// Time per particle of each pass of a step: 100 000, 1 million and 4 million particles (`quick`: 100 000 only).
void bench_passes(FILE* out, const BenchChoice* choice);
// Iterations and time by depth; bench_passes ends with it.
void bench_depth(FILE* out, const BenchChoice* choice);

// Time to the same simulated time as another simulator, which runs beside if its program is given.
void bench_peers(FILE* out, const BenchChoice* choice);
// Whether there are such a scene and such a method.
bool bench_peers_has(const char* scene, const char* method);

// What surface tension and adhesion add to a step: 1 million particles (`quick`: 100 000).
void bench_tension(FILE* out, const BenchChoice* choice);

// Time per particle of each stage of a step of the grid fluid: 108 000, 1, 4 and 16 million particles (`quick`: the first).
void bench_flip(FILE* out, const BenchChoice* choice);

// Gauss boundary particles: pool and vessel of Müller 2004, cost beside akinci's, growth (`quick`: fewer steps, smaller tanks).
void bench_gauss(FILE* out, const BenchChoice* choice);

// Whole steps and their stages of a soft figure that falls into water, on a grid: 600 steps (`quick`: a smaller one, 60 steps).
void bench_immersed(FILE* out, const BenchChoice* choice);

// Direct forcing at the sizes of table I of Becker 2009 (`quick`: every 20th particle), with one thread up to `threads`.
void bench_direct(FILE* out, const BenchChoice* choice);
// Whether there are such a scene and such a method.
bool bench_direct_has(const char* scene, const char* method);

#endif
