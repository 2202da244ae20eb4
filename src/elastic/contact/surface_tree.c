// SPDX-License-Identifier: MIT
#include "elastic/contact/surface_tree.h"

#include "base/axis.h"
#include "elastic/contact/two_places.h"
#include <stdlib.h>
#include <string.h>

enum { FIT_GRAIN = 64 };

// [1] Normals of what is flat are within 60 degrees of an axis: in a fold as steep places are half as far apart as they are in the
// flat sheet, and so near they may be (deformables.c).
static const double CONE_MOST = 1.0472, CONE_COSINE = 0.5;
static const double NOT_FLAT = 4;
static const double AXES_APART = 0.4; // cosine of axes of leaves below which no cone around both is looked for
static const double CORRECTION = 0.4; // of an axis between two sides of a box, towards the third and a fourth that is alike

// --- faces into leaves

typedef struct Sorting {
    const Vec3d* middle; // (faces)
    uint32_t* face;
} Sorting;

static bool is_before(const Sorting* s, int axis, uint32_t a, uint32_t b)
{
    double x = vec3d_along(s->middle[a], axis), y = vec3d_along(s->middle[b], axis);
    return x != y ? x < y : a < b;
}

// Puts the `nth` of face[begin, end) where it belongs along the axis, lesser ones before it.
static void select_nth(const Sorting* s, int axis, size_t begin, size_t end, size_t nth)
{
    while (end - begin > 1) {
        uint32_t pivot = s->face[begin + (end - begin - 1) / 2];
        size_t i = begin, j = end - 1;
        for (;;) {
            while (is_before(s, axis, s->face[i], pivot))
                i++;
            while (is_before(s, axis, pivot, s->face[j]))
                j--;
            if (i >= j)
                break;
            uint32_t swap = s->face[i];
            s->face[i++] = s->face[j];
            s->face[j--] = swap;
        }
        // [begin, j] are not after the pivot, [j + 1, end) not before it
        if (nth <= j)
            end = j + 1;
        else
            begin = j + 1;
    }
}

static void split(const Sorting* s, const SurfaceTree* tree, size_t faces, size_t first_leaf, size_t end_leaf)
{
    if (end_leaf - first_leaf < 2)
        return;
    size_t half = (first_leaf + end_leaf) / 2, begin = leaf_face(tree, faces, first_leaf), middle = leaf_face(tree, faces, half),
           end = leaf_face(tree, faces, end_leaf);
    Vec3d low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t k = begin; k < end; k++) {
        low = vec3d_min(low, s->middle[s->face[k]]);
        high = vec3d_max(high, s->middle[s->face[k]]);
    }
    Vec3d size = vec3d_sub(high, low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    if (middle < end)
        select_nth(s, axis, begin, end, middle);
    split(s, tree, faces, first_leaf, half);
    split(s, tree, faces, half, end_leaf);
}

static bool sort_faces(SurfaceTree* tree, const Body* body)
{
    Vec3d* middle = memory_take(NULL, (body->skin.face_count + 1) * sizeof *middle);
    if (!middle)
        return false;
    for (size_t k = 0; k < body->skin.face_count; k++) {
        const uint32_t* t = body->skin.face[k];
        middle[k] = vec3d_add(vec3d_add(body->rest[t[0]], body->rest[t[1]]), body->rest[t[2]]);
        tree->face[k] = (uint32_t)k;
    }
    split(&(Sorting){middle, tree->face}, tree, body->skin.face_count, 0, tree->leaf_count);
    memory_give(NULL, middle);
    return true;
}

// --- what belongs to leaves

static void find_corners(SurfaceTree* tree, const Body* body)
{
    uint32_t count = 0;
    for (size_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        uint32_t first = tree->corner_start[leaf] = count;
        for (size_t k = leaf_face(tree, body->skin.face_count, leaf); k < leaf_face(tree, body->skin.face_count, leaf + 1); k++)
            for (int c = 0; c < 3; c++) {
                uint32_t point = body->skin.face[tree->face[k]][c], at = first;
                while (at < count && tree->corner[at] != point)
                    at++;
                if (at == count)
                    tree->corner[count++] = point;
                tree->local[k][c] = (uint8_t)(at - first);
            }
    }
    tree->corner_start[tree->leaf_count] = count;
}

