// SPDX-License-Identifier: MIT
// On which side of each other the two features of a pair are, and whether they meet.
//
// A pair has a side: that on which it was before it passed through, if it did (mesh/crossing.h), and else that on which it is. It
// must stay there, at the height that it had, or the gap if that was more; what is missing to the gap comes slowly (pair.c tells
// how pairs are pushed).
//
// The two sides of a crack are in one place when a body comes apart, and have no sides by where they are. But a volume has an
// inside: a point that faces a face of its own body, across a crack or of another piece, must be outside of it, and is too deep
// rather than on the other side if it is a little below. Edges that touched when the body was built say nothing, and neither do
// faces that look away from the point, as the outer ones beside a crack: parts may slide along each other.
#include "elastic/contact/pair_side.h"

#include "mesh/closest.h"
#include <string.h>

enum { WAIT_MOST = 8 };

static const double NEAR_REST = 0.5; // of the distance at rest between parts of one body that may be used up
static const double OVER = 0.01;     // margin of a feature, in its own size, in which it is met

// --- where the ends are

// Where the ends were and are. Bodies that stepped together met already: since then is what counts.
void pair_ends(const ElasticSet* set, const ContactPair* pair, Vec3d before[4], Vec3d x[4])
{
    const Body *a = &set->body[pair->body[0]], *b = &set->body[pair->body[1]];
    bool met = a->paths.group && a->paths.group == b->paths.group;
    for (int k = 0; k < 4; k++) {
        const Body* body = k < (pair->kind == CONTACT_EDGE_EDGE ? 2 : 1) ? a : b;
        before[k] = (met ? body->paths.opened : body->paths.from)[pair->point[k]];
        x[k] = body->paths.swept[pair->point[k]];
    }
}

