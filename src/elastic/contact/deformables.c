// SPDX-License-Identifier: MIT
// Points against faces and edges against edges, swept: the paths of their ends are straight. When a step begins those pairs are
// found that may meet in it. Bodies of mass points solve them in every substep, all bodies side by side; what a body's step cannot
// solve (finite elements have no substeps) is solved after the step, once more swept over all of it.
//
// A pair has a side: that on which it was before it passed through, if it did (mesh/crossing.h), and else that on which it is. It
// must stay there, at the height that it had, or the gap if that was more; what is missing to the gap comes slowly (pair.c tells
// how pairs are pushed).
//
// No pair is left crossed: what still passed after the step is looked for again, and what cannot be solved otherwise is stopped
// where it was when the step began, together (zones.h). So the state that a step begins with tells the sides, and nothing has to be
// remembered.
#include "elastic/contact/deformables.h"

#include "elastic/contact/pair_search.h"
#include "elastic/contact/surface_tree.h"
#include "elastic/contact/zones.h"
#include "mesh/closest.h"
#include <string.h>

enum { PASSES = 4, MOST_ROUNDS = 4, MOST_ZONES = 20, POINT_GRAIN = 2048, WATCH_GRAIN = 1 };

static const double NEAR_REST = 0.5; // of the distance at rest between parts of one body that may be used up
static const double OVER = 0.01;     // margin of a feature, in its own size, in which it is met
static const double BESIDE = 0.3;    // margin in which a pair that met is still pushed
static const double RECOVER = 0.02;  // [s] in which what is too near finds its distance again

struct Deformables {
    PairSearch* search;
    Zones zones;
    double* most; // [m2] scratch (blocks of points)
    size_t most_capacity;
};

// --- storage

static bool wanted(const ElasticSet* set)
{
    for (size_t k = 0; k < set->body_count; k++)
        if (pair_search_takes(set, k))
            return true;
    return false;
}

void deformables_free(ElasticSet* set)
{
    Deformables* d = set->deformables;
    if (!d)
        return;
    pair_search_destroy(set, d->search);
    zones_free(&d->zones, set->memory);
    memory_give(set->memory, d->most);
    memory_give(set->memory, d);
    set->deformables = NULL;
}

static bool create(ElasticSet* set)
{
    Deformables* d = memory_take(set->memory, sizeof *d);
    if (!d)
        return false;
    *d = (Deformables){.search = pair_search_create(set)};
    set->deformables = d;
    return d->search;
}

static bool take_body(ElasticSet* set, Body* body)
{
    size_t bytes = body->point_count * sizeof(Vec3d);
    return (body->began || (body->began = memory_take(set->memory, bytes))) &&
           (body->predicted || (body->predicted = memory_take(set->memory, bytes))) &&
           (body->tree || (body->tree = surface_tree_create(set->memory, body)));
}

// --- one pair

