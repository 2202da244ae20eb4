// SPDX-License-Identifier: MIT
// A spike s of an obstacle and a face with the corners x_i. The face keeps the spike on its side, in the height
//   side n . (s - sum b_i x_i) >= target
// and is not met at a speed: positions and velocities are corrected each for themselves, as between deformable surfaces (pairs.c).
// A push moves the corners and gives them no velocity; velocities only lose what runs together, in an impact without rebound
// between the corners and the obstacle, each with its own inertia, and with friction. So pushes give no energy, and momentum is
// kept.
//
// Which side: that from which the spike came if it passed through the face within a substep, by the ways of both; else that on
// which it is. If the place of the face that it is over lies within the solid, the face was run through before, by a push that was
// not enough: then it is the other side, so that it comes out again.
#include "elastic/pokes.h"

#include "elastic/contact.h"
#include "elastic/obstacle.h"
#include "elastic/place.h"
#include "mesh/closest.h"
#include "mesh/crossing.h"
#include "mesh/inside.h"
#include <string.h>

enum { FACE_GRAIN = 512, MOST_CELLS = 100000 };

static const double RECOVER = 0.02; // [s] in which what is too near finds its distance again
static const double HELD = -0.1;    // cosine between a push and the normal of a solid behind that stops it
static const double FAR = 3;        // a corner goes at most so many times as far as the place that is pushed

typedef struct PokeList { // of one worker
    Poke* poke;
    size_t count, capacity;
    bool failed; // out of memory
} PokeList;

typedef struct PokeRange { // of one block
    int worker;
    size_t first, count;
} PokeRange;

struct PokeSearch {
    PokeList* list; // per worker
    int lists;
    PokeRange* range; // per block of faces
    size_t range_capacity;
    double* most; // scratch (blocks of faces, then of points)
    size_t most_capacity;
};
typedef struct PokeSearch PokeSearch;

typedef struct Hunt {
    ElasticSet* set;
    Body* body;
    const Obstacle* obstacle;
    uint32_t index; // of the obstacle
    PokeSearch* search;
    float* blunt; // (points) [m]
    double moved; // [m] by the obstacle since the last search
    double way;   // [m] that points and the obstacle go in the step, at most
    double reach; // [m] how far spikes and faces may be apart that meet in the step
    double need;  // [m] the same for spikes and corners
    double dt;
} Hunt;

// --- storage

void pokes_free(ElasticSet* set)
{
    PokeSearch* s = set->poking;
    for (size_t k = 0; k < set->obstacle_count; k++)
        spikes_free(&set->obstacle[k].spikes);
    if (!s)
        return;
    for (int k = 0; k < s->lists && s->list; k++)
        memory_give(set->memory, s->list[k].poke);
    memory_give(set->memory, s->list);
    memory_give(set->memory, s->range);
    memory_give(set->memory, s->most);
    memory_give(set->memory, s);
    set->poking = NULL;
}

static bool create(ElasticSet* set)
{
    PokeSearch* s = memory_take(set->memory, sizeof *s);
    if (!s)
        return false;
    *s = (PokeSearch){.lists = pool_threads(set->pool)};
    set->poking = s;
    s->list = memory_take(set->memory, (size_t)s->lists * sizeof *s->list);
    if (!s->list)
        return false;
    memset(s->list, 0, (size_t)s->lists * sizeof *s->list);
    return true;
}

static bool reserve(ElasticSet* set, const Body* body)
{
    if (!set->poking && !create(set))
        return false;
    PokeSearch* s = set->poking;
    size_t faces = block_count(body->face_count, FACE_GRAIN), points = block_count(body->point_count, FACE_GRAIN);
    return memory_reserve(set->memory, &s->range, &s->range_capacity, 0, faces + 1, sizeof *s->range) &&
           memory_reserve(set->memory, &s->most, &s->most_capacity, 0, faces + points + 1, sizeof *s->most);
}

// --- spikes, once

// What is sharp for the coarsest of the bodies.
static bool find_spikes(ElasticSet* set, Obstacle* o)
{
    SpikeRule rule = {.closed = o->def.closed, .container = o->def.container, .depth = (double)INFINITY};
    for (size_t k = 0; k < set->body_count; k++) {
        const Body* body = &set->body[k];
        if (!body->def.contact)
            continue;
        rule.edge = fmax(rule.edge, 1.5 * body->mean_edge);
        rule.depth = fmin(rule.depth, 0.5 * body->def.thickness + o->def.thickness);
    }
    return spikes_find(&o->spikes, o->def.mesh, &rule);
}

