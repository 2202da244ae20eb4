// SPDX-License-Identifier: MIT
// Distances come from the obstacles' meshes. Most points are far from all obstacles most of the time, so that each keeps a
// lower bound of its distance to every obstacle, which shrinks by what both have moved since it was measured; only when it is
// used up the mesh is asked again. The bound decides about effort, never about results.
// Points within a volume touch obstacles too: those of a soft one that is hit hard would fly through a surface that was stopped.
#include "elastic/contact.h"

#include "elastic/obstacle.h"
#include "elastic/pokes.h"
#include "mesh/inside.h"
#include <string.h>

enum { CONTACT_GRAIN = 512 };

typedef struct Search {
    const ElasticSet* set;
    Body* body;
    const Obstacle* obstacle;
    float* clear; // (points) [m] of this obstacle
    double moved; // [m] by the obstacle since the last search
    double dt;
    Vec3d velocity, spin; // [m/s], [1/s] of the obstacle over the step, about `from`
} Search;

// --- how obstacles move

static void find_motion(Search* s)
{
    const Obstacle* o = s->obstacle;
    s->velocity = vec3d_scale(vec3d_sub(o->to.position, o->from.position), 1 / s->dt);
    Quat turn = quat_mul(o->to.rotation, quat_conjugate(o->from.rotation));
    if (turn.w < 0)
        turn = (Quat){-turn.w, -turn.x, -turn.y, -turn.z};
    Vec3d axis = {turn.x, turn.y, turn.z};
    double sine = vec3d_length(axis);
    s->spin = sine > 0 ? vec3d_scale(axis, 2 * atan2(sine, turn.w) / (sine * s->dt)) : vec3d(0, 0, 0);
}

// --- one point

static Vec3d face_normal(const Obstacle* o, uint32_t triangle)
{
    const TriMesh* mesh = o->def.mesh;
    const uint32_t* t = mesh->triangle[triangle];
    return vec3d_normalise(
        vec3d_cross(vec3d_sub(mesh->vertex[t[1]], mesh->vertex[t[0]]), vec3d_sub(mesh->vertex[t[2]], mesh->vertex[t[0]])));
}

// The plane in the obstacle's frame. False: nothing within `limit`.
static bool find_plane(const Obstacle* o, Vec3d p, double limit, double* distance, Vec3d* place, Vec3d* normal)
{
    uint32_t triangle = 0;
    double d = inside_distance(o->def.test, p, limit, place, &triangle);
    *distance = d;
    if (!(d < limit))
        return false;
    bool wrong = o->def.closed && inside_contains(o->def.test, p) != o->def.container;
    *normal = d > 1e-7 * limit ? vec3d_scale(vec3d_sub(p, *place), (wrong ? -1 : 1) / d)
                               : vec3d_scale(face_normal(o, triangle), o->def.container ? -1 : 1);
    return true;
}

static void search_point(Search* s, size_t i)
{
    const Obstacle* o = s->obstacle;
    Body* body = s->body;
    Vec3d x = body->position[i];
    double gap = 0.5 * body->def.thickness + o->def.thickness;
    Vec3d arm = vec3d_sub(x, o->from.position);
    Vec3d carried = vec3d_add(s->velocity, vec3d_cross(s->spin, arm));
    double speed = vec3d_length(body->velocity[i]) + vec3d_length(carried) + s->dt * vec3d_length(s->set->gravity);
    double reach = gap + 2 * speed * s->dt + 0.25 * s->set->length;
    body->slot[i].obstacle = UINT32_MAX;
    double clear = (double)s->clear[i] - 1.001 * (s->moved + vec3d_distance(x, body->seen[i])) - 1e-6 * s->set->length;
    s->clear[i] = (float)clear;
    if (clear > reach || body->pin_of[i] >= 0)
        return;
    Vec3d p = quat_unrotate(o->from.rotation, arm), place, normal;
    double aside = vec3d_distance(p, o->def.bound_centre) - o->def.bound_radius, limit = 4 * reach, distance;
    if (!o->def.container && aside > reach) {
        s->clear[i] = (float)aside;
        return;
    }
    bool found = find_plane(o, p, limit, &distance, &place, &normal);
    s->clear[i] = (float)distance;
    if (!found || distance > reach)
        return;
    Vec3d at = vec3d_add(quat_rotate(o->from.rotation, place), o->from.position);
    body->slot[i] = (Touch){.point = (uint32_t)i,
                            .obstacle = (uint32_t)(o - s->set->obstacle),
                            .place = at,
                            .normal = quat_rotate(o->from.rotation, normal),
                            .velocity = vec3d_add(s->velocity, vec3d_cross(s->spin, vec3d_sub(at, o->from.position))),
                            .gap = gap,
                            .friction = sqrt(body->def.friction * o->def.friction)};
}

