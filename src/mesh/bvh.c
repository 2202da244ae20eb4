// SPDX-License-Identifier: MIT
// Top-down construction with the surface area heuristic in bins (Wald 2007): of all splits between bins take the one
// with the least  area(left) n(left) + area(right) n(right).  Items are moved, not only their numbers, so that each node
// works on one row of memory. Bins first span the node's box, which is known from its parent; only if all items fall into
// one of them, the range of their centres is found. Below a depth that only hostile input reaches, nodes are cut in halves
// by count, which bounds the depth by 48 + 31.
#include "mesh/bvh.h"

#include "base/axis.h"
#include <string.h>

enum { BINS = 16, FEW_BINS = 4, FEW_ITEMS = 24, DEPTH_HALVES = 48 }; // most nodes have few items
_Static_assert(DEPTH_HALVES + 31 < BVH_STACK, "queries go down to the deepest leaf");

typedef struct Item {
    Box3d box;
    uint32_t index;
} Item;

typedef struct Builder {
    Item* item;
    BvhNode* node;
    size_t node_count;
} Builder;

typedef struct Task {
    uint32_t node, first, count, depth;
} Task;

typedef struct Bin {
    Box3d box;
    uint32_t count;
} Bin;

// Which way a node is cut: `bins` of 1 / scale along the axis from `low` on, the last one of the left side.
typedef struct Cut {
    int axis, bins, last;
    double low, scale;
    Box3d left, right; // of the items on either side
} Cut;

