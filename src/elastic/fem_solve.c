// SPDX-License-Identifier: MIT
// The linear system of a Newton step of finite elements: contacts as stiff springs, preconditioner, conjugate gradients.
#include "elastic/coarse.h"
#include "elastic/cohesion.h"
#include "elastic/contact/hard_contacts.h"
#include "elastic/contact/sharp_contacts.h"
#include "elastic/crush.h"
#include "elastic/obstacle.h"
#include "elastic/place.h"
#include <string.h>

enum { MOST_CG = 3000 };

static const double CONTACT_STIFFNESS = 20; // of a contact, in units of the stiffness of what it pushes

// --- contacts as stiff springs

// The mass and the size of what a contact pushes: [kg], [m].
static double mass_of(const Body* body, const Hold* hold, double* size)
{
    double inverse = 0;
    for (int c = 0; c < hold->count; c++)
        inverse += hold->weight[c] * hold->weight[c] / body->mass[hold->point[c]];
    *size = cbrt(1 / (inverse * body->def.density));
    return 1 / inverse;
}

static Hold hold_point(const FemJob* job, const HardContact* contact, double h, double* depth)
{
    Vec3d x = job->s->x[contact->point];
    *depth = hard_depth(contact, x, h);
    return (Hold){.count = 1,
                  .point = {contact->point},
                  .weight = {1},
                  .normal = contact->normal,
                  .obstacle = contact->obstacle,
                  .slip = contact->velocity,
                  .at = x};
}

// A sharp feature stays on the outside of the face.
static Hold hold_face(const FemJob* job, const SharpContact* contact, double h, double* depth)
{
    const Body* body = job->body;
    const uint32_t* t = body->skin.face[contact->face];
    Vec3d at = sharp_contact_end(job->set, contact);
    Place place = place_over(job->s->x, t, at);
    Hold hold = {.count = 3,
                 .point = {t[0], t[1], t[2]},
                 .normal = vec3d_scale(place.normal, -1),
                 .obstacle = contact->obstacle,
                 .slip = vec3d_scale(vec3d_sub(at, contact->at), 1 / h),
                 .at = at};
    *depth = contact->side > 0 && place_is_over(&place, 0.05) ? contact->gap - place.height : 0;
    place_clamp(&place, hold.weight);
    return hold;
}

// [m/N] How far the obstacle gives way in the step, to this force and to its likes: a spring in a row with its inertia. One that is
// bound goes back by no more than `*room` [m], what it comes.
static double give_of(const FemJob* job, const Hold* hold, double h, double* room)
{
    const Obstacle* o = &job->set->obstacle[hold->obstacle];
    Vec3d arm = vec3d_sub(hold->at, o->centre);
    double stop = obstacle_stop_ease(o), ease = stop > 0 ? stop : obstacle_ease(o, arm, hold->normal);
    *room = stop > 0 ? h * obstacle_coming(o, arm, hold->normal, true) : (double)INFINITY;
    return h * h * ease * (o->holds > 1 ? o->holds : 1);
}

// Number k of the points and the faces that may touch. False: it does not.
static bool hold_of(const FemJob* job, size_t k, double bh, double h, Hold* hold)
{
    const Body* body = job->body;
    double depth, size, friction;
    if (k < body->obstacles.hard_count) {
        *hold = hold_point(job, &body->obstacles.hard[k], h, &depth);
        friction = body->obstacles.hard[k].friction;
    } else {
        *hold = hold_face(job, &body->obstacles.sharp[k - body->obstacles.hard_count], h, &depth);
        friction = body->obstacles.sharp[k - body->obstacles.hard_count].friction;
    }
    if (!(depth > 0))
        return false;
    double mass = mass_of(body, hold, &size), stiffness = CONTACT_STIFFNESS * (mass / (bh * bh) + body->def.young * size), room;
    double give = give_of(job, hold, h, &room);
    hold->stiffness = stiffness / (1 + stiffness * give);
    hold->force = hold->stiffness * depth;
    if (hold->force * give > room) {
        hold->stiffness = stiffness;
        hold->force = stiffness * (depth - room);
    }
    Vec3d slip = vec3d_scale(hold->slip, -1);
    for (int c = 0; c < hold->count; c++)
        slip = vec3d_mad(slip, hold->weight[c], job->s->v[hold->point[c]]);
    hold->slip = vec3d_mad(slip, -vec3d_dot(slip, hold->normal), hold->normal);
    double slow = 0.02 * sqrt(vec3d_length(job->set->gravity) * job->set->length) + 1e-6 * job->set->length / h;
    hold->viscosity = friction * hold->force / fmax(vec3d_length(hold->slip), slow);
    return true;
}

// [N] on the points
static Vec3d force_of(const Hold* hold)
{
    return vec3d_mad(vec3d_scale(hold->normal, hold->force), -hold->viscosity, hold->slip);
}

static size_t contacts_of(const Body* body)
{
    return body->obstacles.hard_count + body->obstacles.sharp_count;
}

