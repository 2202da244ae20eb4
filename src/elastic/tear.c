// SPDX-License-Identifier: MIT
#include "elastic/tear.h"

#include "base/eigen.h"
#include "elastic/topology.h"
#include <stdlib.h>
#include <string.h>

static const double SHARE = 0.7; // of the tear strain: the mean strain at which a tear begins or runs on

typedef struct PointStrain {
    double tensor[3][3]; // [m] S_v
    double length[3][3]; // [m] L_v
    double greatest;     // [1] of its edges
    uint32_t farthest;   // the other end of that edge
} PointStrain;

typedef struct Seed {
    uint32_t point;
    double strain; // [1]
} Seed;

typedef struct Tear {
    const Body* body;
    const Constraints* constraints;
    double sound;       // [m] as far as it gets in the step
    PointStrain* point; // (points)
    uint32_t* corner;   // (3 * triangles) corners by point, 3 * triangle + corner
    uint32_t* first;    // (points + 1) into it
    uint8_t* side;      // (3 * triangles) see split_sheet()
    uint8_t* seen;      // (points) a tear has been there
    uint32_t* queue;    // (points)
    Seed* seed;         // (points) by strain
    size_t seed_count, started;
} Tear;

// [1] and its direction
static double strain_of(const Body* body, const EdgeConstraint* e, Vec3d* direction)
{
    Vec3d d = vec3d_sub(body->position[e->point[1]], body->position[e->point[0]]);
    double length = vec3d_length(d);
    *direction = length > 0 ? vec3d_scale(d, 1 / length) : vec3d(0, 0, 0);
    return length / e->rest - 1;
}

static bool any_too_long(const Body* body, const Constraints* c)
{
    for (size_t k = 0; k < c->edge_count; k++) {
        const EdgeConstraint* e = &c->edge[k];
        double most = e->rest * (1 + body->def.tear_strain);
        if (vec3d_distance(body->position[e->point[1]], body->position[e->point[0]]) > most)
            return true;
    }
    return false;
}

// --- how points are stretched

static void find_strains(Tear* t)
{
    const Constraints* c = t->constraints;
    memset(t->point, 0, t->body->point_count * sizeof *t->point);
    for (size_t k = 0; k < c->edge_count; k++) {
        Vec3d d;
        double strain = strain_of(t->body, &c->edge[k], &d), rest = c->edge[k].rest;
        const double a[3] = {d.x, d.y, d.z};
        for (int end = 0; end < 2; end++) {
            PointStrain* p = &t->point[c->edge[k].point[end]];
            for (int i = 0; i < 9; i++) {
                p->tensor[i / 3][i % 3] += strain * rest * a[i / 3] * a[i % 3];
                p->length[i / 3][i % 3] += rest * a[i / 3] * a[i % 3];
            }
            if (strain > p->greatest) {
                p->greatest = strain;
                p->farthest = c->edge[k].point[1 - end];
            }
        }
    }
}

static Vec3d most_stretched(const PointStrain* p)
{
    double s[3][3], axes[3][3];
    memcpy(s, p->tensor, sizeof s);
    eigen_symmetric(s, axes);
    int most = s[1][1] > s[0][0] ? 1 : 0;
    most = s[2][2] > s[most][most] ? 2 : most;
    return vec3d(axes[0][most], axes[1][most], axes[2][most]);
}

// Whether the mean strain along a direction is enough.
static bool is_stretched(const Tear* t, uint32_t point, Vec3d n)
{
    const PointStrain* p = &t->point[point];
    const double a[3] = {n.x, n.y, n.z};
    double strain = 0, length = 0;
    for (int i = 0; i < 9; i++) {
        strain += p->tensor[i / 3][i % 3] * a[i / 3] * a[i % 3];
        length += p->length[i / 3][i % 3] * a[i / 3] * a[i % 3];
    }
    return strain > SHARE * t->body->def.tear_strain * length;
}

static int by_strain(const void* a, const void* b)
{
    const Seed *p = a, *q = b;
    if (p->strain != q->strain)
        return p->strain > q->strain ? -1 : 1;
    return p->point < q->point ? -1 : p->point > q->point;
}

static void find_seeds(Tear* t)
{
    for (uint32_t v = 0; v < t->body->point_count; v++)
        if (t->point[v].greatest > t->body->def.tear_strain && t->body->pins.of[v] < 0)
            t->seed[t->seed_count++] = (Seed){v, t->point[v].greatest};
    qsort(t->seed, t->seed_count, sizeof *t->seed, by_strain);
}

static void list_corners(Tear* t)
{
    const Body* body = t->body;
    size_t corners = 3 * body->triangle_count;
    memset(t->first, 0, (body->point_count + 1) * sizeof *t->first);
    for (size_t k = 0; k < corners; k++)
        t->first[body->triangle[k / 3][k % 3] + 1]++;
    for (size_t v = 0; v < body->point_count; v++)
        t->first[v + 1] += t->first[v];
    for (uint32_t k = (uint32_t)corners; k-- > 0;) // from the end: first[] becomes where the next one goes, and is put right below
        t->corner[--t->first[body->triangle[k / 3][k % 3] + 1]] = k;
    for (size_t v = 0; v < body->point_count; v++)
        t->first[v] = t->first[v + 1];
    t->first[body->point_count] = (uint32_t)corners;
}

// --- a tear

static uint8_t side_of(const Body* body, const uint32_t triangle[3], Vec3d through, Vec3d normal)
{
    Vec3d middle = {0, 0, 0};
    for (int c = 0; c < 3; c++)
        middle = vec3d_mad(middle, 1.0 / 3, body->position[triangle[c]]);
    return vec3d_dot(vec3d_sub(middle, through), normal) >= 0 ? 1 : 2;
}

