// SPDX-License-Identifier: MIT
// Points against triangles, once per step. A pair has a side: where the point was, seen from the triangle, when the step began.
// It is pushed back if it changed the side through the triangle, or if it is nearer than the thickness on its own side:
//   C = side n . (p - sum b_i x_i) - gap >= 0
// by impulses along n with the inverse masses as weights, which keep momentum, and friction against what slipped in the step.
// Because sides come from the step's beginning, layers may be much thinner than the way they go in a step.
// Points are sorted into cells; a triangle asks the cells that it may have met. Edges against edges are not looked at: a mesh
// must be finer than what it wraps.
#include "elastic/pairs.h"

#include <string.h>

enum { FACE_GRAIN = 256, PAIR_PASSES = 4, MOST_CELLS_OF_A_FACE = 4096 };

typedef struct Pair {
    uint32_t body, point, other, face;
    double side; // +1 or -1
} Pair;

typedef struct PairList { // of one worker
    Pair* pair;
    size_t count, capacity;
} PairList;

typedef struct BlockRange { // pairs of a block of faces
    int worker;
    size_t first, count;
} BlockRange;

typedef struct CellPoint {
    uint32_t body, point;
} CellPoint;

struct Pairs {
    size_t point_count; // of all bodies that take part
    CellPoint* point;   // sorted by cell
    uint32_t* start;    // (slots + 1) of the hash table, into `point`
    uint32_t* slot_of;  // scratch
    CellPoint* scratch;
    size_t slots;
    PairList* list; // per worker
    int lists;
    BlockRange* range; // per block of faces
    size_t range_capacity;
    double cell;     // [m]
    double farthest; // [m] that a point moved in the step
    bool failed;
};

// --- storage

static bool wanted(const ElasticSet* set)
{
    for (size_t k = 0; k < set->body_count; k++)
        if (set->body[k].def.contact && (set->body[k].def.self_contact || set->body_count > 1))
            return true;
    return false;
}

