// SPDX-License-Identifier: MIT
// Points against triangles, once per step. Edges against edges are not looked at. A pair has a side: where the point was, seen
// from the triangle, when the step began. It is pushed back if it changed the side through the triangle, or if it is nearer than
// the thickness on its own side:
//   C = side n . (p - sum b_i x_i) - gap >= 0
// by impulses along n with the inverse masses as weights, which keep momentum, and friction against what slipped in the step.
// Because sides come from the step's beginning, layers may be much thinner than the way they go in a step.
// Points are sorted into cells; a triangle asks the cells that it may have met.
#include "elastic/pairs_parts.h"

#include <string.h>

enum { PAIR_PASSES = 4 };

// --- storage

bool pairs_take_part(const ElasticSet* set, size_t body)
{
    return set->body[body].def.contact && (set->body[body].def.self_contact || set->body_count > 1);
}

static bool wanted(const ElasticSet* set)
{
    for (size_t k = 0; k < set->body_count; k++)
        if (pairs_take_part(set, k))
            return true;
    return false;
}

void pairs_free(ElasticSet* set)
{
    Pairs* p = set->pairs;
    if (!p)
        return;
    for (int k = 0; k < p->lists && p->list; k++)
        memory_give(set->memory, p->list[k].pair);
    cells_free(&p->points);
    void* arrays[] = {p->list, p->range};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(set->memory, arrays[k]);
    memory_give(set->memory, p);
    set->pairs = NULL;
}

static bool create(ElasticSet* set)
{
    Pairs* p = memory_take(set->memory, sizeof *p);
    if (!p)
        return false;
    *p = (Pairs){.lists = pool_threads(set->pool), .points = {.memory = set->memory}};
    set->pairs = p;
    p->list = memory_take(set->memory, (size_t)p->lists * sizeof *p->list);
    if (!p->list)
        return false;
    memset(p->list, 0, (size_t)p->lists * sizeof *p->list);
    return true;
}

bool pairs_begin(ElasticSet* set)
{
    if (!wanted(set))
        return true;
    if (!set->pairs && !create(set))
        return false;
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        if (!body->began && !(body->began = memory_take(set->memory, body->point_count * sizeof *body->began)))
            return false;
        memcpy(body->began, body->position, body->point_count * sizeof *body->began);
    }
    return true;
}

void pairs_note(ElasticSet* set, int worker, Pair pair)
{
    PairList* list = &set->pairs->list[worker];
    if (!memory_reserve(set->memory, &list->pair, &list->capacity, list->count, list->count + 1, sizeof *list->pair))
        list->failed = true;
    else
        list->pair[list->count++] = pair;
}

bool pairs_reserve_ranges(ElasticSet* set, size_t blocks)
{
    Pairs* p = set->pairs;
    return memory_reserve(set->memory, &p->range, &p->range_capacity, p->range_count, p->range_count + blocks, sizeof *p->range);
}

// --- cells

// Cells are about as wide as triangles, so that a triangle asks few of them and finds few points in each.
static void measure(ElasticSet* set, Pairs* p)
{
    double edge = 0, far = 0;
    for (size_t k = 0; k < set->body_count; k++) {
        const Body* body = &set->body[k];
        edge = fmax(edge, body->mean_edge);
        for (size_t i = 0; i < body->skin_count; i++) {
            Vec3d d = vec3d_sub(body->position[body->skin[i]], body->began[body->skin[i]]);
            double square = vec3d_dot(d, d);
            far = square > far ? square : far;
        }
    }
    p->farthest = sqrt(far);
    p->width = 1.5 * edge;
}

static bool sort_points(ElasticSet* set, Pairs* p)
{
    cells_begin(&p->points, p->width);
    bool ok = true;
    for (uint32_t k = 0; k < set->body_count; k++) {
        const Body* body = &set->body[k];
        for (size_t i = 0; i < body->skin_count && body->def.contact && ok; i++)
            ok = cells_add(&p->points,
                           (CellItem){.body = k, .item = body->skin[i], .at = body->position[body->skin[i]], .parts = 1});
    }
    return ok && cells_sort(&p->points);
}

// --- points and triangles

typedef struct Place {
    Vec3d normal;     // unit
    double height;    // [m] of the point above the plane
    double weight[3]; // of the corners at the point's foot
} Place;