// Parts the triangles at a point. False: all are on one side.
static bool open_at(Tear* t, uint32_t point, Vec3d through, Vec3d normal)
{
    uint8_t sides = 0;
    for (uint32_t k = t->first[point]; k < t->first[point + 1]; k++)
        sides |= side_of(t->body, t->body->triangle[t->corner[k] / 3], through, normal);
    for (uint32_t k = t->first[point]; sides == 3 && k < t->first[point + 1]; k++)
        t->side[t->corner[k]] = side_of(t->body, t->body->triangle[t->corner[k] / 3], through, normal);
    return sides == 3;
}

static bool has_corner(const uint32_t triangle[3], uint32_t point)
{
    return triangle[0] == point || triangle[1] == point || triangle[2] == point;
}

// A point at a border, with all its triangles on one side: those of its most stretched edge part from the rest. So the last threads
// between a pin and what it holds tear. False: there is no rest.
static bool open_thread(Tear* t, uint32_t point)
{
    uint8_t sides = 0;
    for (uint32_t k = t->first[point]; k < t->first[point + 1]; k++)
        sides |= has_corner(t->body->triangle[t->corner[k] / 3], t->point[point].farthest) ? 1 : 2;
    for (uint32_t k = t->first[point]; sides == 3 && k < t->first[point + 1]; k++)
        t->side[t->corner[k]] = has_corner(t->body->triangle[t->corner[k] / 3], t->point[point].farthest) ? 1 : 2;
    return sides == 3;
}

static bool has_on_side(const Tear* t, uint32_t a, uint32_t b, uint8_t side)
{
    for (uint32_t k = t->first[a]; k < t->first[a + 1]; k++)
        if (t->side[t->corner[k]] == side && has_corner(t->body->triangle[t->corner[k] / 3], b))
            return true;
    return false;
}

// Ends of the edges that opened at a point, if they are stretched enough.
static void look_on(Tear* t, uint32_t point, Vec3d through, Vec3d normal, size_t* queued)
{
    const Body* body = t->body;
    for (uint32_t k = t->first[point]; k < t->first[point + 1]; k++)
        for (int c = 0; c < 3; c++) {
            uint32_t next = body->triangle[t->corner[k] / 3][c];
            if (t->seen[next] || body->pins.of[next] >= 0 || !has_on_side(t, point, next, 1) || !has_on_side(t, point, next, 2) ||
                !is_stretched(t, next, normal) || vec3d_distance(body->position[next], through) > t->sound)
                continue;
            t->seen[next] = 1;
            t->queue[(*queued)++] = next;
        }
}

static bool run_tear(Tear* t, uint32_t seed)
{
    Vec3d through = t->body->position[seed], normal = most_stretched(&t->point[seed]);
    size_t queued = 1;
    t->queue[0] = seed;
    t->seen[seed] = 1;
    if (!is_stretched(t, seed, normal))
        return false;
    if (!open_at(t, seed, through, normal))
        return open_thread(t, seed);
    for (size_t k = 0; k < queued; k++)
        if (k == 0 || open_at(t, t->queue[k], through, normal))
            look_on(t, t->queue[k], through, normal, &queued);
    return true;
}

// Sound from a tear that began gets there.
static bool is_told(const Tear* t, const Seed* begun, uint32_t point)
{
    for (size_t k = 0; k < t->started; k++)
        if (vec3d_distance(t->body->position[begun[k].point], t->body->position[point]) < t->sound)
            return true;
    return false;
}

static bool run_tears(Tear* t)
{
    for (size_t k = 0; k < t->seed_count; k++) {
        Seed seed = t->seed[k];
        if (!t->seen[seed.point] && !is_told(t, t->seed, seed.point) && run_tear(t, seed.point))
            t->seed[t->started++] = seed; // those before it have been looked at
    }
    return t->started;
}

static bool take(Tear* t)
{
    size_t n = t->body->point_count, corners = 3 * t->body->triangle_count;
    t->point = memory_take(NULL, (n + 1) * sizeof *t->point);
    t->corner = memory_take(NULL, (corners + 1) * sizeof *t->corner);
    t->first = memory_take(NULL, (n + 2) * sizeof *t->first);
    t->side = memory_take(NULL, corners + 1);
    t->seen = memory_take(NULL, n + 1);
    t->queue = memory_take(NULL, (n + 1) * sizeof *t->queue);
    t->seed = memory_take(NULL, (n + 1) * sizeof *t->seed);
    if (!t->point || !t->corner || !t->first || !t->side || !t->seen || !t->queue || !t->seed)
        return false;
    memset(t->side, 0, corners);
    memset(t->seen, 0, n);
    return true;
}

bool tear_run(ElasticSet* set, Body* body, const Constraints* constraints, size_t* out_opened)
{
    *out_opened = 0;
    if (!any_too_long(body, constraints))
        return true;
    double sound = set->stepped * sqrt(body->def.young / body->def.density);
    Tear t = {.body = body, .constraints = constraints, .sound = fmax(sound, 2 * body->skin.mean_edge)};
    bool ok = take(&t);
    if (ok) {
        find_strains(&t);
        find_seeds(&t);
        list_corners(&t);
        ok = !run_tears(&t) || topology_split(set, body, t.side, out_opened);
    }
    void* arrays[] = {t.point, t.corner, t.first, t.side, t.seen, t.queue, t.seed};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(NULL, arrays[k]);
    return ok;
}
