// SPDX-License-Identifier: MIT
// Points against faces and edges against edges, swept: the paths of their ends are straight.
//
// Bodies of mass points that may meet step side by side. Their substeps are cut into spans, so short that nothing goes farther than
// half an edge against the rest. When a span begins those pairs are found that may meet in it; they are solved in every substep,
// where what they push is stiff no longer; when it ends none may have passed. Bodies without substeps (finite elements) meet the
// others after the step, swept over all of it.
//
// Each pair has a side, on which it must stay (pair_side.c); what is missing to its gap comes slowly (pair.c tells how pairs are
// pushed).
//
// No pair is left crossed: what still passed is looked for again, and what cannot be solved otherwise is stopped where it was when
// the span or step began, together (zones.h). So the state that a step begins with tells the sides, and nothing has to be
// remembered.
#include "elastic/contact/deformables.h"

#include "elastic/contact/clearance.h"
#include "elastic/contact/pair_side.h"
#include "elastic/contact/surface_tree.h"
#include "elastic/contact/zones.h"
#include <string.h>

enum { PASSES = 4, MOST_ROUNDS = 4, MOST_ZONES = 20, POINT_GRAIN = 2048, WATCH_GRAIN = 1 };

static const double SPAN_PATH = 0.5; // of an edge, that points go at most in a span
static const double PREDICTED = 0.5; // margin of a face beside which a point is not expected to come over it

struct Deformables {
    PairSearch* search;
    Clearance clearance;
    Zones zones;
    uint32_t groups; // that stepped together in this step
    bool complete;   // the pairs at hand are all that may meet in the span, if points go as predicted
    bool open;       // within a span
    double time;     // [s] since the span began
    double* most;    // scratch (blocks of points)
    Vec3d* sum;      // scratch (blocks of points)
    TreeBox* box;    // scratch (blocks of points)
    size_t most_capacity, sum_capacity, box_capacity;
};

// --- storage

static bool is_wanted(const ElasticSet* set)
{
    size_t count = 0;
    for (size_t k = 0; k < set->body_count; k++) {
        count += set->body[k].paths.active;
        if (set->body[k].paths.active && set->body[k].def.self_contact)
            return true;
    }
    return count > 1;
}

void deformables_free(ElasticSet* set)
{
    Deformables* d = set->deformables;
    if (!d)
        return;
    pair_search_destroy(set, d->search);
    clearance_free(&d->clearance, set->memory);
    zones_free(&d->zones, set->memory);
    memory_give(set->memory, d->most);
    memory_give(set->memory, d->sum);
    memory_give(set->memory, d->box);
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

static bool take(ElasticSet* set, const Body* body, Vec3d** array)
{
    return *array || (*array = memory_take(set->memory, body->point_count * sizeof(Vec3d)));
}

static bool take_tree(ElasticSet* set, Body* body)
{
    return body->paths.tree || (body->paths.tree = surface_tree_create(set->memory, body));
}

static void copy_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Vec3d* const* copy = context;
    memcpy(copy[0] + begin, copy[1] + begin, (end - begin) * sizeof(Vec3d));
}

static void copy_points(const ElasticSet* set, const Body* body, Vec3d* to, Vec3d* from)
{
    parallel_for(set->pool, body->point_count, POINT_GRAIN, copy_block, (Vec3d*[]){to, from});
}

// --- when a span of substeps begins

typedef struct SpanJob {
    ElasticSet* set;
    Body* body;
    double h, time; // [s] of a substep, of the span
    Vec3d mean;     // [m/s]
} SpanJob;

// Positions and sums of velocities of a block.
static void open_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SpanJob* job = context;
    Body* body = job->body;
    Vec3d sum = {0, 0, 0};
    for (size_t i = begin; i < end; i++) {
        body->paths.opened[i] = contact_place(body, (uint32_t)i);
        sum = vec3d_add(sum, contact_velocity(body, (uint32_t)i, job->h));
    }
    job->set->deformables->sum[block] = sum;
}

// The fastest against the mean of a block, squared.
static void speed_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SpanJob* job = context;
    double most = 0;
    for (size_t i = begin; i < end; i++) {
        Vec3d v = vec3d_sub(contact_velocity(job->body, (uint32_t)i, job->h), job->mean);
        double square = vec3d_dot(v, v);
        most = square > most ? square : most;
    }
    job->set->deformables->most[block] = most;
}

