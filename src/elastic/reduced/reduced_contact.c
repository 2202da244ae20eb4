// SPDX-License-Identifier: MIT
// Obstacles in the local-global iteration. A push j [kg m] on a point with functions u moves coordinates by A^-1 u j, the same for
// each axis, so that a contact is solved by a number, a = u . A^-1 u, and friction by the same one. All contacts are solved one
// after the other (projected Gauss-Seidel), some sweeps per iteration, going on from the pushes found so far; what the iteration
// finds anew comes on top. An obstacle that gives way is moved by the impulse j / dt at once.
#include "elastic/contact/hard_contacts.h"
#include "elastic/contact/sharp_contacts.h"
#include "elastic/obstacle.h"
#include "elastic/place.h"
#include "elastic/reduced/reduced.h"
#include <string.h>

enum { SWEEPS = 3 };

// --- columns: points whose answer is known

static double dot_answer(const Reduced* s, const Body* body, uint32_t point, const double* answer)
{
    double sum = 0;
    for (uint32_t k = s->space.start[point]; k < s->space.start[point + 1]; k++) {
        double u[4];
        reduced_functions(s, body->rest[point], k, u);
        for (size_t r = 0; r < 4; r++)
            sum += u[r] * answer[4 * (size_t)s->space.handle[k] + r];
    }
    return sum;
}

static bool need_column(Reduced* s, ElasticSet* set, const Body* body, uint32_t point)
{
    if (s->column_of[point] >= 0)
        return true;
    size_t n = s->rank, at = s->column_count;
    if (!memory_reserve(set->memory, &s->column, &s->column_capacity, at, at + 1, sizeof *s->column) ||
        !memory_reserve(set->memory, &s->answer, &s->answer_capacity, at, at + 1, n * sizeof *s->answer))
        return false;
    double* answer = s->answer + at * n;
    memset(answer, 0, n * sizeof *answer);
    for (uint32_t k = s->space.start[point]; k < s->space.start[point + 1]; k++) {
        double u[4];
        reduced_functions(s, body->rest[point], k, u);
        for (size_t r = 0; r < 4; r++) {
            const double* row = s->used->inverse + (4 * (size_t)s->space.handle[k] + r) * n;
            for (size_t c = 0; c < n; c++)
                answer[c] += u[r] * row[c];
        }
    }
    s->column[at] = (ContactColumn){.point = point};
    s->column_of[point] = (int32_t)s->column_count++;
    return true;
}

// --- a contact: up to three points with weights against a plane

typedef struct Push {
    int count;
    uint32_t point[3];
    double weight[3];
    Vec3d normal;  // the points are pushed along it
    Vec3d carried; // [m/s] of the obstacle there
    double depth;  // [m] to be undone
    double friction;
    uint32_t obstacle;
    Vec3d at;   // [m]
    Vec3d from; // [m] where the points were when the step began
} Push;

static Push push_point(const Reduced* s, const ElasticSet* set, const Body* body, const HardContact* c, double dt)
{
    const Obstacle* o = &set->obstacle[c->obstacle];
    Push p = {.count = 1,
              .point = {c->point},
              .weight = {1},
              .normal = c->normal,
              .carried = c->velocity,
              .friction = c->friction,
              .obstacle = c->obstacle,
              .at = reduced_point(s, body, c->point, s->now),
              .from = body->position[c->point]};
    Vec3d unmoved = p.at;
    if (o->weight.inverse_mass > 0) {
        Vec3d arm = vec3d_sub(p.at, o->centre);
        p.carried = vec3d_add(p.carried, obstacle_kick(o, arm));
        unmoved = vec3d_sub(p.at, obstacle_shift(o, arm));
    }
    p.depth = hard_depth(c, unmoved, dt) - c->had * fmax(0, 1 - 2 * dt / set->recover);
    return p;
}

// A sharp feature stays on the outside of the face.
static Push push_face(const Reduced* s, const ElasticSet* set, const Body* body, const SharpContact* c, double dt)
{
    const Obstacle* o = &set->obstacle[c->obstacle];
    const uint32_t* t = body->skin.face[c->face];
    Vec3d x[3], at = sharp_contact_end(set, c);
    for (int k = 0; k < 3; k++)
        x[k] = reduced_point(s, body, t[k], s->now);
    Push p = {.count = 3,
              .point = {t[0], t[1], t[2]},
              .friction = c->friction,
              .obstacle = c->obstacle,
              .carried = vec3d_scale(vec3d_sub(at, c->at), 1 / dt)};
    if (o->weight.inverse_mass > 0) {
        Vec3d arm = vec3d_sub(at, o->centre);
        p.carried = vec3d_add(p.carried, obstacle_kick(o, arm));
        at = vec3d_add(at, obstacle_shift(o, arm));
    }
    const uint32_t own[3] = {0, 1, 2};
    Place place = place_over(x, own, at);
    p.at = at;
    p.normal = vec3d_scale(place.normal, -1);
    p.depth = c->side > 0 && place_is_over(&place, 0.05) ? c->gap - place.height : 0;
    place_clamp(&place, p.weight);
    for (int k = 0; k < 3; k++)
        p.from = vec3d_mad(p.from, p.weight[k], body->position[t[k]]);
    return p;
}

