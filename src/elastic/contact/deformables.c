// SPDX-License-Identifier: MIT
// Once per step, after all bodies moved. Points against faces and edges against edges, swept over the step: the paths of their ends
// are straight from where they were to where they are. A pair has a side: that on which it was before it passed through, if it did
// (mesh/crossing.h), and else that on which it is. It must stay there, at the height that it had when the step began, or the
// gap if that was more; what is missing to the gap comes slowly (pair.c tells how pairs are pushed).
//
// No pair is left crossed: after the passes what still passed is looked for again, and what cannot be solved otherwise is stopped
// where it was when the step began, together (zones, Provot 1997). So the state that a step begins with tells the sides, and
// nothing has to be remembered.
#include "elastic/contact/deformables.h"

#include "elastic/contact/surface_tree.h"
#include "elastic/contact/zones.h"
#include "mesh/closest.h"
#include <string.h>

enum {
    PASSES = 4,
    MOST_ROUNDS = 4,
    MOST_ZONES = 20,
    LEAF_GRAIN = 16,
    POINT_GRAIN = 2048,
    LEAF_EDGES = LEAF_CORNERS,
    MOST_DEPTH = 64
};

static const double NEAR_REST = 0.5; // of the distance at rest between parts of one body that may be used up
static const double OVER = 0.01;     // margin of a feature, in its own size, in which it is met
static const double BESIDE = 0.3;    // margin in which a pair that met is still pushed
static const double RECOVER = 0.04;  // of the time of a fall, see recover_share()

typedef struct PairList { // of one worker
    ContactPair* pair;
    size_t count, capacity;
    bool failed; // out of memory
} PairList;

typedef struct BlockRange { // pairs of a block
    int worker;
    size_t first, count;
} BlockRange;

struct PairSearch {
    PairList* list; // per worker
    int lists;
    BlockRange* range; // per block of leaves
    size_t range_count, range_capacity;
    size_t passed; // pairs that went through each other
    Zones zones;
};
typedef struct PairSearch PairSearch;

// --- storage

static bool takes_part(const ElasticSet* set, size_t body)
{
    return set->body[body].def.contact && (set->body[body].def.self_contact || set->body_count > 1);
}

static bool wanted(const ElasticSet* set)
{
    for (size_t k = 0; k < set->body_count; k++)
        if (takes_part(set, k))
            return true;
    return false;
}

void deformables_free(ElasticSet* set)
{
    PairSearch* s = set->pairs;
    if (!s)
        return;
    for (int k = 0; k < s->lists && s->list; k++)
        memory_give(set->memory, s->list[k].pair);
    memory_give(set->memory, s->list);
    memory_give(set->memory, s->range);
    zones_free(&s->zones, set->memory);
    memory_give(set->memory, s);
    set->pairs = NULL;
}

static bool create(ElasticSet* set)
{
    PairSearch* s = memory_take(set->memory, sizeof *s);
    if (!s)
        return false;
    *s = (PairSearch){.lists = pool_threads(set->pool)};
    set->pairs = s;
    s->list = memory_take(set->memory, (size_t)s->lists * sizeof *s->list);
    if (!s->list)
        return false;
    memset(s->list, 0, (size_t)s->lists * sizeof *s->list);
    return true;
}

static void begin_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Body* body = context;
    memcpy(body->began + begin, body->position + begin, (end - begin) * sizeof *body->began);
}

bool deformables_begin(ElasticSet* set)
{
    if (!wanted(set))
        return true;
    if (!set->pairs && !create(set))
        return false;
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        if (!body->began && !(body->began = memory_take(set->memory, body->point_count * sizeof *body->began)))
            return false;
        if (!body->tree && takes_part(set, k) && !(body->tree = surface_tree_create(set->memory, body)))
            return false;
        parallel_for(set->pool, body->point_count, POINT_GRAIN, begin_block, body);
    }
    return true;
}

// --- one pair

static void ends_of(const ElasticSet* set, const ContactPair* pair, Vec3d before[4], Vec3d x[4])
{
    for (int k = 0; k < 4; k++) {
        const Body* body = &set->body[pair->body[k >= (pair->kind == CONTACT_EDGE_EDGE ? 2 : 1)]];
        before[k] = body->began[pair->point[k]];
        x[k] = body->position[pair->point[k]];
    }
}