static Place place_over(const Vec3d* x, const uint32_t t[3], Vec3d p)
{
    Vec3d a = vec3d_sub(x[t[1]], x[t[0]]), b = vec3d_sub(x[t[2]], x[t[0]]), r = vec3d_sub(p, x[t[0]]), n = vec3d_cross(a, b);
    double nn = vec3d_dot(n, n);
    Place place = {.normal = {0, 0, 0}, .weight = {-1, -1, -1}};
    if (!(nn > 0))
        return place;
    place.weight[1] = vec3d_dot(vec3d_cross(r, b), n) / nn;
    place.weight[2] = vec3d_dot(vec3d_cross(a, r), n) / nn;
    place.weight[0] = 1 - place.weight[1] - place.weight[2];
    place.normal = vec3d_scale(n, 1 / sqrt(nn));
    place.height = vec3d_dot(place.normal, r);
    return place;
}

static bool is_over(const Place* place, double margin)
{
    return place->weight[0] > -margin && place->weight[1] > -margin && place->weight[2] > -margin;
}

// Whether the point passed through the triangle, or is about to touch it.
static bool meets(const Body* body, uint32_t point, const Body* other, const uint32_t t[3], double farthest, double* side)
{
    Place after = place_over(other->position, t, body->position[point]);
    double gap = pairs_gap(body, other), height = fabs(after.height);
    if (height > gap + 2 * farthest)
        return false;
    Place before = place_over(other->began, t, body->began[point]);
    *side = before.height < 0 ? -1 : 1;
    if (*side * after.height > 0)
        return height < gap && is_over(&after, 0.01);
    // through the plane: where?
    double time = before.height / (before.height - after.height);
    Place between = {.weight = {0}};
    for (int k = 0; k < 3; k++)
        between.weight[k] = before.weight[k] + time * (after.weight[k] - before.weight[k]);
    return is_over(&between, 0.05);
}

static void look_at(ElasticSet* set, int worker, const CellItem* at, uint32_t other, uint32_t face)
{
    Body *body = &set->body[at->body], *b = &set->body[other];
    const uint32_t* t = b->face[face];
    if (at->body == other && (!b->def.self_contact || at->item == t[0] || at->item == t[1] || at->item == t[2]))
        return;
    double side;
    if (meets(body, at->item, b, t, set->pairs->farthest, &side))
        pairs_note(set, worker, (Pair){at->body, at->item, other, face, side});
}

typedef struct FaceJob {
    ElasticSet* set;
    uint32_t body;
    size_t first_range;
} FaceJob;

static void search_face(ElasticSet* set, int worker, uint32_t other, uint32_t face)
{
    const Pairs* p = set->pairs;
    const Cells* cells = &p->points;
    const Body* body = &set->body[other];
    const uint32_t* t = body->face[face];
    Vec3d low = body->position[t[0]], high = low;
    for (int k = 0; k < 3; k++) {
        low = vec3d_min(vec3d_min(low, body->position[t[k]]), body->began[t[k]]);
        high = vec3d_max(vec3d_max(high, body->position[t[k]]), body->began[t[k]]);
    }
    double reach = body->def.thickness + p->farthest;
    low = vec3d_sub(low, vec3d(reach, reach, reach));
    high = vec3d_add(high, vec3d(reach, reach, reach));
    CellBox box = cells_box(cells, low, high);
    if (cells_in_box(&box) > MOST_CELLS_OF_A_BOX)
        return; // a face that was torn apart is no surface any more
    for (int32_t z = box.low[2]; z <= box.high[2]; z++)
        for (int32_t y = box.low[1]; y <= box.high[1]; y++)
            for (int32_t x = box.low[0]; x <= box.high[0]; x++) {
                uint64_t key = cells_key(x, y, z);
                uint32_t slot = cells_slot(cells, key), end = cells->start[slot + 1];
                for (uint32_t k = cells->start[slot]; k < end; k++) {
                    const CellItem* i = &cells->item[k];
                    if (i->key == key && i->at.x > low.x && i->at.x < high.x && i->at.y > low.y && i->at.y < high.y &&
                        i->at.z > low.z && i->at.z < high.z)
                        look_at(set, worker, i, other, face);
                }
            }
}

