// SPDX-License-Identifier: MIT
// Finite elements: linear tetrahedra, co-rotational elasticity, implicit integration.
//
//   F = Ds Dm^-1,  R the rotation of F
//   energy density   mu |F - R|^2 + lambda/2 tr(R^T F - 1)^2                    (Muller 2002; Sifakis 2012, eq. 3.5 on)
//   stress           P = 2 mu (F - R) + lambda tr(R^T F - 1) R,  forces f_i = -V P b_i,  b_i the gradient of shape function i
// R has determinant +1 even if F is turned inside out: inverted tetrahedra come back.
//
// A step solves, for the velocities v at its end,
//   M v = M (a0 v_n + a1 v_n-1) + b h f(x, v),   x = a0 x_n + a1 x_n-1 + b h v
// with BDF2 of variable step (r = h / h_before: a0 = (1 + r)^2 / (1 + 2r), a1 = -r^2 / (1 + 2r), b = (1 + r) / (1 + 2r)), which is
// of second order and hardly damps what the step resolves; or with implicit Euler (r = 0). Euler also makes the first step and
// those that touch something, where velocities jump. f holds the elastic forces, damping * K v, drag, outer forces and
// contacts: stiff planes, one-sided, with friction that is viscous near rest.
//
// Newton's method with the stiffness K of fixed rotations, which is symmetric and positive:
//   dP = R (2 mu sym(R^T dF) + lambda tr(R^T dF))
//   (M (1 + b h drag) + b h (b h + damping) K + contacts) dv = -residual
// by conjugate gradients, preconditioned by the 3 x 3 blocks of the diagonal and by a coarse space (coarse.h). Nothing is
// assembled: a product runs over tetrahedra, then over points, each of which collects from its tetrahedra in a fixed order.
#include "elastic/fem.h"

#include "base/error.h"
#include "elastic/coarse.h"
#include "elastic/contact.h"
#include <string.h>

enum { TET_GRAIN = 256, POINT_GRAIN = 512, MOST_NEWTON = 12, MOST_CG = 3000 };

static const double CONTACT_STIFFNESS = 20; // of a plane, in units of the point's own stiffness

static void fem_destroy(ElasticSet* set, Body* body)
{
    Fem* s = body->state;
    void* arrays[] = {s->element, s->rotation, s->corner_force, s->corner_start, s->corner, s->x_before, s->v_before, s->x,
                      s->v,       s->x_start,  s->v_start,      s->residual,     s->dv,     s->r,        s->z,        s->p,
                      s->q,       s->block,    s->partial};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(set->memory, arrays[k]);
    coarse_free(&s->coarse);
    memory_give(set->memory, s);
    body->state = NULL;
}

static bool take_all(ElasticSet* set, const Body* body, Fem* s)
{
    size_t n = body->point_count, m = body->tet_count;
    Vec3d** vectors[] = {&s->x_before, &s->v_before, &s->x, &s->v, &s->x_start, &s->v_start,
                         &s->residual, &s->dv,       &s->r, &s->z, &s->p,       &s->q};
    bool ok = true;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        ok = (*vectors[k] = memory_take(set->memory, n * sizeof(Vec3d))) && ok;
    s->element = memory_take(set->memory, m * sizeof *s->element);
    s->rotation = memory_take(set->memory, m * sizeof *s->rotation);
    s->corner_force = memory_take(set->memory, 4 * m * sizeof *s->corner_force);
    s->corner_start = memory_take(set->memory, (n + 1) * sizeof *s->corner_start);
    s->corner = memory_take(set->memory, 4 * m * sizeof *s->corner);
    s->block = memory_take(set->memory, n * sizeof *s->block);
    s->partial = memory_take(set->memory, 2 * (block_count(n, POINT_GRAIN) + 1) * sizeof *s->partial);
    return ok && s->element && s->rotation && s->corner_force && s->corner_start && s->corner && s->block && s->partial;
}

// For every point the corners of tetrahedra that it is.
static void list_corners(const Body* body, Fem* s)
{
    memset(s->corner_start, 0, (body->point_count + 1) * sizeof *s->corner_start);
    for (size_t k = 0; k < 4 * body->tet_count; k++)
        s->corner_start[body->tet[k / 4][k % 4] + 1]++;
    for (size_t k = 0; k < body->point_count; k++)
        s->corner_start[k + 1] += s->corner_start[k];
    for (size_t k = 4 * body->tet_count; k-- > 0;) {
        uint32_t p = body->tet[k / 4][k % 4];
        s->corner[--s->corner_start[p + 1]] = (uint32_t)k;
    }
    // filled from behind, start[p + 1] is now where p begins
    memmove(s->corner_start, s->corner_start + 1, body->point_count * sizeof *s->corner_start);
    s->corner_start[body->point_count] = (uint32_t)(4 * body->tet_count);
}

