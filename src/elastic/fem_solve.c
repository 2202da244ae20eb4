// SPDX-License-Identifier: MIT
// The linear system of a Newton step of finite elements: contacts as stiff planes, preconditioner, conjugate gradients.
#include "elastic/coarse.h"
#include "elastic/contact.h"
#include "elastic/obstacle.h"
#include <string.h>

enum { MOST_CG = 3000 };

static const double CONTACT_STIFFNESS = 20; // of a plane, in units of the point's own stiffness

// --- contacts as stiff planes

typedef struct Plane {
    double stiffness; // [N/m] 0: not touching
    double rub;       // [N s/m] friction as viscosity
    double normal;    // [N] force
} Plane;

static Plane plane_of(const FemJob* job, const Touch* touch, double bh, double h)
{
    const Fem* s = job->s;
    const Body* body = job->body;
    double depth = touch_depth(touch, s->x[touch->point], h);
    if (!(depth > 0))
        return (Plane){0};
    double mass = body->mass[touch->point], size = cbrt(mass / body->def.density);
    Plane plane = {.stiffness = CONTACT_STIFFNESS * (mass / (bh * bh) + body->def.young * size)};
    plane.normal = plane.stiffness * depth;
    Vec3d slip = vec3d_sub(s->v[touch->point], touch->velocity);
    slip = vec3d_mad(slip, -vec3d_dot(slip, touch->normal), touch->normal);
    double slow = 0.02 * sqrt(vec3d_length(job->set->gravity) * job->set->length) + 1e-9;
    plane.rub = touch->friction * plane.normal / fmax(vec3d_length(slip), slow);
    return plane;
}

void fem_add_contacts(FemJob* job, double bh, double h, Vec3d* residual)
{
    for (size_t k = 0; k < job->body->touch_count; k++) {
        const Touch* touch = &job->body->touch[k];
        Plane plane = plane_of(job, touch, bh, h);
        if (plane.stiffness == 0)
            continue;
        Vec3d slip = vec3d_sub(job->s->v[touch->point], touch->velocity);
        slip = vec3d_mad(slip, -vec3d_dot(slip, touch->normal), touch->normal);
        Vec3d force = vec3d_mad(vec3d_scale(touch->normal, plane.normal), -plane.rub, slip);
        residual[touch->point] = vec3d_mad(residual[touch->point], -bh, force);
    }
}

// What the planes felt. True: something touched.
bool fem_push_obstacles(FemJob* job, double bh, double h)
{
    bool any = false;
    for (size_t k = 0; k < job->body->touch_count; k++) {
        const Touch* touch = &job->body->touch[k];
        Plane plane = plane_of(job, touch, bh, h);
        if (plane.stiffness == 0)
            continue;
        any = true;
        Vec3d slip = vec3d_sub(job->s->v[touch->point], touch->velocity);
        slip = vec3d_mad(slip, -vec3d_dot(slip, touch->normal), touch->normal);
        Vec3d force = vec3d_mad(vec3d_scale(touch->normal, -plane.normal), plane.rub, slip);
        obstacle_push(&job->set->obstacle[touch->obstacle], job->s->x[touch->point], vec3d_scale(force, h));
    }
    return any;
}

// The planes that the Newton step starts from, kept for its products.
static void hold_planes(FemJob* job, double bh, double h)
{
    for (size_t k = 0; k < job->body->touch_count; k++) {
        Touch* touch = &job->body->touch[k];
        Plane plane = plane_of(job, touch, bh, h);
        touch->stiffness = bh * bh * plane.stiffness;
        touch->rub = bh * plane.rub;
    }
}

static Vec3d plane_product(const Touch* touch, Vec3d v)
{
    double along = vec3d_dot(touch->normal, v);
    Vec3d tangent = vec3d_mad(v, -along, touch->normal);
    return vec3d_add(vec3d_scale(touch->normal, touch->stiffness * along), vec3d_scale(tangent, touch->rub));
}

// --- the linear system

static void system_points(void* context, size_t begin, size_t end, size_t block, int worker)
{
    FemJob* job = context;
    for (size_t i = begin; i < end; i++) {
        if (job->body->pin_of[i] >= 0) {
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
    for (size_t k = 0; k < job->body->touch_count; k++) {
        const Touch* touch = &job->body->touch[k];
        if (touch->stiffness > 0 && job->body->pin_of[touch->point] < 0)
            out[touch->point] = vec3d_add(out[touch->point], plane_product(touch, in[touch->point]));
    }
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
    hold_planes(job, bh, h);
    parallel_for(job->set->pool, job->body->point_count, FEM_POINT_GRAIN, diagonal_points, job);
    for (size_t k = 0; k < job->body->touch_count; k++) {
        const Touch* touch = &job->body->touch[k];
        const double n[3] = {touch->normal.x, touch->normal.y, touch->normal.z};
        Mat3* d = &job->s->block[touch->point];
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
                d->m[p][q] += (touch->stiffness - touch->rub) * n[p] * n[q] + (p == q ? touch->rub : 0);
    }
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
        s->r[i] = job->body->pin_of[i] >= 0 ? s->dv[i] : vec3d_scale(s->residual[i], -1);
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
