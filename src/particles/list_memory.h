// SPDX-License-Identifier: MIT
// Where neighbour lists are written: workers take pages of slabs, and own buffers for what is on its way into a list.
#ifndef PARTICLES_LIST_MEMORY_H
#define PARTICLES_LIST_MEMORY_H

#include "particles/neighbours.h"

// Room for a part of a list, aligned to 32 bytes. NULL: out of memory, which `nb` remembers.
void* list_take(Neighbours* nb, ListScratch* scratch, size_t bytes);
// Where the next list will most likely be written: lines that are asked for now are there when the hits are known.
void list_prefetch_room(const ListScratch* scratch);

// Room for `needed` candidates and one vector more; the first `used` are kept. False: out of memory.
bool list_reserve_candidates(Neighbours* nb, ListScratch* scratch, size_t used, size_t needed);
// Room for `needed` hits in each lane and one vector more; what is there is kept. False: out of memory.
bool list_reserve_lanes(Neighbours* nb, ListScratch* scratch, size_t needed);

#endif