static void predict_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SpanJob* job = context;
    Body* body = job->body;
    for (size_t i = begin; i < end; i++)
        body->paths.predicted[i] = vec3d_mad(body->paths.opened[i], job->time, contact_velocity(body, (uint32_t)i, job->h));
}

static double greatest(const double* of, size_t count)
{
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, of[k]);
    return sqrt(most);
}

// [m/s] The mean velocity of points of the group.
static Vec3d mean_velocity(ElasticSet* set, double h)
{
    Vec3d sum = {0, 0, 0};
    double count = 0;
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        if (!body->paths.active)
            continue;
        parallel_for(set->pool, body->point_count, POINT_GRAIN, open_block, &(SpanJob){.set = set, .body = body, .h = h});
        for (size_t b = 0; b < block_count(body->point_count, POINT_GRAIN); b++)
            sum = vec3d_add(sum, set->deformables->sum[b]);
        count += (double)body->point_count;
    }
    return vec3d_scale(sum, 1 / count);
}

// [m/s] The fastest point of the group against that.
static double relative_speed(ElasticSet* set, double h)
{
    Vec3d mean = mean_velocity(set, h);
    double most = 0;
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        if (!body->paths.active)
            continue;
        SpanJob job = {.set = set, .body = body, .h = h, .mean = mean};
        parallel_for(set->pool, body->point_count, POINT_GRAIN, speed_block, &job);
        most = fmax(most, greatest(set->deformables->most, block_count(body->point_count, POINT_GRAIN)));
    }
    return most;
}

static bool take_active(ElasticSet* set)
{
    Deformables* d = set->deformables;
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        size_t blocks = block_count(body->point_count, POINT_GRAIN) + 1;
        if (body->paths.active &&
            (!take(set, body, &body->paths.opened) || !take(set, body, &body->paths.predicted) || !take_tree(set, body) ||
             !memory_reserve(set->memory, &d->most, &d->most_capacity, 0, blocks, sizeof *d->most) ||
             !memory_reserve(set->memory, &d->sum, &d->sum_capacity, 0, blocks, sizeof *d->sum)))
            return false;
    }
    return true;
}

bool deformables_open(ElasticSet* set, double h, int left, int* substeps)
{
    *substeps = left;
    for (size_t k = 0; k < set->body_count; k++)
        set->body[k].paths.active = set->body[k].paths.now && set->body[k].def.contact;
    if (!is_wanted(set))
        return true;
    if ((!set->deformables && !create(set)) || !take_active(set))
        return false;
    Deformables* d = set->deformables;
    double speed = relative_speed(set, h), edge = (double)INFINITY;
    for (size_t k = 0; k < set->body_count; k++)
        edge = set->body[k].paths.active ? fmin(edge, set->body[k].skin.mean_edge) : edge;
    double most = SPAN_PATH * edge / (speed * h), pull = vec3d_length(set->gravity);
    *substeps = most < 1 ? 1 : most < left ? (int)most : left;
    double time = *substeps * h;
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        if (!body->paths.active)
            continue;
        SpanJob job = {.set = set, .body = body, .h = h, .time = time};
        parallel_for(set->pool, body->point_count, POINT_GRAIN, predict_block, &job);
        body->paths.slack = 0.1 * body->def.thickness + 0.2 * time * speed + 2 * time * time * pull;
        body->paths.reach = 0.5 * body->def.thickness + body->paths.slack;
        body->paths.from = body->paths.opened;
        body->paths.swept = body->paths.predicted;
    }
    d->complete = d->open = true;
    d->time = 0;
    return pair_search_run(set, d->search, pair_may_meet, PREDICTED, time);
}

// --- pushing apart

// Of shifts after the step. A point of a volume that is put aside strains what is around it, and comes back with that energy: 1 mm
// takes a point of 1 g in 10 MPa away at 16 m/s. So it gives way as within an implicit step, and what it touches goes the rest of
// the path.
static double shift_ease(const Body* body, uint32_t point, double dt)
{
    double mass = body->mass[point];
    double held = body->tet_count ? dt * dt * body->def.young * cbrt(mass / body->def.density) : 0;
    return body->pins.of[point] >= 0 ? 0 : 1 / (mass + held);
}