static void search_points(void* context, size_t begin, size_t end, size_t block, int worker)
{
    for (size_t k = begin; k < end; k++)
        search_point(context, ((Search*)context)->body->skin[k]);
}

// --- all points

static bool reserve(ElasticSet* set, Body* body)
{
    if (body->clear && body->clear_obstacles == set->obstacle_count)
        return true;
    size_t n = body->point_count;
    memory_give(set->memory, body->clear);
    memory_give(set->memory, body->seen);
    memory_give(set->memory, body->slot);
    memory_give(set->memory, body->blunt);
    body->blunt = memory_take(set->memory, n * set->obstacle_count * sizeof *body->blunt);
    body->clear = memory_take(set->memory, n * set->obstacle_count * sizeof *body->clear);
    body->seen = memory_take(set->memory, n * sizeof *body->seen);
    body->slot = memory_take(set->memory, n * sizeof *body->slot);
    body->clear_obstacles = set->obstacle_count;
    if (!body->clear || !body->seen || !body->slot || !body->blunt)
        return false;
    memset(body->blunt, 0, n * set->obstacle_count * sizeof *body->blunt);
    memset(body->clear, 0, n * set->obstacle_count * sizeof *body->clear);
    memcpy(body->seen, body->position, n * sizeof *body->seen);
    return true;
}

bool touches_find(ElasticSet* set, Body* body, double dt)
{
    body->touch_count = body->poke_count = 0;
    if (set->obstacle_count == 0 || !body->def.contact)
        return true;
    if (!reserve(set, body))
        return false;
    for (size_t k = 0; k < set->obstacle_count; k++) {
        const Obstacle* o = &set->obstacle[k];
        Search search = {.set = set,
                         .body = body,
                         .obstacle = o,
                         .clear = body->clear + k * body->point_count,
                         .moved = obstacle_way(&o->def, &o->seen, &o->from),
                         .dt = dt};
        find_motion(&search);
        parallel_for(set->pool, body->point_count, CONTACT_GRAIN, search_points, &search);
        for (size_t i = 0; i < body->point_count; i++) {
            const Touch* slot = &body->slot[body->skin[i]];
            if (slot->obstacle == UINT32_MAX)
                continue;
            if (!memory_reserve(set->memory, &body->touch, &body->touch_capacity, body->touch_count, body->touch_count + 1,
                                sizeof *body->touch))
                return false;
            body->touch[body->touch_count++] = *slot;
        }
    }
    bool ok = pokes_find(set, body, dt);
    memcpy(body->seen, body->position, body->point_count * sizeof *body->seen);
    return ok;
}

// --- what mass points cannot keep

static const double OPPOSED = -0.5; // cosine between the normals of planes that squeeze a point

// A point between two solids that leave it no room, as a cloth under a ball on a floor. These solids keep each other apart
// themselves. The point must not: it is put back and forth between them in every substep, and each time the impulse of that way
// would go to the ball (1.4 m/s became 31 m/s).
static void leave_room(Touch* a, Touch* b, Vec3d x, double dt)
{
    if (vec3d_dot(a->normal, b->normal) > OPPOSED)
        return;
    double missing = fmax(touch_depth(a, x, 0) + touch_depth(b, x, 0), touch_depth(a, x, dt) + touch_depth(b, x, dt));
    if (missing > 0) {
        a->gap -= 0.5 * missing;
        b->gap -= 0.5 * missing;
    }
}

void touches_ease(Body* body, double dt)
{
    const uint32_t none = TOUCH_NONE;
    for (size_t k = 0; k < body->poke_count; k++)
        for (int c = 0; c < 3; c++)
            body->slot[body->face[body->poke[k].face][c]].next = none;
    for (size_t k = 0; k < body->touch_count; k++)
        body->slot[body->touch[k].point].next = none; // the last one of the point
    for (uint32_t k = 0; k < body->touch_count; k++) {
        Touch* touch = &body->touch[k];
        uint32_t* last = &body->slot[touch->point].next;
        for (uint32_t j = *last; j != none; j = body->touch[j].next)
            leave_room(touch, &body->touch[j], body->position[touch->point], dt);
        touch->next = *last;
        *last = k;
    }
    for (size_t k = 0; k < body->touch_count; k++)
        body->touch[k].had = fmax(0, touch_depth(&body->touch[k], body->position[body->touch[k].point], 0));
}
