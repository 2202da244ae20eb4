// SPDX-License-Identifier: MIT
// Contacts. Candidates come from a sweep along x that we do ourselves: ODE's spaces keep their lists in an order that
// depends on the past, ours depends on the state alone.
#include "rigid/rigid_parts.h"

#include <stdlib.h>
#include <string.h>

enum { CONTACTS_MOST = 32 };
static const double SOFTNESS = 1e-5;

static int compare_low(const void* a, const void* b)
{
    const Extent *x = a, *y = b;
    if (x->low[0] != y->low[0])
        return x->low[0] < y->low[0] ? -1 : 1;
    return x->body != y->body ? (x->body < y->body ? -1 : 1) : (x->geom > y->geom) - (x->geom < y->geom);
}

static void find_extents(Rigid* rigid)
{
    rigid->extent_count = 0;
    for (size_t k = 0; k < rigid->body_count; k++)
        for (int g = 0; g < rigid->body[k].geom_count; g++) {
            Extent* e = &rigid->extent[rigid->extent_count++];
            dReal box[6];
            dGeomGetAABB(rigid->body[k].geom[g], box);
            for (int c = 0; c < 3; c++) {
                e->low[c] = box[2 * c];
                e->high[c] = box[2 * c + 1];
            }
            e->body = (int)k;
            e->geom = g;
        }
    qsort(rigid->extent, rigid->extent_count, sizeof *rigid->extent, compare_low);
}

static bool is_free(const Body* body)
{
    return body->kind == BODY_FREE && !body->held && !body->sleep.asleep;
}

static bool kept_apart(const Rigid* rigid, int a, int b)
{
    for (size_t k = 0; k < rigid->joint_count; k++) {
        const Joint* j = rigid->joint[k];
        if (j->ode && j->apart && ((j->solid == a && j->other == b) || (j->solid == b && j->other == a)))
            return true;
    }
    return false;
}

static bool may_touch(const Rigid* rigid, const Extent* p, const Extent* q)
{
    if (p->body == q->body || !(is_free(&rigid->body[p->body]) || is_free(&rigid->body[q->body])))
        return false;
    for (int c = 1; c < 3; c++)
        if (p->low[c] > q->high[c] || q->low[c] > p->high[c])
            return false;
    return !kept_apart(rigid, p->body, q->body);
}

typedef void PairFn(Rigid* rigid, const Extent* p, const Extent* q, void* context);

static void for_pairs(Rigid* rigid, PairFn* work, void* context)
{
    find_extents(rigid);
    for (size_t i = 0; i < rigid->extent_count; i++)
        for (size_t j = i + 1; j < rigid->extent_count && rigid->extent[j].low[0] <= rigid->extent[i].high[0]; j++) {
            const Extent *p = &rigid->extent[i], *q = &rigid->extent[j];
            if (p->body > q->body) {
                const Extent* swap = p;
                p = q;
                q = swap;
            }
            if (may_touch(rigid, p, q))
                work(rigid, p, q, context);
        }
}

static int collide(Rigid* rigid, const Extent* p, const Extent* q, dContactGeom* out)
{
    const Body *a = &rigid->body[p->body], *b = &rigid->body[q->body];
    bool trees = a->mesh_data || b->mesh_data; // those search with what all worlds share
    if (trees)
        ode_lock();
    int count = dCollide(a->geom[p->geom], b->geom[q->geom], CONTACTS_MOST, out, sizeof(dContactGeom));
    if (trees)
        ode_unlock();
    return count;
}

static dBodyID ode_body(const Body* body)
{
    return body->kind == BODY_FREE && !is_free(body) ? NULL : body->ode;
}

// A touch of softness, relative to how easily the lighter body moves: four corners of a box say three things, and exactly
// rigid contacts make the system singular (ODE then drops them all, and stacks fall through the floor).
static double softness(const Units* u, const Body* a, const Body* b, double dt)
{
    double mass = INFINITY;
    if (is_free(a))
        mass = fmin(mass, a->mass.mass);
    if (is_free(b))
        mass = fmin(mass, b->mass.mass);
    return SOFTNESS * (dt / u->time) / (mass / u->mass);
}

// For those that decide about sleep.
static void note_pair(Rigid* rigid, int a, int b, int contacts)
{
    if (!rigid->may_sleep || contacts == 0)
        return;
    if (!memory_reserve(NULL, &rigid->pair, &rigid->pair_capacity, rigid->pair_count, rigid->pair_count + 1, sizeof *rigid->pair))
        ode_no_memory();
    rigid->pair[rigid->pair_count][0] = a;
    rigid->pair[rigid->pair_count++][1] = b;
    rigid->body[a].touches = rigid->body[b].touches = true;
}

