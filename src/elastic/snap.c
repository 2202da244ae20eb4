// SPDX-License-Identifier: MIT
#include "elastic/snap.h"

#include "mesh/tet_mesh.h"
#include <stdlib.h>
#include <string.h>

static const double FLAT = 0.1;            // quality of a tetrahedron that may not become worse
static const double ALONG_SURFACE = 1e-6;  // sine of the angle between an edge and a face that count as parallel
static const double SHARES[] = {0.5, 0.8}; // of an edge that a point may go, in two rounds
enum { ROUNDS = sizeof SHARES / sizeof *SHARES };

typedef struct Candidate {
    double height; // [m] from the plane
    uint32_t point;
} Candidate;

typedef struct Snapper {
    Snap* snap;
    const Body* body;
    const Fem* fem;
    const uint8_t* held;  // (points)
    double* height;       // (points)
    Vec3d *rest, *now;    // (points) where they have gone so far
    uint32_t* face_start; // (points + 1) into face_at
    uint32_t* face_at;    // faces of the skin, by point
    Candidate* candidate; // (points)
    size_t count;
} Snapper;

// --- what may move

// 1 for a regular tetrahedron, 0 for a flat one.
static double quality(const Vec3d x[4])
{
    double square = 0;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++) {
            Vec3d d = vec3d_sub(x[a], x[b]);
            square += vec3d_dot(d, d) / 6;
        }
    return 6 * sqrt(2) * tet_volume(x[0], x[1], x[2], x[3]) / (square * sqrt(square));
}

static void corners_at(const Snapper* s, const Vec3d* at, uint32_t tet, Vec3d out[4])
{
    for (int c = 0; c < 4; c++)
        out[c] = at[s->body->tet[tet][c]];
}

// Whether a tetrahedron is still one when a corner has gone to x.
static bool stays_sound(const Snapper* s, const Vec3d* at, uint32_t tet, uint32_t corner, Vec3d x)
{
    Vec3d corners[4];
    corners_at(s, at, tet, corners);
    double was = quality(corners);
    corners[corner] = x;
    double is = quality(corners);
    return is >= FLAT || is >= was;
}

static bool keeps_surface(const Snapper* s, uint32_t point, Vec3d edge)
{
    for (uint32_t k = s->face_start[point]; k < s->face_start[point + 1]; k++) {
        const uint32_t* face = s->body->skin.face[s->face_at[k]];
        Vec3d n = vec3d_cross(vec3d_sub(s->rest[face[1]], s->rest[face[0]]), vec3d_sub(s->rest[face[2]], s->rest[face[0]]));
        if (fabs(vec3d_dot(n, edge)) > ALONG_SURFACE * vec3d_length(n) * vec3d_length(edge))
            return false;
    }
    return true;
}

static Vec3d towards(Vec3d a, Vec3d b, double share)
{
    return vec3d_mad(a, share, vec3d_sub(b, a));
}

static bool may_move(const Snapper* s, uint32_t point, uint32_t to, double share)
{
    Vec3d rest = towards(s->rest[point], s->rest[to], share), now = towards(s->now[point], s->now[to], share);
    if (!keeps_surface(s, point, vec3d_sub(s->rest[to], s->rest[point])))
        return false;
    for (uint32_t k = s->fem->corner_start[point]; k < s->fem->corner_start[point + 1]; k++) {
        uint32_t tet = s->fem->corner[k] / 4, corner = s->fem->corner[k] % 4;
        if (!stays_sound(s, s->rest, tet, corner, rest) || !stays_sound(s, s->now, tet, corner, now))
            return false;
    }
    return true;
}

// The edge at a point that goes through the plane, of those that it may move along the one most nearly across it; or NULL.
static bool find_edge(const Snapper* s, uint32_t point, double most, SnapMove* out)
{
    const Domains* d = &s->fem->domains;
    double steepest = 0, h = s->height[point];
    for (uint32_t k = d->point_start[point]; k < d->point_start[point + 1]; k++) {
        const uint32_t* end = d->end[d->point_edge[k]];
        uint32_t to = end[0] == point ? end[1] : end[0];
        double other = s->height[to], share = h / (h - other);
        if (!(h * other < 0) || share > most)
            continue;
        double slope = fabs(h - other) / vec3d_distance(s->rest[point], s->rest[to]);
        if (slope <= steepest || !may_move(s, point, to, share))
            continue;
        steepest = slope;
        *out = (SnapMove){.point = point, .to = to, .share = share};
    }
    return steepest > 0;
}