// [m] Between edges that may be parallel.
static double edge_distance(const Vec3d x[4])
{
    PairPlace place = pair_place(CONTACT_EDGE_EDGE, x, 0);
    if (place.over)
        return fabs(place.height);
    double least = fmin(vec3d_distance(x[0], closest_on_segment(x[0], x[2], x[3])),
                        vec3d_distance(x[1], closest_on_segment(x[1], x[2], x[3])));
    return fmin(least, fmin(vec3d_distance(x[2], closest_on_segment(x[2], x[0], x[1])),
                            vec3d_distance(x[3], closest_on_segment(x[3], x[0], x[1]))));
}

// [m] Between the middles. In a mesh finer than the sheet is thick neighbours are nearer than the thickness.
static double gap_of(const ElasticSet* set, const ContactPair* pair)
{
    const Body *a = &set->body[pair->body[0]], *b = &set->body[pair->body[1]];
    double gap = 0.5 * (a->def.thickness + b->def.thickness);
    if (a != b)
        return gap;
    Vec3d x[4];
    for (int k = 0; k < 4; k++)
        x[k] = a->rest[pair->point[k]];
    double apart =
        pair->kind == CONTACT_EDGE_EDGE ? edge_distance(x) : vec3d_distance(x[0], closest_on_triangle(x[0], x[1], x[2], x[3]));
    return fmin(gap, NEAR_REST * apart);
}

// What is missing to the gap comes back in about the time in which a body falls through the set's length; a step brings at most
// half of it.
static double recover_share(const ElasticSet* set, double dt)
{
    (void)set;
    return fmin(0.5, dt / (0.5 * RECOVER));
}

