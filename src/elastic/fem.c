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
// contacts: stiff springs, one-sided, with friction that is viscous near rest.
//
// Newton's method with the stiffness K of fixed rotations, which is symmetric and positive:
//   dP = R (2 mu sym(R^T dF) + lambda tr(R^T dF))
//   (M (1 + b h drag) + b h (b h + damping) K + contacts) dv = -residual
// by conjugate gradients, preconditioned by the 3 x 3 blocks of the diagonal and by a coarse space (coarse.h). Nothing is
// assembled: a product runs over tetrahedra, then over points, each of which collects from its tetrahedra in a fixed order.
#include "elastic/fem.h"

#include "base/error.h"
#include "elastic/coarse.h"
#include "elastic/cohesion.h"
#include "elastic/contact/hard_contacts.h"
#include "elastic/fracture.h"
#include "elastic/plastic.h"
#include <string.h>

enum { MOST_NEWTON = 12, MOST_HALVINGS = 8, WORSE_MOST = 4 };

static void fem_destroy(ElasticSet* set, Body* body)
{
    Fem* s = body->state;
    void* arrays[] = {s->x_before, s->v_before, s->x, s->v, s->x_start, s->v_start, s->residual, s->dv,
                      s->r,        s->z,        s->p, s->q, s->block,   s->partial, s->hold};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(set->memory, arrays[k]);
    fem_elements_free(s, set->memory);
    plastic_free(s, set->memory);
    coarse_free(&s->coarse);
    memory_give(set->memory, s);
    body->state = NULL;
}

static bool take_all(ElasticSet* set, const Body* body, Fem* s)
{
    size_t n = body->point_count;
    Vec3d** vectors[] = {&s->x_before, &s->v_before, &s->x, &s->v, &s->x_start, &s->v_start,
                         &s->residual, &s->dv,       &s->r, &s->z, &s->p,       &s->q};
    bool ok = true;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        ok = (*vectors[k] = memory_take(set->memory, n * sizeof(Vec3d))) && ok;
    s->block = memory_take(set->memory, n * sizeof *s->block);
    s->partial = memory_take(set->memory, 2 * (block_count(n, FEM_POINT_GRAIN) + 1) * sizeof *s->partial);
    return ok && s->block && s->partial;
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
    double young = body->def.young, nu = body->def.poisson;
    s->mu = young / (2 * (1 + nu));
    s->lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
    if (!take_all(set, body, s) || !fem_elements_create(s, set->memory, body) || !plastic_create(s, set->memory, body) ||
        !coarse_create(&s->coarse, set->memory, body, s))
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu tetrahedra", body->tet_count);
    memcpy(s->x_before, body->position, body->point_count * sizeof(Vec3d));
    memcpy(s->v_before, body->velocity, body->point_count * sizeof(Vec3d));
    return MN_OK;
}

// --- the step

// residual = M (v - v_start) - b h f
static void find_residual(FemJob* job, double bh, double h)
{
    Fem* s = job->s;
    const Body* body = job->body;
    job->failed |= !fem_forces(job->set, job->body, s->x, s->residual);
    for (size_t i = 0; i < body->point_count; i++) {
        Vec3d force = vec3d_add(s->residual[i], vec3d_mad(body->load[i], body->mass[i], job->set->gravity));
        force = vec3d_mad(force, -body->def.drag * body->mass[i], s->v[i]);
        Vec3d momentum = vec3d_scale(vec3d_sub(s->v[i], s->v_start[i]), body->mass[i]);
        s->residual[i] = vec3d_mad(momentum, -bh, force);
    }
    cohesion_add_forces(body, s->x, bh, s->residual);
    fem_add_contacts(job, bh, h, s->residual);
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
        s->v[i] = body->pins.of[i] < 0 ? body->velocity[i] : vec3d_scale(vec3d_sub(pin_target(body, i, 1), s->x_start[i]), 1 / *bh);
        s->x[i] = vec3d_mad(s->x_start[i], *bh, s->v[i]);
    }
}

