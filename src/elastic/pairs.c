// SPDX-License-Identifier: MIT
// Points against triangles, once per step. Edges against edges are not looked at. A pair has a side: that of the triangle on which
// the point was when the step began, if it then passed through it, and else that on which it is. It must stay there at a height
//   C = side n . (p - sum b_i x_i) - target >= 0
// and not come nearer:
//   dC/dt = side n . (v - sum b_i v_i) >= 0
// Positions and velocities are corrected each for themselves, along n with the inverse masses as weights, which keep momentum, and
// with friction. A push out is thus no throw: velocities only lose what runs together, and no energy comes from pairs that are too
// near for another reason than their motion, as in a crumpled sheet (Bridson 2002 limits repulsion for the same reason). So the
// target is the height before the step, and what is missing to the thickness comes slowly.
// Points are sorted into cells; a triangle asks the cells that it may have met.
#include "elastic/pairs_parts.h"

#include "base/simd.h"
#include "elastic/place.h"
#include "mesh/closest.h"
#include "mesh/crossing.h"
#include <string.h>

enum { PAIR_PASSES = 4, GROUP = 16, NEAR_MOST = 256, CELLS_MOST = 8 * GROUP, POINT_GRAIN = 2048 };

static const double RECOVER = 0.02;  // [s] in which layers that are too near find their distance again
static const double NEAR_REST = 0.5; // of the distance at rest between parts of one body that may be used up

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
    void* arrays[] = {p->list, p->range, p->way};
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

static void begin_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Body* body = context;
    memcpy(body->began + begin, body->position + begin, (end - begin) * sizeof *body->began);
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
        parallel_for(set->pool, body->point_count, POINT_GRAIN, begin_block, body);
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

typedef struct PointJob {
    ElasticSet* set;
    uint32_t body;
    size_t first; // of its points among all
} PointJob;

// The longest way of a point of a block, squared.
static void measure_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const PointJob* job = context;
    const Body* body = &job->set->body[job->body];
    double far = 0;
    for (size_t i = begin; i < end; i++) {
        Vec3d d = vec3d_sub(body->position[body->skin[i]], body->began[body->skin[i]]);
        double square = vec3d_dot(d, d);
        far = square > far ? square : far;
    }
    job->set->pairs->way[block] = far;
}

// Cells are about as wide as triangles, so that a triangle asks few of them and finds few points in each.
static bool measure(ElasticSet* set, Pairs* p)
{
    double edge = 0, far = 0;
    for (uint32_t k = 0; k < set->body_count; k++) {
        const Body* body = &set->body[k];
        size_t blocks = block_count(body->skin_count, POINT_GRAIN);
        edge = fmax(edge, body->mean_edge);
        if (!memory_reserve(set->memory, &p->way, &p->way_capacity, 0, blocks + 1, sizeof *p->way))
            return false;
        parallel_for(set->pool, body->skin_count, POINT_GRAIN, measure_block, &(PointJob){set, k, 0});
        for (size_t i = 0; i < blocks; i++)
            far = fmax(far, p->way[i]);
    }
    p->farthest = sqrt(far);
    p->width = 1.5 * edge;
    return true;
}

static void put_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const PointJob* job = context;
    const Body* body = &job->set->body[job->body];
    for (size_t i = begin; i < end; i++)
        cells_put(&job->set->pairs->points, job->first + i, body->position[body->skin[i]]);
}

static void fill_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const ElasticSet* set = ((const PointJob*)context)->set;
    Cells* cells = &set->pairs->points;
    uint32_t k = 0;
    size_t first = 0, next = set->body[0].def.contact ? set->body[0].skin_count : 0;
    for (size_t i = begin; i < end; i++) {
        for (; cells->order[i] >= next; next += set->body[k].def.contact ? set->body[k].skin_count : 0) {
            first = next;
            k++;
        }
        for (; cells->order[i] < first; first -= set->body[k].def.contact ? set->body[k].skin_count : 0) {
            next = first;
            k--;
        }
        uint32_t point = set->body[k].skin[cells->order[i] - first];
        cells_fill(cells, i, k, point, set->body[k].position[point]);
    }
}