static bool any_spikes(ElasticSet* set, bool* any)
{
    *any = false;
    for (size_t k = 0; k < set->obstacle_count; k++) {
        Obstacle* o = &set->obstacle[k];
        if (!o->spikes.ready && !find_spikes(set, o))
            return false;
        *any = *any || o->spikes.count > 0;
    }
    return true;
}

// --- what is near

// The longest edge of a block of faces, squared.
static void measure_faces(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Hunt* hunt = context;
    const Vec3d* x = hunt->body->position;
    double most = 0;
    for (size_t k = begin; k < end; k++) {
        const uint32_t* t = hunt->body->face[k];
        for (int c = 0; c < 3; c++) {
            Vec3d d = vec3d_sub(x[t[c]], x[t[(c + 1) % 3]]);
            double square = vec3d_dot(d, d);
            most = square > most ? square : most;
        }
    }
    hunt->search->most[block] = most;
}

// The fastest of a block of points, squared.
static void measure_points(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Hunt* hunt = context;
    const Vec3d* v = hunt->body->velocity;
    double most = 0;
    for (size_t k = begin; k < end; k++) {
        double square = vec3d_dot(v[k], v[k]);
        most = square > most ? square : most;
    }
    hunt->search->most[block] = most;
}

static double greatest(const double* of, size_t count)
{
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, of[k]);
    return sqrt(most);
}

static void update_points(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Hunt* hunt = context;
    const Obstacle* o = hunt->obstacle;
    const Body* body = hunt->body;
    for (size_t i = begin; i < end; i++) {
        Vec3d x = body->position[i];
        double clear = (double)hunt->blunt[i] - 1.001 * (hunt->moved + vec3d_distance(x, body->seen[i])) - 1e-6 * hunt->need;
        if (clear <= hunt->need) {
            Vec3d p = quat_unrotate(o->from.rotation, vec3d_sub(x, o->from.position));
            double aside = vec3d_distance(p, o->def.bound_centre) - o->def.bound_radius;
            clear = aside > hunt->need ? aside : spikes_clear(&o->spikes, p, hunt->need);
        }
        hunt->blunt[i] = (float)clear;
    }
}

// --- pokes of a face

static Vec3d place_on(const mn_Pose* pose, Vec3d at)
{
    return vec3d_add(quat_rotate(pose->rotation, at), pose->position);
}

// A corner that is held where the solid is cannot be pushed off it, and should not: a cloth that is tied to it.
static bool is_tied(const Hunt* hunt, const uint32_t t[3], double gap)
{
    const Obstacle* o = hunt->obstacle;
    for (int c = 0; c < 3; c++) {
        if (hunt->body->pin_of[t[c]] < 0)
            continue;
        Vec3d p = quat_unrotate(o->from.rotation, vec3d_sub(hunt->body->position[t[c]], o->from.position));
        if (inside_distance(o->def.test, p, 2 * gap, NULL, NULL) < 2 * gap ||
            (o->def.closed && inside_contains(o->def.test, p) != o->def.container))
            return true;
    }
    return false;
}

// Whether the face has been run through where the spike is over it. `*other`: yes, but by another side of the solid.
static bool is_through(const Obstacle* o, Quat rotation, const Poke* poke, const Place* place, bool* other)
{
    double height = fabs(place->height);
    *other = false;
    if (!o->def.closed || height > 4 * poke->gap)
        return false;
    Vec3d foot = vec3d_mad(o->spikes.at[poke->spike], -place->height, quat_unrotate(rotation, place->normal));
    // a little inwards: straight over an edge it would be on a face
    Vec3d p = vec3d_mad(foot, -0.25 * height, o->spikes.out[poke->spike]);
    if (inside_contains(o->def.test, p) == o->def.container)
        return false;
    *other = inside_distance(o->def.test, p, height, NULL, NULL) < 0.5 * height;
    return true;
}

// The side of a spike that is over the face. False: what is there is not its business.
static bool take_side(const Obstacle* o, Quat rotation, Poke* poke, const Place* place)
{
    bool other, through = is_through(o, rotation, poke, place, &other);
    if (other)
        return false;
    poke->side = (place->height < 0) != through ? -1 : 1;
    poke->had = fmin(poke->gap, poke->side * place->height);
    return true;
}