// The first leaf that has a point takes it.
static void find_points(SurfaceTree* tree, const Body* body, uint8_t* taken)
{
    uint32_t count = 0;
    memset(taken, 0, body->point_count);
    for (size_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        tree->point_start[leaf] = count;
        for (uint32_t k = tree->corner_start[leaf]; k < tree->corner_start[leaf + 1]; k++)
            if (!taken[tree->corner[k]]) {
                taken[tree->corner[k]] = 1;
                tree->point[count++] = (uint8_t)(k - tree->corner_start[leaf]);
            }
    }
    tree->point_start[tree->leaf_count] = count;
}

typedef struct Item {
    uint32_t a, b, leaf;
} Item;

static int by_ends(const void* p, const void* q)
{
    const Item *a = p, *b = q;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return a->leaf < b->leaf ? -1 : a->leaf > b->leaf;
}

static int by_leaf(const void* p, const void* q)
{
    const Item *a = p, *b = q;
    if (a->leaf != b->leaf)
        return a->leaf < b->leaf ? -1 : 1;
    return by_ends(p, q);
}

static uint8_t place_in_leaf(const SurfaceTree* tree, size_t leaf, uint32_t point)
{
    uint32_t at = tree->corner_start[leaf];
    while (tree->corner[at] != point)
        at++;
    return (uint8_t)(at - tree->corner_start[leaf]);
}

static void find_edges(SurfaceTree* tree, const Body* body, Item* item)
{
    size_t count = 0, kept = 0;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
        for (size_t k = leaf_face(tree, body->skin.face_count, leaf); k < leaf_face(tree, body->skin.face_count, leaf + 1); k++)
            for (int c = 0; c < 3; c++) {
                uint32_t a = body->skin.face[tree->face[k]][c], b = body->skin.face[tree->face[k]][(c + 1) % 3];
                item[count++] = (Item){a < b ? a : b, a < b ? b : a, leaf};
            }
    qsort(item, count, sizeof *item, by_ends);
    for (size_t k = 0; k < count; k++)
        if (kept == 0 || item[k].a != item[kept - 1].a || item[k].b != item[kept - 1].b)
            item[kept++] = item[k];
    qsort(item, kept, sizeof *item, by_leaf);
    for (size_t leaf = 0, k = 0; leaf <= tree->leaf_count; leaf++) {
        for (; k < kept && item[k].leaf < leaf; k++) {
            tree->edge[k][0] = place_in_leaf(tree, item[k].leaf, item[k].a);
            tree->edge[k][1] = place_in_leaf(tree, item[k].leaf, item[k].b);
        }
        tree->edge_start[leaf] = (uint32_t)k;
    }
}

// Pairs of leaves that have a common point, from `item`, which has the leaves of all points. False: out of memory.
static bool pair_leaves(const Item* item, size_t count, Item** pair, size_t* pairs)
{
    size_t capacity = 0;
    for (size_t k = 0; k < count; k++)
        for (size_t j = k + 1; j < count && item[j].a == item[k].a; j++) {
            if (!memory_reserve(NULL, pair, &capacity, *pairs, *pairs + 2, sizeof **pair))
                return false;
            (*pair)[(*pairs)++] = (Item){item[k].b, item[j].b, 0};
            (*pair)[(*pairs)++] = (Item){item[j].b, item[k].b, 0};
        }
    return true;
}