static bool is_crossed(const Snapper* s, uint32_t point)
{
    const Domains* d = &s->fem->domains;
    for (uint32_t k = d->point_start[point]; k < d->point_start[point + 1]; k++) {
        const uint32_t* end = d->end[d->point_edge[k]];
        if (s->height[end[0]] * s->height[end[1]] < 0)
            return true;
    }
    return false;
}

// --- who moves

static int by_height(const void* a, const void* b)
{
    const Candidate *p = a, *q = b;
    if (p->height != q->height)
        return p->height < q->height ? -1 : 1;
    return p->point < q->point ? -1 : p->point > q->point;
}

static void find_candidates(Snapper* s)
{
    s->count = 0;
    for (uint32_t k = 0; k < s->body->point_count; k++)
        if (s->body->pins.of[k] < 0 && !s->held[k] && is_crossed(s, k))
            s->candidate[s->count++] = (Candidate){fabs(s->height[k]), k};
    if (s->count)
        qsort(s->candidate, s->count, sizeof *s->candidate, by_height);
}

static bool add_move(Snapper* s, SnapMove move)
{
    Snap* snap = s->snap;
    if (!memory_reserve(NULL, &snap->move, &snap->capacity, snap->count, snap->count + 1, sizeof *snap->move))
        return false;
    snap->move[snap->count++] = move;
    s->rest[move.point] = towards(s->rest[move.point], s->rest[move.to], move.share);
    s->now[move.point] = towards(s->now[move.point], s->now[move.to], move.share);
    s->height[move.point] = 0;
    for (uint32_t k = s->fem->corner_start[move.point]; k < s->fem->corner_start[move.point + 1]; k++)
        snap->around[s->fem->corner[k] / 4] = 1;
    return true;
}

static bool find_moves(Snapper* s)
{
    SnapMove move;
    for (int round = 0; round < ROUNDS; round++) {
        find_candidates(s);
        for (size_t k = 0; k < s->count; k++)
            if (find_edge(s, s->candidate[k].point, SHARES[round], &move) && !add_move(s, move))
                return false;
    }
    return true;
}

static void list_faces(Snapper* s)
{
    const BodySkin* skin = &s->body->skin;
    size_t n = s->body->point_count, corners = 3 * skin->face_count;
    memset(s->face_start, 0, (n + 2) * sizeof *s->face_start);
    for (size_t k = 0; k < corners; k++)
        s->face_start[skin->face[k / 3][k % 3] + 2]++;
    for (size_t k = 2; k < n + 2; k++)
        s->face_start[k] += s->face_start[k - 1];
    for (size_t k = 0; k < corners; k++) // start[v + 1] goes from where v begins to where it ends
        s->face_at[s->face_start[skin->face[k / 3][k % 3] + 1]++] = (uint32_t)(k / 3);
}

bool snap_find(Snap* snap, const Body* body, const uint8_t* held, double* height)
{
    size_t n = body->point_count, corners = 3 * body->skin.face_count;
    *snap = (Snap){.around = memory_take(NULL, body->tet_count + 1), .mark = memory_take(NULL, 4 * body->tet_count + 1)};
    Snapper s = {.snap = snap,
                 .body = body,
                 .fem = body->state,
                 .held = held,
                 .height = height,
                 .rest = memory_take(NULL, (n + 1) * sizeof *s.rest),
                 .now = memory_take(NULL, (n + 1) * sizeof *s.now),
                 .face_start = memory_take(NULL, (n + 2) * sizeof *s.face_start),
                 .face_at = memory_take(NULL, (corners + 1) * sizeof *s.face_at),
                 .candidate = memory_take(NULL, (n + 1) * sizeof *s.candidate)};
    bool ok = snap->around && snap->mark && s.rest && s.now && s.face_start && s.face_at && s.candidate;
    if (ok) {
        memset(snap->around, 0, body->tet_count);
        memcpy(s.rest, body->rest, n * sizeof *s.rest);
        memcpy(s.now, body->position, n * sizeof *s.now);
        list_faces(&s);
        ok = find_moves(&s);
    }
    void* arrays[] = {s.rest, s.now, s.face_start, s.face_at, s.candidate};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(NULL, arrays[k]);
    return ok;
}