static void look_at(const Hunt* hunt, PokeList* list, uint32_t face, uint32_t spike, double gap)
{
    const Obstacle* o = hunt->obstacle;
    const Body* body = hunt->body;
    const uint32_t* t = body->face[face];
    Poke poke = {.obstacle = hunt->index,
                 .spike = spike,
                 .face = face,
                 .at = place_on(&o->from, o->spikes.at[spike]),
                 .gap = gap,
                 .had = gap,
                 .friction = sqrt(body->def.friction * o->def.friction)};
    Vec3d velocity = vec3d_scale(vec3d_sub(place_on(&o->to, o->spikes.at[spike]), poke.at), 1 / hunt->dt);
    double speed = 0;
    for (int c = 0; c < 3; c++)
        speed = fmax(speed, vec3d_distance(velocity, body->velocity[t[c]]));
    // they may become faster, with what is as fast already
    double reach = fmin(hunt->reach, gap + 1.5 * speed * hunt->dt + 0.25 * hunt->way + 0.05 * hunt->set->length);
    Vec3d near = closest_on_triangle(poke.at, body->position[t[0]], body->position[t[1]], body->position[t[2]]);
    if (vec3d_distance(near, poke.at) > reach)
        return;
    Place place = place_over(body->position, t, poke.at);
    if (place_is_over(&place, 0.01) && !take_side(o, o->from.rotation, &poke, &place))
        return;
    if (!memory_reserve(hunt->set->memory, &list->poke, &list->capacity, list->count, list->count + 1, sizeof *list->poke))
        list->failed = true;
    else
        list->poke[list->count++] = poke;
}

static void search_face(const Hunt* hunt, PokeList* list, uint32_t face)
{
    const Obstacle* o = hunt->obstacle;
    const Body* body = hunt->body;
    const Cells* cells = &o->spikes.cells;
    const uint32_t* t = body->face[face];
    double gap = 0.5 * body->def.thickness + o->def.thickness;
    Vec3d low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int c = 0; c < 3; c++) {
        Vec3d p = quat_unrotate(o->from.rotation, vec3d_sub(body->position[t[c]], o->from.position));
        low = vec3d_min(low, p);
        high = vec3d_max(high, p);
    }
    Vec3d reach = {hunt->reach, hunt->reach, hunt->reach};
    CellBox box = cells_box(cells, vec3d_sub(low, reach), vec3d_add(high, reach));
    if (cells_in_box(&box) > MOST_CELLS || is_tied(hunt, t, gap))
        return; // a face that was torn apart is no surface any more
    for (int32_t k = box.low[2]; k <= box.high[2]; k++)
        for (int32_t j = box.low[1]; j <= box.high[1]; j++)
            for (int32_t i = box.low[0]; i <= box.high[0]; i++) {
                uint64_t key = cells_key(i, j, k);
                uint32_t slot = cells_slot(cells, key), end = cells->start[slot + 1];
                for (uint32_t n = cells->start[slot]; n < end; n++)
                    if (cells->item[n].key == key)
                        look_at(hunt, list, face, cells->item[n].item, gap);
            }
}

static void search_faces(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Hunt* hunt = context;
    PokeList* list = &hunt->search->list[worker];
    size_t first = list->count;
    float need = (float)hunt->need;
    for (size_t k = begin; k < end; k++) {
        const uint32_t* t = hunt->body->face[k];
        if (hunt->blunt[t[0]] <= need && hunt->blunt[t[1]] <= need && hunt->blunt[t[2]] <= need)
            search_face(hunt, list, (uint32_t)k);
    }
    hunt->search->range[block] = (PokeRange){worker, first, list->count - first};
}

// In the order of faces, whoever found them.
static bool take_pokes(const Hunt* hunt)
{
    Body* body = hunt->body;
    const PokeSearch* s = hunt->search;
    for (int k = 0; k < s->lists; k++)
        if (s->list[k].failed)
            return false;
    for (size_t k = 0; k < block_count(body->face_count, FACE_GRAIN); k++) {
        const PokeRange* r = &s->range[k];
        if (r->count == 0)
            continue;
        if (!memory_reserve(hunt->set->memory, &body->poke, &body->poke_capacity, body->poke_count, body->poke_count + r->count,
                            sizeof *body->poke))
            return false;
        memcpy(body->poke + body->poke_count, s->list[r->worker].poke + r->first, r->count * sizeof *body->poke);
        body->poke_count += r->count;
    }
    return true;
}

