// SPDX-License-Identifier: MIT
// Points with masses and compliant constraints between them: XPBD (Macklin 2016, eq. 18; damping eq. 26) with many small
// steps of one iteration each (Macklin 2019), which converges faster than few steps of many iterations.
//
//   x* = x + h v + h^2 f / m
//   per constraint:  dl = (-C - g grad C . (x - x_old)) / ((1 + g) sum w |grad C|^2 + a),  a = 1 / (k h^2),  g = damping / h
//                    x_i += w_i grad_i C dl
//   v = (x - x_old) / h
// The damping's g is at most 1: more would hide the stiffness. Volumes get the rest in the end of the step (damp.h). With one
// iteration the multiplier starts at zero, so its own term in eq. 18 is gone. Stiffness k is the material's: it does not depend on
// the number of steps as long as h^2 k w is small, see substeps_for(). Sheets bend much more easily than they stretch: hinges act
// once in several substeps, with as many times the stiffness, so that their impulse over the step is the same (multiple time steps,
// Tuckerman 1992).
#include "base/error.h"
#include "elastic/carrier.h"
#include "elastic/contact/deformables.h"
#include "elastic/contact/hard_contacts.h"
#include "elastic/contact/sharp_contacts.h"
#include "elastic/damp.h"
#include "elastic/obstacle.h"
#include "elastic/relax.h"
#include "elastic/tear.h"
#include <string.h>

enum { POINT_GRAIN = 2048, MOST_SUBSTEPS = 200 };

static const double STIFF_SHARE = 0.35; // of the stiffest edge's time, per substep; of the stiffest hinge's, per pass over hinges

typedef struct MassPoints {
    Relax relax;    // constraints; where points are
    Quad* v;        // [m/s] when the step began
    uint32_t* tied; // points on carriers
    size_t tied_count;
    double edge_time, hinge_time; // [s] the shortest ones
    void* twin;                   // state of finite elements, for answers; NULL: it does not answer
} MassPoints;

typedef struct Substep {
    const ElasticSet* set;
    Body* body;
    MassPoints* state;
    Vec3d gravity;
    double h;          // [s]
    double to;         // [1] share of the step that is then done
    bool first;        // velocities are those of the body
    bool alone;        // carriers go on by themselves
    int count, passes; // substeps in the step, and those with hinges
} Substep;

static void mass_points_forget_mobility(ElasticSet* set, Body* body);

static void mass_points_destroy(ElasticSet* set, Body* body)
{
    MassPoints* state = body->state;
    mass_points_forget_mobility(set, body);
    relax_destroy(&state->relax);
    memory_give(set->memory, state->v);
    memory_give(set->memory, state->tied);
    memory_give(set->memory, state);
    body->state = NULL;
}

static mn_Result mass_points_create(ElasticSet* set, Body* body, mn_Error* error)
{
    MassPoints* state = memory_take(set->memory, sizeof *state);
    if (!state)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for mass points");
    *state = (MassPoints){.relax = {.memory = set->memory},
                          .v = memory_take(set->memory, body->point_count * sizeof(Quad)),
                          .tied = memory_take(set->memory, body->point_count * sizeof(uint32_t))};
    body->state = state;
    if (!state->v || !state->tied)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu mass points", body->point_count);
    mn_Result result = relax_create(&state->relax, set, body, error);
    if (result == MN_OK) {
        state->edge_time = relax_edge_time(&state->relax, body->mass);
        state->hinge_time = relax_hinge_time(&state->relax, body->mass);
    }
    return result;
}

// --- the parts of a substep, in parallel

// The last substep ends with v = (x - x_old) / h, the next one begins with it.
static void predict_points(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Substep* job = context;
    const Body* body = job->body;
    Relax* r = &job->state->relax;
    double h = job->h, keep = exp(-body->def.drag * h);
    for (size_t i = begin; i < end; i++) {
        Quad x = r->x[i], v = job->first ? job->state->v[i] : quad_xyz(x - r->old[i]) * (1 / h);
        r->old[i] = x;
        if (body->pins.of[i] >= 0) {
            const Carrier* carrier = job->alone ? NULL : carrier_of(job->set, body, i);
            r->x[i] = quad(carrier ? carrier_place(carrier, body->pins.place[i]) : pin_target(body, i, job->to), 0);
            continue;
        }
        Quad pull = quad(vec3d_mad(job->gravity, x[3], body->load[i]), 0); // [m/s2]
        v = (v + pull * h) * keep;
        r->x[i] = x + quad_xyz(v) * h;
    }
}

// --- points in and out