void snap_free(Snap* snap)
{
    memory_give(NULL, snap->move);
    memory_give(NULL, snap->around);
    memory_give(NULL, snap->mark);
    *snap = (Snap){0};
}

// --- moving

enum { KINDS = 5 }; // what a point has

static void values_of(Body* body, Vec3d* out[KINDS])
{
    Fem* fem = body->state;
    Vec3d* const all[KINDS] = {body->rest, body->position, body->velocity, fem->x_before, fem->v_before};
    memcpy(out, all, sizeof all);
}

static void totals(const Body* body, Vec3d* momentum, Vec3d* moment)
{
    *momentum = *moment = vec3d(0, 0, 0);
    for (size_t k = 0; k < body->point_count; k++) {
        *momentum = vec3d_mad(*momentum, body->mass[k], body->velocity[k]);
        *moment = vec3d_mad(*moment, body->mass[k], vec3d_cross(body->position[k], body->velocity[k]));
    }
}

void snap_apply(Snap* snap, Body* body)
{
    Vec3d* value[KINDS];
    values_of(body, value);
    totals(body, &snap->momentum, &snap->moment);
    for (size_t k = 0; k < snap->count; k++) {
        SnapMove* m = &snap->move[k];
        for (int i = 0; i < KINDS; i++) {
            m->was[i] = value[i][m->point];
            value[i][m->point] = towards(m->was[i], value[i][m->to], m->share);
        }
    }
}

void snap_undo(const Snap* snap, Body* body)
{
    Vec3d* value[KINDS];
    values_of(body, value);
    for (size_t k = snap->count; k-- > 0;)
        for (int i = 0; i < KINDS; i++)
            value[i][snap->move[k].point] = snap->move[k].was[i];
}

// Free points of tetrahedra around points that moved.
static void mark_around(const Snap* snap, const Body* body, uint8_t* mark)
{
    memset(mark, 0, body->point_count);
    for (size_t k = 0; k < 4 * body->tet_count; k++)
        if (snap->around[k / 4] && body->pins.of[body->tet[k / 4][k % 4]] < 0)
            mark[body->tet[k / 4][k % 4]] = 1;
}

// Points that are marked get a motion as a rigid body with this momentum and moment about the origin.
static void push(Body* body, const uint8_t* mark, Vec3d momentum, Vec3d moment)
{
    double mass = 0;
    Vec3d centre = {0, 0, 0}, spin = {0, 0, 0};
    Mat3 inertia = {{{0}}};
    for (size_t k = 0; k < body->point_count; k++)
        if (mark[k]) {
            mass += body->mass[k];
            centre = vec3d_mad(centre, body->mass[k], body->position[k]);
        }
    if (!(mass > 0))
        return;
    centre = vec3d_scale(centre, 1 / mass);
    for (size_t k = 0; k < body->point_count; k++)
        if (mark[k])
            mat3_add_inertia(&inertia, body->mass[k], vec3d_sub(body->position[k], centre));
    double size = inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2];
    if (mat3_determinant(&inertia) > 1e-9 * size * size * size) {
        Mat3 inverse = mat3_inverse(&inertia);
        spin = mat3_times(&inverse, vec3d_sub(moment, vec3d_cross(centre, momentum)));
    }
    for (size_t k = 0; k < body->point_count; k++)
        if (mark[k]) {
            Vec3d turning = vec3d_cross(spin, vec3d_sub(body->position[k], centre));
            body->velocity[k] = vec3d_add(vec3d_mad(body->velocity[k], 1 / mass, momentum), turning);
        }
}

void snap_settle(const Snap* snap, Body* body)
{
    Vec3d momentum, moment;
    if (snap->count == 0)
        return;
    mark_around(snap, body, snap->mark);
    totals(body, &momentum, &moment);
    push(body, snap->mark, vec3d_sub(snap->momentum, momentum), vec3d_sub(snap->moment, moment));
}
