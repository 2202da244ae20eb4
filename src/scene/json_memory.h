// SPDX-License-Identifier: MIT
// Jansson does not always say when it found no memory: it reports wrong syntax, or drops the last character of a string and goes
// on. So its allocations are watched.
#ifndef SCENE_JSON_MEMORY_H
#define SCENE_JSON_MEMORY_H

#include <stdbool.h>

void json_memory_watch(void);  // from now on, in this thread
bool json_memory_failed(void); // an allocation of Jansson's failed since

#endif