static bool sort_points(ElasticSet* set, Pairs* p)
{
    size_t count = 0;
    for (size_t k = 0; k < set->body_count; k++)
        count += set->body[k].def.contact ? set->body[k].skin_count : 0;
    cells_begin(&p->points, p->width);
    if (!cells_reserve(&p->points, count))
        return false;
    count = 0;
    for (uint32_t k = 0; k < set->body_count; k++) {
        if (!set->body[k].def.contact)
            continue;
        parallel_for(set->pool, set->body[k].skin_count, POINT_GRAIN, put_block, &(PointJob){set, k, count});
        count += set->body[k].skin_count;
    }
    cells_sort(&p->points);
    parallel_for(set->pool, count, POINT_GRAIN, fill_block, &(PointJob){.set = set});
    return true;
}

// --- points and triangles

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
// weights of place_over(), times nn, without a division.
static bool is_beside(const Body* body, uint32_t point, const Body* other, const uint32_t t[3])
{
    TwoPlaces o = places_of(other, t[0], NULL), a = places_of(other, t[1], &o), b = places_of(other, t[2], &o);
    TwoPlaces r = places_of(body, point, &o), n = two_cross(&a, &b), rb = two_cross(&r, &b), ar = two_cross(&a, &r);
    Two nn = two_dot(&n, &n), q = two_dot(&rb, &n), s = two_dot(&ar, &n), p = nn - q - s, least = -0.1 * nn;
    return (p[0] < least[0] && p[1] < least[1]) || (q[0] < least[0] && q[1] < least[1]) || (s[0] < least[0] && s[1] < least[1]);
}

// [m] Between the middles. In a mesh finer than the sheet is thick neighbours are nearer than the thickness.
static double gap_of(const Body* body, uint32_t point, const Body* other, const uint32_t t[3])
{
    double gap = 0.5 * (body->def.thickness + other->def.thickness);
    if (body != other)
        return gap;
    Vec3d p = body->rest[point];
    double apart = vec3d_distance(p, closest_on_triangle(p, body->rest[t[0]], body->rest[t[1]], body->rest[t[2]]));
    return fmin(gap, NEAR_REST * apart);
}

// Both go straight ahead during the step.
static bool passed(const Body* body, uint32_t point, const Body* other, const uint32_t t[3])
{
    Vec3d from[3], to[3];
    for (int k = 0; k < 3; k++) {
        from[k] = other->began[t[k]];
        to[k] = other->position[t[k]];
    }
    Crossing crossing[3];
    return crossing_find(from, to, body->began[point], body->position[point], crossing) % 2 == 1;
}

// Whether the point passed through the triangle, or is about to touch it; fills in how near it may come.
static bool meets(const ElasticSet* set, const Body* body, const Body* other, const uint32_t t[3], double dt, Pair* pair)
{
    uint32_t point = pair->item;
    Place after = place_over(other->position, t, body->position[point]);
    double thick = 0.5 * (body->def.thickness + other->def.thickness), height = fabs(after.height);
    if (height > thick + 2 * set->pairs->farthest)
        return false;
    bool through = passed(body, point, other, t);
    if (!through && (height > thick || !place_is_over(&after, 0.01)))
        return false;
    Place before = place_over(other->began, t, body->began[point]);
    pair->gap = gap_of(body, point, other, t);
    pair->side = (through ? before.height : after.height) < 0 ? -1 : 1;
    // heights over a place beside the triangle mean nothing
    double had = through || place_is_over(&before, 0.3) ? fmax(pair->side * before.height, 0) : height;
    had = fmin(had, pair->gap);
    pair->target = had + (pair->gap - had) * fmin(0.5, dt / RECOVER);
    return through || height < pair->gap;
}

