// SPDX-License-Identifier: MIT
// A pair meets if it passes through itself, or is nearer than the thicknesses ask for and one feature is over the other, by a
// little more than its size (pair_meets). All of that is excluded while the least distance of features that have no point in common
// is larger than thickness and margin and what both ends have gone since.
#include "elastic/contact/clearance.h"

#include "mesh/closest.h"
#include <string.h>

enum { PATIENCE = 4, PATIENCE_MOST = 64 };

static const double RADIUS = 0.5;  // of a mean edge, up to which distances are looked for
static const double MARGIN = 0.02; // of the longest edge, more than the margin in which a feature is met
static const double WORTH = 4;     // steps that the room must be good for

void clearance_free(Clearance* c, Memory* memory)
{
    memory_give(memory, c->at);
    memory_give(memory, c->revision);
    *c = (Clearance){.room = 0};
}

// [m] The farthest that points of active bodies are from where they were; infinite if these are other bodies.
static double farthest(const Clearance* c, const ElasticSet* set, bool swept)
{
    const Vec3d* at = c->at;
    double most = 0;
    if (c->bodies != set->body_count)
        return INFINITY;
    for (size_t k = 0; k < set->body_count; k++) {
        const Body* body = &set->body[k];
        if (c->revision[k] != (body->paths.active ? body->split.revision : UINT32_MAX))
            return INFINITY;
        const Vec3d* x = swept ? body->paths.swept : body->paths.from;
        for (size_t i = 0; body->paths.active && i < body->point_count; i++, at++) {
            Vec3d d = vec3d_sub(x[i], *at);
            double square = vec3d_dot(d, d);
            most = square <= most ? most : square; // what is not a number is far
        }
    }
    return sqrt(most);
}

bool clearance_holds(const Clearance* c, const ElasticSet* set)
{
    return c->room > 0 && farthest(c, set, true) < c->room && farthest(c, set, false) < c->room;
}

// --- measuring

static double edge_distance(Vec3d a, Vec3d b, Vec3d p, Vec3d q)
{
    double least = fmin(fmin(vec3d_distance(a, closest_on_segment(a, p, q)), vec3d_distance(b, closest_on_segment(b, p, q))),
                        fmin(vec3d_distance(p, closest_on_segment(p, a, b)), vec3d_distance(q, closest_on_segment(q, a, b))));
    Vec3d u = vec3d_sub(b, a), v = vec3d_sub(q, p), w = vec3d_sub(p, a), n = vec3d_cross(u, v);
    double nn = vec3d_dot(n, n), s = vec3d_dot(vec3d_cross(w, v), n), t = vec3d_dot(vec3d_cross(w, u), n);
    bool inside = s >= 0 && s <= nn && t >= 0 && t <= nn;
    return nn > 0 && inside ? fmin(least, fabs(vec3d_dot(w, n)) / sqrt(nn)) : least;
}

// Keeps pairs that are near now, with their distance.
static bool is_near(const ElasticSet* set, ContactPair* pair, double reach)
{
    const Vec3d *a = set->body[pair->body[0]].paths.swept, *b = set->body[pair->body[1]].paths.swept;
    const uint32_t* p = pair->point;
    pair->had = pair->kind == CONTACT_EDGE_EDGE ? edge_distance(a[p[0]], a[p[1]], b[p[2]], b[p[3]])
                                                : vec3d_distance(a[p[0]], closest_on_triangle(a[p[0]], b[p[1]], b[p[2]], b[p[3]]));
    return !(pair->had >= reach);
}

// [m] The least distance of features, at most `reach`. False: out of memory.
static bool least_distance(ElasticSet* set, PairSearch* search, double reach, double* least)
{
    const Vec3d** from = memory_take(NULL, (set->body_count + 1) * sizeof *from);
    if (!from)
        return false;
    for (size_t k = 0; k < set->body_count; k++) {
        Body* body = &set->body[k];
        from[k] = body->paths.from;
        body->paths.from = body->paths.swept;
        body->paths.reach = 0.5 * reach;
    }
    bool ok = pair_search_run(set, search, is_near, INFINITY, reach);
    *least = reach;
    for (int k = 0; k < search->lists; k++)
        for (size_t i = 0; i < search->list[k].count; i++)
            *least = fmin(*least, search->list[k].pair[i].had);
    pair_search_empty(search);
    for (size_t k = 0; k < set->body_count; k++)
        set->body[k].paths.from = from[k];
    memory_give(NULL, from);
    return ok;
}

// [m] of all active bodies: the most that a pair is kept apart, with what a feature is larger than itself; the longest path of
// the last step; the mean edge.
static void measure_bodies(const ElasticSet* set, double* apart, double* path, double* edge)
{
    double longest = 0, thickest = 0;
    *path = 0;
    *edge = INFINITY;
    for (size_t k = 0; k < set->body_count; k++) {
        const Body* body = &set->body[k];
        if (!body->paths.active)
            continue;
        thickest = fmax(thickest, body->def.thickness);
        *edge = fmin(*edge, body->skin.mean_edge);
        for (size_t i = 0; i < body->point_count; i++)
            *path = fmax(*path, vec3d_distance(body->paths.from[i], body->paths.swept[i]));
        for (size_t f = 0; f < body->skin.face_count; f++)
            for (int c = 0; c < 3; c++)
                longest = fmax(longest, vec3d_distance(body->paths.swept[body->skin.face[f][c]],
                                                       body->paths.swept[body->skin.face[f][(c + 1) % 3]]));
    }
    *apart = thickest + MARGIN * longest;
}

static bool remember(Clearance* c, const ElasticSet* set)
{
    size_t points = 0;
    for (size_t k = 0; k < set->body_count; k++)
        points += set->body[k].paths.active ? set->body[k].point_count : 0;
    if (!memory_reserve(set->memory, &c->at, &c->at_capacity, 0, points + 1, sizeof *c->at) ||
        !memory_reserve(set->memory, &c->revision, &c->body_capacity, 0, set->body_count + 1, sizeof *c->revision))
        return false;
    c->bodies = set->body_count;
    points = 0;
    for (size_t k = 0; k < set->body_count; k++) {
        const Body* body = &set->body[k];
        c->revision[k] = body->paths.active ? body->split.revision : UINT32_MAX;
        if (body->paths.active)
            memcpy(c->at + points, body->paths.swept, body->point_count * sizeof *c->at);
        points += body->paths.active ? body->point_count : 0;
    }
    return true;
}

bool clearance_measure(Clearance* c, ElasticSet* set, PairSearch* search)
{
    double apart, path, edge, least;
    c->room = 0;
    if (c->wait > 0) {
        c->wait--;
        return true;
    }
    bool split = false; // cracks are narrow, and their sides have rules of their own
    for (size_t k = 0; k < set->body_count; k++)
        split = split || (set->body[k].paths.active && set->body[k].split.root);
    measure_bodies(set, &apart, &path, &edge);
    if (split || !(RADIUS * edge > apart + 2 * WORTH * path)) {
        c->wait = PATIENCE;
        return true;
    }
    if (!least_distance(set, search, RADIUS * edge, &least) || !remember(c, set))
        return false;
    double room = 0.5 * (least - apart);
    if (room > WORTH * path) {
        c->room = room;
        c->patience = PATIENCE;
        return true;
    }
    c->wait = c->patience = c->patience < PATIENCE_MOST ? 2 * c->patience + PATIENCE : PATIENCE_MOST;
    return true;
}