static bool find_neighbours(SurfaceTree* tree, Memory* memory, Item* item)
{
    size_t count = 0, pairs = 0, k = 0;
    uint32_t kept = 0;
    Item* pair = NULL;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
        for (uint32_t c = tree->corner_start[leaf]; c < tree->corner_start[leaf + 1]; c++)
            item[count++] = (Item){tree->corner[c], leaf, 0};
    qsort(item, count, sizeof *item, by_ends);
    bool ok = pair_leaves(item, count, &pair, &pairs);
    tree->near = ok ? memory_take(memory, (pairs + 1) * sizeof *tree->near) : NULL;
    ok = tree->near;
    if (ok && pairs)
        qsort(pair, pairs, sizeof *pair, by_ends);
    for (uint32_t leaf = 0; ok && leaf <= tree->leaf_count; leaf++) {
        tree->near_start[leaf] = kept;
        for (; k < pairs && pair[k].a == leaf; k++)
            if (kept == tree->near_start[leaf] || tree->near[kept - 1] != pair[k].b)
                tree->near[kept++] = pair[k].b;
    }
    memory_give(NULL, pair);
    return ok;
}

// --- create and destroy

void surface_tree_destroy(Memory* memory, SurfaceTree* tree)
{
    if (!tree)
        return;
    void* arrays[] = {tree->face, tree->corner,     tree->corner_start, tree->local, tree->point, tree->point_start, tree->edge,
                      tree->near, tree->edge_start, tree->near_start,   tree->box,   tree->axis,  tree->angle};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(memory, arrays[k]);
    memory_give(memory, tree);
}

static bool take_all(SurfaceTree* tree, Memory* memory, const Body* body)
{
    size_t faces = body->skin.face_count + 1, leaves = tree->leaf_count + 1;
    tree->face = memory_take(memory, faces * sizeof *tree->face);
    tree->corner = memory_take(memory, 3 * faces * sizeof *tree->corner);
    tree->corner_start = memory_take(memory, leaves * sizeof *tree->corner_start);
    tree->local = memory_take(memory, faces * sizeof *tree->local);
    tree->point = memory_take(memory, (body->point_count + 1) * sizeof *tree->point);
    tree->point_start = memory_take(memory, leaves * sizeof *tree->point_start);
    tree->edge = memory_take(memory, 3 * faces * sizeof *tree->edge);
    tree->edge_start = memory_take(memory, leaves * sizeof *tree->edge_start);
    tree->near_start = memory_take(memory, leaves * sizeof *tree->near_start);
    tree->box = memory_take(memory, 2 * leaves * sizeof *tree->box);
    tree->axis = memory_take(memory, leaves * sizeof *tree->axis);
    tree->angle = memory_take(memory, leaves * sizeof *tree->angle);
    return tree->face && tree->corner && tree->corner_start && tree->local && tree->point && tree->point_start && tree->edge &&
           tree->edge_start && tree->near_start && tree->box && tree->axis && tree->angle;
}

SurfaceTree* surface_tree_create(Memory* memory, const Body* body)
{
    SurfaceTree* tree = memory_take(memory, sizeof *tree);
    uint8_t* taken = memory_take(NULL, body->point_count + 1);
    Item* item = memory_take(NULL, (3 * body->skin.face_count + 1) * sizeof *item);
    if (tree) {
        *tree = (SurfaceTree){.leaf_count = 1};
        while (body->skin.face_count > tree->leaf_count * LEAF_FACES)
            tree->leaf_count *= 2;
    }
    bool ok = tree && taken && item && take_all(tree, memory, body) && sort_faces(tree, body);
    if (ok) {
        find_corners(tree, body);
        find_points(tree, body, taken);
        find_edges(tree, body, item);
        ok = find_neighbours(tree, memory, item);
    }
    memory_give(NULL, taken);
    memory_give(NULL, item);
    if (ok)
        return tree;
    surface_tree_destroy(memory, tree);
    return NULL;
}

// --- every step

typedef struct FitJob {
    SurfaceTree* tree;
    const Body* body;
    double margin;
} FitJob;

// The places of a leaf's corners; how many there are.
static uint32_t find_corner_places(const SurfaceTree* tree, const Body* body, size_t leaf, TwoPlaces* x)
{
    uint32_t first = tree->corner_start[leaf], count = tree->corner_start[leaf + 1] - first;
    for (uint32_t k = 0; k < count; k++)
        x[k] = two_places(body->paths.from[tree->corner[first + k]], body->paths.swept[tree->corner[first + k]]);
    return count;
}

