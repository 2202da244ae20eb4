// SPDX-License-Identifier: MIT
// The last seconds as states that can be gone back to: a ring that forgets its oldest when it takes too much memory.
#ifndef VIEWER_HISTORY_H
#define VIEWER_HISTORY_H

#include "sim.h"

enum { HISTORY_MOST = 400 };

typedef struct Kept {
    double time; // [s]
    void* state;
    size_t bytes;
} Kept;

typedef struct History {
    Kept kept[HISTORY_MOST]; // by time
    size_t count, bytes;
    double rewound; // [s]
    uint64_t rewinds;
} History;

void history_tell(const History* history, SimStatus* status);
void history_clear(History* history);

#endif