static void search_faces(void* context, size_t begin, size_t end, size_t block, int worker)
{
    FaceJob* job = context;
    Pairs* p = job->set->pairs;
    size_t first = p->list[worker].count;
    for (size_t k = begin; k < end; k++)
        search_face(job->set, worker, job->body, (uint32_t)k);
    p->range[job->first_range + block] = (BlockRange){worker, first, p->list[worker].count - first};
}

static bool find_points(ElasticSet* set)
{
    Pairs* p = set->pairs;
    for (size_t k = 0; k < set->body_count; k++) {
        size_t faces = set->body[k].face_count, blocks = block_count(faces, PAIR_GRAIN);
        if (!pairs_take_part(set, k))
            continue;
        if (!pairs_reserve_ranges(set, blocks))
            return false;
        FaceJob job = {set, (uint32_t)k, p->range_count};
        parallel_for(set->pool, faces, PAIR_GRAIN, search_faces, &job);
        p->range_count += blocks;
    }
    return true;
}

// --- pushing apart

static double inverse_mass(const Body* body, uint32_t point)
{
    return body->pin_of[point] >= 0 ? 0 : 1 / body->mass[point];
}

void pairs_push(const Touching* t, Vec3d normal, double depth, double dt)
{
    double sum = 0;
    Vec3d slip = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        const Body* body = t->body[k];
        sum += t->weight[k] * t->weight[k] * inverse_mass(body, t->point[k]);
        slip = vec3d_mad(slip, t->weight[k], vec3d_sub(body->position[t->point[k]], body->began[t->point[k]]));
    }
    if (!(sum > 0))
        return;
    slip = vec3d_mad(slip, -vec3d_dot(slip, normal), normal);
    double length = vec3d_length(slip), most = sqrt(t->body[0]->def.friction * t->body[3]->def.friction) * depth;
    Vec3d push = vec3d_scale(normal, depth / sum);
    push = vec3d_mad(push, (length > most ? -most / length : -1) / sum, slip);
    for (int k = 0; k < 4; k++) {
        Body* body = t->body[k];
        Vec3d by = vec3d_scale(push, t->weight[k] * inverse_mass(body, t->point[k]));
        body->position[t->point[k]] = vec3d_add(body->position[t->point[k]], by);
        body->velocity[t->point[k]] = vec3d_mad(body->velocity[t->point[k]], 1 / dt, by);
        body->jolted = true;
    }
}

static void resolve_point(ElasticSet* set, const Pair* pair, double dt)
{
    Body *body = &set->body[pair->body], *other = &set->body[pair->other];
    const uint32_t* t = other->face[pair->against];
    Place place = place_over(other->position, t, body->position[pair->item]);
    double depth = pairs_gap(body, other) - pair->side * place.height, total = 0;
    if (!(depth > 0) || !is_over(&place, 0.3))
        return;
    Touching touching = {{body, other, other, other}, {pair->item, t[0], t[1], t[2]}, {1, 0, 0, 0}};
    for (int k = 0; k < 3; k++)
        total += place.weight[k] > 0 ? place.weight[k] : 0;
    for (int k = 0; k < 3; k++)
        touching.weight[k + 1] = place.weight[k] > 0 ? -place.weight[k] / total : 0;
    pairs_push(&touching, vec3d_scale(place.normal, pair->side), depth, dt);
}

static void resolve_all(ElasticSet* set, double dt)
{
    const Pairs* p = set->pairs;
    for (size_t k = 0; k < p->range_count; k++)
        for (size_t i = 0; i < p->range[k].count; i++) {
            resolve_point(set, &p->list[p->range[k].worker].pair[p->range[k].first + i], dt);
        }
}

bool pairs_resolve(ElasticSet* set, double dt)
{
    Pairs* p = set->pairs;
    if (!p)
        return true;
    measure(set, p);
    for (int k = 0; k < p->lists; k++)
        p->list[k].count = 0;
    p->range_count = 0;
    for (size_t k = 0; k < set->body_count; k++)
        set->body[k].jolted = false;
    if (!sort_points(set, p) || !find_points(set))
        return false;
    for (int k = 0; k < p->lists; k++)
        if (p->list[k].failed)
            return false;
    for (int pass = 0; pass < PAIR_PASSES; pass++)
        resolve_all(set, dt);
    return true;
}