// A point as it is now; after a step, or within substeps of `h` [s].
static void get_point(const Body* body, uint32_t point, double h, Meeting* m, int k)
{
    m->velocity[k] = contact_velocity(body, point, h);
    m->inverse[k] = m->ease[k] = contact_inverse_mass(body, point);
    if (!body->paths.now)
        m->ease[k] = shift_ease(body, point, h);
}

static bool is_loose(const Meeting* m)
{
    double sum = 0;
    for (int k = 0; k < m->count; k++)
        sum += m->weight[k] * m->weight[k] * m->inverse[k];
    return sum > 0;
}

// [m] Between pieces of a body that broke, after a step. A shift that strains a stiff shard throws it: it goes no farther than
// makes the shard as fast as it came, and a little to let them come apart. What is left over stays too deep for a while.
static double shift_most(const ElasticSet* set, const Body* body, const Meeting* m)
{
    double closing = 0, turn = INFINITY; // [m/s], [s] in which what is strained comes back
    for (int k = 0; k < m->count; k++) {
        closing -= m->weight[k] * vec3d_dot(m->velocity[k], m->normal);
        if (m->weight[k] != 0 && m->inverse[k] > 0) {
            double mass = 1 / m->inverse[k];
            turn = fmin(turn, sqrt(mass / (body->def.young * cbrt(mass / body->def.density))));
        }
    }
    return (fmax(closing, 0) + body->skin.mean_edge / set->recover) * turn;
}

// To the height `target` [m], after a step of `h` [s] or within substeps of it. True: something was shifted.
static bool resolve(ElasticSet* set, const ContactPair* pair, double target, double h)
{
    int first = pair->kind == CONTACT_EDGE_EDGE ? 2 : 1;
    Body *a = &set->body[pair->body[0]], *b = &set->body[pair->body[1]];
    Vec3d before[4], x[4];
    (set->deformables->open ? pair_ends_within : pair_ends)(set, pair, before, x);
    Meeting m = {.count = 4, .friction = sqrt(a->def.friction * b->def.friction), .share = 1};
    for (int k = 0; k < 4; k++)
        get_point(k < first ? a : b, pair->point[k], h, &m, k);
    PairPlace place = pair_place(pair->kind, x, PAIR_BESIDE);
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
    if (a == b && a->split.piece_of && !a->paths.now)
        m.depth = fmin(m.depth, shift_most(set, a, &m));
    meeting_solve(&m);
    for (int k = 0; k < 4; k++)
        contact_put(k < first ? a : b, pair->point[k], vec3d_add(x[k], m.shift[k]), m.velocity[k], h);
    a->paths.jumped = b->paths.jumped = true;
    return m.depth > 0;
}

// --- within substeps

typedef struct TestJob {
    const ElasticSet* set;
    PairSearch* search;
    double dt;
} TestJob;

static void watch_ranges(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const TestJob* job = context;
    for (size_t k = begin; k < end; k++) {
        const BlockRange* r = &job->search->range[k];
        for (size_t i = 0; i < r->count; i++)
            pair_watch(job->set, &job->search->list[r->worker].pair[r->first + i]);
    }
}

void deformables_solve(ElasticSet* set, double h)
{
    Deformables* d = set->deformables;
    if (!d || !d->open)
        return;
    PairSearch* s = d->search;
    d->time += h;
    double recovered = fmin(1, d->time / set->recover);
    parallel_for(set->pool, s->range_count, WATCH_GRAIN, watch_ranges, &(TestJob){set, s, h});
    for (size_t k = 0; k < s->range_count; k++)
        for (size_t i = 0; i < s->range[k].count; i++) {
            const ContactPair* pair = &s->list[s->range[k].worker].pair[s->range[k].first + i];
            if (pair->met)
                resolve(set, pair, pair->had + (pair->gap - pair->had) * recovered, h);
        }
}

// --- when a span ends

// How far points of a block are from where they were predicted, squared.
static void deviation_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const SpanJob* job = context;
    const Body* body = job->body;
    double most = 0;
    for (size_t i = begin; i < end; i++) {
        Vec3d d = vec3d_sub(body->position[i], body->paths.predicted[i]);
        double square = vec3d_dot(d, d);
        most = square > most ? square : most;
    }
    job->set->deformables->most[block] = most;
}