// [1/kg]
static double ease_of(const Reduced* s, const Body* body, const Push* p)
{
    double sum = 0;
    for (int a = 0; a < p->count; a++)
        for (int b = 0; b < p->count; b++)
            sum += p->weight[a] * p->weight[b] *
                   dot_answer(s, body, p->point[a], s->answer + (size_t)s->column_of[p->point[b]] * s->rank);
    return sum;
}

static void move_by(Reduced* s, const Push* p, Vec3d push)
{
    size_t n = s->rank;
    for (int c = 0; c < p->count; c++) {
        ContactColumn* column = &s->column[s->column_of[p->point[c]]];
        const double* answer = s->answer + (size_t)s->column_of[p->point[c]] * n;
        Vec3d share = vec3d_scale(push, p->weight[c]);
        column->pushed = vec3d_add(column->pushed, share);
        double *x = s->pushed, *y = x + n, *z = y + n;
        for (size_t k = 0; k < n; k++) {
            x[k] += answer[k] * share.x;
            y[k] += answer[k] * share.y;
            z[k] += answer[k] * share.z;
        }
        for (size_t k = 0; k < n; k++) {
            s->now[k] += answer[k] * share.x;
            s->now[n + k] += answer[k] * share.y;
            s->now[2 * n + k] += answer[k] * share.z;
        }
    }
}

// `total` [kg m] is what the contact pushed so far.
static void solve_push(Reduced* s, ElasticSet* set, const Body* body, const Push* p, double dt, Vec3d* total)
{
    Obstacle* o = &set->obstacle[p->obstacle];
    double had = vec3d_dot(*total, p->normal);
    if (!(p->depth > 0) && !(had > 0))
        return;
    double ease = ease_of(s, body, p), give = obstacle_ease(o, vec3d_sub(p->at, o->centre), p->normal);
    double along = fmax(0, had + p->depth / (ease + give));
    Vec3d slip = vec3d_mad(vec3d_sub(p->at, p->from), -dt, p->carried);
    slip = vec3d_mad(slip, -vec3d_dot(slip, p->normal), p->normal);
    Vec3d across = vec3d_mad(*total, -had, p->normal);
    across = vec3d_mad(across, -1 / (ease + give), slip);
    double length = vec3d_length(across), most = p->friction * along;
    if (length > most)
        across = vec3d_scale(across, most / length);
    Vec3d wanted = vec3d_mad(across, along, p->normal), change = vec3d_sub(wanted, *total);
    *total = wanted;
    move_by(s, p, change);
    obstacle_hit(o, p->at, vec3d_scale(change, -1 / dt), ease * vec3d_dot(change, change) / (dt * dt), dt);
}

// --- of a step

bool reduced_contact_begin(Reduced* s, ElasticSet* set, Body* body, double dt)
{
    s->column_count = 0;
    memset(s->pushed, 0, 3 * s->rank * sizeof *s->pushed);
    if (body->obstacles.hard_count + body->obstacles.sharp_count == 0)
        return true;
    if (!memory_reserve(set->memory, &s->total, &s->total_capacity, 0, body->obstacles.hard_count + body->obstacles.sharp_count,
                        sizeof *s->total))
        return false;
    memset(s->total, 0, (body->obstacles.hard_count + body->obstacles.sharp_count) * sizeof *s->total);
    hard_contacts_prepare(body, dt);
    obstacles_begin(set, dt);
    obstacles_advance(set, dt, 1);
    return true;
}

// A point needs a column from the moment when it touches.
static bool has_columns(Reduced* s, ElasticSet* set, const Body* body, const Push* p)
{
    for (int c = 0; c < p->count; c++)
        if (!need_column(s, set, body, p->point[c]))
            return false;
    return true;
}

bool reduced_contact_solve(Reduced* s, ElasticSet* set, Body* body, double dt)
{
    size_t hard = body->obstacles.hard_count, count = hard + body->obstacles.sharp_count;
    for (int sweep = 0; sweep < SWEEPS && count; sweep++)
        for (size_t k = 0; k < count; k++) {
            Push p = k < hard ? push_point(s, set, body, &body->obstacles.hard[k], dt)
                              : push_face(s, set, body, &body->obstacles.sharp[k - hard], dt);
            if (!(p.depth > 0) && vec3d_dot(s->total[k], s->total[k]) == 0)
                continue;
            if (!has_columns(s, set, body, &p))
                return false;
            solve_push(s, set, body, &p, dt, &s->total[k]);
        }
    return true;
}

bool reduced_contact_end(Reduced* s, ElasticSet* set, Body* body, double dt, double* impulse)
{
    bool touched = s->column_count > 0;
    for (size_t k = 0; k < s->column_count; k++) {
        uint32_t point = s->column[k].point;
        for (uint32_t m = s->space.start[point]; m < s->space.start[point + 1]; m++) {
            double u[4];
            reduced_functions(s, body->rest[point], m, u);
            for (size_t r = 0; r < 4; r++)
                reduced_add(s, impulse, 4 * (size_t)s->space.handle[m] + r, u[r] / dt, s->column[k].pushed);
        }
        s->column_of[point] = -1;
    }
    if (body->obstacles.hard_count + body->obstacles.sharp_count > 0)
        obstacles_end(set);
    s->column_count = 0;
    return touched;
}
