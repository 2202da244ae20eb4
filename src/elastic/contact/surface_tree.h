// SPDX-License-Identifier: MIT
// The faces of a deformable body in a tree of boxes, which says what may meet within a step. The tree is made once, of the shape at
// rest; every step only finds the boxes anew. Each point and each edge belongs to one leaf, so that every pair is looked at once.
//
// Most of what is near a face of a sheet is its own neighbourhood. A leaf that is flat cannot meet itself, nor a flat neighbour or
// neighbour's neighbour that looks the same way: all are one graph over a plane. These are left out (Volino and Magnenat-Thalmann
// 1994).
#ifndef ELASTIC_CONTACT_SURFACE_TREE_H
#define ELASTIC_CONTACT_SURFACE_TREE_H

#include "elastic/elastic_parts.h"

enum { LEAF_FACES = 16, LEAF_CORNERS = 3 * LEAF_FACES };

typedef struct TreeBox {
    Vec3d low, high; // [m]
} TreeBox;

typedef struct SurfaceTree {
    size_t leaf_count;      // a power of two
    uint32_t* face;         // (faces) leaf by leaf
    uint32_t* corner;       // the corners of a leaf's faces, each once
    uint32_t* corner_start; // (leaves + 1)
    uint8_t (*local)[3];    // (faces) corners of a face among those of its leaf
    uint8_t* point;         // points that belong to a leaf, among its corners
    uint32_t* point_start;  // (leaves + 1)
    uint8_t (*edge)[2];     // edges that belong to a leaf, among its corners
    uint32_t* edge_start;   // (leaves + 1)
    uint32_t* near;         // leaves that have a common point with this one, ascending
    uint32_t* near_start;   // (leaves + 1)

    // of the step
    TreeBox* box;  // (2 leaves) 1: the whole; below n are 2 n and 2 n + 1; leaf k is leaves + k
    Vec3d* axis;   // (leaves) a unit, in the middle of normals before the step and after it
    double* angle; // (leaves) of the cone around it that has all normals; more than CONE_MOST: it is not flat
} SurfaceTree;

static inline size_t leaf_face(const SurfaceTree* tree, size_t faces, size_t leaf)
{
    return leaf * faces / tree->leaf_count;
}

// NULL: out of memory.
SurfaceTree* surface_tree_create(Memory* memory, const Body* body);
void surface_tree_destroy(Memory* memory, SurfaceTree* tree); // NULL is allowed
// Boxes of all that moves from body->from to body->swept, and `margin` [m] around it.
void surface_tree_fit(SurfaceTree* tree, Pool* pool, const Body* body, double margin);
// Whether two leaves of one body and what is between them are one flat piece.
bool surface_tree_is_flat(const SurfaceTree* tree, const Body* body, uint32_t a, uint32_t b);

static inline bool boxes_meet(const TreeBox* a, const TreeBox* b)
{
    return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) & (b->low.y <= a->high.y) &
           (a->low.z <= b->high.z) & (b->low.z <= a->high.z);
}

#endif