static void ends_of(const ElasticSet* set, const ContactPair* pair, Vec3d before[4], Vec3d x[4])
{
    for (int k = 0; k < 4; k++) {
        const Body* body = &set->body[pair->body[k >= (pair->kind == CONTACT_EDGE_EDGE ? 2 : 1)]];
        before[k] = body->began[pair->point[k]];
        x[k] = body->swept[pair->point[k]];
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

// [m] Between the features, wherever they are.
static double distance_of(ContactKind kind, const Vec3d x[4])
{
    return kind == CONTACT_EDGE_EDGE ? edge_distance(x) : vec3d_distance(x[0], closest_on_triangle(x[0], x[1], x[2], x[3]));
}

// [m] No end of the first feature goes farther against any of the second.
static double relative_path(const Vec3d before[4], const Vec3d x[4])
{
    Vec3d common = vec3d_sub(x[0], before[0]);
    double most = 0;
    for (int k = 1; k < 4; k++)
        most = fmax(most, vec3d_distance(vec3d_sub(x[k], before[k]), common));
    return 2 * most;
}

// Whether a pair may meet in the step to come.
static bool may_meet(const ElasticSet* set, ContactPair* pair, double dt)
{
    Vec3d before[4], x[4];
    ends_of(set, pair, before, x);
    const Body *a = &set->body[pair->body[0]], *b = &set->body[pair->body[1]];
    double reach = a->reach + b->reach + relative_path(before, x);
    if (distance_of(pair->kind, before) > reach)
        return false;
    pair->gap = gap_of(set, pair);
    return true;
}

// Finds the side of a pair, at the height that it has before or after its ends went from `before` to `x`. False: it is beside.
static bool take_side(ContactPair* pair, const Vec3d before[4], const PairPlace* after, Vec3d from)
{
    PairPlace was = pair_place(pair->kind, before, BESIDE);
    bool along = vec3d_dot(was.normal, after->normal) > 0; // normals of edges that turn past each other jump
    pair->side = pair->passed ? (vec3d_dot(from, after->normal) < 0 ? -1 : 1) : after->height < 0 ? -1 : 1;
    // heights over a place beside the feature mean nothing
    double height = fabs(after->height), side = (double)pair->side;
    pair->had = pair->passed ? fabs(was.height) : was.over ? fmax(side * (along ? was.height : -was.height), 0) : height;
    pair->had = fmin(pair->had, pair->gap);
    return true;
}

// Whether the features passed through each other in the step, or are about to touch; fills in how near they may come.
static bool meets(const ElasticSet* set, ContactPair* pair, double dt)
{
    Vec3d from = {0, 0, 0}, before[4], x[4];
    ends_of(set, pair, before, x);
    double thick = 0.5 * (set->body[pair->body[0]].def.thickness + set->body[pair->body[1]].def.thickness);
    pair->passed = pair_passed(pair->kind, before, x, &from);
    PairPlace after = pair_place(pair->kind, x, OVER);
    if (!pair->passed && (!after.over || fabs(after.height) > thick))
        return false;
    pair->gap = gap_of(set, pair);
    if (!pair->passed && !(fabs(after.height) < pair->gap))
        return false;
    take_side(pair, before, &after, from);
    pair->had += (pair->gap - pair->had) * fmin(0.5, dt / RECOVER);
    return true;
}

// --- when a step begins

typedef struct BeginJob {
    ElasticSet* set;
    Body* body;
    double dt;
} BeginJob;

// The fastest of a block, squared.
static void begin_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const BeginJob* job = context;
    Body* body = job->body;
    double most = 0;
    for (size_t i = begin; i < end; i++) {
        body->began[i] = body->position[i];
        body->predicted[i] = vec3d_mad(body->position[i], job->dt, body->velocity[i]);
        double square = vec3d_dot(body->velocity[i], body->velocity[i]);
        most = square > most ? square : most;
    }
    job->set->deformables->most[block] = most;
}

static double greatest(const double* of, size_t count)
{
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, of[k]);
    return sqrt(most);
}

static bool begin_body(ElasticSet* set, Body* body, double dt)
{
    Deformables* d = set->deformables;
    size_t blocks = block_count(body->point_count, POINT_GRAIN);
    if (!take_body(set, body) || !memory_reserve(set->memory, &d->most, &d->most_capacity, 0, blocks + 1, sizeof *d->most))
        return false;
    parallel_for(set->pool, body->point_count, POINT_GRAIN, begin_block, &(BeginJob){set, body, dt});
    body->slack = 0.1 * body->def.thickness + 0.2 * dt * greatest(d->most, blocks) + 2 * dt * dt * vec3d_length(set->gravity);
    body->reach = 0.5 * body->def.thickness + body->slack;
    body->swept = body->predicted;
    return true;
}

bool deformables_begin(ElasticSet* set, double dt)
{
    if (!wanted(set))
        return true;
    if (!set->deformables && !create(set))
        return false;
    for (size_t k = 0; k < set->body_count; k++)
        if (pair_search_takes(set, k) && !begin_body(set, &set->body[k], dt))
            return false;
    return pair_search_run(set, set->deformables->search, may_meet, dt);
}

// --- pushing apart

// Of shifts after the step. A point of a volume that is put aside strains what is around it, and comes back with that energy: 1 mm
// takes a point of 1 g in 10 MPa away at 16 m/s. So it gives way as within an implicit step, and what it touches goes the rest of
// the path.
static double shift_ease(const Body* body, uint32_t point, double dt)
{
    double mass = body->mass[point];
    double held = body->tet_count ? dt * dt * body->def.young * cbrt(mass / body->def.density) : 0;
    return body->pin_of[point] >= 0 ? 0 : 1 / (mass + held);
}

