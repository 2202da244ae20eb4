// SPDX-License-Identifier: MIT
// What a probe has measured since the start, as far as values to come need it. State.
#ifndef WORLD_PROBE_SERIES_H
#define WORLD_PROBE_SERIES_H

#include "fluid/wall_force.h"
#include <meniscus/defs.h>

enum { PROBE_NUMBERS = 4 }; // value, x, y, z

// A moment.
typedef struct ProbeSample {
    double time; // [s]
    double number[PROBE_NUMBERS];
} ProbeSample;

typedef struct ProbeSeries {
    bool runs;      // something is done after every step
    double every;   // [s] between values of a table of its own; MN_AUTO: none
    double average; // [s] 0: none
    double spacing; // [s] of the marks

    // state
    double integral[PROBE_NUMBERS]; // [s] times the values, since the start
    double last[PROBE_NUMBERS];     // at the end of the last step
    uint64_t next;                  // number of the next value, at next * every
    uint64_t next_mark;             // the same of marks
    ProbeSample* mark;              // integrals at times that lie `spacing` apart: a ring that reaches back over `average`
    size_t marks, mark_most;
    ProbeSample* sample; // values that nobody has taken yet
    size_t samples, sample_capacity;
} ProbeSeries;

bool probe_series_init(ProbeSeries* series, const mn_ProbeDef* def, double time); // false: out of memory
void probe_series_free(ProbeSeries* series);

#endif