// Whether the features passed through each other, or are about to touch; fills in how near they may come.
static bool meets(const ElasticSet* set, ContactPair* pair, double dt)
{
    Vec3d from, before[4], x[4];
    ends_of(set, pair, before, x);
    double thick = 0.5 * (set->body[pair->body[0]].def.thickness + set->body[pair->body[1]].def.thickness);
    pair->passed = pair_passed(pair->kind, before, x, &from);
    PairPlace after = pair_place(pair->kind, x, OVER);
    double height = fabs(after.height);
    if (!pair->passed && (!after.over || height > thick))
        return false;
    pair->gap = gap_of(set, pair);
    if (!pair->passed && !(height < pair->gap))
        return false;
    PairPlace was = pair_place(pair->kind, before, BESIDE);
    bool along = vec3d_dot(was.normal, after.normal) > 0; // normals of edges that turn past each other jump
    pair->side = pair->passed ? (vec3d_dot(from, after.normal) < 0 ? -1 : 1) : after.height < 0 ? -1 : 1;
    // heights over a place beside the feature mean nothing
    double had = pair->passed ? fabs(was.height) : was.over ? fmax(pair->side * (along ? was.height : -was.height), 0) : height;
    had = fmin(had, pair->gap);
    pair->target = had + (pair->gap - had) * recover_share(set, dt);
    return true;
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

static Box box_of(const Body* body, const uint32_t* point, int count, Vec3d margin)
{
    Vec3d low = vec3d_min(body->position[point[0]], body->began[point[0]]),
          high = vec3d_max(body->position[point[0]], body->began[point[0]]);
    Box box = {.point = {point[0]}};
    for (int k = 1; k < count; k++) {
        Vec3d a = body->position[point[k]], b = body->began[point[k]];
        low = vec3d_min(low, vec3d_min(a, b));
        high = vec3d_max(high, vec3d_max(a, b));
        box.point[k] = point[k];
    }
    box.box = (TreeBox){vec3d_sub(low, margin), vec3d_add(high, margin)};
    return box;
}

// Those that may meet what is in a box.
static void gather(const ElasticSet* set, uint32_t index, uint32_t leaf, const TreeBox* within, Leaf* out)
{
    const Body* body = &set->body[index];
    const SurfaceTree* tree = body->tree;
    double half = 0.5 * body->def.thickness;
    Vec3d margin = {half, half, half};
    out->body = body;
    out->body_index = index;
    out->box = tree->box[tree->leaf_count + leaf];
    out->faces = out->edges = out->points = 0;
    for (size_t k = leaf_face(tree, body->face_count, leaf); k < leaf_face(tree, body->face_count, leaf + 1); k++) {
        out->face[out->faces] = box_of(body, body->face[tree->face[k]], 3, margin);
        out->faces += boxes_meet(&out->face[out->faces].box, within);
    }
    for (uint32_t k = tree->edge_start[leaf]; k < tree->edge_start[leaf + 1]; k++) {
        out->edge[out->edges] = box_of(body, tree->edge[k], 2, margin);
        out->edges += boxes_meet(&out->edge[out->edges].box, within);
    }
    for (uint32_t k = tree->point_start[leaf]; k < tree->point_start[leaf + 1]; k++) {
        out->point[out->points] = box_of(body, &tree->point[k], 1, margin);
        out->points += boxes_meet(&out->point[out->points].box, within);
    }
}

static void note(ElasticSet* set, int worker, const ContactPair* pair)
{
    PairList* list = &set->pairs->list[worker];
    if (!memory_reserve(set->memory, &list->pair, &list->capacity, list->count, list->count + 1, sizeof *list->pair))
        list->failed = true;
    else
        list->pair[list->count++] = *pair;
}

// Where a point was before the step and is after it, side by side.
typedef double Two __attribute__((vector_size(16)));
typedef struct TwoPlaces {
    Two x, y, z;
} TwoPlaces;

static inline TwoPlaces places_of(const Body* body, uint32_t point, const TwoPlaces* from)
{
    const Vec3d *a = &body->began[point], *b = &body->position[point];
    TwoPlaces p = {{a->x, b->x}, {a->y, b->y}, {a->z, b->z}};
    return from ? (TwoPlaces){p.x - from->x, p.y - from->y, p.z - from->z} : p;
}

static inline TwoPlaces two_cross(const TwoPlaces* a, const TwoPlaces* b)
{
    return (TwoPlaces){a->y * b->z - a->z * b->y, a->z * b->x - a->x * b->z, a->x * b->y - a->y * b->x};
}

static inline Two two_dot(const TwoPlaces* a, const TwoPlaces* b)
{
    return a->x * b->x + a->y * b->y + a->z * b->z;
}

// A point beside the triangle all the time, on the same side: most of those that are near are its neighbours in the mesh. With the
// weights of pair_place(), times the normal's square, without a division.
static bool is_beside(const Body* body, uint32_t point, const Body* other, const uint32_t t[3])
{
    TwoPlaces o = places_of(other, t[0], NULL), a = places_of(other, t[1], &o), b = places_of(other, t[2], &o);
    TwoPlaces r = places_of(body, point, &o), n = two_cross(&a, &b), rb = two_cross(&r, &b), ar = two_cross(&a, &r);
    Two nn = two_dot(&n, &n), q = two_dot(&rb, &n), s = two_dot(&ar, &n), p = nn - q - s, least = -0.1 * nn;
    return (p[0] < least[0] && p[1] < least[1]) || (q[0] < least[0] && q[1] < least[1]) || (s[0] < least[0] && s[1] < least[1]);
}

static void points_on_faces(ElasticSet* set, int worker, const Leaf* points, const Leaf* faces, double dt)
{
    for (int i = 0; i < points->points; i++)
        for (int j = 0; j < faces->faces; j++) {
            uint32_t p = points->point[i].point[0];
            const uint32_t* t = faces->face[j].point;
            if (!boxes_meet(&points->point[i].box, &faces->face[j].box) ||
                (points->body == faces->body && (p == t[0] || p == t[1] || p == t[2])) ||
                is_beside(points->body, p, faces->body, t))
                continue;
            ContactPair pair = {
                .kind = CONTACT_VERTEX_FACE, .body = {points->body_index, faces->body_index}, .point = {p, t[0], t[1], t[2]}};
            if (meets(set, &pair, dt))
                note(set, worker, &pair);
        }
}

static void edges_on_edges(ElasticSet* set, int worker, const Leaf* first, const Leaf* second, double dt)
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
            if (meets(set, &pair, dt))
                note(set, worker, &pair);
        }
}