static void load_points(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Substep* job = context;
    const Body* body = job->body;
    Relax* r = &job->state->relax;
    for (size_t i = begin; i < end; i++) {
        r->x[i] = quad(body->position[i], body->pins.of[i] >= 0 ? 0 : 1 / body->mass[i]);
        job->state->v[i] = quad(body->velocity[i], 0);
        r->old[i] = quad(vec3d_mad(body->position[i], -job->h, body->velocity[i]), 0);
        r->pull[i] = (Quad){0, 0, 0, 0};
    }
}

static void store_points(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Substep* job = context;
    const Relax* r = &job->state->relax;
    for (size_t i = begin; i < end; i++) {
        job->body->position[i] = quad_vec(r->x[i]);
        job->body->velocity[i] = quad_vec(quad_xyz(r->x[i] - r->old[i]) * (1 / job->h));
    }
}

// One iteration from zero finds a force that is too small by about k h^2 w: a tenth of it for the stiffest edge, and much less
// for most.
static int substeps_for(const Body* body, const MassPoints* s, double dt)
{
    if (body->def.substeps > 0)
        return body->def.substeps;
    double wanted = ceil(dt / (STIFF_SHARE * s->edge_time));
    return wanted < 1 ? 1 : wanted > MOST_SUBSTEPS ? MOST_SUBSTEPS : (int)wanted;
}

// Passes over hinges in a step of `count` substeps.
static int hinge_passes(const MassPoints* s, double dt, int count)
{
    double wanted = ceil(dt / (STIFF_SHARE * s->hinge_time));
    return wanted < 1 ? 1 : wanted > count ? count : (int)wanted;
}

// --- what pins hold

static void add_to_pin(Pin* pin, Vec3d at, Vec3d force)
{
    pin->force = vec3d_add(pin->force, force);
    pin->torque = vec3d_add(pin->torque, vec3d_cross(at, force));
}

// Impulses of the constraints on the pinned points over the step, and what pulls at these points themselves.
static void add_pin_forces(const ElasticSet* set, Body* body, double dt)
{
    const MassPoints* s = body->state;
    for (size_t i = 0; i < body->point_count && body->pins.count; i++) {
        if (body->pins.of[i] < 0)
            continue;
        Vec3d force = vec3d_mad(vec3d_mad(body->load[i], body->mass[i], set->gravity), 1 / dt, quad_vec(s->relax.pull[i]));
        add_to_pin(&body->pins.pin[body->pins.of[i]], body->position[i], force);
    }
}

// --- rigid bodies that pins are tied to

static void find_tied(const ElasticSet* set, const Body* body, MassPoints* s)
{
    s->tied_count = 0;
    for (size_t i = 0; i < body->point_count && set->carrier_count; i++)
        if (carrier_of(set, body, i))
            s->tied[s->tied_count++] = (uint32_t)i;
}

// Weight and outer forces of the points that stick to them.
static void push_carriers(ElasticSet* set, const Substep* job)
{
    const Body* body = job->body;
    for (size_t k = 0; k < job->state->tied_count; k++) {
        uint32_t i = job->state->tied[k];
        Vec3d force = vec3d_mad(body->load[i], body->mass[i], job->gravity);
        carrier_push(carrier_of(set, body, i), quad_vec(job->state->relax.x[i]), vec3d_scale(force, job->h));
    }
}

// What the constraints of the substep did to them.
static void pull_carriers(const Substep* job, double dt)
{
    const Body* body = job->body;
    MassPoints* s = job->state;
    for (size_t k = 0; k < s->tied_count; k++) {
        uint32_t i = s->tied[k];
        Vec3d at = quad_vec(s->relax.x[i]), impulse = quad_vec(s->relax.pull[i]);
        carrier_push(carrier_of(job->set, body, i), at, impulse);
        add_to_pin(&body->pins.pin[body->pins.of[i]], at, vec3d_scale(impulse, 1 / dt));
        s->relax.pull[i] = (Quad){0, 0, 0, 0};
    }
}

// The points go on as their carriers do.
static void store_tied(const ElasticSet* set, Body* body, const MassPoints* s)
{
    for (size_t k = 0; k < s->tied_count; k++) {
        uint32_t i = s->tied[k];
        body->velocity[i] = carrier_velocity(carrier_of(set, body, i), body->position[i]);
    }
}

// --- the step

// [s] of volumes: what the substeps, whose g is at most 1, left out. The fluid pushes once per step; what rings faster and carries
// water would answer to it at random, so it is damped, as much as by Euler's implicit step.
static double late_damping(const Body* body, double h, double dt)
{
    if (body->tet_count == 0)
        return 0;
    double wanted = fmax(body->def.damping, body->carried ? 0.5 * dt : 0);
    return fmax(wanted - fmin(body->def.damping, h), 0);
}

// The same body of finite elements.
static Body twin_of(const Body* body)
{
    Body twin = *body;
    twin.model = &elastic_fem;
    twin.state = ((const MassPoints*)body->state)->twin;
    return twin;
}

