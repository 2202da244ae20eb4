// SPDX-License-Identifier: MIT
// How long things take.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

// [s] of a clock that only goes forward.
static inline double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// [s] that all threads of the process have worked: on a machine that does other things too it tells more than the clock.
static inline double clock_processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