// --- all leaves

typedef struct SearchJob {
    ElasticSet* set;
    uint32_t body;
    size_t first_range;
    double dt;
} SearchJob;

static void search_pair(const SearchJob* job, int worker, uint32_t leaf, uint32_t other, uint32_t other_leaf)
{
    const SurfaceTree *a = job->set->body[job->body].tree, *b = job->set->body[other].tree;
    if (other == job->body && surface_tree_is_flat(a, leaf, other_leaf))
        return;
    Leaf first, second;
    gather(job->set, job->body, leaf, &b->box[b->leaf_count + other_leaf], &first);
    if (other == job->body && other_leaf == leaf) {
        points_on_faces(job->set, worker, &first, &first, job->dt);
        edges_on_edges(job->set, worker, &first, &first, job->dt);
        return;
    }
    if (first.faces + first.edges == 0)
        return;
    gather(job->set, other, other_leaf, &first.box, &second);
    points_on_faces(job->set, worker, &first, &second, job->dt);
    points_on_faces(job->set, worker, &second, &first, job->dt);
    edges_on_edges(job->set, worker, &first, &second, job->dt);
}

// All leaves of the other body that a leaf may meet; of its own body those that come after it.
static void search_tree(const SearchJob* job, int worker, uint32_t leaf, uint32_t other)
{
    const SurfaceTree *mine = job->set->body[job->body].tree, *tree = job->set->body[other].tree;
    const TreeBox* box = &mine->box[mine->leaf_count + leaf];
    size_t stack[MOST_DEPTH] = {1}, least = tree->leaf_count + leaf;
    int depth = 1;
    while (depth > 0) {
        size_t node = stack[--depth], last = node;
        while (last < tree->leaf_count)
            last = 2 * last + 1;
        if ((other == job->body && last < least) || !boxes_meet(box, &tree->box[node]))
            continue;
        if (node >= tree->leaf_count) {
            search_pair(job, worker, leaf, other, (uint32_t)(node - tree->leaf_count));
            continue;
        }
        stack[depth++] = 2 * node + 1;
        stack[depth++] = 2 * node;
    }
}

static void search_leaves(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SearchJob* job = context;
    PairSearch* s = job->set->pairs;
    size_t first = s->list[worker].count;
    for (size_t leaf = begin; leaf < end; leaf++)
        for (uint32_t k = job->body; k < job->set->body_count; k++)
            if (takes_part(job->set, k) && (k != job->body || job->set->body[k].def.self_contact))
                search_tree(job, worker, (uint32_t)leaf, k);
    s->range[job->first_range + block] = (BlockRange){worker, first, s->list[worker].count - first};
}

static bool find_pairs(ElasticSet* set, double dt)
{
    PairSearch* s = set->pairs;
    for (int k = 0; k < s->lists; k++) {
        s->list[k].count = 0;
        s->list[k].failed = false;
    }
    s->range_count = 0;
    for (uint32_t k = 0; k < set->body_count; k++)
        if (takes_part(set, k))
            surface_tree_fit(set->body[k].tree, set->pool, &set->body[k], 0.5 * set->body[k].def.thickness);
    for (uint32_t k = 0; k < set->body_count; k++) {
        if (!takes_part(set, k))
            continue;
        size_t leaves = set->body[k].tree->leaf_count, blocks = block_count(leaves, LEAF_GRAIN);
        if (!memory_reserve(set->memory, &s->range, &s->range_capacity, s->range_count, s->range_count + blocks, sizeof *s->range))
            return false;
        SearchJob job = {set, k, s->range_count, dt};
        parallel_for(set->pool, leaves, LEAF_GRAIN, search_leaves, &job);
        s->range_count += blocks;
    }
    bool ok = true;
    s->passed = 0;
    for (int k = 0; k < s->lists; k++) {
        ok = ok && !s->list[k].failed;
        for (size_t i = 0; i < s->list[k].count; i++)
            s->passed += s->list[k].pair[i].passed;
    }
    return ok;
}

