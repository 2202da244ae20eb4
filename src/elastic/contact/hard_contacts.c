// SPDX-License-Identifier: MIT
// Distances come from the obstacles' meshes. Most points are far from all obstacles most of the time, so that each keeps a
// lower bound of its distance to every obstacle, which shrinks by what both have moved since it was measured; only when it is
// used up the mesh is asked again. The bound decides about effort, never about results.
// Points within a volume touch obstacles too: those of a soft one that is hit hard would fly through a surface that was stopped.
#include "elastic/contact/hard_contacts.h"

#include "elastic/contact/sharp_contacts.h"
#include "elastic/obstacle.h"
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
    body->obstacles.slot[i].obstacle = UINT32_MAX;
    double clear = (double)s->clear[i] - 1.001 * (s->moved + vec3d_distance(x, body->obstacles.seen[i])) - 1e-6 * s->set->length;
    s->clear[i] = (float)clear;
    if (clear > reach || body->pins.of[i] >= 0)
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
    body->obstacles.slot[i] =
        (HardContact){.point = (uint32_t)i,
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
        search_point(context, ((Search*)context)->body->skin.point[k]);
}

// --- all points

static bool reserve(ElasticSet* set, Body* body)
{
    if (body->obstacles.clear && body->obstacles.known == set->obstacle_count)
        return true;
    size_t n = body->point_count;
    memory_give(set->memory, body->obstacles.clear);
    memory_give(set->memory, body->obstacles.seen);
    memory_give(set->memory, body->obstacles.slot);
    memory_give(set->memory, body->obstacles.sharp_clear);
    body->obstacles.sharp_clear = memory_take(set->memory, n * set->obstacle_count * sizeof *body->obstacles.sharp_clear);
    body->obstacles.clear = memory_take(set->memory, n * set->obstacle_count * sizeof *body->obstacles.clear);
    body->obstacles.seen = memory_take(set->memory, n * sizeof *body->obstacles.seen);
    body->obstacles.slot = memory_take(set->memory, n * sizeof *body->obstacles.slot);
    body->obstacles.known = set->obstacle_count;
    if (!body->obstacles.clear || !body->obstacles.seen || !body->obstacles.slot || !body->obstacles.sharp_clear)
        return false;
    memset(body->obstacles.sharp_clear, 0, n * set->obstacle_count * sizeof *body->obstacles.sharp_clear);
    memset(body->obstacles.clear, 0, n * set->obstacle_count * sizeof *body->obstacles.clear);
    memcpy(body->obstacles.seen, body->position, n * sizeof *body->obstacles.seen);
    return true;
}

bool hard_contacts_find(ElasticSet* set, Body* body, double dt)
{
    body->obstacles.hard_count = body->obstacles.sharp_count = 0;
    if (set->obstacle_count == 0 || !body->def.contact)
        return true;
    if (!reserve(set, body))
        return false;
    for (size_t k = 0; k < set->obstacle_count; k++) {
        const Obstacle* o = &set->obstacle[k];
        Search search = {.set = set,
                         .body = body,
                         .obstacle = o,
                         .clear = body->obstacles.clear + k * body->point_count,
                         .moved = obstacle_path(&o->def, &o->seen, &o->from),
                         .dt = dt};
        find_motion(&search);
        parallel_for(set->pool, body->point_count, CONTACT_GRAIN, search_points, &search);
        for (size_t i = 0; i < body->point_count; i++) {
            const HardContact* slot = &body->obstacles.slot[body->skin.point[i]];
            if (slot->obstacle == UINT32_MAX)
                continue;
            if (!memory_reserve(set->memory, &body->obstacles.hard, &body->obstacles.hard_capacity, body->obstacles.hard_count,
                                body->obstacles.hard_count + 1, sizeof *body->obstacles.hard))
                return false;
            body->obstacles.hard[body->obstacles.hard_count++] = *slot;
        }
    }
    bool ok = sharp_contacts_find(set, body, dt);
    memcpy(body->obstacles.seen, body->position, body->point_count * sizeof *body->obstacles.seen);
    return ok;
}

// --- what mass points cannot keep

static const double OPPOSED = -0.5; // cosine between the normals of planes that squeeze a point