static void make_elements(const Body* body, Fem* s)
{
    for (size_t k = 0; k < body->tet_count; k++) {
        const uint32_t* t = body->tet[k];
        Vec3d x0 = body->rest[t[0]], e[3];
        for (int c = 0; c < 3; c++)
            e[c] = vec3d_sub(body->rest[t[c + 1]], x0);
        Mat3 dm = {{{e[0].x, e[1].x, e[2].x}, {e[0].y, e[1].y, e[2].y}, {e[0].z, e[1].z, e[2].z}}};
        double det = mat3_determinant(&dm);
        Mat3 inverse = mat3_adjugate(&dm);
        Element* element = &s->element[k];
        element->volume = det / 6;
        element->b[0] = vec3d(0, 0, 0);
        for (int c = 0; c < 3; c++) {
            element->b[c + 1] = vec3d_scale(vec3d(inverse.m[c][0], inverse.m[c][1], inverse.m[c][2]), 1 / det);
            element->b[0] = vec3d_sub(element->b[0], element->b[c + 1]);
        }
    }
}

static mn_Result fem_create(ElasticSet* set, Body* body, mn_Error* error)
{
    if (body->tet_count == 0) {
        error_set(error, MN_BAD_INPUT, "fem needs tetrahedra: a volume");
        error_key(error, "model");
        return MN_BAD_INPUT;
    }
    Fem* s = memory_take(set->memory, sizeof *s);
    if (!s)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for finite elements");
    *s = (Fem){.h_before = 0};
    body->state = s;
    if (!take_all(set, body, s) || !coarse_create(&s->coarse, set->memory, body))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu tetrahedra", body->tet_count);
    double young = body->def.young, nu = body->def.poisson;
    s->mu = young / (2 * (1 + nu));
    s->lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
    list_corners(body, s);
    make_elements(body, s);
    memcpy(s->x_before, body->position, body->point_count * sizeof(Vec3d));
    memcpy(s->v_before, body->velocity, body->point_count * sizeof(Vec3d));
    return MN_OK;
}

// --- elements

static Mat3 gradient_of(const Element* e, const uint32_t t[4], const Vec3d* field)
{
    Mat3 f = {{{0}}};
    for (int c = 0; c < 4; c++) {
        const double u[3] = {field[t[c]].x, field[t[c]].y, field[t[c]].z}, b[3] = {e->b[c].x, e->b[c].y, e->b[c].z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                f.m[i][j] += u[i] * b[j];
    }
    return f;
}

static void put_forces(Fem* s, size_t k, const Mat3* stress)
{
    const Element* e = &s->element[k];
    for (int c = 0; c < 4; c++)
        s->corner_force[4 * k + (size_t)c] = vec3d_scale(mat3_times(stress, e->b[c]), -e->volume);
}

typedef struct Job {
    ElasticSet* set;
    Body* body;
    Fem* s;
    const Vec3d* in;
    Vec3d* out;
    double scale; // of elastic forces
    double keep;  // of mass
} Job;

// Forces of positions `in`, at new rotations; with damping, which goes with the velocities s->v.
static void element_forces(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Job* job = context;
    Fem* s = job->s;
    for (size_t k = begin; k < end; k++) {
        const uint32_t* t = job->body->tet[k];
        Mat3 f = gradient_of(&s->element[k], t, job->in);
        s->rotation[k] = mat3_rotation(&f);
        const Mat3* r = &s->rotation[k];
        Mat3 stretch = mat3_mul_left_transposed(r, &f);
        double trace = s->lambda * (stretch.m[0][0] + stretch.m[1][1] + stretch.m[2][2] - 3);
        Mat3 p;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                p.m[i][j] = 2 * s->mu * (f.m[i][j] - r->m[i][j]) + trace * r->m[i][j];
        if (job->body->def.damping > 0) {
            Mat3 rate = gradient_of(&s->element[k], t, s->v), d = linear_stress(s, r, &rate);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    p.m[i][j] += job->body->def.damping * d.m[i][j];
        }
        put_forces(s, k, &p);
    }
}

// -K in, at the rotations found last.
static void element_stiffness(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Job* job = context;
    Fem* s = job->s;
    for (size_t k = begin; k < end; k++) {
        Mat3 g = gradient_of(&s->element[k], job->body->tet[k], job->in);
        Mat3 p = linear_stress(s, &s->rotation[k], &g);
        put_forces(s, k, &p);
    }
}

static Vec3d collect(const Fem* s, size_t i)
{
    Vec3d sum = {0, 0, 0};
    for (uint32_t k = s->corner_start[i]; k < s->corner_start[i + 1]; k++)
        sum = vec3d_add(sum, s->corner_force[s->corner[k]]);
    return sum;
}

// out = elastic forces at positions `in`
static void collect_forces(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Job* job = context;
    for (size_t i = begin; i < end; i++)
        job->out[i] = collect(job->s, i);
}

void fem_forces(ElasticSet* set, Body* body, const Vec3d* x, Vec3d* force)
{
    Job job = {.set = set, .body = body, .s = body->state, .in = x, .out = force};
    parallel_for(set->pool, body->tet_count, TET_GRAIN, element_forces, &job);
    parallel_for(set->pool, body->point_count, POINT_GRAIN, collect_forces, &job);
}

// --- contacts as stiff planes

typedef struct Plane {
    double stiffness; // [N/m] 0: not touching
    double rub;       // [N s/m] friction as viscosity
    double normal;    // [N] force
} Plane;

static Plane plane_of(const Job* job, const Touch* touch, double bh, double h)
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

static void add_contacts(Job* job, double bh, double h, Vec3d* residual)
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

// The planes that the Newton step starts from, kept for its products.
static void hold_planes(Job* job, double bh, double h)
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
    Job* job = context;
    for (size_t i = begin; i < end; i++) {
        if (job->body->pin_of[i] >= 0) {
            job->out[i] = vec3d(0, 0, 0);
            continue;
        }
        Vec3d a = vec3d_scale(job->in[i], job->keep * job->body->mass[i]);
        job->out[i] = vec3d_mad(a, -job->scale, collect(job->s, i));
        if (job->body->def.plane_strain)
            job->out[i].z = 0;
    }
}