// How deep a contact may be after the step: overlaps are taken back by and by, and no faster than bodies would fall through a few
// particles; what merely rests is left where it is.
static double allowed_depth(const Rigid* rigid, double depth, double dt)
{
    const double RATE = 0.2, REST = 1e-3;
    double over = depth - rigid->layer;
    if (over <= REST * rigid->layer)
        return (1 + REST) * rigid->layer;
    return depth - fmin(RATE * over, dt * rigid->slow);
}

static void note_contact(Rigid* rigid, int a, int b, const dContactGeom* found, double dt)
{
    if (!memory_reserve(NULL, &rigid->touch, &rigid->touch_capacity, rigid->touch_count, rigid->touch_count + 1,
                        sizeof *rigid->touch))
        ode_no_memory();
    double unit = rigid->units.length, depth = found->depth * unit;
    Vec3d at = vec3d(found->pos[0] * unit, found->pos[1] * unit, found->pos[2] * unit);
    Touch* t = &rigid->touch[rigid->touch_count++];
    *t = (Touch){.body = {a, b},
                 .normal = vec3d(found->normal[0], found->normal[1], found->normal[2]),
                 .depth = depth,
                 .allowed = allowed_depth(rigid, depth, dt)};
    for (int side = 0; side < 2; side++) {
        const BodyState* s = &rigid->body[t->body[side]].state;
        t->point[side] = quat_unrotate(s->rotation, vec3d_sub(at, s->position));
    }
}

static void make_contacts(Rigid* rigid, const Extent* p, const Extent* q, void* context)
{
    dContactGeom found[CONTACTS_MOST];
    int count = collide(rigid, p, q, found);
    Body *a = &rigid->body[p->body], *b = &rigid->body[q->body];
    note_pair(rigid, p->body, q->body, count);
    a->met |= count > 0;
    b->met |= count > 0;
    // a rebound slower than what gravity gives within a particle is no rebound but rest
    double soft = softness(&rigid->units, a, b, *(const double*)context);
    double slow = 0.3 * sqrt(vec3d_length(rigid->def.gravity) * 100 * rigid->layer) / rigid->units.velocity;
    for (int k = 0; k < count; k++) {
        dContact contact;
        memset(&contact, 0, sizeof contact);
        contact.geom = found[k];
        contact.surface.mode = dContactBounce | dContactApprox1 | dContactSoftERP | dContactSoftCFM | dContactSlip1 | dContactSlip2;
        contact.surface.soft_cfm = contact.surface.slip1 = contact.surface.slip2 = soft;
        contact.surface.soft_erp = 0; // overlaps are no reason for speed, see project.c
        contact.surface.mu = sqrt(a->friction * b->friction);
        contact.surface.bounce = a->calm || b->calm ? 0 : fmax(a->restitution, b->restitution);
        contact.surface.bounce_vel = slow;
        dJointID joint = dJointCreateContact(rigid->world, rigid->contacts, &contact);
        dJointAttach(joint, ode_body(a), ode_body(b));
        note_contact(rigid, p->body, q->body, &found[k], *(const double*)context);
        rigid->contact_count++;
    }
}

void contacts_find(Rigid* rigid, double dt)
{
    rigid->contact_count = rigid->pair_count = rigid->touch_count = 0;
    for (size_t k = 0; k < rigid->body_count; k++)
        rigid->body[k].touches = rigid->body[k].met = false;
    for_pairs(rigid, make_contacts, &dt);
}

// --- overlaps at the start

typedef struct Overlaps {
    double depth;
    int (*pairs)[2];
    size_t most, count;
} Overlaps;

static void count_overlap(Rigid* rigid, const Extent* p, const Extent* q, void* context)
{
    Overlaps* o = context;
    // a container has several planes
    for (size_t k = 0; k < o->count; k++)
        if (o->pairs[k][0] == p->body && o->pairs[k][1] == q->body)
            return;
    if (o->count == o->most)
        return;
    dContactGeom found[CONTACTS_MOST];
    int count = collide(rigid, p, q, found);
    for (int k = 0; k < count; k++)
        if (found[k].depth * rigid->units.length > o->depth) {
            o->pairs[o->count][0] = p->body;
            o->pairs[o->count++][1] = q->body;
            return;
        }
}

static void find_overlaps(Rigid* rigid, void* context)
{
    for_pairs(rigid, count_overlap, context);
}

size_t rigid_overlaps(Rigid* rigid, double depth, int (*pairs)[2], size_t most)
{
    Overlaps o = {depth, pairs, most, 0};
    return ode_call(rigid, find_overlaps, &o) ? o.count : 0;
}