static bool hunt_for(Hunt* hunt)
{
    ElasticSet* set = hunt->set;
    const Body* body = hunt->body;
    for (int k = 0; k < hunt->search->lists; k++) {
        hunt->search->list[k].count = 0;
        hunt->search->list[k].failed = false;
    }
    parallel_for(set->pool, body->point_count, FACE_GRAIN, update_points, hunt);
    parallel_for(set->pool, body->face_count, FACE_GRAIN, search_faces, hunt);
    return take_pokes(hunt);
}

bool pokes_find(ElasticSet* set, Body* body, double dt)
{
    bool any;
    if (!any_spikes(set, &any))
        return false;
    if (!any)
        return true;
    if (!reserve(set, body))
        return false;
    Hunt hunt = {.set = set, .body = body, .search = set->poking, .dt = dt};
    parallel_for(set->pool, body->face_count, FACE_GRAIN, measure_faces, &hunt);
    double edge = greatest(set->poking->most, block_count(body->face_count, FACE_GRAIN));
    parallel_for(set->pool, body->point_count, FACE_GRAIN, measure_points, &hunt);
    double speed = greatest(set->poking->most, block_count(body->point_count, FACE_GRAIN));
    for (uint32_t k = 0; k < set->obstacle_count; k++) {
        const Obstacle* o = &set->obstacle[k];
        if (o->spikes.count == 0)
            continue;
        hunt.obstacle = o;
        hunt.index = k;
        hunt.blunt = body->blunt + k * body->point_count;
        hunt.moved = obstacle_way(&o->def, &o->seen, &o->from);
        hunt.way = speed * dt + obstacle_way(&o->def, &o->from, &o->to) + 2 * dt * dt * vec3d_length(set->gravity);
        hunt.reach = 0.5 * body->def.thickness + o->def.thickness + 2 * hunt.way + 0.05 * set->length;
        hunt.need = hunt.reach + edge;
        if (!hunt_for(&hunt))
            return false;
    }
    return true;
}

// --- pushes

typedef struct Above { // where a point is over a triangle, without roots and divisions
    double square;     // of the normal's length
    double height;     // times that length
    double weight[3];  // times the square
} Above;

static Above above_of(const Vec3d x[3], Vec3d p)
{
    Vec3d a = vec3d_sub(x[1], x[0]), b = vec3d_sub(x[2], x[0]), r = vec3d_sub(p, x[0]), n = vec3d_cross(a, b);
    Above above = {.square = vec3d_dot(n, n), .height = vec3d_dot(n, r)};
    above.weight[1] = vec3d_dot(vec3d_cross(r, b), n);
    above.weight[2] = vec3d_dot(vec3d_cross(a, r), n);
    above.weight[0] = above.square - above.weight[1] - above.weight[2];
    return above;
}

static bool is_over(const Above* a, double margin)
{
    double most = -margin * a->square;
    return a->weight[0] > most && a->weight[1] > most && a->weight[2] > most;
}

static double height_before(const Vec3d x[3], Vec3d p)
{
    return vec3d_dot(vec3d_cross(vec3d_sub(x[1], x[0]), vec3d_sub(x[2], x[0])), vec3d_sub(p, x[0]));
}

// +1 or -1: the way along the face's normal on which the spike passed through it; 0: it did not
static int passed(const Vec3d before[3], const Vec3d x[3], Vec3d from, Vec3d to)
{
    Crossing crossing[3] = {0};
    return crossing_find(before, x, from, to, crossing) % 2 ? crossing[0].way : 0;
}

void poke_watch(const ElasticSet* set, Poke* poke, const Vec3d before[3], const Vec3d x[3])
{
    static const uint32_t corner[3] = {0, 1, 2};
    const Obstacle* o = &set->obstacle[poke->obstacle];
    Vec3d from = poke->at, to = place_on(&o->now, o->spikes.at[poke->spike]);
    poke->at = to;
    Above now = above_of(x, to);
    double was = height_before(before, from);
    int way = (was < 0) != (now.height < 0) ? passed(before, x, from, to) : 0;
    bool over = is_over(&now, 0.01);
    if (poke->side == 0 && way != 0) {
        Place place = place_over(before, corner, from);
        poke->side = -way;
        poke->had = fmin(poke->gap, fabs(place.height));
    } else if (poke->side == 0 && over) {
        Place place = place_over(x, corner, to);
        over = take_side(o, o->now.rotation, poke, &place);
    } else if (way == 0 && !over && !is_over(&now, 0.3)) {
        poke->side = 0; // beside it
    }
    double near = 2 * poke->gap, height = poke->side * now.height; // pushes on others may bring it nearer yet
    poke->met = way != 0 || (over && (height < 0 || height * height < near * near * now.square));
}