static inline void look_at(ElasticSet* set, int worker, uint32_t from, uint32_t point, uint32_t other, uint32_t face, double dt)
{
    Body *body = &set->body[from], *b = &set->body[other];
    const uint32_t* t = b->face[face];
    if (from == other && (!b->def.self_contact || point == t[0] || point == t[1] || point == t[2]))
        return;
    Pair pair = {.body = from, .item = point, .other = other, .against = face};
    if (!is_beside(body, point, b, t) && meets(set, body, b, t, dt, &pair))
        pairs_note(set, worker, pair);
}

typedef struct FaceJob {
    ElasticSet* set;
    uint32_t body;
    size_t first_range;
    double dt;
} FaceJob;

typedef struct Reach { // where a face and what it may meet are
    Vec3d low, high;
} Reach;

static Reach reach_of(const ElasticSet* set, const Body* body, uint32_t face)
{
    const uint32_t* t = body->face[face];
    Vec3d low = body->position[t[0]], high = low;
    for (int k = 0; k < 3; k++) {
        low = vec3d_min(vec3d_min(low, body->position[t[k]]), body->began[t[k]]);
        high = vec3d_max(vec3d_max(high, body->position[t[k]]), body->began[t[k]]);
    }
    double reach = body->def.thickness + set->pairs->farthest;
    return (Reach){vec3d_sub(low, vec3d(reach, reach, reach)), vec3d_add(high, vec3d(reach, reach, reach))};
}

static bool is_within(Vec3d x, const Reach* r)
{
    // one in two is, and no jump can know
    return (x.x > r->low.x) & (x.x < r->high.x) & (x.y > r->low.y) & (x.y < r->high.y) & (x.z > r->low.z) & (x.z < r->high.z);
}

// Points in a box, cell by cell.
typedef struct Near {
    uint32_t count;
    uint32_t body[NEAR_MOST], item[NEAR_MOST];
    float x[NEAR_MOST + LANES], y[NEAR_MOST + LANES], z[NEAR_MOST + LANES]; // [m] from the middle of the box
} Near;

// False: there are too many.
static bool gather(const Cells* cells, const Reach* r, Near* near)
{
    CellBox box = cells_box(cells, r->low, r->high);
    near->count = 0;
    if (cells_in_box(&box) > CELLS_MOST)
        return false;
    Vec3d middle = vec3d_scale(vec3d_add(r->low, r->high), 0.5);
    for (int32_t z = box.low[2]; z <= box.high[2]; z++)
        for (int32_t y = box.low[1]; y <= box.high[1]; y++)
            for (int32_t x = box.low[0]; x <= box.high[0]; x++) {
                uint64_t key = cells_key(x, y, z);
                uint32_t slot = cells_slot(cells, key), end = cells->start[slot + 1];
                for (uint32_t k = cells->start[slot]; k < end; k++) {
                    const CellItem* item = &cells->item[k];
                    Vec3d at = vec3d_sub(item->at, middle);
                    near->body[near->count] = item->body;
                    near->item[near->count] = item->item;
                    near->x[near->count] = (float)at.x;
                    near->y[near->count] = (float)at.y;
                    near->z[near->count] = (float)at.z;
                    near->count += (unsigned)(item->key == key) & (unsigned)is_within(item->at, r);
                    if (near->count == NEAR_MOST)
                        return false;
                }
            }
    for (uint32_t k = near->count; k < near->count + LANES; k++) // whole eights are looked at
        near->x[k] = near->y[k] = near->z[k] = INFINITY;
    return true;
}

// A box in single precision, from the middle of another.
typedef struct NearBox {
    F8 low[3], high[3];
} NearBox;

// Those that are nearly in it count too.
static NearBox near_box(const Reach* r, const Reach* all)
{
    Vec3d middle = vec3d_scale(vec3d_add(all->low, all->high), 0.5), size = vec3d_sub(all->high, all->low);
    double more = 1e-6 * (size.x + size.y + size.z);
    Vec3d low = vec3d_sub(r->low, middle), high = vec3d_sub(r->high, middle);
    return (NearBox){{f8_set((float)(low.x - more)), f8_set((float)(low.y - more)), f8_set((float)(low.z - more))},
                     {f8_set((float)(high.x + more)), f8_set((float)(high.y + more)), f8_set((float)(high.z + more))}};
}