static bool went_as_predicted(ElasticSet* set)
{
    bool all = true;
    for (size_t k = 0; k < set->body_count && all; k++) {
        Body* body = &set->body[k];
        if (!body->paths.active)
            continue;
        parallel_for(set->pool, body->point_count, POINT_GRAIN, deviation_block, &(SpanJob){.set = set, .body = body});
        all = greatest(set->deformables->most, block_count(body->point_count, POINT_GRAIN)) <= body->paths.slack;
    }
    return all;
}

static void test_ranges(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const TestJob* job = context;
    for (size_t k = begin; k < end; k++) {
        const BlockRange* r = &job->search->range[k];
        for (size_t i = 0; i < r->count; i++) {
            ContactPair* pair = &job->search->list[r->worker].pair[r->first + i];
            pair->met = pair_meets(job->set, pair, job->dt);
            pair->passed = pair->met && pair->passed;
        }
    }
}

// Those among the pairs at hand, if they are all there can be, or found anew. False: out of memory.
static bool find_pairs(ElasticSet* set, double time)
{
    Deformables* d = set->deformables;
    bool complete = d->complete && went_as_predicted(set);
    for (size_t k = 0; k < set->body_count; k++) {
        set->body[k].paths.swept = set->body[k].position;
        set->body[k].paths.reach = 0.5 * set->body[k].def.thickness;
    }
    d->complete = complete;
    if (!complete && clearance_holds(&d->clearance, set)) {
        pair_search_empty(d->search);
        return true;
    }
    if (!complete)
        return pair_search_run(set, d->search, pair_meets, 0.1, time) &&
               (pair_search_count(d->search) > 0 || clearance_measure(&d->clearance, set, d->search));
    parallel_for(set->pool, d->search->range_count, WATCH_GRAIN, test_ranges, &(TestJob){set, d->search, time});
    return true;
}

static size_t count_passed(const PairSearch* s)
{
    size_t count = 0;
    for (int k = 0; k < s->lists; k++)
        for (size_t i = 0; i < s->list[k].count; i++)
            count += s->list[k].pair[i].passed;
    return count;
}

static bool resolve_all(ElasticSet* set, double h)
{
    const PairSearch* s = set->deformables->search;
    bool shifted = false;
    for (size_t k = 0; k < s->range_count; k++)
        for (size_t i = 0; i < s->range[k].count; i++) {
            const ContactPair* pair = &s->list[s->range[k].worker].pair[s->range[k].first + i];
            shifted |= pair->met && resolve(set, pair, pair->had, h);
        }
    return shifted;
}

// What is crossed after all goes on together. Zones grow until nothing is. False: out of memory.
static bool stop_crossed(ElasticSet* set, double time, double h)
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
        zones_stop(&d->zones, set, h);
        if (!find_pairs(set, time))
            return false;
    }
    return true;
}

// Until nothing is crossed after a time [s], in which there may have been substeps of `h` [s]. `only`: of no interest if nothing
// is.
static bool uncross(ElasticSet* set, double time, double h, bool only)
{
    bool shifted = true; // shifts may cross what was not
    for (int round = 0; shifted; round++) {
        if (!find_pairs(set, time))
            return false;
        if ((only || round > 0) && count_passed(set->deformables->search) == 0)
            return true;
        if (round == MOST_ROUNDS)
            return stop_crossed(set, time, h);
        shifted = false;
        for (int pass = 0; pass < PASSES; pass++)
            shifted |= resolve_all(set, h);
    }
    return true;
}

static void place_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Body* body = context;
    for (size_t i = begin; i < end; i++)
        body->position[i] = contact_place(body, (uint32_t)i);
}

bool deformables_close(ElasticSet* set, double h)
{
    Deformables* d = set->deformables;
    if (!d || !d->open)
        return true;
    d->open = false;
    for (size_t k = 0; k < set->body_count; k++)
        if (set->body[k].paths.active)
            parallel_for(set->pool, set->body[k].point_count, POINT_GRAIN, place_block, &set->body[k]);
    return uncross(set, d->time, h, true);
}

// --- the whole step

typedef struct BoxJob {
    const Body* body;
    const Vec3d *from, *to;
    double dt; // [s] > 0: they go on with their velocities
    TreeBox* block;
} BoxJob;

static void box_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const BoxJob* job = context;
    Vec3d low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = begin; i < end; i++) {
        Vec3d a = job->from[i], b = vec3d_mad(job->to[i], job->dt, job->body->velocity[i]);
        low = vec3d_min(low, vec3d_min(a, b));
        high = vec3d_max(high, vec3d_max(a, b));
    }
    job->block[block] = (TreeBox){low, high};
}