bool deformables_find(ElasticSet* set, double dt, size_t* count, size_t* passed)
{
    *count = *passed = 0;
    if (!set->pairs)
        return true;
    bool ok = find_pairs(set, dt);
    for (int k = 0; k < set->pairs->lists; k++)
        *count += set->pairs->list[k].count;
    *passed = set->pairs->passed;
    return ok;
}

// --- pushing apart

static double inverse_mass(const Body* body, uint32_t point)
{
    return body->pin_of[point] >= 0 ? 0 : 1 / body->mass[point];
}

// Of shifts. A point of a volume that is put aside strains what is around it, and comes back with that energy: 1 mm takes a point
// of 1 g in 10 MPa away at 16 m/s. So it gives way as within an implicit step, and what it touches goes the rest of the path.
static double shift_ease(const Body* body, uint32_t point, double dt)
{
    double mass = body->mass[point];
    double held = body->tet_count ? dt * dt * body->def.young * cbrt(mass / body->def.density) : 0;
    return body->pin_of[point] >= 0 ? 0 : 1 / (mass + held);
}

static void resolve(ElasticSet* set, const ContactPair* pair, double dt)
{
    Vec3d before[4], x[4];
    ends_of(set, pair, before, x);
    PairPlace place = pair_place(pair->kind, x, BESIDE);
    double height = pair->side * place.height;
    if (!(height < pair->gap) || !place.over)
        return;
    int first = pair->kind == CONTACT_EDGE_EDGE ? 2 : 1;
    Body *a = &set->body[pair->body[0]], *b = &set->body[pair->body[1]];
    Meeting m = {.count = 4,
                 .normal = vec3d_scale(place.normal, pair->side),
                 .depth = pair->target - height,
                 .path = {0, 0, 0},
                 .friction = sqrt(a->def.friction * b->def.friction),
                 .share = 1};
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        const Body* body = k < first ? a : b;
        m.weight[k] = place.weight[k];
        m.inverse[k] = inverse_mass(body, pair->point[k]);
        m.ease[k] = shift_ease(body, pair->point[k], dt);
        m.velocity[k] = body->velocity[pair->point[k]];
        m.path = vec3d_mad(m.path, m.weight[k], vec3d_sub(x[k], before[k]));
        sum += m.weight[k] * m.weight[k] * m.inverse[k];
    }
    if (!(sum > 0))
        return;
    meeting_solve(&m);
    for (int k = 0; k < 4; k++) {
        const Body* body = k < first ? a : b;
        body->position[pair->point[k]] = vec3d_add(x[k], m.shift[k]);
        body->velocity[pair->point[k]] = m.velocity[k];
    }
    a->jolted = b->jolted = true;
}

static void resolve_all(ElasticSet* set, double dt)
{
    const PairSearch* s = set->pairs;
    for (size_t k = 0; k < s->range_count; k++)
        for (size_t i = 0; i < s->range[k].count; i++)
            resolve(set, &s->list[s->range[k].worker].pair[s->range[k].first + i], dt);
}

// What is crossed after all goes on together. Zones grow until nothing is. False: out of memory.
static bool stop_crossed(ElasticSet* set, double dt)
{
    PairSearch* s = set->pairs;
    if (!zones_begin(&s->zones, set))
        return false;
    for (int round = 0; round < MOST_ZONES && s->passed > 0; round++) {
        for (size_t k = 0; k < s->range_count; k++)
            for (size_t i = 0; i < s->range[k].count; i++) {
                const ContactPair* pair = &s->list[s->range[k].worker].pair[s->range[k].first + i];
                if (pair->passed)
                    zones_join(&s->zones, pair);
            }
        zones_stop(&s->zones, set);
        if (!find_pairs(set, dt))
            return false;
    }
    return true;
}

bool deformables_resolve(ElasticSet* set, double dt)
{
    PairSearch* s = set->pairs;
    if (!s)
        return true;
    for (size_t k = 0; k < set->body_count; k++)
        set->body[k].jolted = false;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!find_pairs(set, dt))
            return false;
        if (round > 0 && s->passed == 0)
            return true;
        size_t passed = s->passed;
        for (int pass = 0; pass < PASSES; pass++)
            resolve_all(set, dt);
        if (passed == 0)
            return true;
    }
    return find_pairs(set, dt) && (s->passed == 0 || stop_crossed(set, dt));
}
