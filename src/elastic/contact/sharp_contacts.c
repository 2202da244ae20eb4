// SPDX-License-Identifier: MIT
// A sharp feature s of an obstacle and a face with the corners x_i. The face keeps the feature on its side, in the height
//   side n . (s - sum b_i x_i) >= target
// and is not met at a speed, as two deformable surfaces (pair.c); the obstacle takes part with its own inertia.
//
// Which side: that from which the feature came if it passed through the face within a substep, by the paths of both; else that on
// which it is. If the place of the face that it is over lies within the solid, the face was run through before, by a push that was
// not enough: then it is the other side, so that it comes out again.
#include "elastic/contact/sharp_contacts.h"

#include "elastic/contact/hard_contacts.h"
#include "elastic/contact/pair.h"
#include "elastic/place.h"
#include "mesh/closest.h"
#include "mesh/crossing.h"
#include "mesh/inside.h"
#include <string.h>

enum { FACE_GRAIN = 512, WATCH_GRAIN = 512, MOST_CELLS = 100000 };

static const double HELD = -0.1; // cosine between a push and the normal of a solid behind that stops it
static const double FAR = 3;     // a corner goes at most so many times as far as the place that is pushed

typedef struct SharpList { // of one worker
    SharpContact* contact;
    size_t count, capacity;
    bool failed; // out of memory
} SharpList;

typedef struct SharpRange { // of one block
    int worker;
    size_t first, count;
} SharpRange;

struct SharpSearch {
    SharpList* list; // per worker
    int lists;
    SharpRange* range; // per block of faces
    size_t range_capacity;
    double* most; // scratch (blocks of faces, then of points)
    size_t most_capacity;
};
typedef struct SharpSearch SharpSearch;

typedef struct Hunt {
    ElasticSet* set;
    Body* body;
    const Obstacle* obstacle;
    uint32_t index; // of the obstacle
    SharpSearch* search;
    float* sharp_clear; // (points) [m]
    double moved;       // [m] by the obstacle since the last search
    double path;        // [m] that points and the obstacle go in the step, at most
    double reach;       // [m] how far features and faces may be apart that meet in the step
    double need;        // [m] the same for features and corners
    double dt;
} Hunt;

// --- storage

void sharp_contacts_free(ElasticSet* set)
{
    SharpSearch* s = set->sharp_search;
    for (size_t k = 0; k < set->obstacle_count; k++)
        sharp_features_free(&set->obstacle[k].sharp);
    if (!s)
        return;
    for (int k = 0; k < s->lists && s->list; k++)
        memory_give(set->memory, s->list[k].contact);
    memory_give(set->memory, s->list);
    memory_give(set->memory, s->range);
    memory_give(set->memory, s->most);
    memory_give(set->memory, s);
    set->sharp_search = NULL;
}

static bool create(ElasticSet* set)
{
    SharpSearch* s = memory_take(set->memory, sizeof *s);
    if (!s)
        return false;
    *s = (SharpSearch){.lists = pool_threads(set->pool)};
    set->sharp_search = s;
    s->list = memory_take(set->memory, (size_t)s->lists * sizeof *s->list);
    if (!s->list)
        return false;
    memset(s->list, 0, (size_t)s->lists * sizeof *s->list);
    return true;
}

static bool reserve(ElasticSet* set, const Body* body)
{
    if (!set->sharp_search && !create(set))
        return false;
    SharpSearch* s = set->sharp_search;
    size_t faces = block_count(body->skin.face_count, FACE_GRAIN), points = block_count(body->point_count, FACE_GRAIN);
    return memory_reserve(set->memory, &s->range, &s->range_capacity, 0, faces + 1, sizeof *s->range) &&
           memory_reserve(set->memory, &s->most, &s->most_capacity, 0, faces + points + 1, sizeof *s->most);
}

// --- features, once

// What is sharp for the coarsest of the bodies, as they were built: a run that goes on with broken ones finds the same.
static bool find_features(ElasticSet* set, Obstacle* o)
{
    SharpRule rule = {.closed = o->def.closed, .container = o->def.container, .depth = (double)INFINITY};
    for (size_t k = 0; k < set->body_count; k++) {
        const Body* body = &set->body[k];
        if (!body->def.contact)
            continue;
        rule.edge = fmax(rule.edge, 1.5 * body->skin.built_edge);
        rule.depth = fmin(rule.depth, 0.5 * body->def.thickness + o->def.thickness);
    }
    return sharp_features_find(&o->sharp, o->def.mesh, &rule);
}