static void take_change(FemJob* job, double share, double bh)
{
    Fem* s = job->s;
    for (size_t i = 0; i < job->body->point_count; i++) {
        s->v[i] = vec3d_mad(s->v[i], share, s->dv[i]);
        s->x[i] = vec3d_mad(s->x_start[i], bh, s->v[i]);
    }
}

// [kg m2/s2] how far the step is from done
static double missing(const FemJob* job)
{
    const Body* body = job->body;
    double sum = 0;
    for (size_t i = 0; i < body->point_count; i++)
        if (body->pins.of[i] < 0)
            sum += vec3d_dot(job->s->residual[i], job->s->residual[i]) / body->mass[i];
    return sum;
}

// A Newton step; a shorter one where the whole would lead far away, as in solids that are crushed against others.
static void take_step(FemJob* job, double bh, double h)
{
    double before = missing(job), share = 1;
    take_change(job, share, bh);
    find_residual(job, bh, h);
    for (int k = 0; k < MOST_HALVINGS && !(missing(job) <= WORSE_MOST * before); k++) {
        take_change(job, -0.5 * share, bh);
        share *= 0.5;
        find_residual(job, bh, h);
    }
}

// [kg m2/s2] squared changes of velocity that are as good as none
static double negligible(const FemJob* job, double h)
{
    double size = 0, g = h * vec3d_length(job->set->gravity);
    for (size_t i = 0; i < job->body->point_count; i++)
        size += job->body->mass[i] * (vec3d_dot(job->s->v[i], job->s->v[i]) + g * g);
    return 1e-10 * size;
}

static void find_pin_forces(FemJob* job, double bh)
{
    const Body* body = job->body;
    for (size_t k = 0; k < body->pins.count; k++)
        body->pins.pin[k].force = body->pins.pin[k].torque = vec3d(0, 0, 0);
    for (size_t i = 0; i < body->point_count; i++) {
        if (body->pins.of[i] < 0)
            continue;
        Pin* pin = &body->pins.pin[body->pins.of[i]];
        Vec3d force = vec3d_scale(job->s->residual[i], -1 / bh);
        pin->force = vec3d_add(pin->force, force);
        pin->torque = vec3d_add(pin->torque, vec3d_cross(job->s->x[i], force));
    }
}

static bool fem_step(ElasticSet* set, Body* body, double dt)
{
    Fem* s = body->state;
    if (!hard_contacts_find(set, body, dt))
        return false;
    double bh;
    start_step(body, s, dt, &bh);
    FemJob job = {.set = set, .body = body, .s = s};
    fem_look(&job);
    fem_begin_contacts(&job, bh, dt);
    find_residual(&job, bh, dt);
    for (int k = 0; k < MOST_NEWTON; k++) {
        job.keep = 1 + bh * body->def.drag;
        job.scale = bh * (bh + body->def.damping);
        fem_prepare_solve(&job, bh, dt, k == 0 || body->obstacles.hard_count + body->obstacles.sharp_count > 0);
        if (fem_solve(&job, 1e-4, negligible(&job, dt)) == 0)
            break;
        take_step(&job, bh, dt);
    }
    find_pin_forces(&job, bh);
    bool touched = fem_push_obstacles(&job, bh, dt);
    memcpy(s->x_before, body->position, body->point_count * sizeof(Vec3d));
    memcpy(s->v_before, body->velocity, body->point_count * sizeof(Vec3d));
    memcpy(body->position, s->x, body->point_count * sizeof(Vec3d));
    memcpy(body->velocity, s->v, body->point_count * sizeof(Vec3d));
    s->h_before = cohesion_damage(body) || touched ? 0 : dt;
    plastic_flow(&job, dt);
    return !job.failed;
}

// --- answers to forces, without contacts