// What the step would do without contacts and without the response of carriers: they keep their own paths.
static void mass_points_predict(ElasticSet* set, Body* body, double dt, Vec3d* velocity)
{
    MassPoints* s = body->state;
    int count = substeps_for(body, s, dt), passes = hinge_passes(s, dt, count);
    Substep job = {.set = set, .body = body, .state = s, .gravity = set->gravity, .h = dt / count, .alone = true};
    parallel_for(set->pool, body->point_count, POINT_GRAIN, load_points, &job);
    relax_begin(&s->relax, set->pool, job.h, fmin(body->def.damping / job.h, 1), (double)count / passes);
    for (int k = 0; k < count; k++) {
        job.to = (double)(k + 1) / count;
        job.first = k == 0;
        parallel_for(set->pool, body->point_count, POINT_GRAIN, predict_points, &job);
        relax_pass(&s->relax, set->pool, (k + 1) * passes / count > k * passes / count);
    }
    Body twin = twin_of(body);
    elastic_fem.predict(set, &twin, dt, velocity); // gets ready to answer; what it predicts is not asked for
    for (size_t i = 0; i < body->point_count; i++)
        velocity[i] = quad_vec(quad_xyz(s->relax.x[i] - s->relax.old[i]) * (1 / job.h));
    damp_velocities(&s->relax.constraints, set->pool, body, velocity, late_damping(body, job.h, dt), dt);
}

static bool mass_points_prepare_mobility(ElasticSet* set, Body* body)
{
    MassPoints* s = body->state;
    if (s->twin)
        return true;
    Body twin = twin_of(body);
    bool ok = elastic_fem.create(set, &twin, NULL) == MN_OK;
    s->twin = twin.state; // whatever there is of it is freed in the end
    return ok;
}

static void mass_points_forget_mobility(ElasticSet* set, Body* body)
{
    MassPoints* s = body->state;
    if (s->twin)
        elastic_fem.destroy(set, &(Body){.state = s->twin});
    s->twin = NULL;
}

// By the finite elements of the same material: constraints that are solved one after the other have no operator of their own.
static void mass_points_mobility(ElasticSet* set, Body* body, Vec3d* point)
{
    Body twin = twin_of(body);
    elastic_fem.mobility(set, &twin, point);
}

static bool begin_step(ElasticSet* set, Substep* job, double dt, int count)
{
    Body* body = job->body;
    MassPoints* s = body->state;
    *job = (Substep){.set = set,
                     .body = body,
                     .state = s,
                     .gravity = set->gravity,
                     .h = dt / count,
                     .passes = hinge_passes(s, dt, count),
                     .count = count};
    if (!hard_contacts_find(set, body, dt))
        return false;
    hard_contacts_prepare(body, dt);
    parallel_for(set->pool, body->point_count, POINT_GRAIN, load_points, job);
    relax_begin(&s->relax, set->pool, job->h, fmin(body->def.damping / job->h, 1), (double)count / job->passes);
    find_tied(set, body, s);
    carriers_begin(set, body, s->tied, s->tied_count, dt); // looks at the pull of the last step
    for (size_t k = 0; k < body->pins.count; k++)
        body->pins.pin[k].force = body->pins.pin[k].torque = vec3d(0, 0, 0);
    body->paths.now = s->relax.x;
    body->paths.old = s->relax.old;
    return true;
}

static void substep(ElasticSet* set, Substep* job, int k, double dt)
{
    MassPoints* s = job->state;
    job->to = (double)(k + 1) / job->count;
    job->first = k == 0;
    push_carriers(set, job);
    carriers_advance(set, job->h, 1.0 / job->count);
    parallel_for(set->pool, job->body->point_count, POINT_GRAIN, predict_points, job);
    // spread evenly over the substeps
    relax_pass(&s->relax, set->pool, (k + 1) * job->passes / job->count > k * job->passes / job->count);
    pull_carriers(job, dt);
}

static void end_step(ElasticSet* set, Substep* job, double dt)
{
    Body* body = job->body;
    MassPoints* s = job->state;
    parallel_for(set->pool, body->point_count, POINT_GRAIN, store_points, job);
    damp_velocities(&s->relax.constraints, set->pool, body, body->velocity, late_damping(body, job->h, dt), dt);
    add_pin_forces(set, body, dt);
    store_tied(set, body, s);
    carriers_end(set);
    body->paths.now = body->paths.old = NULL;
}