// A point as it is after the step, or within a substep of length `h` [s].
static void get_point(const Body* body, uint32_t point, double h, Meeting* m, int k, Vec3d* before, Vec3d* x)
{
    if (body->now) {
        Quad now = body->now[point], old = body->old[point];
        *x = quad_vec(now);
        *before = quad_vec(old);
        m->velocity[k] = quad_vec(quad_xyz(now - old) * (1 / h));
        m->inverse[k] = m->ease[k] = now[3];
        return;
    }
    *x = body->position[point];
    *before = body->began[point];
    m->velocity[k] = body->velocity[point];
    m->inverse[k] = body->pin_of[point] >= 0 ? 0 : 1 / body->mass[point];
    m->ease[k] = shift_ease(body, point, h);
}

// A shift gives no velocity: where the substep began goes with it.
static void put_point(Body* body, uint32_t point, double h, const Meeting* m, int k, Vec3d x)
{
    x = vec3d_add(x, m->shift[k]);
    if (body->now) {
        body->now[point] = quad(x, body->now[point][3]);
        body->old[point] = quad(vec3d_mad(x, -h, m->velocity[k]), 0);
        return;
    }
    body->position[point] = x;
    body->velocity[point] = m->velocity[k];
}

static bool is_loose(const Meeting* m)
{
    double sum = 0;
    for (int k = 0; k < m->count; k++)
        sum += m->weight[k] * m->weight[k] * m->inverse[k];
    return sum > 0;
}

// To the height `target` [m], by a step or substep of `h` [s]. True: something was shifted.
static bool resolve(ElasticSet* set, const ContactPair* pair, double target, double h)
{
    int first = pair->kind == CONTACT_EDGE_EDGE ? 2 : 1;
    Body *a = &set->body[pair->body[0]], *b = &set->body[pair->body[1]];
    Vec3d before[4], x[4];
    Meeting m = {.count = 4, .friction = sqrt(a->def.friction * b->def.friction), .share = 1};
    for (int k = 0; k < 4; k++)
        get_point(k < first ? a : b, pair->point[k], h, &m, k, &before[k], &x[k]);
    PairPlace place = pair_place(pair->kind, x, BESIDE);
    double height = (double)pair->side * place.height;
    if (!(height < pair->gap) || !place.over)
        return false;
    m.normal = vec3d_scale(place.normal, (double)pair->side);
    m.depth = target - height;
    for (int k = 0; k < 4; k++) {
        m.weight[k] = place.weight[k];
        m.path = vec3d_mad(m.path, m.weight[k], vec3d_sub(x[k], before[k]));
    }
    if (!is_loose(&m))
        return false;
    meeting_solve(&m);
    for (int k = 0; k < 4; k++)
        put_point(k < first ? a : b, pair->point[k], h, &m, k, x[k]);
    a->jolted = b->jolted = true;
    return m.depth > 0;
}

// --- within substeps

typedef struct WatchJob {
    const ElasticSet* set;
    PairSearch* search;
} WatchJob;

// Substeps that cannot bring the pair together, if it gets at most twice as fast.
static uint16_t wait_of(double clear, double path)
{
    double wait = path > 0 ? clear / (2 * path) : 1000;
    return wait > 1000 ? 1000 : wait > 0 ? (uint16_t)wait : 0;
}

// On which side the pair has to be, and whether it may have met in the last substep. For all pairs before the first is solved:
// shifts are no paths.
static void watch(const ElasticSet* set, ContactPair* pair)
{
    const Body *a = &set->body[pair->body[0]], *b = &set->body[pair->body[1]];
    pair->met = false;
    if (pair->wait > 0) {
        pair->wait--;
        return;
    }
    if (!a->now || !b->now)
        return;
    Vec3d from = {0, 0, 0}, before[4], x[4];
    int first = pair->kind == CONTACT_EDGE_EDGE ? 2 : 1;
    for (int k = 0; k < 4; k++) {
        const Body* body = k < first ? a : b;
        before[k] = quad_vec(body->old[pair->point[k]]);
        x[k] = quad_vec(body->now[pair->point[k]]);
    }
    pair->passed = pair_passed(pair->kind, before, x, &from);
    PairPlace now = pair_place(pair->kind, x, OVER);
    if (pair->side == 0 ? pair->passed || now.over : pair->passed) {
        float side = pair->side;
        double had = pair->had;
        take_side(pair, before, &now, from);
        if (side != 0 && pair->passed)
            pair->had = had; // it was told before
    } else if (!now.over && !pair_place(pair->kind, x, BESIDE).over) {
        pair->side = 0; // beside it
    }
    double height = (double)pair->side * now.height;
    pair->met = pair->passed || (now.over && height < 2 * pair->gap); // shifts of others may bring it nearer yet
    if (!pair->met)
        pair->wait = wait_of(distance_of(pair->kind, x) - 2 * pair->gap, relative_path(before, x));
}

