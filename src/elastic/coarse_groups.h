// SPDX-License-Identifier: MIT
// Which points of a body move together in the coarse space: halves of halves, cut across the longest side.
#ifndef ELASTIC_COARSE_GROUPS_H
#define ELASTIC_COARSE_GROUPS_H

#include "elastic/fem.h"

// Fills in groups and group_of. False: out of memory.
bool coarse_divide(Coarse* coarse, const Body* body);

#endif
