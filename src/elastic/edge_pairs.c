// SPDX-License-Identifier: MIT
// Edges against edges: where two folds cross, no point need be over a triangle. With the nearest points of the two lines,
// p = (1 - s) a_0 + s a_1 and q = (1 - t) b_0 + t b_1, and the normal n of both directions,
//   C = side n . (p - q) - gap >= 0
// where the side is the one they had when the step began. Edges that are parallel meet with their ends, which are points.
//
// Edges are cut into parts no longer than a cell and sorted by the parts' middles; a pair is looked at by the one part of each
// that holds its nearest point, so it is found once. Edges that were neighbours when the mesh was built are left to bending.
// Most edges are far from all that they might meet most of the time: each keeps a lower bound of that distance, which shrinks
// by what things moved against each other, and is searched again when it is used up. The bound decides about effort only.
#include "elastic/pairs_parts.h"

#include <stdlib.h>
#include <string.h>

static const double PARALLEL = 1e-4; // [1] sin^2 of the angle below which edges have no normal
static const double ENDS = 0.01;     // [1] of an edge at its ends that is left to points and triangles

static const double NEIGHBOURS = 2.5; // [1] of both halves together: middles that near at rest belong to neighbours
static const double AHEAD = 0.75;     // [cells] that a search looks farther than it must, to last for some steps

typedef struct EdgeRest {
    Vec3d middle; // [m]
    double half;  // [m] of its length
} EdgeRest;

// --- edges of faces