static Box3d empty_box(void)
{
    return (Box3d){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

// Plain comparisons: fmin and fmax would be calls here.
static void grow(Box3d* box, const Box3d* other)
{
    box->min.x = other->min.x < box->min.x ? other->min.x : box->min.x;
    box->min.y = other->min.y < box->min.y ? other->min.y : box->min.y;
    box->min.z = other->min.z < box->min.z ? other->min.z : box->min.z;
    box->max.x = other->max.x > box->max.x ? other->max.x : box->max.x;
    box->max.y = other->max.y > box->max.y ? other->max.y : box->max.y;
    box->max.z = other->max.z > box->max.z ? other->max.z : box->max.z;
}

static double half_area(const Box3d* box)
{
    Vec3d d = vec3d_sub(box->max, box->min);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

static Vec3d centre_of(const Box3d* box)
{
    return vec3d_scale(vec3d_add(box->min, box->max), 0.5);
}

static Box3d box_of(const Item* item, uint32_t count)
{
    Box3d box = empty_box();
    for (uint32_t k = 0; k < count; k++)
        grow(&box, &item[k].box);
    return box;
}

static Box3d centres_of(const Item* item, uint32_t count)
{
    Box3d box = empty_box();
    for (uint32_t k = 0; k < count; k++) {
        Vec3d c = centre_of(&item[k].box);
        grow(&box, &(Box3d){c, c});
    }
    return box;
}

static int bin_of(const Box3d* box, const Cut* cut)
{
    int bin = (int)((vec3d_along(centre_of(box), cut->axis) - cut->low) * cut->scale);
    return bin < 0 ? 0 : bin >= cut->bins ? cut->bins - 1 : bin;
}

// Costs of all cuts between the bins; false if one side is empty in all of them.
static bool choose_last(const Bin* bin, Cut* cut)
{
    Bin right[BINS], left = {empty_box(), 0};
    right[cut->bins - 1] = bin[cut->bins - 1];
    for (int k = cut->bins - 2; k > 0; k--) {
        right[k] = right[k + 1];
        grow(&right[k].box, &bin[k].box);
        right[k].count += bin[k].count;
    }
    double least = INFINITY;
    for (int k = 0; k + 1 < cut->bins; k++) {
        grow(&left.box, &bin[k].box);
        left.count += bin[k].count;
        if (left.count == 0 || right[k + 1].count == 0)
            continue;
        double cost = half_area(&left.box) * left.count + half_area(&right[k + 1].box) * right[k + 1].count;
        if (cost < least) {
            least = cost;
            cut->last = k;
            cut->left = left.box;
            cut->right = right[k + 1].box;
        }
    }
    return isfinite(least);
}

// The best cut across the longest side of `range`.
static bool choose_cut(const Item* item, uint32_t count, const Box3d* range, Cut* cut)
{
    Vec3d d = vec3d_sub(range->max, range->min);
    cut->axis = d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
    cut->low = vec3d_along(range->min, cut->axis);
    cut->bins = count < FEW_ITEMS ? FEW_BINS : BINS;
    cut->scale = cut->bins / vec3d_along(d, cut->axis);
    if (!isfinite(cut->scale))
        return false;
    Bin bin[BINS];
    for (int k = 0; k < cut->bins; k++)
        bin[k] = (Bin){empty_box(), 0};
    for (uint32_t k = 0; k < count; k++) {
        Bin* into = &bin[bin_of(&item[k].box, cut)];
        grow(&into->box, &item[k].box);
        into->count++;
    }
    return choose_last(bin, cut);
}

// Brings the left items to the front; returns how many.
static uint32_t partition(Item* item, uint32_t count, const Cut* cut)
{
    uint32_t left = 0, right = count;
    while (left < right) {
        if (bin_of(&item[left].box, cut) <= cut->last)
            left++;
        else {
            Item keep = item[left];
            item[left] = item[--right];
            item[right] = keep;
        }
    }
    return left;
}

// Cuts the items of a node in two; returns how many are on the left.
static uint32_t split(Item* item, uint32_t count, uint32_t depth, const Box3d* box, Cut* cut)
{
    bool found = depth < DEPTH_HALVES && choose_cut(item, count, box, cut);
    if (!found && depth < DEPTH_HALVES) {
        Box3d centres = centres_of(item, count);
        found = choose_cut(item, count, &centres, cut);
    }
    if (found)
        return partition(item, count, cut);
    cut->left = box_of(item, count / 2);
    cut->right = box_of(item + count / 2, count - count / 2);
    return count / 2;
}

static void build_nodes(Builder* b, uint32_t count)
{
    Task stack[BVH_STACK] = {{0, 0, count, 0}};
    size_t tasks = 1;
    b->node[0].box = box_of(b->item, count);
    b->node_count = 1;
    while (tasks > 0) {
        Task t = stack[--tasks];
        BvhNode* node = &b->node[t.node];
        node->first = t.first;
        node->count = t.count;
        if (t.count <= BVH_LEAF_MAX)
            continue;
        Cut cut;
        uint32_t left = split(b->item + t.first, t.count, t.depth, &node->box, &cut);
        uint32_t child = (uint32_t)b->node_count;
        node->first = child;
        node->count = 0;
        b->node_count += 2;
        b->node[child].box = cut.left;
        b->node[child + 1].box = cut.right;
        stack[tasks++] = (Task){child + 1, t.first + left, t.count - left, t.depth + 1};
        stack[tasks++] = (Task){child, t.first, left, t.depth + 1};
    }
}

// Keeps what the build has found in arrays of their final size.
static bool keep_result(Bvh* bvh, const Builder* b, size_t count, Memory* memory)
{
    bvh->node_count = b->node_count;
    bvh->node = memory_take(memory, b->node_count * sizeof *bvh->node);
    bvh->order = memory_take(memory, count * sizeof *bvh->order);
    if (!bvh->node || !bvh->order) {
        bvh_free(bvh, memory);
        return false;
    }
    memcpy(bvh->node, b->node, b->node_count * sizeof *bvh->node);
    for (size_t k = 0; k < count; k++)
        bvh->order[k] = b->item[k].index;
    return true;
}

bool bvh_build(Bvh* bvh, const Box3d* box, size_t count, Memory* memory)
{
    *bvh = (Bvh){0};
    if (count == 0)
        return true;
    Builder b = {0};
    b.item = memory_take(NULL, count * sizeof *b.item);
    b.node = memory_take(NULL, (2 * count - 1) * sizeof *b.node); // the most there can be
    bool ok = b.item && b.node;
    if (ok) {
        for (size_t k = 0; k < count; k++)
            b.item[k] = (Item){box[k], (uint32_t)k};
        build_nodes(&b, (uint32_t)count);
        ok = keep_result(bvh, &b, count, memory);
    }
    memory_give(NULL, b.item);
    memory_give(NULL, b.node);
    return ok;
}

void bvh_free(Bvh* bvh, Memory* memory)
{
    memory_give(memory, bvh->node);
    memory_give(memory, bvh->order);
    *bvh = (Bvh){0};
}