// The same for the last substep.
void pair_ends_within(const ElasticSet* set, const ContactPair* pair, Vec3d before[4], Vec3d x[4])
{
    for (int k = 0; k < 4; k++) {
        const Body* body = &set->body[pair->body[k >= (pair->kind == CONTACT_EDGE_EDGE ? 2 : 1)]];
        before[k] = quad_vec(body->paths.old[pair->point[k]]);
        x[k] = quad_vec(body->paths.now[pair->point[k]]);
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

// --- cracks

static const double CRACK_NEAR = 1e-6;  // of an edge: features that far apart when the body was built were one
static const double CRACK_GAP = 0.02;   // of an edge: what pieces of a body keep at most
static const double CRACK_DEPTH = 0.25; // of an edge: what is deeper did not come from this side
static const double CRACK_AWAY = 0.2;   // cosine above which a point and a face look the same way
static const double CRACK_OVER =
    0.1; // margin of a face in which a point that faces it is met: corners of the two sides part a little

typedef enum CrackPair { CRACK_NONE, CRACK_FACING, CRACK_AWAY_FROM } CrackPair;

// [m] when the body was built
static double built_distance(const Body* body, const ContactPair* pair)
{
    Vec3d x[4];
    for (int k = 0; k < 4; k++)
        x[k] = body->rest[pair->point[k]];
    return pair->kind == CONTACT_EDGE_EDGE ? edge_distance(x) : vec3d_distance(x[0], closest_on_triangle(x[0], x[1], x[2], x[3]));
}

static bool are_pieces(const Body* body, const ContactPair* pair)
{
    uint32_t other = pair->point[pair->kind == CONTACT_EDGE_EDGE ? 2 : 1];
    return body->split.piece_of && body->split.piece_of[pair->point[0]] != body->split.piece_of[other];
}

// What a pair is to a body that came apart; CRACK_NONE: a pair as any other.
static CrackPair crack_pair(const ElasticSet* set, const ContactPair* pair, const Vec3d x[4])
{
    const Body* body = &set->body[pair->body[0]];
    if (!body->split.outward || pair->body[0] != pair->body[1])
        return CRACK_NONE;
    bool touched = built_distance(body, pair) < CRACK_NEAR * body->skin.mean_edge;
    if (pair->kind == CONTACT_EDGE_EDGE)
        return touched ? CRACK_AWAY_FROM : CRACK_NONE;
    if (!touched && !are_pieces(body, pair))
        return CRACK_NONE;
    Vec3d n = vec3d_cross(vec3d_sub(x[2], x[1]), vec3d_sub(x[3], x[1])), out = body->split.outward[pair->point[0]];
    bool away = vec3d_dot(n, out) > CRACK_AWAY * vec3d_length(n) * vec3d_length(out);
    return away ? CRACK_AWAY_FROM : CRACK_FACING;
}

// Takes the side of a point that faces a face, if it is over it and not too deep. False: it is a pair as any other.
static bool take_outside(const ElasticSet* set, ContactPair* pair, const Vec3d before[4], const PairPlace* now)
{
    if (!now->over || now->height < -CRACK_DEPTH * set->body[pair->body[1]].skin.mean_edge)
        return false;
    PairPlace was = pair_place(pair->kind, before, PAIR_BESIDE);
    pair->passed = false;
    pair->side = 1;
    // what was too deep already comes out slowly: a shift of a millimetre strains stiff shards enough to throw them
    pair->had = fmin(was.over ? was.height : now->height, pair->gap);
    return true;
}

// Sums of the faces' normals at points that came apart.
void pair_find_outward(Body* body)
{
    if (!body->split.outward)
        return;
    memset(body->split.outward, 0, body->point_count * sizeof *body->split.outward);
    for (size_t k = 0; k < body->skin.face_count; k++) {
        const uint32_t* t = body->skin.face[k];
        Vec3d o = body->position[t[0]];
        Vec3d n = vec3d_cross(vec3d_sub(body->position[t[1]], o), vec3d_sub(body->position[t[2]], o));
        for (int c = 0; c < 3; c++)
            body->split.outward[t[c]] = vec3d_add(body->split.outward[t[c]], n);
    }
}

// [m] Between the middles. In a mesh finer than the sheet is thick neighbours are nearer than the thickness.
static double gap_of(const ElasticSet* set, const ContactPair* pair)
{
    const Body *a = &set->body[pair->body[0]], *b = &set->body[pair->body[1]];
    double gap = 0.5 * (a->def.thickness + b->def.thickness);
    if (a != b)
        return gap;
    return fmin(gap, are_pieces(a, pair) ? CRACK_GAP * a->skin.mean_edge : NEAR_REST * built_distance(a, pair));
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
bool pair_may_meet(const ElasticSet* set, ContactPair* pair, double dt)
{
    Vec3d before[4], x[4];
    pair_ends(set, pair, before, x);
    const Body *a = &set->body[pair->body[0]], *b = &set->body[pair->body[1]];
    double reach = a->paths.reach + b->paths.reach + relative_path(before, x);
    if (distance_of(pair->kind, before) > reach || crack_pair(set, pair, before) == CRACK_AWAY_FROM)
        return false;
    pair->gap = gap_of(set, pair);
    return true;
}

// Finds the side of a pair whose ends came from `before`, and the height that it had.
static void take_side(ContactPair* pair, const Vec3d before[4], const PairPlace* after, Vec3d from)
{
    PairPlace was = pair_place(pair->kind, before, PAIR_BESIDE);
    bool along = vec3d_dot(was.normal, after->normal) > 0; // normals of edges that turn past each other jump
    pair->side = pair->passed ? (vec3d_dot(from, after->normal) < 0 ? -1 : 1) : after->height < 0 ? -1 : 1;
    // heights over a place beside the feature mean nothing
    double height = fabs(after->height), side = (double)pair->side;
    pair->had = pair->passed ? fabs(was.height) : was.over ? fmax(side * (along ? was.height : -was.height), 0) : height;
    pair->had = fmin(pair->had, pair->gap);
}

// Whether the features passed through each other in the step, or are about to touch; fills in how near they may come.
bool pair_meets(const ElasticSet* set, ContactPair* pair, double dt)
{
    Vec3d from = {0, 0, 0}, before[4], x[4];
    pair_ends(set, pair, before, x);
    double thick = 0.5 * (set->body[pair->body[0]].def.thickness + set->body[pair->body[1]].def.thickness);
    CrackPair crack = crack_pair(set, pair, before);
    if (crack == CRACK_AWAY_FROM)
        return false;
    PairPlace after = pair_place(pair->kind, x, crack == CRACK_FACING ? CRACK_OVER : OVER);
    if (crack == CRACK_FACING) {
        pair->gap = gap_of(set, pair);
        if (take_outside(set, pair, before, &after)) {
            pair->met = after.height < pair->gap || after.height < 0;
            pair->had += (pair->gap - pair->had) * fmin(0.5, dt / set->recover);
            return pair->met;
        }
        after = pair_place(pair->kind, x, OVER);
    }
    // edges that are parallel in one plane when the step begins seem to pass, wherever they are
    double reach = 1.0001 * relative_path(before, x);
    pair->passed = distance_of(pair->kind, before) <= reach && pair_passed(pair->kind, before, x, &from);
    const Body *a = &set->body[pair->body[0]], *b = &set->body[pair->body[1]];
    bool met = a->paths.group && a->paths.group == b->paths.group; // and are near for good reason
    if (!pair->passed && (met || !after.over || fabs(after.height) > thick))
        return false;
    pair->gap = gap_of(set, pair);
    if (!pair->passed && !(fabs(after.height) < pair->gap))
        return false;
    take_side(pair, before, &after, from);
    pair->met = true;
    pair->had += (pair->gap - pair->had) * fmin(0.5, dt / set->recover);
    return true;
}

// --- within substeps

// Substeps that cannot bring the pair together, if it gets at most twice as fast.
static uint16_t wait_of(double clear, double path)
{
    double wait = path > 0 ? clear / (2 * path) : WAIT_MOST;
    return wait > WAIT_MOST ? WAIT_MOST : wait > 0 ? (uint16_t)wait : 0;
}

// On which side the pair has to be, and whether it may have met in the last substep. For all pairs before the first is solved:
// shifts are no paths.
void pair_watch(const ElasticSet* set, ContactPair* pair)
{
    pair->met = false;
    if (pair->wait > 0) {
        pair->wait--;
        return;
    }
    Vec3d from = {0, 0, 0}, before[4], x[4];
    pair_ends_within(set, pair, before, x);
    PairPlace now = pair_place(pair->kind, x, CRACK_OVER);
    if (crack_pair(set, pair, before) == CRACK_FACING && take_outside(set, pair, before, &now)) {
        pair->met = now.height < 2 * pair->gap || now.height < 0;
        return;
    }
    now = pair_place(pair->kind, x, OVER);
    pair->passed = pair_passed(pair->kind, before, x, &from);
    if (pair->side == 0 ? pair->passed || now.over : pair->passed) {
        float side = pair->side;
        double had = pair->had;
        take_side(pair, before, &now, from);
        if (side != 0 && pair->passed)
            pair->had = had; // it was told before
    } else if (!now.over && !pair_place(pair->kind, x, PAIR_BESIDE).over) {
        pair->side = 0; // beside it
    }
    double height = (double)pair->side * now.height;
    pair->met = pair->passed || (now.over && height < 2 * pair->gap); // shifts of others may bring it nearer yet
    if (!pair->met)
        pair->wait = wait_of(distance_of(pair->kind, x) - 2 * pair->gap, relative_path(before, x));
}