static inline TwoPlaces face_normal(const TwoPlaces* x, const uint8_t corner[3])
{
    TwoPlaces a = two_sub(&x[corner[1]], &x[corner[0]]), b = two_sub(&x[corner[2]], &x[corner[0]]);
    return two_cross(&a, &b);
}

// The least cosine between the axis, a unit, and normals of a leaf's faces, before the step and after it; which normal that is.
static double least_cosine(const SurfaceTree* tree, const Body* body, size_t leaf, const TwoPlaces* x, Vec3d axis, Vec3d* normal)
{
    double least = 1; // squared, with its sign
    TwoPlaces both = two_places(axis, axis);
    for (size_t k = leaf_face(tree, body->skin.face_count, leaf); k < leaf_face(tree, body->skin.face_count, leaf + 1); k++) {
        TwoPlaces n = face_normal(x, tree->local[k]);
        Two along = two_dot(&n, &both), square = two_dot(&n, &n), cosine = along * (Two){fabs(along[0]), fabs(along[1])};
        for (int when = 0; when < 2; when++)
            if (cosine[when] < least * square[when]) {
                least = cosine[when] / square[when];
                *normal = two_place(&n, when);
            }
    }
    return least > 0 ? sqrt(least) : -1;
}

static Vec3d mean_normal(const FitJob* job, size_t leaf, const TwoPlaces* x)
{
    const SurfaceTree* tree = job->tree;
    size_t faces = job->body->skin.face_count;
    TwoPlaces sum = two_places(vec3d(0, 0, 0), vec3d(0, 0, 0));
    for (size_t k = leaf_face(tree, faces, leaf); k < leaf_face(tree, faces, leaf + 1); k++) {
        TwoPlaces n = face_normal(x, tree->local[k]);
        sum = (TwoPlaces){sum.x + n.x, sum.y + n.y, sum.z + n.z};
    }
    return two_place(&sum, 1);
}

// An axis with all normals around it, and the least cosine of an angle to it. The mean normal will do for what is smooth; in a leaf
// with a sharp edge most faces may be on one side of it, so there it is the middle of the normals that differ most.
static double find_axis(const FitJob* job, size_t leaf, const TwoPlaces* x, Vec3d* axis)
{
    Vec3d worst = {0, 0, 0}, sum;
    *axis = vec3d_normalise(mean_normal(job, leaf, x));
    double cosine = least_cosine(job->tree, job->body, leaf, x, *axis, &worst);
    if (cosine > CONE_COSINE)
        return cosine;
    sum = *axis = vec3d_normalise(worst);
    for (int k = 0; k < 3; k++) { // at the corner of a box three sides meet
        cosine = least_cosine(job->tree, job->body, leaf, x, *axis, &worst);
        if (cosine > CONE_COSINE)
            return cosine;
        sum = vec3d_add(sum, vec3d_normalise(worst));
        *axis = vec3d_normalise(sum);
    }
    return cosine;
}

static void fit_leaf(const FitJob* job, size_t leaf)
{
    SurfaceTree* tree = job->tree;
    TwoPlaces x[LEAF_CORNERS];
    uint32_t count = find_corner_places(tree, job->body, leaf, x);
    Vec3d low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t k = 0; k < count; k++) {
        Vec3d before = two_place(&x[k], 0), after = two_place(&x[k], 1);
        low = vec3d_min(low, vec3d_min(before, after));
        high = vec3d_max(high, vec3d_max(before, after));
    }
    Vec3d margin = {job->margin, job->margin, job->margin};
    tree->box[tree->leaf_count + leaf] = (TreeBox){vec3d_sub(low, margin), vec3d_add(high, margin)};
    if (!job->body->def.self_contact)
        return;
    double cosine = find_axis(job, leaf, x, &tree->axis[leaf]);
    tree->angle[leaf] = cosine > CONE_COSINE ? acos(cosine) : NOT_FLAT;
}

static void fit_leaves(void* context, size_t begin, size_t end, size_t block, int worker)
{
    for (size_t k = begin; k < end; k++)
        fit_leaf(context, k);
}

