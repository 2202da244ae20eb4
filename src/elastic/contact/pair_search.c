// SPDX-License-Identifier: MIT
#include "elastic/contact/pair_search.h"

#include "elastic/contact/surface_tree.h"
#include "elastic/contact/two_places.h"
#include <string.h>

enum { LEAF_GRAIN = 16, LEAF_EDGES = LEAF_CORNERS, MOST_DEPTH = 128 };

typedef struct SearchJob {
    ElasticSet* set;
    PairTest* test;
    double beside, dt;
    PairSearch* search;
    uint32_t body;
    size_t first_range;
} SearchJob;

void pair_search_destroy(ElasticSet* set, PairSearch* s)
{
    if (!s)
        return;
    for (int k = 0; k < s->lists && s->list; k++)
        memory_give(set->memory, s->list[k].pair);
    memory_give(set->memory, s->list);
    memory_give(set->memory, s->range);
    memory_give(set->memory, s);
}

PairSearch* pair_search_create(ElasticSet* set)
{
    PairSearch* s = memory_take(set->memory, sizeof *s);
    if (!s)
        return NULL;
    *s = (PairSearch){.lists = pool_threads(set->pool)};
    s->list = memory_take(set->memory, (size_t)s->lists * sizeof *s->list);
    if (s->list) {
        memset(s->list, 0, (size_t)s->lists * sizeof *s->list);
        return s;
    }
    memory_give(set->memory, s);
    return NULL;
}

// --- two leaves

typedef struct Box { // of a feature over the step
    TreeBox box;
    uint32_t point[3];
} Box;

typedef struct Leaf { // the features of a leaf
    const Body* body;
    uint32_t body_index;
    TreeBox box;
    int faces, edges, points;
    Box face[LEAF_FACES], edge[LEAF_EDGES], point[LEAF_CORNERS];
} Leaf;

// The box of a feature with some of a leaf's corners, of which each has a box.
static Box box_of(const TreeBox* corner, const uint32_t* point, const uint8_t* local, int count)
{
    Box box = {corner[local[0]], {point[local[0]]}};
    for (int k = 1; k < count; k++) {
        box.box.low = vec3d_min(box.box.low, corner[local[k]].low);
        box.box.high = vec3d_max(box.box.high, corner[local[k]].high);
        box.point[k] = point[local[k]];
    }
    return box;
}

// Those that may meet what is in a box.
static void gather(const ElasticSet* set, uint32_t index, uint32_t leaf, const TreeBox* within, Leaf* out)
{
    const Body* body = &set->body[index];
    const SurfaceTree* tree = body->paths.tree;
    const uint32_t* point = &tree->corner[tree->corner_start[leaf]];
    Vec3d margin = {body->paths.reach, body->paths.reach, body->paths.reach};
    TreeBox corner[LEAF_CORNERS];
    for (uint32_t k = 0; k < tree->corner_start[leaf + 1] - tree->corner_start[leaf]; k++) {
        Vec3d a = body->paths.swept[point[k]], b = body->paths.from[point[k]];
        corner[k] = (TreeBox){vec3d_sub(vec3d_min(a, b), margin), vec3d_add(vec3d_max(a, b), margin)};
    }
    out->body = body;
    out->body_index = index;
    out->box = tree->box[tree->leaf_count + leaf];
    out->faces = out->edges = out->points = 0;
    for (size_t k = leaf_face(tree, body->skin.face_count, leaf); k < leaf_face(tree, body->skin.face_count, leaf + 1); k++) {
        out->face[out->faces] = box_of(corner, point, tree->local[k], 3);
        out->faces += boxes_meet(&out->face[out->faces].box, within);
    }
    for (uint32_t k = tree->edge_start[leaf]; k < tree->edge_start[leaf + 1]; k++) {
        out->edge[out->edges] = box_of(corner, point, tree->edge[k], 2);
        out->edges += boxes_meet(&out->edge[out->edges].box, within);
    }
    for (uint32_t k = tree->point_start[leaf]; k < tree->point_start[leaf + 1]; k++) {
        out->point[out->points] = box_of(corner, point, &tree->point[k], 1);
        out->points += boxes_meet(&out->point[out->points].box, within);
    }
}

