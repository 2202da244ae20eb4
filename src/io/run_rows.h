// SPDX-License-Identifier: MIT
// The rows that a frame adds to the tables of a run.
#ifndef IO_RUN_ROWS_H
#define IO_RUN_ROWS_H

#include <meniscus/scene.h>
#include <stdio.h>

typedef struct RowsInput {
    const mn_Scene* scene;
    const mn_World* world;
    const mn_Stats* stats;
    int64_t frame;
    double time;    // [s] of the frame
    double seconds; // of computing since the run began
} RowsInput;

typedef void RowsFn(FILE* stream, const RowsInput* input);
RowsFn rows_stats, rows_bodies, rows_probes;

char* rows_probes_header(const mn_Scene* scene); // free with free(); NULL: out of memory

#endif
