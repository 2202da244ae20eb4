// SPDX-License-Identifier: MIT
// Which items belong together: a forest in which every item names its parent and a root itself. The smallest number of a group is
// its root.
#ifndef BASE_UNION_FIND_H
#define BASE_UNION_FIND_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t union_root(uint32_t* parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// True if that made one group of two.
static inline bool union_join(uint32_t* parent, uint32_t a, uint32_t b)
{
    a = union_root(parent, a);
    b = union_root(parent, b);
    if (a == b)
        return false;
    parent[a > b ? a : b] = a > b ? b : a;
    return true;
}

#endif