// Bit k: point n + k is in the box.
static inline unsigned in_box(const Near* near, uint32_t n, const NearBox* b)
{
    F8 x = f8_load(near->x + n), y = f8_load(near->y + n), z = f8_load(near->z + n);
    F8 in = f8_and(f8_less(b->low[0], x), f8_less(x, b->high[0]));
    in = f8_and(in, f8_and(f8_less(b->low[1], y), f8_less(y, b->high[1])));
    return f8_mask(f8_and(in, f8_and(f8_less(b->low[2], z), f8_less(z, b->high[2]))));
}

static void search_face(const FaceJob* job, int worker, uint32_t face, const Reach* r)
{
    ElasticSet* set = job->set;
    const Cells* cells = &set->pairs->points;
    CellBox box = cells_box(cells, r->low, r->high);
    if (cells_in_box(&box) > MOST_CELLS_OF_A_BOX)
        return; // a face that was torn apart is no surface any more
    for (int32_t z = box.low[2]; z <= box.high[2]; z++)
        for (int32_t y = box.low[1]; y <= box.high[1]; y++)
            for (int32_t x = box.low[0]; x <= box.high[0]; x++) {
                uint64_t key = cells_key(x, y, z);
                uint32_t slot = cells_slot(cells, key), end = cells->start[slot + 1];
                for (uint32_t k = cells->start[slot]; k < end; k++)
                    if (cells->item[k].key == key && is_within(cells->item[k].at, r))
                        look_at(set, worker, cells->item[k].body, cells->item[k].item, job->body, face, job->dt);
            }
}

// Faces that follow each other mostly are neighbours: they look at the cells around them together.
static void search_group(const FaceJob* job, int worker, uint32_t first, uint32_t count)
{
    ElasticSet* set = job->set;
    const Cells* cells = &set->pairs->points;
    Reach one[GROUP], all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t k = 0; k < count; k++) {
        one[k] = reach_of(set, &set->body[job->body], first + k);
        all = (Reach){vec3d_min(all.low, one[k].low), vec3d_max(all.high, one[k].high)};
    }
    Near near;
    bool together = gather(cells, &all, &near);
    for (uint32_t k = 0; k < count; k++) {
        if (!together) {
            search_face(job, worker, first + k, &one[k]);
            continue;
        }
        NearBox box = near_box(&one[k], &all);
        for (uint32_t n = 0; n < near.count; n += LANES)
            for (unsigned in = in_box(&near, n, &box); in; in &= in - 1) {
                uint32_t i = n + (uint32_t)__builtin_ctz(in);
                look_at(set, worker, near.body[i], near.item[i], job->body, first + k, job->dt);
            }
    }
}

static void search_faces(void* context, size_t begin, size_t end, size_t block, int worker)
{
    FaceJob* job = context;
    Pairs* p = job->set->pairs;
    size_t first = p->list[worker].count;
    for (size_t k = begin; k < end; k += GROUP)
        search_group(job, worker, (uint32_t)k, (uint32_t)(end - k < GROUP ? end - k : GROUP));
    p->range[job->first_range + block] = (BlockRange){worker, first, p->list[worker].count - first};
}