static bool any_features(ElasticSet* set, bool* any)
{
    *any = false;
    for (size_t k = 0; k < set->obstacle_count; k++) {
        Obstacle* o = &set->obstacle[k];
        if (!o->sharp.ready && !find_features(set, o))
            return false;
        *any = *any || o->sharp.count > 0;
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
        const uint32_t* t = hunt->body->skin.face[k];
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
        double clear =
            (double)hunt->sharp_clear[i] - 1.001 * (hunt->moved + vec3d_distance(x, body->obstacles.seen[i])) - 1e-6 * hunt->need;
        if (clear <= hunt->need) {
            Vec3d p = quat_unrotate(o->from.rotation, vec3d_sub(x, o->from.position));
            double aside = vec3d_distance(p, o->def.bound_centre) - o->def.bound_radius;
            clear = aside > hunt->need ? aside : sharp_features_clear(&o->sharp, p, hunt->need);
        }
        hunt->sharp_clear[i] = (float)clear;
    }
}

// --- contacts of a face

static Vec3d place_on(const mn_Pose* pose, Vec3d at)
{
    return vec3d_add(quat_rotate(pose->rotation, at), pose->position);
}

Vec3d sharp_contact_end(const ElasticSet* set, const SharpContact* contact)
{
    const Obstacle* o = &set->obstacle[contact->obstacle];
    return place_on(&o->to, o->sharp.at[contact->feature]);
}

// A corner that is held where the solid is cannot be pushed off it, and should not: a cloth that is tied to it.
static bool is_tied(const Hunt* hunt, const uint32_t t[3], double gap)
{
    const Obstacle* o = hunt->obstacle;
    for (int c = 0; c < 3; c++) {
        if (hunt->body->pins.of[t[c]] < 0)
            continue;
        Vec3d p = quat_unrotate(o->from.rotation, vec3d_sub(hunt->body->position[t[c]], o->from.position));
        if (inside_distance(o->def.test, p, 2 * gap, NULL, NULL) < 2 * gap ||
            (o->def.closed && inside_contains(o->def.test, p) != o->def.container))
            return true;
    }
    return false;
}

// Whether the face has been run through where the feature is over it. `*other`: yes, but by another side of the solid.
static bool is_through(const Obstacle* o, Quat rotation, const SharpContact* contact, const Place* place, bool* other)
{
    double height = fabs(place->height);
    *other = false;
    if (!o->def.closed || height > 4 * contact->gap)
        return false;
    Vec3d foot = vec3d_mad(o->sharp.at[contact->feature], -place->height, quat_unrotate(rotation, place->normal));
    // a little inwards: straight over an edge it would be on a face
    Vec3d p = vec3d_mad(foot, -0.25 * height, o->sharp.out[contact->feature]);
    if (inside_contains(o->def.test, p) == o->def.container)
        return false;
    *other = inside_distance(o->def.test, p, height, NULL, NULL) < 0.5 * height;
    return true;
}

// The side of a feature that is over the face. False: what is there is not its business.
static bool take_side(const Obstacle* o, Quat rotation, SharpContact* contact, const Place* place)
{
    bool other, through = is_through(o, rotation, contact, place, &other);
    if (other)
        return false;
    contact->side = (place->height < 0) != through ? -1 : 1;
    contact->had = fmin(contact->gap, contact->side * place->height);
    return true;
}

static void look_at(const Hunt* hunt, SharpList* list, uint32_t face, uint32_t feature, double gap)
{
    const Obstacle* o = hunt->obstacle;
    const Body* body = hunt->body;
    const uint32_t* t = body->skin.face[face];
    SharpContact contact = {.obstacle = hunt->index,
                            .feature = feature,
                            .face = face,
                            .at = place_on(&o->from, o->sharp.at[feature]),
                            .gap = gap,
                            .had = gap,
                            .friction = sqrt(body->def.friction * o->def.friction)};
    Vec3d velocity = vec3d_scale(vec3d_sub(place_on(&o->to, o->sharp.at[feature]), contact.at), 1 / hunt->dt);
    double speed = 0;
    for (int c = 0; c < 3; c++)
        speed = fmax(speed, vec3d_distance(velocity, body->velocity[t[c]]));
    // they may become faster, with what is as fast already
    double reach = fmin(hunt->reach, gap + 1.5 * speed * hunt->dt + 0.25 * hunt->path + 0.05 * hunt->set->length);
    Vec3d near = closest_on_triangle(contact.at, body->position[t[0]], body->position[t[1]], body->position[t[2]]);
    if (vec3d_distance(near, contact.at) > reach)
        return;
    Place place = place_over(body->position, t, contact.at);
    if (body->tet_count > 0) {
        // outside is outside: a face that the feature is behind does not see it
        if (!(place.height > -gap))
            return;
        contact.side = 1;
        contact.had = fmin(gap, fmax(place.height, 0));
    } else if (place_is_over(&place, 0.01) && !take_side(o, o->from.rotation, &contact, &place))
        return;
    if (!memory_reserve(hunt->set->memory, &list->contact, &list->capacity, list->count, list->count + 1, sizeof *list->contact))
        list->failed = true;
    else
        list->contact[list->count++] = contact;
}