// A point between two solids that leave it no room, as a cloth under a ball on a floor. These solids keep each other apart
// themselves. The point must not: it is put back and forth between them in every substep, and each time the impulse of that path
// would go to the ball (1.4 m/s became 31 m/s).
static void leave_room(HardContact* a, HardContact* b, Vec3d x, double dt)
{
    if (vec3d_dot(a->normal, b->normal) > OPPOSED)
        return;
    double missing = fmax(hard_depth(a, x, 0) + hard_depth(b, x, 0), hard_depth(a, x, dt) + hard_depth(b, x, dt));
    if (missing > 0) {
        a->gap -= 0.5 * missing;
        b->gap -= 0.5 * missing;
    }
}

void hard_contacts_prepare(Body* body, double dt)
{
    const uint32_t none = HARD_NONE;
    for (size_t k = 0; k < body->obstacles.sharp_count; k++)
        for (int c = 0; c < 3; c++)
            body->obstacles.slot[body->skin.face[body->obstacles.sharp[k].face][c]].next = none;
    for (size_t k = 0; k < body->obstacles.hard_count; k++)
        body->obstacles.slot[body->obstacles.hard[k].point].next = none; // the last one of the point
    for (uint32_t k = 0; k < body->obstacles.hard_count; k++) {
        HardContact* contact = &body->obstacles.hard[k];
        uint32_t* last = &body->obstacles.slot[contact->point].next;
        for (uint32_t j = *last; j != none; j = body->obstacles.hard[j].next)
            leave_room(contact, &body->obstacles.hard[j], body->position[contact->point], dt);
        contact->next = *last;
        *last = k;
    }
    for (size_t k = 0; k < body->obstacles.hard_count; k++)
        body->obstacles.hard[k].had =
            fmax(0, hard_depth(&body->obstacles.hard[k], body->position[body->obstacles.hard[k].point], 0));
}

// --- within substeps

// [m] How deep the point is without what is left of the depth that it had: that goes slowly.
static double excess(const ElasticSet* set, const HardContact* contact, Vec3d x, double t)
{
    return hard_depth(contact, x, t) - contact->had * fmax(0, 1 - 2 * t / set->recover);
}

// [1] The share of a depth that the obstacle gives way by: each its share, and what is bound no farther than it comes; `h` [s/m]
// per depth.
static double given(const Obstacle* o, Vec3d arm, Vec3d normal, double mass, double h)
{
    if (!(o->weight.inverse_mass > 0))
        return 0;
    double ease = mass * obstacle_ease(o, arm, normal), stop = mass * obstacle_stop_ease(o);
    return stop > 0 ? fmin(stop / (1 + stop), h * obstacle_coming(o, arm, normal, false)) : ease / (1 + ease);
}

// Points that went too far into an obstacle are put back in front of it. They then stick where they touch, unless they slip by
// more than friction holds: a share of how far they were in (Muller 2007, section 3.4; Macklin 2014, eq. 24).
void hard_contacts_solve(ElasticSet* set, Body* body, double h, double t)
{
    for (size_t k = 0; k < body->obstacles.hard_count; k++) {
        const HardContact* contact = &body->obstacles.hard[k];
        Obstacle* obstacle = &set->obstacle[contact->obstacle];
        Quad* x = &body->paths.now[contact->point];
        Vec3d at = quad_vec(*x), arm = {0, 0, 0}, carried = contact->velocity, unmoved = at;
        if (obstacle->weight.inverse_mass > 0) {
            arm = vec3d_sub(at, obstacle->centre);
            carried = vec3d_add(carried, obstacle_kick(obstacle, arm));
            unmoved = vec3d_sub(at, obstacle_shift(obstacle, arm)); // where it would be if the obstacle had not given way
        }
        double depth = excess(set, contact, unmoved, t), mass = body->mass[contact->point];
        if (!(depth > 0))
            continue;
        Vec3d push = vec3d_scale(contact->normal, depth);
        Vec3d slip = vec3d_mad(vec3d_sub(vec3d_add(at, push), quad_vec(body->paths.old[contact->point])), -h, carried);
        slip = vec3d_mad(slip, -vec3d_dot(slip, contact->normal), contact->normal);
        double length = vec3d_length(slip), most = contact->friction * depth;
        push = vec3d_mad(push, length > most ? -most / length : -1, slip);
        push = vec3d_scale(push, 1 - given(obstacle, arm, contact->normal, mass, h * (1 / depth)));
        obstacle_hit(obstacle, at, vec3d_scale(push, -mass / h), mass * vec3d_dot(push, push) / (h * h), h);
        *x += quad(push, 0);
    }
}