void surface_tree_fit(SurfaceTree* tree, Pool* pool, const Body* body, double margin)
{
    parallel_for(pool, tree->leaf_count, FIT_GRAIN, fit_leaves, &(FitJob){tree, body, margin});
    for (size_t k = tree->leaf_count - 1; k > 0; k--) {
        const TreeBox *a = &tree->box[2 * k], *b = a + 1;
        tree->box[k] = (TreeBox){vec3d_min(a->low, b->low), vec3d_max(a->high, b->high)};
    }
}

// Whether all normals of a leaf are in the cone around an axis; which is farthest from it.
static bool is_in_cone(const SurfaceTree* tree, const Body* body, uint32_t leaf, Vec3d axis, Vec3d* worst)
{
    TwoPlaces x[LEAF_CORNERS];
    find_corner_places(tree, body, leaf, x);
    return least_cosine(tree, body, leaf, x, axis, worst) >= CONE_COSINE;
}

// All normals of both leaves are in one cone, by the normals themselves: around the axis of the leaf that has more of them, around
// one between the two axes, or around one that is nearer to those normals that are missing there.
static bool have_common_cone(const SurfaceTree* tree, const Body* body, uint32_t a, uint32_t b)
{
    bool wider = tree->angle[a] > tree->angle[b];
    Vec3d worst[2] = {{0, 0, 0}, {0, 0, 0}};
    if (is_in_cone(tree, body, wider ? b : a, tree->axis[wider ? a : b], worst))
        return true;
    Vec3d axis = vec3d_normalise(vec3d_add(tree->axis[a], tree->axis[b]));
    bool in_a = is_in_cone(tree, body, a, axis, &worst[0]), in_b = is_in_cone(tree, body, b, axis, &worst[1]);
    if (in_a && in_b)
        return true;
    axis = vec3d_normalise(vec3d_mad(axis, CORRECTION, vec3d_add(vec3d_normalise(worst[0]), vec3d_normalise(worst[1]))));
    return is_in_cone(tree, body, a, axis, &worst[0]) && is_in_cone(tree, body, b, axis, &worst[1]);
}

// All normals of both leaves are in one cone: around an axis between theirs, or around one of theirs. Cones around two cones are
// wider than they have to be where three sides of a box meet: there the normals themselves are looked at.
static bool look_alike(const SurfaceTree* tree, const Body* body, uint32_t a, uint32_t b)
{
    double cosine = vec3d_dot(tree->axis[a], tree->axis[b]), most = 2 * CONE_MOST - tree->angle[a] - tree->angle[b];
    most = fmax(most, CONE_MOST - fmin(tree->angle[a], tree->angle[b]));
    if (cosine >= 0.999 ? most > 0.05 : most > 0 && acos(cosine) <= most)
        return true;
    return cosine > AXES_APART && have_common_cone(tree, body, a, b);
}

static bool are_neighbours(const SurfaceTree* tree, uint32_t a, uint32_t b)
{
    for (uint32_t k = tree->near_start[a]; k < tree->near_start[a + 1]; k++)
        if (tree->near[k] == b)
            return true;
    return false;
}

bool surface_tree_is_flat(const SurfaceTree* tree, const Body* body, uint32_t a, uint32_t b)
{
    if (tree->angle[a] > CONE_MOST || tree->angle[b] > CONE_MOST)
        return false;
    if (a == b)
        return true;
    if (!look_alike(tree, body, a, b))
        return false;
    if (are_neighbours(tree, a, b))
        return true;
    // all that lies between them is flat as well
    bool between = false;
    uint32_t i = tree->near_start[a], j = tree->near_start[b], end_a = tree->near_start[a + 1], end_b = tree->near_start[b + 1];
    while (i < end_a && j < end_b) {
        uint32_t p = tree->near[i], q = tree->near[j];
        if (p == q) {
            between = true;
            if (tree->angle[p] > CONE_MOST || !look_alike(tree, body, a, p) || !look_alike(tree, body, b, p))
                return false;
        }
        i += p <= q;
        j += q <= p;
    }
    return between;
}
