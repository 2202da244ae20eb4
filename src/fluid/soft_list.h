// SPDX-License-Identifier: MIT
// Who touches whom, of the fluid and the particles of skins.
#ifndef FLUID_SOFT_LIST_H
#define FLUID_SOFT_LIST_H

#include "fluid/soft.h"

// On a node that nothing else hangs on.
static inline bool soft_is_alone(const Soft* s, const WetPoint* p)
{
    return p->weight[0] == 1 && p->weight[1] == 0 && p->weight[2] == 0 &&
           s->link_begin[p->node[0] + 1] - s->link_begin[p->node[0]] == 1;
}

// Pairs by point and by chunk, wet points and what hangs on nodes, for the neighbours at hand. False: out of memory.
bool soft_list(Sph* sph);

#endif