void pairs_free(ElasticSet* set)
{
    Pairs* p = set->pairs;
    if (!p)
        return;
    for (int k = 0; k < p->lists; k++)
        memory_give(set->memory, p->list[k].pair);
    void* arrays[] = {p->point, p->start, p->slot_of, p->scratch, p->list, p->range};
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
    *p = (Pairs){.lists = pool_threads(set->pool), .slots = 1024};
    set->pairs = p;
    for (size_t k = 0; k < set->body_count; k++)
        p->point_count += set->body[k].skin_count;
    while (p->slots < 2 * p->point_count)
        p->slots *= 2;
    p->point = memory_take(set->memory, p->point_count * sizeof *p->point);
    p->scratch = memory_take(set->memory, p->point_count * sizeof *p->scratch);
    p->slot_of = memory_take(set->memory, p->point_count * sizeof *p->slot_of);
    p->start = memory_take(set->memory, (p->slots + 1) * sizeof *p->start);
    p->list = memory_take(set->memory, (size_t)p->lists * sizeof *p->list);
    if (!p->point || !p->scratch || !p->slot_of || !p->start || !p->list)
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

// --- cells

static uint32_t slot_at(const Pairs* p, int64_t x, int64_t y, int64_t z)
{
    uint64_t h = (uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)z * 0x165667b19e3779f9u;
    h ^= h >> 29;
    return (uint32_t)(h * 0xbf58476d1ce4e5b9u >> 32) & (uint32_t)(p->slots - 1);
}

static int64_t cell_of(const Pairs* p, double x)
{
    return (int64_t)floor(x / p->cell);
}

// Cells are about as wide as triangles, so that a triangle asks few of them and finds few points in each.
static void measure(ElasticSet* set, Pairs* p)
{
    double edge = 0;
    p->farthest = 0;
    for (size_t k = 0; k < set->body_count; k++) {
        const Body* body = &set->body[k];
        edge = fmax(edge, body->mean_edge);
        for (size_t i = 0; i < body->skin_count; i++) {
            Vec3d d = vec3d_sub(body->position[body->skin[i]], body->began[body->skin[i]]);
            p->farthest = fmax(p->farthest, vec3d_dot(d, d));
        }
    }
    p->farthest = sqrt(p->farthest);
    p->cell = 1.5 * edge;
}

static void sort_points(ElasticSet* set, Pairs* p)
{
    memset(p->start, 0, (p->slots + 1) * sizeof *p->start);
    size_t n = 0;
    for (size_t k = 0; k < set->body_count; k++) {
        const Body* body = &set->body[k];
        for (size_t i = 0; i < body->skin_count && body->def.contact; i++, n++) {
            Vec3d x = body->position[body->skin[i]];
            p->scratch[n] = (CellPoint){(uint32_t)k, body->skin[i]};
            p->slot_of[n] = slot_at(p, cell_of(p, x.x), cell_of(p, x.y), cell_of(p, x.z));
            p->start[p->slot_of[n] + 1]++;
        }
    }
    p->point_count = n;
    for (size_t k = 0; k < p->slots; k++)
        p->start[k + 1] += p->start[k];
    // from behind, so that the order within a slot stays and start[k + 1] becomes where k begins
    for (size_t i = n; i-- > 0;)
        p->point[--p->start[p->slot_of[i] + 1]] = p->scratch[i];
    memmove(p->start, p->start + 1, p->slots * sizeof *p->start);
    p->start[p->slots] = (uint32_t)n;
}

// --- one pair

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

static double gap_of(const Body* a, const Body* b)
{
    return 0.5 * (a->def.thickness + b->def.thickness);
}

// Whether the point passed through the triangle, or is about to touch it.
static bool meets(const Body* body, uint32_t point, const Body* other, const uint32_t t[3], double farthest, double* side)
{
    Place after = place_over(other->position, t, body->position[point]);
    double gap = gap_of(body, other), height = fabs(after.height);
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

static void look_at(ElasticSet* set, PairList* list, CellPoint at, uint32_t other, uint32_t face)
{
    Body *body = &set->body[at.body], *b = &set->body[other];
    const uint32_t* t = b->face[face];
    if (at.body == other && (!b->def.self_contact || at.point == t[0] || at.point == t[1] || at.point == t[2]))
        return;
    double side;
    if (!meets(body, at.point, b, t, set->pairs->farthest, &side))
        return;
    if (!memory_reserve(set->memory, &list->pair, &list->capacity, list->count, list->count + 1, sizeof *list->pair)) {
        set->pairs->failed = true;
        return;
    }
    list->pair[list->count++] = (Pair){at.body, at.point, other, face, side};
}

typedef struct FaceJob {
    ElasticSet* set;
    uint32_t body;
    size_t first_range;
} FaceJob;

static void search_face(ElasticSet* set, PairList* list, uint32_t other, uint32_t face)
{
    const Pairs* p = set->pairs;
    const Body* body = &set->body[other];
    const uint32_t* t = body->face[face];
    Vec3d low = body->position[t[0]], high = low;
    for (int k = 0; k < 3; k++) {
        low = vec3d_min(vec3d_min(low, body->position[t[k]]), body->began[t[k]]);
        high = vec3d_max(vec3d_max(high, body->position[t[k]]), body->began[t[k]]);
    }
    double reach = body->def.thickness + p->farthest;
    int64_t x0 = cell_of(p, low.x - reach), x1 = cell_of(p, high.x + reach), y0 = cell_of(p, low.y - reach),
            y1 = cell_of(p, high.y + reach), z0 = cell_of(p, low.z - reach), z1 = cell_of(p, high.z + reach);
    if ((double)(x1 - x0 + 1) * (double)(y1 - y0 + 1) * (double)(z1 - z0 + 1) > MOST_CELLS_OF_A_FACE)
        return; // a face that was torn apart is no surface any more
    for (int64_t z = z0; z <= z1; z++)
        for (int64_t y = y0; y <= y1; y++)
            for (int64_t x = x0; x <= x1; x++) {
                uint32_t slot = slot_at(p, x, y, z);
                for (uint32_t k = p->start[slot]; k < p->start[slot + 1]; k++) {
                    Vec3d q = set->body[p->point[k].body].position[p->point[k].point];
                    // slots are shared by cells far apart, and a point is to be seen once
                    if (cell_of(p, q.x) == x && cell_of(p, q.y) == y && cell_of(p, q.z) == z && q.x > low.x - reach &&
                        q.x < high.x + reach && q.y > low.y - reach && q.y < high.y + reach && q.z > low.z - reach &&
                        q.z < high.z + reach)
                        look_at(set, list, p->point[k], other, face);
                }
            }
}

static void search_faces(void* context, size_t begin, size_t end, size_t block, int worker)
{
    FaceJob* job = context;
    PairList* list = &job->set->pairs->list[worker];
    size_t first = list->count;
    for (size_t k = begin; k < end; k++)
        search_face(job->set, list, job->body, (uint32_t)k);
    job->set->pairs->range[job->first_range + block] = (BlockRange){worker, first, list->count - first};
}

// --- pushing apart

static double inverse_mass(const Body* body, uint32_t point)
{
    return body->pin_of[point] >= 0 ? 0 : 1 / body->mass[point];
}

static void shift(Body* body, uint32_t point, Vec3d by, double dt)
{
    body->position[point] = vec3d_add(body->position[point], by);
    body->velocity[point] = vec3d_mad(body->velocity[point], 1 / dt, by);
    body->jolted = true;
}

static void resolve(ElasticSet* set, const Pair* pair, double dt)
{
    Body *body = &set->body[pair->body], *other = &set->body[pair->other];
    const uint32_t* t = other->face[pair->face];
    Vec3d p = body->position[pair->point];
    Place place = place_over(other->position, t, p);
    double depth = gap_of(body, other) - pair->side * place.height;
    if (!(depth > 0) || !is_over(&place, 0.3))
        return;
    double weight[3], sum = inverse_mass(body, pair->point), total = 0;
    for (int k = 0; k < 3; k++) {
        weight[k] = place.weight[k] > 0 ? place.weight[k] : 0;
        total += weight[k];
    }
    Vec3d slip = vec3d_sub(p, body->began[pair->point]);
    for (int k = 0; k < 3; k++) {
        weight[k] /= total;
        sum += weight[k] * weight[k] * inverse_mass(other, t[k]);
        slip = vec3d_mad(slip, -weight[k], vec3d_sub(other->position[t[k]], other->began[t[k]]));
    }
    if (!(sum > 0))
        return;
    slip = vec3d_mad(slip, -vec3d_dot(slip, place.normal), place.normal);
    double length = vec3d_length(slip), most = sqrt(body->def.friction * other->def.friction) * depth;
    Vec3d push = vec3d_scale(place.normal, pair->side * depth / sum);
    push = vec3d_mad(push, (length > most ? -most / length : -1) / sum, slip);
    shift(body, pair->point, vec3d_scale(push, inverse_mass(body, pair->point)), dt);
    for (int k = 0; k < 3; k++)
        shift(other, t[k], vec3d_scale(push, -weight[k] * inverse_mass(other, t[k])), dt);
}

static void resolve_all(ElasticSet* set, size_t ranges, double dt)
{
    const Pairs* p = set->pairs;
    for (size_t k = 0; k < ranges; k++)
        for (size_t i = 0; i < p->range[k].count; i++)
            resolve(set, &p->list[p->range[k].worker].pair[p->range[k].first + i], dt);
}

bool pairs_resolve(ElasticSet* set, double dt)
{
    Pairs* p = set->pairs;
    if (!p)
        return true;
    measure(set, p);
    sort_points(set, p);
    for (int k = 0; k < p->lists; k++)
        p->list[k].count = 0;
    size_t ranges = 0;
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        body->jolted = false;
        size_t blocks = block_count(body->face_count, FACE_GRAIN);
        if (!body->def.contact || (!body->def.self_contact && set->body_count == 1))
            continue;
        if (!memory_reserve(set->memory, &p->range, &p->range_capacity, ranges, ranges + blocks, sizeof *p->range))
            return false;
        FaceJob job = {set, (uint32_t)k, ranges};
        parallel_for(set->pool, body->face_count, FACE_GRAIN, search_faces, &job);
        ranges += blocks;
    }
    for (int pass = 0; pass < PAIR_PASSES && !p->failed; pass++)
        resolve_all(set, ranges, dt);
    return !p->failed;
}
