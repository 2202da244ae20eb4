// SPDX-License-Identifier: MIT
// Who touches whom, of the fluid and the particles of skins.
#ifndef FLUID_SOFT_LIST_H
#define FLUID_SOFT_LIST_H

#include "fluid/soft.h"

static inline size_t soft_groups(const Soft* s)
{
    return block_count(s->moving, LANES);
}

static inline bool soft_lies_on_node(const Soft* s, const WetPoint* p)
{
    return p->particle < s->boundary->skin[p->skin].resample.vertex_count;
}

// Pairs by point and by chunk, wet points and what hangs on nodes, for the neighbours at hand. False: out of memory.
bool soft_list(Soft* soft);

#endif
