// SPDX-License-Identifier: MIT
// Bounding volume hierarchy over boxes: a binary tree in one array, children next to each other, items of a leaf in a row
// of `order`. Its depth is bounded, so that queries can use a stack of BVH_STACK entries. The same input gives the same tree.
#ifndef MESH_BVH_H
#define MESH_BVH_H

#include "base/memory.h"
#include "base/vec.h"

enum { BVH_STACK = 96, BVH_LEAF_MAX = 4 };

typedef struct BvhNode {
    Box3d box;
    uint32_t first; // leaf: place in `order`; else the node of the left child, the right one follows
    uint32_t count; // leaf: items; else 0
} BvhNode;

typedef struct Bvh {
    BvhNode* node; // [0] is the root; none if there are no items
    uint32_t* order;
    size_t node_count;
} Bvh;

bool bvh_build(Bvh* bvh, const Box3d* box, size_t count, Memory* memory); // false: out of memory
void bvh_free(Bvh* bvh, Memory* memory);

#endif