// The box of all paths of a body, and a margin [m] around it, which is larger by a share of how far it goes.
static bool find_box(ElasticSet* set, Body* body, double dt, double margin, double share)
{
    Deformables* d = set->deformables;
    size_t blocks = block_count(body->point_count, POINT_GRAIN);
    if (!memory_reserve(set->memory, &d->box, &d->box_capacity, 0, blocks + 1, sizeof *d->box))
        return false;
    BoxJob job = {body, body->paths.began, body->position, 0, d->box};
    TreeBox all[2];
    for (int k = 0; k < (dt > 0 ? 2 : 1); k++) {
        job.dt = k == 0 ? 0 : dt;
        parallel_for(set->pool, body->point_count, POINT_GRAIN, box_block, &job);
        all[k] = d->box[0];
        for (size_t b = 1; b < blocks; b++)
            all[k] = (TreeBox){vec3d_min(all[k].low, d->box[b].low), vec3d_max(all[k].high, d->box[b].high)};
    }
    TreeBox box = all[dt > 0 ? 1 : 0];
    if (dt > 0)
        margin += share * fmax(vec3d_distance(box.low, all[0].low), vec3d_distance(box.high, all[0].high));
    Vec3d by = {margin, margin, margin};
    body->paths.low = vec3d_sub(box.low, by);
    body->paths.high = vec3d_add(box.high, by);
    return true;
}

bool deformables_apart(const Body* a, const Body* b)
{
    return !boxes_meet(&(TreeBox){a->paths.low, a->paths.high}, &(TreeBox){b->paths.low, b->paths.high});
}

bool deformables_begin(ElasticSet* set, double dt)
{
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        body->paths.group = 0;
        body->paths.jumped = false;
        if (!body->def.contact || (set->body_count == 1 && !body->def.self_contact))
            continue;
        if (!take(set, body, &body->paths.began) || (!set->deformables && !create(set)))
            return false;
        copy_points(set, body, body->paths.began, body->position);
        pair_find_outward(body);
        double margin = body->def.thickness + 2 * dt * dt * vec3d_length(set->gravity) + 0.25 * set->length;
        if (set->body_count > 1 && !find_box(set, body, dt, margin, 1))
            return false;
    }
    if (set->deformables)
        set->deformables->groups = 0;
    return true;
}

void deformables_met(ElasticSet* set, Body* const* body, size_t count)
{
    Deformables* d = set->deformables;
    for (size_t k = 0; d && k < count; k++)
        if (body[k]->paths.active && body[k]->paths.opened) {
            body[k]->paths.group = d->groups + 1;
            copy_points(set, body[k], body[k]->paths.opened, body[k]->position);
        }
    if (d)
        d->groups++;
}

// Whether all bodies that may have met in the step are in one group, and met there.
static bool all_met(ElasticSet* set, bool* ok)
{
    bool all = true;
    for (size_t k = 0; k < set->body_count && *ok; k++) {
        Body* body = &set->body[k];
        if (!body->def.contact)
            continue;
        all = all && (body->paths.group || !body->def.self_contact);
        *ok = set->body_count == 1 || find_box(set, body, 0, 0.5 * body->def.thickness, 0);
        for (size_t i = 0; i < k; i++)
            all = all && (!set->body[i].def.contact || (body->paths.group && body->paths.group == set->body[i].paths.group) ||
                          deformables_apart(body, &set->body[i]));
    }
    return all;
}

bool deformables_resolve(ElasticSet* set, double dt)
{
    bool ok = true;
    if (all_met(set, &ok) || !ok)
        return ok;
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        body->paths.active = body->def.contact;
        body->paths.from = body->paths.began;
        if (body->paths.active && !take_tree(set, body))
            return false;
    }
    if (!set->deformables && !create(set))
        return false;
    set->deformables->complete = false;
    return uncross(set, dt, dt, false);
}

bool deformables_find(ElasticSet* set, double dt, size_t* count, size_t* passed)
{
    *count = *passed = 0;
    if (!set->deformables)
        return true;
    const PairSearch* s = set->deformables->search;
    set->deformables->complete = false;
    bool ok = find_pairs(set, dt);
    *count = pair_search_count(s);
    *passed = count_passed(s);
    return ok;
}