static bool find_points(ElasticSet* set, double dt)
{
    Pairs* p = set->pairs;
    for (size_t k = 0; k < set->body_count; k++) {
        size_t faces = set->body[k].face_count, blocks = block_count(faces, PAIR_GRAIN);
        if (!pairs_take_part(set, k))
            continue;
        if (!pairs_reserve_ranges(set, blocks))
            return false;
        FaceJob job = {set, (uint32_t)k, p->range_count, dt};
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

// Of shifts. A point of a volume that is put aside strains what is around it, and comes back with that energy: 1 mm takes a point
// of 1 g in 10 MPa away at 16 m/s. So it gives way as within an implicit step, and what it touches goes the rest of the way.
static double shift_mobility(const Body* body, uint32_t point, double dt)
{
    double mass = body->mass[point];
    double held = body->tet_count ? dt * dt * body->def.young * cbrt(mass / body->def.density) : 0;
    return body->pin_of[point] >= 0 ? 0 : 1 / (mass + held);
}

// A change along the unit normal, and against `slip`, which friction stops as far as it can.
static Vec3d push_of(const Touching* t, Vec3d normal, double along, Vec3d slip)
{
    slip = vec3d_mad(slip, -vec3d_dot(slip, normal), normal);
    double length = vec3d_length(slip), most = sqrt(t->body[0]->def.friction * t->body[3]->def.friction) * along;
    return vec3d_mad(vec3d_scale(normal, along), length > most ? -most / length : -1, slip);
}

// sum of weights times positions, velocities or ways
static Vec3d apart(const Touching* t, bool velocity)
{
    Vec3d sum = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        const Body* body = t->body[k];
        uint32_t i = t->point[k];
        sum = vec3d_mad(sum, t->weight[k], velocity ? body->velocity[i] : vec3d_sub(body->position[i], body->began[i]));
    }
    return sum;
}

static void push(const Touching* t, Vec3d normal, double depth, double dt)
{
    double sum = 0, shifts = 0;
    for (int k = 0; k < 4; k++) {
        sum += t->weight[k] * t->weight[k] * inverse_mass(t->body[k], t->point[k]);
        shifts += t->weight[k] * t->weight[k] * shift_mobility(t->body[k], t->point[k], dt);
    }
    if (!(sum > 0))
        return;
    Vec3d speed = apart(t, true);
    double closing = -vec3d_dot(speed, normal);
    Vec3d shift = depth > 0 ? push_of(t, normal, depth, apart(t, false)) : vec3d(0, 0, 0);
    Vec3d stop = closing > 0 ? push_of(t, normal, closing, speed) : vec3d(0, 0, 0);
    for (int k = 0; k < 4; k++) {
        Body* body = t->body[k];
        double share = t->weight[k] * inverse_mass(body, t->point[k]) / sum;
        double shifted = t->weight[k] * shift_mobility(body, t->point[k], dt) / shifts;
        body->position[t->point[k]] = vec3d_mad(body->position[t->point[k]], shifted, shift);
        body->velocity[t->point[k]] = vec3d_mad(body->velocity[t->point[k]], share, stop);
        body->jolted = true;
    }
}

static void resolve_point(ElasticSet* set, const Pair* pair, double dt)
{
    Body *body = &set->body[pair->body], *other = &set->body[pair->other];
    const uint32_t* t = other->face[pair->against];
    Place place = place_over(other->position, t, body->position[pair->item]);
    double height = pair->side * place.height, weight[3];
    if (!(height < pair->gap) || !place_is_over(&place, 0.3))
        return;
    Touching touching = {{body, other, other, other}, {pair->item, t[0], t[1], t[2]}, {1, 0, 0, 0}};
    place_clamp(&place, weight);
    for (int k = 0; k < 3; k++)
        touching.weight[k + 1] = -weight[k];
    push(&touching, vec3d_scale(place.normal, pair->side), pair->target - height, dt);
}

static void resolve_all(ElasticSet* set, double dt)
{
    const Pairs* p = set->pairs;
    for (size_t k = 0; k < p->range_count; k++)
        for (size_t i = 0; i < p->range[k].count; i++)
            resolve_point(set, &p->list[p->range[k].worker].pair[p->range[k].first + i], dt);
}

bool pairs_resolve(ElasticSet* set, double dt)
{
    Pairs* p = set->pairs;
    if (!p)
        return true;
    if (!measure(set, p))
        return false;
    for (int k = 0; k < p->lists; k++)
        p->list[k].count = 0;
    p->range_count = 0;
    for (size_t k = 0; k < set->body_count; k++)
        set->body[k].jolted = false;
    if (!sort_points(set, p) || !find_points(set, dt))
        return false;
    for (int k = 0; k < p->lists; k++)
        if (p->list[k].failed)
            return false;
    for (int pass = 0; pass < PAIR_PASSES; pass++)
        resolve_all(set, dt);
    return true;
}