static void system_product(Job* job, const Vec3d* in, Vec3d* out)
{
    job->in = in;
    job->out = out;
    parallel_for(job->set->pool, job->body->tet_count, TET_GRAIN, element_stiffness, job);
    parallel_for(job->set->pool, job->body->point_count, POINT_GRAIN, system_points, job);
    for (size_t k = 0; k < job->body->touch_count; k++) {
        const Touch* touch = &job->body->touch[k];
        if (touch->stiffness > 0 && job->body->pin_of[touch->point] < 0)
            out[touch->point] = vec3d_add(out[touch->point], plane_product(touch, in[touch->point]));
    }
}

// Blocks of the diagonal: K_ii = V R (mu (|b|^2 + b b^T) + lambda b b^T) R^T, b of the corner, summed over tetrahedra.
static void diagonal_points(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Job* job = context;
    const Fem* s = job->s;
    for (size_t i = begin; i < end; i++) {
        Mat3* d = &job->s->block[i];
        double mass = job->keep * job->body->mass[i];
        *d = (Mat3){{{mass, 0, 0}, {0, mass, 0}, {0, 0, mass}}};
        for (uint32_t k = s->corner_start[i]; k < s->corner_start[i + 1]; k++) {
            const Element* e = &s->element[s->corner[k] / 4];
            Vec3d b = e->b[s->corner[k] % 4], rb = mat3_times(&s->rotation[s->corner[k] / 4], b);
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
    Mat3* d = ((Job*)context)->s->block;
    for (size_t i = begin; i < end; i++) {
        double det = mat3_determinant(&d[i]);
        Mat3 adjugate = mat3_adjugate(&d[i]);
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
                d[i].m[p][q] = adjugate.m[p][q] / det;
    }
}

static void make_preconditioner(Job* job)
{
    parallel_for(job->set->pool, job->body->point_count, POINT_GRAIN, diagonal_points, job);
    for (size_t k = 0; k < job->body->touch_count; k++) {
        const Touch* touch = &job->body->touch[k];
        const double n[3] = {touch->normal.x, touch->normal.y, touch->normal.z};
        Mat3* d = &job->s->block[touch->point];
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
                d->m[p][q] += (touch->stiffness - touch->rub) * n[p] * n[q] + (p == q ? touch->rub : 0);
    }
    parallel_for(job->set->pool, job->body->point_count, POINT_GRAIN, invert_points, job);
    coarse_factor(&job->s->coarse, job->body, job->s, job->s->x, job->keep, job->scale);
}

static void precondition(Job* job, const Vec3d* r, Vec3d* z)
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

static double dot_of(const Job* job, const Vec3d* a, const Vec3d* b)
{
    Dot dot = {a, b, job->s->partial};
    size_t n = job->body->point_count;
    parallel_for(job->set->pool, n, POINT_GRAIN, dot_block, &dot);
    double sum = 0;
    for (size_t k = 0; k < block_count(n, POINT_GRAIN); k++)
        sum += dot.partial[k];
    return sum;
}

// dv with A dv = -residual, to a share `tolerance` of the residual, or until r . A^-1 r, by the preconditioner, is `enough`
// [kg m2/s2]: that is about dv . A dv of what is missing, which is more than its dv . M dv. Returns the number of iterations.
static int solve(Job* job, double tolerance, double enough)
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

// --- the step

// residual = M (v - v_start) - b h f
static void find_residual(Job* job, double bh, double h)
{
    Fem* s = job->s;
    const Body* body = job->body;
    fem_forces(job->set, job->body, s->x, s->residual);
    for (size_t i = 0; i < body->point_count; i++) {
        Vec3d force = vec3d_add(s->residual[i], vec3d_mad(body->load[i], body->mass[i], job->set->gravity));
        force = vec3d_mad(force, -body->def.drag * body->mass[i], s->v[i]);
        Vec3d momentum = vec3d_scale(vec3d_sub(s->v[i], s->v_start[i]), body->mass[i]);
        s->residual[i] = vec3d_mad(momentum, -bh, force);
    }
    add_contacts(job, bh, h, s->residual);
}

// h over that of the step before; 0: Euler's step
static double step_ratio(const Body* body, const Fem* s, double h)
{
    return s->h_before == 0 || body->def.integrator == MN_INTEGRATOR_EULER ? 0 : h / s->h_before;
}

static void start_step(Body* body, Fem* s, double h, double* bh)
{
    double r = step_ratio(body, s, h);
    double a0 = (1 + r) * (1 + r) / (1 + 2 * r), a1 = -r * r / (1 + 2 * r);
    *bh = h * (1 + r) / (1 + 2 * r);
    for (size_t i = 0; i < body->point_count; i++) {
        s->x_start[i] = vec3d_mad(vec3d_scale(body->position[i], a0), a1, s->x_before[i]);
        s->v_start[i] = vec3d_mad(vec3d_scale(body->velocity[i], a0), a1, s->v_before[i]);
        s->v[i] = body->pin_of[i] < 0 ? body->velocity[i] : vec3d_scale(vec3d_sub(pin_target(body, i, 1), s->x_start[i]), 1 / *bh);
        s->x[i] = vec3d_mad(s->x_start[i], *bh, s->v[i]);
    }
}

static void take_change(Job* job, double bh)
{
    Fem* s = job->s;
    for (size_t i = 0; i < job->body->point_count; i++) {
        s->v[i] = vec3d_add(s->v[i], s->dv[i]);
        s->x[i] = vec3d_mad(s->x_start[i], bh, s->v[i]);
    }
}

// [kg m2/s2] squared changes of velocity that are as good as none
static double negligible(const Job* job, double h)
{
    double size = 0, g = h * vec3d_length(job->set->gravity);
    for (size_t i = 0; i < job->body->point_count; i++)
        size += job->body->mass[i] * (vec3d_dot(job->s->v[i], job->s->v[i]) + g * g);
    return 1e-10 * size;
}

static void find_pin_forces(Job* job, double bh)
{
    Body* body = job->body;
    for (size_t k = 0; k < body->pin_count; k++)
        body->pin[k].force = body->pin[k].torque = vec3d(0, 0, 0);
    for (size_t i = 0; i < body->point_count; i++) {
        if (body->pin_of[i] < 0)
            continue;
        Pin* pin = &body->pin[body->pin_of[i]];
        Vec3d force = vec3d_scale(job->s->residual[i], -1 / bh);
        pin->force = vec3d_add(pin->force, force);
        pin->torque = vec3d_add(pin->torque, vec3d_cross(job->s->x[i], force));
    }
}

// What the planes felt. True: something touched.
static bool push_obstacles(Job* job, double bh, double h)
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
        touch_push(job->set, touch, job->s->x[touch->point], vec3d_scale(force, h));
    }
    return any;
}

