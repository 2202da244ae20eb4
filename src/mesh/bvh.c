// SPDX-License-Identifier: MIT
// Top-down construction with the surface area heuristic in 16 bins (Wald 2007): of all splits between bins take the one
// with the least  area(left) n(left) + area(right) n(right).  Below a depth that only hostile input reaches, nodes are cut
// in halves by count, which bounds the depth by 48 + 31.
#include "mesh/bvh.h"

#include <string.h>

enum { BINS = 16, DEPTH_HALVES = 48 };

typedef struct Builder {
    const Box3d* item;
    uint32_t* order;
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

static double axis_of(Vec3d v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static double centre_of(const Box3d* box, int axis)
{
    return 0.5 * axis_of(box->min, axis) + 0.5 * axis_of(box->max, axis);
}

static Box3d empty_box(void)
{
    return (Box3d){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void grow(Box3d* box, const Box3d* other)
{
    // plain comparisons: fmin and fmax would be calls here
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

// The axis along which the centres are spread most, and their range there.
static int widest_axis(const Builder* b, const Task* t, double* low, double* high)
{
    Box3d centres = empty_box();
    for (uint32_t k = 0; k < t->count; k++) {
        const Box3d* box = &b->item[b->order[t->first + k]];
        Vec3d c = vec3d(centre_of(box, 0), centre_of(box, 1), centre_of(box, 2));
        grow(&centres, &(Box3d){c, c});
    }
    Vec3d d = vec3d_sub(centres.max, centres.min);
    int axis = d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
    *low = axis_of(centres.min, axis);
    *high = axis_of(centres.max, axis);
    return axis;
}

static int bin_of(const Box3d* box, int axis, double low, double scale)
{
    int bin = (int)((centre_of(box, axis) - low) * scale);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

// The last bin of the left side with the least cost.
static int best_split(const Bin* bin)
{
    double right_cost[BINS];
    Bin side = {empty_box(), 0};
    for (int k = BINS - 1; k > 0; k--) {
        grow(&side.box, &bin[k].box);
        side.count += bin[k].count;
        right_cost[k] = side.count ? half_area(&side.box) * side.count : 0;
    }
    int best = 0;
    double least = INFINITY;
    side = (Bin){empty_box(), 0};
    for (int k = 0; k + 1 < BINS; k++) {
        grow(&side.box, &bin[k].box);
        side.count += bin[k].count;
        double cost = (side.count ? half_area(&side.box) * side.count : 0) + right_cost[k + 1];
        if (cost < least) {
            least = cost;
            best = k;
        }
    }
    return best;
}

// Brings the left items to the front; returns how many.
static uint32_t partition(Builder* b, const Task* t, int axis, double low, double scale, int split)
{
    uint32_t* order = b->order + t->first;
    uint32_t left = 0, right = t->count;
    while (left < right) {
        if (bin_of(&b->item[order[left]], axis, low, scale) <= split)
            left++;
        else {
            uint32_t keep = order[left];
            order[left] = order[--right];
            order[right] = keep;
        }
    }
    return left;
}

static uint32_t split_items(Builder* b, const Task* t)
{
    double low, high;
    int axis = widest_axis(b, t, &low, &high);
    double scale = BINS / (high - low);
    if (t->depth >= DEPTH_HALVES || !(high > low) || !isfinite(scale))
        return t->count / 2;
    Bin bin[BINS];
    for (int k = 0; k < BINS; k++)
        bin[k] = (Bin){empty_box(), 0};
    for (uint32_t k = 0; k < t->count; k++) {
        const Box3d* box = &b->item[b->order[t->first + k]];
        Bin* into = &bin[bin_of(box, axis, low, scale)];
        grow(&into->box, box);
        into->count++;
    }
    uint32_t left = partition(b, t, axis, low, scale, best_split(bin));
    return left > 0 && left < t->count ? left : t->count / 2;
}

static void build_nodes(Builder* b, uint32_t count)
{
    Task stack[BVH_STACK] = {{0, 0, count, 0}};
    size_t tasks = 1;
    b->node_count = 1;
    while (tasks > 0) {
        Task t = stack[--tasks];
        BvhNode* node = &b->node[t.node];
        node->box = empty_box();
        for (uint32_t k = 0; k < t.count; k++)
            grow(&node->box, &b->item[b->order[t.first + k]]);
        node->first = t.first;
        node->count = t.count;
        if (t.count <= BVH_LEAF_MAX)
            continue;
        uint32_t left = split_items(b, &t);
        node->first = (uint32_t)b->node_count;
        node->count = 0;
        b->node_count += 2;
        stack[tasks++] = (Task){node->first + 1, t.first + left, t.count - left, t.depth + 1};
        stack[tasks++] = (Task){node->first, t.first, left, t.depth + 1};
    }
}

bool bvh_build(Bvh* bvh, const Box3d* item, size_t count, Memory* memory)
{
    *bvh = (Bvh){0};
    if (count == 0)
        return true;
    bvh->order = memory_take(memory, count * sizeof *bvh->order);
    BvhNode* node = memory_take(NULL, (2 * count - 1) * sizeof *node); // the most there can be
    Builder builder = {.item = item, .order = bvh->order, .node = node};
    if (bvh->order && node) {
        for (size_t i = 0; i < count; i++)
            bvh->order[i] = (uint32_t)i;
        build_nodes(&builder, (uint32_t)count);
        bvh->node_count = builder.node_count;
        bvh->node = memory_take(memory, bvh->node_count * sizeof *node);
        if (bvh->node)
            memcpy(bvh->node, node, bvh->node_count * sizeof *node);
    }
    memory_give(NULL, node);
    if (bvh->node)
        return true;
    bvh_free(bvh, memory);
    return false;
}

void bvh_free(Bvh* bvh, Memory* memory)
{
    memory_give(memory, bvh->node);
    memory_give(memory, bvh->order);
    *bvh = (Bvh){0};
}