// A corner is not pushed into what it touches: solids keep each other apart themselves, and touches would throw it back.
static bool is_held(const Body* body, uint32_t point, Vec3d x, Vec3d along, double near, double t)
{
    for (uint32_t k = body->slot[point].next; k != TOUCH_NONE; k = body->touch[k].next) {
        const Touch* touch = &body->touch[k];
        if (vec3d_dot(touch->normal, along) < HELD && touch_depth(touch, x, t) > -near)
            return true;
    }
    return false;
}

typedef struct Grip {  // how the face gives way
    double weight[3];  // of the corners
    double inverse[3]; // [1/kg] 0: held
    double sum;        // [1/kg] of the place that is pushed
    double share;      // [1] of a push that it takes: a corner that holds little of it alone does not go far for it
} Grip;

static Grip grip_of(const Body* body, const PokeFace* face, const Place* place, Vec3d away, double near, double t)
{
    Grip grip = {.share = 1};
    double far = 0;
    place_clamp(place, grip.weight);
    for (int c = 0; c < 3; c++) {
        grip.inverse[c] = is_held(body, face->point[c], face->x[c], away, near, t) ? 0 : face->inverse[c];
        grip.sum += grip.weight[c] * grip.weight[c] * grip.inverse[c];
        far = fmax(far, grip.weight[c] * grip.inverse[c]);
    }
    if (far > FAR * grip.sum)
        grip.share = FAR * grip.sum / far;
    return grip;
}

// An impact without rebound, with friction.
static void stop(Obstacle* o, Vec3d at, PokeFace* face, const Grip* grip, Vec3d away, double friction)
{
    Vec3d arm = vec3d_sub(at, o->centre), speed = obstacle_velocity(o, arm); // against the face
    for (int c = 0; c < 3; c++)
        speed = vec3d_mad(speed, -grip->weight[c], face->velocity[c]);
    double closing = vec3d_dot(speed, away);
    if (!(closing > 0))
        return;
    double along = grip->share * closing / (grip->sum + obstacle_ease(o, arm, away));
    Vec3d slip = vec3d_mad(speed, -closing, away), impulse = vec3d_scale(away, along);
    double length = vec3d_length(slip);
    if (length > 0) {
        Vec3d direction = vec3d_scale(slip, 1 / length);
        double most = grip->share * length / (grip->sum + obstacle_ease(o, arm, direction));
        impulse = vec3d_mad(impulse, fmin(most, friction * along), direction);
    }
    for (int c = 0; c < 3; c++)
        face->velocity[c] = vec3d_mad(face->velocity[c], grip->weight[c] * grip->inverse[c], impulse);
    obstacle_hit(o, at, vec3d_scale(impulse, -1), 0);
}

bool poke_solve(ElasticSet* set, const Body* body, const Poke* poke, PokeFace* face, double t)
{
    static const uint32_t corner[3] = {0, 1, 2};
    if (!poke->met)
        return false;
    Place place = place_over(face->x, corner, poke->at);
    if (!place_is_over(&place, 0.3))
        return false;
    double target = poke->had + (poke->gap - poke->had) * fmin(1, t / RECOVER), depth = target - poke->side * place.height;
    if (!(depth > 0))
        return false;
    Vec3d away = vec3d_scale(place.normal, -poke->side);
    Grip grip = grip_of(body, face, &place, away, FAR * depth + 2 * poke->gap, t);
    if (!(grip.sum > 0))
        return false;
    for (int c = 0; c < 3; c++)
        face->x[c] = vec3d_mad(face->x[c], grip.share * depth * grip.weight[c] * grip.inverse[c] / grip.sum, away);
    stop(&set->obstacle[poke->obstacle], poke->at, face, &grip, away, poke->friction);
    return true;
}