// One Newton step with the answer in place of the solve.
static void fem_predict(ElasticSet* set, Body* body, double dt, Vec3d* velocity)
{
    Fem* s = body->state;
    FemJob job = {.set = set, .body = body, .s = s};
    double bh;
    body->obstacles.hard_count = body->obstacles.sharp_count = 0; // the next step finds its own
    start_step(body, s, dt, &bh);
    job.keep = 1 + bh * body->def.drag;
    job.scale = bh * (bh + body->def.damping);
    s->mobility_scale = bh / dt;
    find_residual(&job, bh, dt);
    fem_prepare_solve(&job, bh, dt, true);
    coarse_split(&s->coarse, body, job.keep);
    coarse_mobility(&s->coarse, body, s->block, s->residual, s->z);
    for (size_t i = 0; i < body->point_count; i++)
        velocity[i] = vec3d_sub(s->v[i], s->z[i]);
}

static void fem_mobility(ElasticSet* set, Body* body, Vec3d* point)
{
    Fem* s = body->state;
    coarse_mobility(&s->coarse, body, s->block, point, s->z);
    for (size_t i = 0; i < body->point_count; i++)
        point[i] = vec3d_scale(s->z[i], s->mobility_scale);
}

static void fem_velocity_jump(Body* body)
{
    ((Fem*)body->state)->h_before = 0;
}

// --- state: the step before, plastic strains

static size_t plastic_bytes(const Body* body)
{
    return ((const Fem*)body->state)->plastic.tet ? body->tet_count * sizeof(Strain) : 0;
}

static size_t fem_state_bytes(const Body* body)
{
    return 2 * sizeof(double) + 2 * body->point_count * sizeof(Vec3d) + plastic_bytes(body);
}

static void fem_save(const Body* body, void* bytes)
{
    const Fem* s = body->state;
    const double number[2] = {s->h_before, s->tangled};
    size_t part = body->point_count * sizeof(Vec3d);
    char* at = bytes;
    memcpy(at, number, sizeof number);
    memcpy(at + sizeof number, s->x_before, part);
    memcpy(at + sizeof number + part, s->v_before, part);
    if (s->plastic.tet)
        memcpy(at + sizeof number + 2 * part, s->plastic.tet, plastic_bytes(body));
}

static void fem_load(Body* body, const void* bytes)
{
    Fem* s = body->state;
    double number[2];
    size_t part = body->point_count * sizeof(Vec3d);
    const char* at = bytes;
    memcpy(number, at, sizeof number);
    s->h_before = number[0];
    s->tangled = number[1];
    memcpy(s->x_before, at + sizeof number, part);
    memcpy(s->v_before, at + sizeof number + part, part);
    if (s->plastic.tet)
        memcpy(s->plastic.tet, at + sizeof number + 2 * part, plastic_bytes(body));
    plastic_spread(&(FemJob){.body = body, .s = s});
}

static void fem_inherit(Body* body, const Body* before, const uint32_t* from)
{
    Fem* s = body->state;
    const Fem* old = before->state;
    s->h_before = old->h_before;
    s->tangled = old->tangled;
    for (size_t i = 0; i < body->point_count; i++) {
        s->x_before[i] = old->x_before[from[i]];
        s->v_before[i] = old->v_before[from[i]];
    }
    if (s->plastic.tet)
        memcpy(s->plastic.tet, old->plastic.tet, plastic_bytes(body));
    plastic_spread(&(FemJob){.body = body, .s = s});
}

const ElasticModel elastic_fem = {.name = "fem",
                                  .comes_apart = true,
                                  .ignores_carriers = true,
                                  .create = fem_create,
                                  .destroy = fem_destroy,
                                  .step = fem_step,
                                  .strain_energy = fem_strain_energy,
                                  .velocity_jump = fem_velocity_jump,
                                  .predict = fem_predict,
                                  .mobility = fem_mobility,
                                  .state_bytes = fem_state_bytes,
                                  .save = fem_save,
                                  .load = fem_load,
                                  .fracture = fracture_run,
                                  .inherit = fem_inherit};