static void watch_ranges(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const WatchJob* job = context;
    for (size_t k = begin; k < end; k++) {
        const BlockRange* r = &job->search->range[k];
        for (size_t i = 0; i < r->count; i++)
            watch(job->set, &job->search->list[r->worker].pair[r->first + i]);
    }
}

void deformables_solve(ElasticSet* set, double h, double t)
{
    if (!set->deformables)
        return;
    PairSearch* s = set->deformables->search;
    double recovered = fmin(1, t / RECOVER);
    parallel_for(set->pool, s->range_count, WATCH_GRAIN, watch_ranges, &(WatchJob){set, s});
    for (size_t k = 0; k < s->range_count; k++)
        for (size_t i = 0; i < s->range[k].count; i++) {
            const ContactPair* pair = &s->list[s->range[k].worker].pair[s->range[k].first + i];
            if (pair->met)
                resolve(set, pair, pair->had + (pair->gap - pair->had) * recovered, h);
        }
}

// --- after the step

static bool find_pairs(ElasticSet* set, double dt)
{
    for (size_t k = 0; k < set->body_count; k++)
        if (pair_search_takes(set, k)) {
            set->body[k].swept = set->body[k].position;
            set->body[k].reach = 0.5 * set->body[k].def.thickness;
        }
    return pair_search_run(set, set->deformables->search, meets, dt);
}

static size_t count_passed(const PairSearch* s)
{
    size_t count = 0;
    for (int k = 0; k < s->lists; k++)
        for (size_t i = 0; i < s->list[k].count; i++)
            count += s->list[k].pair[i].passed;
    return count;
}

bool deformables_find(ElasticSet* set, double dt, size_t* count, size_t* passed)
{
    *count = *passed = 0;
    if (!set->deformables)
        return true;
    const PairSearch* s = set->deformables->search;
    bool ok = find_pairs(set, dt);
    for (int k = 0; k < s->lists; k++)
        *count += s->list[k].count;
    *passed = count_passed(s);
    return ok;
}

static bool resolve_all(ElasticSet* set, double dt)
{
    const PairSearch* s = set->deformables->search;
    bool shifted = false;
    for (size_t k = 0; k < s->range_count; k++)
        for (size_t i = 0; i < s->range[k].count; i++) {
            const ContactPair* pair = &s->list[s->range[k].worker].pair[s->range[k].first + i];
            shifted |= resolve(set, pair, pair->had, dt);
        }
    return shifted;
}

// What is crossed after all goes on together. Zones grow until nothing is. False: out of memory.
static bool stop_crossed(ElasticSet* set, double dt)
{
    Deformables* d = set->deformables;
    const PairSearch* s = d->search;
    if (!zones_begin(&d->zones, set))
        return false;
    for (int round = 0; round < MOST_ZONES && count_passed(s) > 0; round++) {
        for (size_t k = 0; k < s->range_count; k++)
            for (size_t i = 0; i < s->range[k].count; i++) {
                const ContactPair* pair = &s->list[s->range[k].worker].pair[s->range[k].first + i];
                if (pair->passed)
                    zones_join(&d->zones, pair);
            }
        zones_stop(&d->zones, set);
        if (!find_pairs(set, dt))
            return false;
    }
    return true;
}

bool deformables_resolve(ElasticSet* set, double dt)
{
    if (!set->deformables)
        return true;
    for (size_t k = 0; k < set->body_count; k++)
        set->body[k].jolted = false;
    bool shifted = true; // shifts may cross what was not
    for (int round = 0; shifted; round++) {
        if (!find_pairs(set, dt))
            return false;
        if (round > 0 && count_passed(set->deformables->search) == 0)
            return true;
        if (round == MOST_ROUNDS)
            return stop_crossed(set, dt);
        shifted = false;
        for (int pass = 0; pass < PASSES; pass++)
            shifted |= resolve_all(set, dt);
    }
    return true;
}