void fem_begin_contacts(FemJob* job, double bh, double h)
{
    Hold hold;
    obstacles_begin(job->set, h);
    for (size_t k = 0; k < job->set->obstacle_count; k++)
        job->set->obstacle[k].holds = 0;
    for (size_t k = 0; k < contacts_of(job->body); k++)
        if (hold_of(job, k, bh, h, &hold))
            job->set->obstacle[hold.obstacle].holds++;
}

void fem_add_contacts(FemJob* job, double bh, double h, Vec3d* residual)
{
    Hold hold;
    for (size_t k = 0; k < contacts_of(job->body); k++)
        for (int c = 0; hold_of(job, k, bh, h, &hold) && c < hold.count; c++)
            residual[hold.point[c]] = vec3d_mad(residual[hold.point[c]], -bh * hold.weight[c], force_of(&hold));
}

// [J] of an impulse, by the speed at which the obstacle is met when the step begins. What presses without any speed counts with the
// mass of the whole body: to an obstacle that is heavier it gives all.
static double work_of(const FemJob* job, const Hold* hold, Vec3d impulse, double h)
{
    const Body* body = job->body;
    const Obstacle* o = &job->set->obstacle[hold->obstacle];
    double whole = 0;
    Vec3d speed = vec3d_scale(job->set->gravity, h);
    for (size_t i = 0; i < body->point_count; i++)
        whole += body->mass[i];
    for (int c = 0; c < hold->count; c++)
        speed = vec3d_mad(speed, hold->weight[c], body->velocity[hold->point[c]]);
    speed = vec3d_sub(speed, obstacle_velocity(o, vec3d_sub(hold->at, o->centre)));
    double met = fmax(0, -vec3d_dot(speed, impulse));
    return fmax(met, fmax(1, o->holds) * vec3d_dot(impulse, impulse) / whole);
}

bool fem_push_obstacles(FemJob* job, double bh, double h)
{
    bool any = false;
    Hold hold;
    for (size_t k = 0; k < contacts_of(job->body); k++)
        if (hold_of(job, k, bh, h, &hold)) {
            any = true;
            Vec3d impulse = vec3d_scale(force_of(&hold), h);
            obstacle_hit(&job->set->obstacle[hold.obstacle], hold.at, vec3d_scale(impulse, -1), work_of(job, &hold, impulse, h), h);
        }
    obstacles_end(job->set);
    return any;
}

// The contacts that the Newton step starts from, kept for its products.
static void keep_holds(FemJob* job, double bh, double h)
{
    Fem* s = job->s;
    s->hold_count = 0;
    if (!memory_reserve(job->set->memory, &s->hold, &s->hold_capacity, 0, contacts_of(job->body) + 1, sizeof *s->hold)) {
        job->failed = true;
        return;
    }
    for (size_t k = 0; k < contacts_of(job->body); k++) {
        Hold* hold = &s->hold[s->hold_count];
        if (!hold_of(job, k, bh, h, hold))
            continue;
        hold->stiffness *= bh * bh;
        hold->viscosity *= bh;
        s->hold_count++;
    }
}

static void add_product(const FemJob* job, const Hold* hold, const Vec3d* in, Vec3d* out)
{
    Vec3d v = {0, 0, 0};
    for (int c = 0; c < hold->count; c++)
        v = vec3d_mad(v, hold->weight[c], in[hold->point[c]]);
    double along = vec3d_dot(hold->normal, v);
    Vec3d across = vec3d_mad(v, -along, hold->normal);
    Vec3d force = vec3d_mad(vec3d_scale(hold->normal, hold->stiffness * along), hold->viscosity, across);
    for (int c = 0; c < hold->count; c++)
        if (job->body->pins.of[hold->point[c]] < 0)
            out[hold->point[c]] = vec3d_mad(out[hold->point[c]], hold->weight[c], force);
}

static void add_to_block(const Hold* hold, Mat3* block)
{
    const double n[3] = {hold->normal.x, hold->normal.y, hold->normal.z};
    for (int c = 0; c < hold->count; c++)
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
                block[hold->point[c]].m[p][q] +=
                    hold->weight[c] * hold->weight[c] *
                    ((hold->stiffness - hold->viscosity) * n[p] * n[q] + (p == q ? hold->viscosity : 0));
}

// --- the linear system

static void system_points(void* context, size_t begin, size_t end, size_t block, int worker)
{
    FemJob* job = context;
    for (size_t i = begin; i < end; i++) {
        if (job->body->pins.of[i] >= 0) {
            job->out[i] = vec3d(0, 0, 0);
            continue;
        }
        Vec3d a = vec3d_scale(job->in[i], job->keep * job->body->mass[i]);
        job->out[i] = vec3d_mad(a, -job->scale, fem_collect(job->s, i));
        if (job->body->def.plane_strain)
            job->out[i].z = 0;
    }
}

static void system_product(FemJob* job, const Vec3d* in, Vec3d* out)
{
    fem_stiffness(job, in);
    job->out = out;
    parallel_for(job->set->pool, job->body->point_count, FEM_POINT_GRAIN, system_points, job);
    cohesion_add_product(job->body, job->bond_scale, in, out);
    for (size_t k = 0; k < job->s->hold_count; k++)
        add_product(job, &job->s->hold[k], in, out);
}