static bool fem_step(ElasticSet* set, Body* body, double dt)
{
    Fem* s = body->state;
    if (!touches_find(set, body, dt))
        return false;
    double bh;
    start_step(body, s, dt, &bh);
    Job job = {.set = set, .body = body, .s = s};
    find_residual(&job, bh, dt);
    for (int k = 0; k < MOST_NEWTON; k++) {
        hold_planes(&job, bh, dt);
        job.keep = 1 + bh * body->def.drag;
        job.scale = bh * (bh + body->def.damping);
        make_preconditioner(&job);
        if (solve(&job, 1e-4, negligible(&job, dt)) == 0)
            break;
        take_change(&job, bh);
        find_residual(&job, bh, dt);
    }
    find_pin_forces(&job, bh);
    bool touched = push_obstacles(&job, bh, dt);
    memcpy(s->x_before, body->position, body->point_count * sizeof(Vec3d));
    memcpy(s->v_before, body->velocity, body->point_count * sizeof(Vec3d));
    memcpy(body->position, s->x, body->point_count * sizeof(Vec3d));
    memcpy(body->velocity, s->v, body->point_count * sizeof(Vec3d));
    s->h_before = touched ? 0 : dt;
    return true;
}

// --- answers to forces, without contacts

static void fem_prepare_answer(ElasticSet* set, Body* body, double dt)
{
    Fem* s = body->state;
    Job job = {.set = set, .body = body, .s = s};
    double r = step_ratio(body, s, dt), bh = dt * (1 + r) / (1 + 2 * r);
    job.keep = 1 + bh * body->def.drag;
    job.scale = bh * (bh + body->def.damping);
    s->answer_scale = bh / dt;
    body->touch_count = 0; // the next step finds its own
    memcpy(s->x, body->position, body->point_count * sizeof *s->x);
    memcpy(s->v, body->velocity, body->point_count * sizeof *s->v);
    fem_forces(set, body, s->x, s->residual); // for the rotations
    make_preconditioner(&job);
    coarse_split(&s->coarse, body, job.keep);
}