static void note(const SearchJob* job, int worker, const ContactPair* pair)
{
    PairList* list = &job->search->list[worker];
    if (!memory_reserve(job->set->memory, &list->pair, &list->capacity, list->count, list->count + 1, sizeof *list->pair))
        list->failed = true;
    else
        list->pair[list->count++] = *pair;
}

static inline TwoPlaces places_of(const Body* body, uint32_t point, const TwoPlaces* from)
{
    TwoPlaces p = two_places(body->paths.from[point], body->paths.swept[point]);
    return from ? two_sub(&p, from) : p;
}

// A point beside the triangle all the time, on the same side: most of those that are near are its neighbours in the mesh. With the
// weights of pair_place(), times the normal's square, without a division.
static bool is_beside(const Body* body, uint32_t point, const Body* other, const uint32_t t[3], double margin)
{
    TwoPlaces o = places_of(other, t[0], NULL), a = places_of(other, t[1], &o), b = places_of(other, t[2], &o);
    TwoPlaces r = places_of(body, point, &o), n = two_cross(&a, &b), rb = two_cross(&r, &b), ar = two_cross(&a, &r);
    Two nn = two_dot(&n, &n), q = two_dot(&rb, &n), s = two_dot(&ar, &n), p = nn - q - s, least = -margin * nn;
    return (p[0] < least[0] && p[1] < least[1]) || (q[0] < least[0] && q[1] < least[1]) || (s[0] < least[0] && s[1] < least[1]);
}

static void points_on_faces(int worker, const Leaf* points, const Leaf* faces, const SearchJob* job)
{
    for (int i = 0; i < points->points; i++)
        for (int j = 0; j < faces->faces; j++) {
            uint32_t p = points->point[i].point[0];
            const uint32_t* t = faces->face[j].point;
            if (!boxes_meet(&points->point[i].box, &faces->face[j].box) ||
                (points->body == faces->body && (p == t[0] || p == t[1] || p == t[2])) ||
                (!isinf(job->beside) && is_beside(points->body, p, faces->body, t, job->beside)))
                continue;
            ContactPair pair = {
                .kind = CONTACT_VERTEX_FACE, .body = {points->body_index, faces->body_index}, .point = {p, t[0], t[1], t[2]}};
            if (job->test(job->set, &pair, job->dt))
                note(job, worker, &pair);
        }
}

static void edges_on_edges(int worker, const Leaf* first, const Leaf* second, const SearchJob* job)
{
    bool same = first == second;
    for (int i = 0; i < first->edges; i++)
        for (int j = same ? i + 1 : 0; j < second->edges; j++) {
            const uint32_t *a = first->edge[i].point, *b = second->edge[j].point;
            if (!boxes_meet(&first->edge[i].box, &second->edge[j].box) ||
                (first->body == second->body && (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1])))
                continue;
            ContactPair pair = {
                .kind = CONTACT_EDGE_EDGE, .body = {first->body_index, second->body_index}, .point = {a[0], a[1], b[0], b[1]}};
            if (job->test(job->set, &pair, job->dt))
                note(job, worker, &pair);
        }
}

// --- all leaves

static void search_pair(const SearchJob* job, int worker, uint32_t leaf, uint32_t other, uint32_t other_leaf)
{
    const SurfaceTree *a = job->set->body[job->body].paths.tree, *b = job->set->body[other].paths.tree;
    if (other == job->body && !isinf(job->beside) && surface_tree_is_flat(a, &job->set->body[other], leaf, other_leaf))
        return;
    Leaf first, second;
    gather(job->set, job->body, leaf, &b->box[b->leaf_count + other_leaf], &first);
    if (other == job->body && other_leaf == leaf) {
        points_on_faces(worker, &first, &first, job);
        edges_on_edges(worker, &first, &first, job);
        return;
    }
    if (first.faces + first.edges == 0)
        return;
    gather(job->set, other, other_leaf, &first.box, &second);
    points_on_faces(worker, &first, &second, job);
    points_on_faces(worker, &second, &first, job);
    edges_on_edges(worker, &first, &second, job);
}

