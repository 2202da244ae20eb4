// SPDX-License-Identifier: MIT
#ifndef BENCH_RIGID_H
#define BENCH_RIGID_H

#include <stdio.h>

// What rigid bodies cost: steps of one scene with its bodies at rest (static), coupled weakly and strongly.
void bench_rigid(FILE* out, int threads, int quick);

#endif
