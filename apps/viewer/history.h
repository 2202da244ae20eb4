// SPDX-License-Identifier: MIT
// The last seconds as states that can be gone back to; the oldest are forgotten when they take too much memory.
#ifndef VIEWER_HISTORY_H
#define VIEWER_HISTORY_H

#include "sim.h"

enum { HISTORY_MOST = 500 };

typedef struct History {
    mn_Snapshot* kept[HISTORY_MOST]; // by time
    size_t count, bytes;
} History;

// After each step: keeps the state if the last one is some time ago, and forgets those that lie in the future.
void history_keep(History* history, const mn_World* world);
// The last state at or before a time, or the first one; NULL: there is none.
const mn_Snapshot* history_at(const History* history, double time);
void history_tell(const History* history, SimStatus* status);
void history_clear(History* history);

#endif