static int by_ends(const void* a, const void* b)
{
    const uint32_t *p = a, *q = b;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

static bool list_edges(ElasticSet* set, size_t k)
{
    const Body* body = &set->body[k];
    Pairs* p = set->pairs;
    uint32_t(*edge)[2] = memory_take(set->memory, (3 * body->face_count + 1) * sizeof *edge);
    if (!(p->edge[k] = edge))
        return false;
    size_t count = 0, kept = 0;
    for (size_t f = 0; f < body->face_count; f++)
        for (int c = 0; c < 3; c++) {
            uint32_t a = body->face[f][c], b = body->face[f][(c + 1) % 3];
            edge[count][0] = a < b ? a : b;
            edge[count++][1] = a < b ? b : a;
        }
    qsort(edge, count, sizeof *edge, by_ends);
    for (size_t e = 0; e < count; e++)
        if (e == 0 || by_ends(edge[e], edge[kept - 1]))
            memmove(edge[kept++], edge[e], sizeof *edge);
    p->edge_count[k] = kept;
    p->edge_rest[k] = memory_take(set->memory, (kept + 1) * sizeof **p->edge_rest);
    p->clear[k] = memory_take(set->memory, (kept + 1) * sizeof **p->clear);
    if (!p->edge_rest[k] || !p->clear[k])
        return false;
    for (size_t e = 0; e < kept; e++) {
        Vec3d a = body->rest[edge[e][0]], b = body->rest[edge[e][1]];
        p->edge_rest[k][e] = (EdgeRest){vec3d_lerp(a, b, 0.5), 0.5 * vec3d_distance(a, b)};
        p->clear[k][e] = 0;
    }
    return true;
}

void edge_pairs_forget(ElasticSet* set)
{
    for (size_t k = 0; set->pairs && k < set->pairs->bodies; k++)
        for (size_t e = 0; e < set->pairs->edge_count[k]; e++)
            set->pairs->clear[k][e] = 0;
}

void edge_pairs_free(ElasticSet* set)
{
    Pairs* p = set->pairs;
    for (size_t k = 0; k < p->bodies; k++) {
        memory_give(set->memory, p->edge[k]);
        memory_give(set->memory, p->edge_rest[k]);
        memory_give(set->memory, p->clear[k]);
    }
    void* arrays[] = {p->edge, p->edge_rest, p->clear, p->edge_count};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(set->memory, arrays[k]);
}

bool edge_pairs_create(ElasticSet* set)
{
    Pairs* p = set->pairs;
    size_t n = set->body_count;
    p->edge = memory_take(set->memory, n * sizeof *p->edge);
    p->edge_rest = memory_take(set->memory, n * sizeof *p->edge_rest);
    p->clear = memory_take(set->memory, n * sizeof *p->clear);
    p->edge_count = memory_take(set->memory, n * sizeof *p->edge_count);
    if (!p->edge || !p->edge_rest || !p->clear || !p->edge_count)
        return false;
    memset(p->edge, 0, n * sizeof *p->edge);
    memset(p->edge_rest, 0, n * sizeof *p->edge_rest);
    memset(p->clear, 0, n * sizeof *p->clear);
    memset(p->edge_count, 0, n * sizeof *p->edge_count);
    p->bodies = n;
    bool ok = true;
    for (size_t k = 0; k < n; k++)
        ok = ok && (!pairs_take_part(set, k) || list_edges(set, k));
    return ok;
}

// --- one pair

typedef struct Near {
    Vec3d normal;  // unit
    double height; // [m] of the first above the second, along it
    double s, t;   // [1] where on them
} Near;

// False: they are parallel.
static bool find_near(const Vec3d* x, const uint32_t a[2], const Vec3d* y, const uint32_t b[2], Near* out)
{
    Vec3d u = vec3d_sub(x[a[1]], x[a[0]]), v = vec3d_sub(y[b[1]], y[b[0]]), r = vec3d_sub(y[b[0]], x[a[0]]), n = vec3d_cross(u, v);
    double nn = vec3d_dot(n, n);
    if (!(nn > PARALLEL * vec3d_dot(u, u) * vec3d_dot(v, v)))
        return false;
    out->s = vec3d_dot(vec3d_cross(r, v), n) / nn;
    out->t = vec3d_dot(vec3d_cross(r, u), n) / nn;
    out->normal = vec3d_scale(n, 1 / sqrt(nn));
    out->height = -vec3d_dot(out->normal, r);
    return true;
}

static bool is_between(double s, double t)
{
    return s > ENDS && s < 1 - ENDS && t > ENDS && t < 1 - ENDS;
}

// Whether they passed through each other, or are about to touch; where, as the part of each that counts it.
static bool meets(const Body* body, const uint32_t a[2], const Body* other, const uint32_t b[2], double farthest, Near* near,
                  double* side)
{
    Near before;
    double gap = pairs_gap(body, other);
    if (!find_near(body->position, a, other->position, b, near) || fabs(near->height) > gap + 2 * farthest ||
        !find_near(body->began, a, other->began, b, &before))
        return false;
    *side = before.height < 0 ? -1 : 1;
    if (*side * near->height > 0)
        return fabs(near->height) < gap && is_between(near->s, near->t);
    double time = before.height / (before.height - near->height);
    near->s = before.s + time * (near->s - before.s);
    near->t = before.t + time * (near->t - before.t);
    return is_between(near->s, near->t);
}

// Whether two edges might ever meet.
static bool are_strangers(const ElasticSet* set, const CellItem* i, const CellItem* j)
{
    if (i->body != j->body)
        return true;
    const Body* body = &set->body[i->body];
    const EdgeRest *a = &set->pairs->edge_rest[i->body][i->item], *b = &set->pairs->edge_rest[j->body][j->item];
    Vec3d d = vec3d_sub(a->middle, b->middle);
    double least = NEIGHBOURS * (a->half + b->half) + body->def.thickness;
    return body->def.self_contact && vec3d_dot(d, d) > least * least;
}

static uint32_t part_at(double s, uint32_t parts)
{
    uint32_t part = (uint32_t)(s * parts);
    return part < parts ? part : parts - 1;
}

static void look_at(ElasticSet* set, int worker, const CellItem* i, const CellItem* j)
{
    const Pairs* p = set->pairs;
    const Body *body = &set->body[i->body], *other = &set->body[j->body];
    const uint32_t *a = p->edge[i->body][i->item], *b = p->edge[j->body][j->item];
    Near near;
    double side;
    if (!meets(body, a, other, b, p->farthest, &near, &side) || part_at(near.s, i->parts) != i->part ||
        part_at(near.t, j->parts) != j->part)
        return;
    pairs_note(set, worker, (Pair){i->body, i->item, j->body, j->item, true, side});
}

// --- all pairs

static bool sort_edges(ElasticSet* set, Pairs* p)
{
    cells_begin(&p->edges, p->width);
    for (uint32_t k = 0; k < set->body_count; k++) {
        const Vec3d* x = set->body[k].position;
        for (uint32_t e = 0; e < p->edge_count[k]; e++) {
            Vec3d a = x[p->edge[k][e][0]], b = x[p->edge[k][e][1]];
            double cuts = ceil(vec3d_distance(a, b) / p->width);
            uint32_t parts = cuts < 1 ? 1 : cuts < 1000 ? (uint32_t)cuts : 1000;
            for (uint32_t part = 0; part < parts; part++)
                if (!cells_add(
                        &p->edges,
                        (CellItem){
                            .body = k, .item = e, .part = part, .parts = parts, .at = vec3d_lerp(a, b, (part + 0.5) / parts)}))
                    return false;
        }
    }
    return cells_sort(&p->edges);
}

// Asks one cell; returns the least distance that a stranger in it can have.
static double search_cell(ElasticSet* set, int worker, const CellItem* i, uint64_t key, double reach, double half)
{
    const Cells* cells = &set->pairs->edges;
    uint32_t slot = cells_slot(cells, key), end = cells->start[slot + 1];
    double clear = reach;
    for (uint32_t k = cells->start[slot]; k < end; k++) {
        const CellItem* j = &cells->item[k];
        Vec3d d = vec3d_sub(j->at, i->at);
        double square = vec3d_dot(d, d);
        if (j->key != key || square > reach * reach || !are_strangers(set, i, j))
            continue;
        clear = fmin(clear, sqrt(square));
        if (j->body > i->body || (j->body == i->body && j->item > i->item))
            look_at(set, worker, i, j);
    }
    return clear - half - 0.5 * set->pairs->width;
}

static void search_part(ElasticSet* set, int worker, const CellItem* i)
{
    Pairs* p = set->pairs;
    const Cells* cells = &p->edges;
    const Body* body = &set->body[i->body];
    const uint32_t* a = p->edge[i->body][i->item];
    float* clear = &p->clear[i->body][i->item];
    if (i->parts == 1 && (double)*clear > p->thickest)
        return;
    // its own half and that of the other; what the two can have moved; how near they may come
    double half = 0.5 * vec3d_distance(body->position[a[0]], body->position[a[1]]) / i->parts;
    double reach = half + 0.5 * p->width + p->thickest + p->apart + AHEAD * p->width, least = (double)INFINITY;
    Vec3d margin = {reach, reach, reach};
    CellBox box = cells_box(cells, vec3d_sub(i->at, margin), vec3d_add(i->at, margin));
    if (cells_in_box(&box) > MOST_CELLS_OF_A_BOX)
        return;
    for (int32_t z = box.low[2]; z <= box.high[2]; z++)
        for (int32_t y = box.low[1]; y <= box.high[1]; y++)
            for (int32_t x = box.low[0]; x <= box.high[0]; x++)
                least = fmin(least, search_cell(set, worker, i, cells_key(x, y, z), reach, half));
    if (i->parts == 1) // parts of one edge are searched by several threads, and always
        *clear = (float)least;
}

// What moved, may have come nearer. False: nothing can have met.
static bool shrink_bounds(ElasticSet* set, Pairs* p)
{
    bool any = false;
    p->thickest = 0;
    for (size_t k = 0; k < set->body_count; k++)
        p->thickest = fmax(p->thickest, set->body[k].def.thickness);
    float by = (float)(1.001 * (p->apart + 2 * p->pushed) + 1e-6 * p->width), enough = (float)p->thickest;
    for (size_t k = 0; k < set->body_count; k++)
        for (size_t e = 0; e < p->edge_count[k]; e++) {
            p->clear[k][e] -= by;
            any |= p->clear[k][e] <= enough;
        }
    return any;
}

typedef struct EdgeJob {
    ElasticSet* set;
    size_t first_range;
} EdgeJob;

static void search_parts(void* context, size_t begin, size_t end, size_t block, int worker)
{
    EdgeJob* job = context;
    Pairs* p = job->set->pairs;
    size_t first = p->list[worker].count;
    for (size_t k = begin; k < end; k++)
        search_part(job->set, worker, &p->edges.given[k]);
    p->range[job->first_range + block] = (BlockRange){worker, first, p->list[worker].count - first};
}

bool edge_pairs_find(ElasticSet* set)
{
    Pairs* p = set->pairs;
    if (!shrink_bounds(set, p))
        return true;
    if (!sort_edges(set, p))
        return false;
    size_t blocks = block_count(p->edges.count, PAIR_GRAIN);
    if (!pairs_reserve_ranges(set, blocks))
        return false;
    EdgeJob job = {set, p->range_count};
    parallel_for(set->pool, p->edges.count, PAIR_GRAIN, search_parts, &job);
    p->range_count += blocks;
    return true;
}

void edge_pairs_resolve(ElasticSet* set, const Pair* pair, double dt)
{
    Body *body = &set->body[pair->body], *other = &set->body[pair->other];
    const uint32_t *a = set->pairs->edge[pair->body][pair->item], *b = set->pairs->edge[pair->other][pair->against];
    Near near;
    if (!find_near(body->position, a, other->position, b, &near))
        return;
    double depth = pairs_gap(body, other) - pair->side * near.height;
    if (!(depth > 0) || near.s < 0 || near.s > 1 || near.t < 0 || near.t > 1)
        return;
    Touching touching = {{body, body, other, other}, {a[0], a[1], b[0], b[1]}, {1 - near.s, near.s, near.t - 1, -near.t}};
    pairs_push(&touching, vec3d_scale(near.normal, pair->side), depth, dt);
}
