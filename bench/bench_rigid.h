// SPDX-License-Identifier: MIT
#ifndef BENCH_RIGID_H
#define BENCH_RIGID_H

#include "bench.h"
#include <meniscus/defs.h>

typedef struct BodyWay {
    const char* name;
    mn_SolidType type;
    bool strong;
} BodyWay;

// Steps of one scene with its bodies of one kind or another; overheads against the first way, without the bodies' own steps.
void bench_bodies(FILE* out, const BenchChoice* choice, const BodyWay* way, int ways);

// What rigid bodies cost: steps of one scene with its bodies at rest (static), coupled weakly and strongly.
void bench_rigid(FILE* out, const BenchChoice* choice);

#endif