// Blocks of the diagonal: K_ii = V R (mu (|b|^2 + b b^T) + lambda b b^T) R^T, b of the corner, summed over tetrahedra.
static void diagonal_points(void* context, size_t begin, size_t end, size_t block, int worker)
{
    FemJob* job = context;
    const Fem* s = job->s;
    for (size_t i = begin; i < end; i++) {
        Mat3* d = &job->s->block[i];
        double mass = job->keep * job->body->mass[i];
        *d = (Mat3){{{mass, 0, 0}, {0, mass, 0}, {0, 0, mass}}};
        for (uint32_t k = s->corner_start[i]; k < s->corner_start[i + 1]; k++) {
            const Element* e = &s->element[s->corner[k] / 4];
            Vec3d b = e->b[s->corner[k] % 4], rb = mat3_times(&s->domains.rotation[s->domains.tet_edge[s->corner[k] / 4][0]], b);
            double scale = job->scale * e->volume, bb = vec3d_dot(b, b);
            const double u[3] = {rb.x, rb.y, rb.z};
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++)
                    d->m[p][q] += scale * ((s->mu + s->lambda) * u[p] * u[q] + (p == q ? s->mu * bb : 0));
            if (crush_has(s, s->corner[k] / 4))
                crush_add_block(s, s->corner[k] / 4, b, job->scale, d);
        }
    }
}

static void invert_points(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Mat3* d = ((FemJob*)context)->s->block;
    for (size_t i = begin; i < end; i++) {
        double det = mat3_determinant(&d[i]);
        Mat3 adjugate = mat3_adjugate(&d[i]);
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
                d[i].m[p][q] = adjugate.m[p][q] / det;
    }
}

void fem_prepare_solve(FemJob* job, double bh, double h, bool anew)
{
    job->bond_scale = bh * bh;
    keep_holds(job, bh, h);
    parallel_for(job->set->pool, job->body->point_count, FEM_POINT_GRAIN, diagonal_points, job);
    cohesion_add_blocks(job->body, job->bond_scale, job->s->block);
    for (size_t k = 0; k < job->s->hold_count; k++)
        add_to_block(&job->s->hold[k], job->s->block);
    parallel_for(job->set->pool, job->body->point_count, FEM_POINT_GRAIN, invert_points, job);
    if (anew)
        coarse_factor(&job->s->coarse, job->set->pool, job->body, job->s, job->s->x, job->keep, job->scale);
}

static void precondition(FemJob* job, const Vec3d* r, Vec3d* z)
{
    for (size_t i = 0; i < job->body->point_count; i++) {
        z[i] = mat3_times(&job->s->block[i], r[i]);
        if (job->body->def.plane_strain)
            z[i].z = 0;
    }
    coarse_add(&job->s->coarse, job->body, r, z);
}

typedef struct Dot {
    const Vec3d *a, *b;
    double* partial;
} Dot;

static void dot_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Dot* dot = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += vec3d_dot(dot->a[i], dot->b[i]);
    dot->partial[block] = sum;
}

static double dot_of(const FemJob* job, const Vec3d* a, const Vec3d* b)
{
    Dot dot = {a, b, job->s->partial};
    size_t n = job->body->point_count;
    parallel_for(job->set->pool, n, FEM_POINT_GRAIN, dot_block, &dot);
    double sum = 0;
    for (size_t k = 0; k < block_count(n, FEM_POINT_GRAIN); k++)
        sum += dot.partial[k];
    return sum;
}

int fem_solve(FemJob* job, double tolerance, double enough)
{
    Fem* s = job->s;
    size_t n = job->body->point_count;
    bool flat = job->body->def.plane_strain;
    for (size_t i = 0; i < n; i++) {
        s->dv[i] = vec3d(0, 0, 0);
        s->r[i] = job->body->pins.of[i] >= 0 ? s->dv[i] : vec3d_scale(s->residual[i], -1);
        if (flat)
            s->r[i].z = 0;
    }
    precondition(job, s->r, s->z);
    memcpy(s->p, s->z, n * sizeof *s->p);
    double rz = dot_of(job, s->r, s->z), first = rz;
    int k = 0;
    for (; k < MOST_CG && rz > tolerance * tolerance * first && rz > enough; k++) {
        system_product(job, s->p, s->q);
        double pq = dot_of(job, s->p, s->q);
        if (!(pq > 0))
            break;
        double alpha = rz / pq;
        for (size_t i = 0; i < n; i++) {
            s->dv[i] = vec3d_mad(s->dv[i], alpha, s->p[i]);
            s->r[i] = vec3d_mad(s->r[i], -alpha, s->q[i]);
        }
        precondition(job, s->r, s->z);
        double next = dot_of(job, s->r, s->z), beta = next / rz;
        for (size_t i = 0; i < n; i++)
            s->p[i] = vec3d_mad(s->z[i], beta, s->p[i]);
        rz = next;
    }
    return k;
}