// Side by side, in as many substeps as the stiffest of them asks for: what they do to each other and to rigid bodies is felt at
// once. Carriers know one body only, so that a body on carriers comes alone.
static bool step_together(ElasticSet* set, Substep* job, size_t bodies, double dt)
{
    int count = 1;
    for (size_t b = 0; b < bodies; b++) {
        int wanted = substeps_for(job[b].body, job[b].body->state, dt);
        count = wanted > count ? wanted : count;
    }
    for (size_t b = 0; b < bodies; b++)
        if (!begin_step(set, &job[b], dt, count))
            return false;
    obstacles_begin(set, dt);
    int span = 0; // substeps that are left of a span
    for (int k = 0; k < count; k++) {
        double h = dt / count, t = dt * (k + 1) / count;
        if (span == 0 && !deformables_open(set, h, count - k, &span))
            return false;
        for (size_t b = 0; b < bodies; b++)
            substep(set, &job[b], k, dt);
        obstacles_advance(set, h, (double)(k + 1) / count);
        for (size_t b = 0; b < bodies; b++) {
            hard_contacts_solve(set, job[b].body, h, t);
            sharp_contacts_solve(set, job[b].body, h, t);
        }
        deformables_solve(set, h);
        if (--span == 0 && !deformables_close(set, h))
            return false;
    }
    obstacles_end(set);
    for (size_t b = 0; b < bodies; b++)
        end_step(set, &job[b], dt);
    return true;
}

static bool mass_points_step_together(ElasticSet* set, Body* const* body, size_t count, double dt)
{
    Substep* job = memory_take(NULL, (count + 1) * sizeof *job);
    for (size_t k = 0; job && k < count; k++)
        job[k] = (Substep){.body = body[k]};
    bool ok = job && step_together(set, job, count, dt);
    for (size_t k = 0; k < count; k++)
        body[k]->paths.now = body[k]->paths.old = NULL;
    deformables_met(set, body, count);
    memory_give(NULL, job);
    return ok;
}

static bool mass_points_step(ElasticSet* set, Body* body, double dt)
{
    return mass_points_step_together(set, &body, 1, dt);
}

// Constraints find their directions at the end of a substep, and what they balance must have turned as far.
static double mass_points_load_time(const Body* body, double dt)
{
    return 0.5 * dt * (1 + 1.0 / substeps_for(body, body->state, dt));
}

static double mass_points_energy(const Body* body)
{
    const MassPoints* s = body->state;
    const Constraints* c = &s->relax.constraints;
    double sum = 0;
    for (size_t k = 0; k < c->edge_count; k++) {
        const EdgeConstraint* e = &c->edge[k];
        double excess = vec3d_distance(body->position[e->point[0]], body->position[e->point[1]]) - e->rest;
        sum += 0.5 * excess * excess / e->compliance;
    }
    for (size_t k = 0; k < c->hinge_count; k++) {
        const HingeConstraint* g = &c->hinge[k];
        Vec3d bend = {0, 0, 0};
        for (int i = 0; i < 4; i++)
            bend = vec3d_mad(bend, (double)g->coefficient[i], body->position[g->point[i]]);
        double excess = vec3d_length(bend) - fabs((double)g->rest);
        sum += 0.5 * excess * excess / (double)g->compliance;
    }
    for (size_t k = 0; k < c->tet_count; k++) {
        const TetConstraint* t = &c->tet[k];
        const Vec3d* x = body->position;
        Vec3d p = x[t->point[0]], a = vec3d_sub(x[t->point[1]], p), b = vec3d_sub(x[t->point[2]], p);
        double excess = vec3d_dot(a, vec3d_cross(b, vec3d_sub(x[t->point[3]], p))) / 6 - t->rest;
        double crushed = fmin(0, excess + (1 - TET_CRUSHED) * t->rest);
        sum += 0.5 * excess * excess / t->compliance + 0.5 * crushed * crushed / t->crushed;
    }
    return sum;
}

static double mass_points_longest(const Body* body)
{
    const MassPoints* s = body->state;
    return body->def.substeps > 0 ? (double)INFINITY : MOST_SUBSTEPS * STIFF_SHARE * s->edge_time;
}

static bool mass_points_tear(ElasticSet* set, Body* body, size_t* out_opened)
{
    *out_opened = 0;
    return body->tet_count > 0 || tear_run(set, body, &((const MassPoints*)body->state)->relax.constraints, out_opened);
}

static bool mass_points_has_mobility(const Body* body)
{
    return ((const MassPoints*)body->state)->twin;
}

const ElasticModel elastic_mass_points = {.name = "mass_points",
                                          .comes_apart = true,
                                          .create = mass_points_create,
                                          .destroy = mass_points_destroy,
                                          .step = mass_points_step,
                                          .step_together = mass_points_step_together,
                                          .load_time = mass_points_load_time,
                                          .strain_energy = mass_points_energy,
                                          .longest = mass_points_longest,
                                          .prepare_mobility = mass_points_prepare_mobility,
                                          .forget_mobility = mass_points_forget_mobility,
                                          .has_mobility = mass_points_has_mobility,
                                          .fracture = mass_points_tear,
                                          .predict = mass_points_predict,
                                          .mobility = mass_points_mobility};