static void fem_answer(ElasticSet* set, Body* body, Vec3d* point)
{
    Fem* s = body->state;
    coarse_answer(&s->coarse, body, s->block, point, s->z);
    for (size_t i = 0; i < body->point_count; i++)
        point[i] = vec3d_scale(s->z[i], s->answer_scale);
}

static double fem_energy(const Body* body)
{
    const Fem* s = body->state;
    double sum = 0;
    for (size_t k = 0; k < body->tet_count; k++) {
        Mat3 f = gradient_of(&s->element[k], body->tet[k], body->position), r = mat3_rotation(&f);
        Mat3 stretch = mat3_mul_left_transposed(&r, &f);
        double trace = stretch.m[0][0] + stretch.m[1][1] + stretch.m[2][2] - 3, square = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                square += (f.m[i][j] - r.m[i][j]) * (f.m[i][j] - r.m[i][j]);
        sum += s->element[k].volume * (s->mu * square + 0.5 * s->lambda * trace * trace);
    }
    return sum;
}

static void fem_jolt(Body* body)
{
    ((Fem*)body->state)->h_before = 0;
}

// --- state: the step before

static size_t fem_state_bytes(const Body* body)
{
    return sizeof(double) + 2 * body->point_count * sizeof(Vec3d);
}

static void fem_save(const Body* body, void* bytes)
{
    const Fem* s = body->state;
    char* at = bytes;
    memcpy(at, &s->h_before, sizeof(double));
    memcpy(at + sizeof(double), s->x_before, body->point_count * sizeof(Vec3d));
    memcpy(at + sizeof(double) + body->point_count * sizeof(Vec3d), s->v_before, body->point_count * sizeof(Vec3d));
}

static void fem_load(Body* body, const void* bytes)
{
    Fem* s = body->state;
    const char* at = bytes;
    memcpy(&s->h_before, at, sizeof(double));
    memcpy(s->x_before, at + sizeof(double), body->point_count * sizeof(Vec3d));
    memcpy(s->v_before, at + sizeof(double) + body->point_count * sizeof(Vec3d), body->point_count * sizeof(Vec3d));
}

const ElasticModel elastic_fem = {.name = "fem",
                                  .create = fem_create,
                                  .destroy = fem_destroy,
                                  .step = fem_step,
                                  .strain_energy = fem_energy,
                                  .jolt = fem_jolt,
                                  .prepare_answer = fem_prepare_answer,
                                  .answer = fem_answer,
                                  .state_bytes = fem_state_bytes,
                                  .save = fem_save,
                                  .load = fem_load};