static void search_face(const Hunt* hunt, SharpList* list, uint32_t face)
{
    const Obstacle* o = hunt->obstacle;
    const Body* body = hunt->body;
    const Cells* cells = &o->sharp.cells;
    const uint32_t* t = body->skin.face[face];
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
    SharpList* list = &hunt->search->list[worker];
    size_t first = list->count;
    float need = (float)hunt->need;
    for (size_t k = begin; k < end; k++) {
        const uint32_t* t = hunt->body->skin.face[k];
        if (hunt->sharp_clear[t[0]] <= need && hunt->sharp_clear[t[1]] <= need && hunt->sharp_clear[t[2]] <= need)
            search_face(hunt, list, (uint32_t)k);
    }
    hunt->search->range[block] = (SharpRange){worker, first, list->count - first};
}

// In the order of faces, whoever found them.
static bool take_contacts(const Hunt* hunt)
{
    Body* body = hunt->body;
    const SharpSearch* s = hunt->search;
    for (int k = 0; k < s->lists; k++)
        if (s->list[k].failed)
            return false;
    for (size_t k = 0; k < block_count(body->skin.face_count, FACE_GRAIN); k++) {
        const SharpRange* r = &s->range[k];
        if (r->count == 0)
            continue;
        if (!memory_reserve(hunt->set->memory, &body->obstacles.sharp, &body->obstacles.sharp_capacity, body->obstacles.sharp_count,
                            body->obstacles.sharp_count + r->count, sizeof *body->obstacles.sharp))
            return false;
        memcpy(body->obstacles.sharp + body->obstacles.sharp_count, s->list[r->worker].contact + r->first,
               r->count * sizeof *body->obstacles.sharp);
        body->obstacles.sharp_count += r->count;
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
    parallel_for(set->pool, body->skin.face_count, FACE_GRAIN, search_faces, hunt);
    return take_contacts(hunt);
}

bool sharp_contacts_find(ElasticSet* set, Body* body, double dt)
{
    bool any;
    if (!any_features(set, &any))
        return false;
    if (!any)
        return true;
    if (!reserve(set, body))
        return false;
    Hunt hunt = {.set = set, .body = body, .search = set->sharp_search, .dt = dt};
    parallel_for(set->pool, body->skin.face_count, FACE_GRAIN, measure_faces, &hunt);
    double edge = greatest(set->sharp_search->most, block_count(body->skin.face_count, FACE_GRAIN));
    parallel_for(set->pool, body->point_count, FACE_GRAIN, measure_points, &hunt);
    double speed = greatest(set->sharp_search->most, block_count(body->point_count, FACE_GRAIN));
    for (uint32_t k = 0; k < set->obstacle_count; k++) {
        const Obstacle* o = &set->obstacle[k];
        if (o->sharp.count == 0)
            continue;
        hunt.obstacle = o;
        hunt.index = k;
        hunt.sharp_clear = body->obstacles.sharp_clear + k * body->point_count;
        hunt.moved = obstacle_path(&o->def, &o->seen, &o->from);
        hunt.path = speed * dt + obstacle_path(&o->def, &o->from, &o->to) + 2 * dt * dt * vec3d_length(set->gravity);
        hunt.reach = 0.5 * body->def.thickness + o->def.thickness + 2 * hunt.path + 0.05 * set->length;
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

// +1 or -1: along the face's normal or against it the feature passed through it; 0: it did not
static int passed(const Vec3d before[3], const Vec3d x[3], Vec3d from, Vec3d to)
{
    Crossing crossing[3] = {0};
    return crossing_find(before, x, from, to, crossing) % 2 ? crossing[0].direction : 0;
}

// The corners of the feature's face went from `before` to `x` in the last substep: finds out on which side of it the feature has to
// be, and whether they may have met. For all contacts before the first is solved: shifts are no paths.
static void watch(const ElasticSet* set, const Body* body, SharpContact* contact, const Vec3d before[3], const Vec3d x[3])
{
    static const uint32_t corner[3] = {0, 1, 2};
    const Obstacle* o = &set->obstacle[contact->obstacle];
    Vec3d from = contact->at, to = place_on(&o->now, o->sharp.at[contact->feature]);
    contact->at = to;
    Above now = above_of(x, to);
    double was = height_before(before, from);
    int crossed = (was < 0) != (now.height < 0) ? passed(before, x, from, to) : 0;
    bool over = is_over(&now, 0.01);
    if (body->tet_count > 0) {
        contact->side = 1; // outside
    } else if (contact->side == 0 && crossed != 0) {
        Place place = place_over(before, corner, from);
        contact->side = -crossed;
        contact->had = fmin(contact->gap, fabs(place.height));
    } else if (contact->side == 0 && over) {
        Place place = place_over(x, corner, to);
        over = take_side(o, o->now.rotation, contact, &place);
    } else if (crossed == 0 && !over && !is_over(&now, 0.3)) {
        contact->side = 0; // beside it
    }
    double near = 2 * contact->gap, height = contact->side * now.height; // pushes on others may bring it nearer yet
    contact->met = crossed != 0 || (over && (height < 0 || height * height < near * near * now.square));
}

// A corner is not pushed into what it touches: solids keep each other apart themselves, and that contact would throw it back.
static bool is_held(const Body* body, uint32_t point, Vec3d x, Vec3d along, double near, double t)
{
    for (uint32_t k = body->obstacles.slot[point].next; k != HARD_NONE; k = body->obstacles.hard[k].next) {
        const HardContact* contact = &body->obstacles.hard[k];
        if (vec3d_dot(contact->normal, along) < HELD && hard_depth(contact, x, t) > -near)
            return true;
    }
    return false;
}

// How the corners give way. A corner that holds little of the face alone does not go far for it.
static void find_ease(const Body* body, const uint32_t t[3], const Vec3d x[3], double near, double time, Meeting* m)
{
    double far = 0, sum = 0;
    for (int c = 0; c < 3; c++) {
        double inverse = is_held(body, t[c], x[c], m->normal, near, time) ? 0 : contact_inverse_mass(body, t[c]);
        m->inverse[c] = m->ease[c] = inverse;
        sum += m->weight[c] * m->weight[c] * inverse;
        far = fmax(far, m->weight[c] * inverse);
    }
    m->share = far > FAR * sum ? FAR * sum / far : 1;
}

// Pushes the face off the feature, if it is too near or was passed, after a substep of `h` [s], `time` [s] after the step began.
static void solve(ElasticSet* set, Body* body, const SharpContact* contact, double h, double time)
{
    static const uint32_t corner[3] = {0, 1, 2};
    const uint32_t* t = body->skin.face[contact->face];
    Vec3d x[3];
    for (int c = 0; c < 3; c++)
        x[c] = contact_place(body, t[c]);
    Place place = place_over(x, corner, contact->at);
    if (!place_is_over(&place, 0.3))
        return;
    double recovered = fmin(1, time / set->recover), target = contact->had + (contact->gap - contact->had) * recovered;
    Meeting m = {.count = 3,
                 .normal = vec3d_scale(place.normal, -contact->side),
                 .depth = target - contact->side * place.height,
                 .friction = contact->friction,
                 .obstacle = &set->obstacle[contact->obstacle],
                 .at = contact->at};
    if (!(m.depth > 0))
        return;
    place_clamp(&place, m.weight);
    find_ease(body, t, x, FAR * m.depth + 2 * contact->gap, time, &m);
    if (!(m.share > 0))
        return;
    for (int c = 0; c < 3; c++)
        m.velocity[c] = contact_velocity(body, t[c], h);
    meeting_solve(&m);
    for (int c = 0; c < 3; c++)
        contact_put(body, t[c], vec3d_add(x[c], m.shift[c]), m.velocity[c], h);
}

typedef struct WatchJob {
    const ElasticSet* set;
    Body* body;
} WatchJob;

static void watch_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const WatchJob* job = context;
    Body* body = job->body;
    for (size_t k = begin; k < end; k++) {
        const uint32_t* t = body->skin.face[body->obstacles.sharp[k].face];
        Vec3d before[3], x[3];
        for (int c = 0; c < 3; c++) {
            before[c] = quad_vec(body->paths.old[t[c]]);
            x[c] = quad_vec(body->paths.now[t[c]]);
        }
        watch(job->set, body, &body->obstacles.sharp[k], before, x);
    }
}

void sharp_contacts_solve(ElasticSet* set, Body* body, double h, double time)
{
    parallel_for(set->pool, body->obstacles.sharp_count, WATCH_GRAIN, watch_block, &(WatchJob){set, body});
    for (size_t k = 0; k < body->obstacles.sharp_count; k++)
        if (body->obstacles.sharp[k].met)
            solve(set, body, &body->obstacles.sharp[k], h, time);
}