// The last leaf below a node.
static size_t last_below(const SurfaceTree* tree, size_t node)
{
    while (node < tree->leaf_count)
        node = 2 * node + 1;
    return node;
}

static size_t first_below(const SurfaceTree* tree, size_t node)
{
    while (node < tree->leaf_count)
        node *= 2;
    return node;
}

// What is below a node against all leaves of a body; of its own body those that come after it.
static void search_tree(const SearchJob* job, int worker, size_t from, uint32_t other)
{
    const SurfaceTree *mine = job->set->body[job->body].paths.tree, *tree = job->set->body[other].paths.tree;
    size_t stack[MOST_DEPTH][2] = {{from, 1}};
    int depth = 1;
    while (depth > 0) {
        size_t a = stack[--depth][0], b = stack[depth][1];
        bool leaf_a = a >= mine->leaf_count, leaf_b = b >= tree->leaf_count;
        if (!boxes_meet(&mine->box[a], &tree->box[b]) || (other == job->body && last_below(tree, b) < first_below(tree, a)))
            continue;
        if (leaf_a && leaf_b) {
            if (other != job->body || a <= b)
                search_pair(job, worker, (uint32_t)(a - mine->leaf_count), other, (uint32_t)(b - tree->leaf_count));
            continue;
        }
        bool down_a = leaf_b || (!leaf_a && a < b); // the larger one
        for (int k = 1; k >= 0; k--) {
            stack[depth][0] = down_a ? 2 * a + (size_t)k : a;
            stack[depth++][1] = down_a ? b : 2 * b + (size_t)k;
        }
    }
}

static void search_leaves(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SearchJob* job = context;
    const SurfaceTree* tree = job->set->body[job->body].paths.tree;
    size_t first = job->search->list[worker].count, node = tree->leaf_count + begin;
    for (size_t leaves = 1; leaves < end - begin; leaves *= 2)
        node /= 2;
    for (uint32_t k = job->body; k < job->set->body_count; k++)
        if (job->set->body[k].paths.active && (k != job->body || job->set->body[k].def.self_contact))
            search_tree(job, worker, node, k);
    job->search->range[job->first_range + block] = (BlockRange){worker, first, job->search->list[worker].count - first};
}

void pair_search_empty(PairSearch* s)
{
    for (int k = 0; k < s->lists; k++) {
        s->list[k].count = 0;
        s->list[k].failed = false;
    }
    s->range_count = 0;
}

size_t pair_search_count(const PairSearch* s)
{
    size_t count = 0;
    for (int k = 0; k < s->lists; k++)
        count += s->list[k].count;
    return count;
}

bool pair_search_run(ElasticSet* set, PairSearch* s, PairTest* test, double beside, double dt)
{
    pair_search_empty(s);
    for (uint32_t k = 0; k < set->body_count; k++)
        if (set->body[k].paths.active)
            surface_tree_fit(set->body[k].paths.tree, set->pool, &set->body[k], set->body[k].paths.reach);
    for (uint32_t k = 0; k < set->body_count; k++) {
        if (!set->body[k].paths.active)
            continue;
        size_t leaves = set->body[k].paths.tree->leaf_count, blocks = block_count(leaves, LEAF_GRAIN);
        if (!memory_reserve(set->memory, &s->range, &s->range_capacity, s->range_count, s->range_count + blocks, sizeof *s->range))
            return false;
        SearchJob job = {set, test, beside, dt, s, k, s->range_count};
        parallel_for(set->pool, leaves, LEAF_GRAIN, search_leaves, &job);
        s->range_count += blocks;
    }
    bool ok = true;
    for (int k = 0; k < s->lists; k++)
        ok = ok && !s->list[k].failed;
    return ok;
}
