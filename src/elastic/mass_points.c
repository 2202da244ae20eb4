// SPDX-License-Identifier: MIT
// Points with masses and compliant constraints between them: XPBD (Macklin 2016, eq. 18; damping eq. 26) with many small
// steps of one iteration each (Macklin 2019), which converges faster than few steps of many iterations.
//
//   x* = x + h v + h^2 f / m
//   per constraint:  dl = (-C - g grad C . (x - x_old)) / ((1 + g) sum w |grad C|^2 + a),  a = 1 / (k h^2),  g = damping / h
//                    x_i += w_i grad_i C dl
//   v = (x - x_old) / h
// The damping's g is at most 1: more would hide the stiffness. With one iteration the multiplier starts at zero, so its own term in
// eq. 18 is gone. Stiffness k is the material's: it does not depend on the number of steps as long as h^2 k w is small, see
// mass_points_substeps().
#include "base/error.h"
#include "elastic/carrier.h"
#include "elastic/constraints.h"
#include "elastic/contact.h"
#include "elastic/quad.h"
#include <string.h>

enum { POINT_GRAIN = 2048, MOST_SUBSTEPS = 200 };

static const double STIFF_SHARE = 0.35; // of the stiffest edge's time, per substep

typedef struct MassPoints {
    Constraints constraints;
    Quad* x;        // [m] now; w: [1/kg] inverse mass, 0 if pinned
    Quad* old;      // [m] before the substep
    Quad* v;        // [m/s]
    Quad* pull;     // [N s] on pinned points, over the step; on those on a carrier: over the substep
    uint32_t* tied; // points on carriers
    size_t tied_count;
    double stiffest; // [s] shortest time of an edge: sqrt(1 / (k (w_a + w_b)))
} MassPoints;

typedef struct Substep {
    const ElasticSet* set;
    Body* body;
    MassPoints* state;
    Vec3d gravity;
    double h;       // [s]
    double to;      // [1] share of the step that is then done
    uint32_t first; // block of the colour
} Substep;

static void mass_points_destroy(ElasticSet* set, Body* body)
{
    MassPoints* state = body->state;
    constraints_free(&state->constraints, set->memory);
    memory_give(set->memory, state->x);
    memory_give(set->memory, state->old);
    memory_give(set->memory, state->v);
    memory_give(set->memory, state->pull);
    memory_give(set->memory, state->tied);
    memory_give(set->memory, state);
    body->state = NULL;
}

static double stiffest_edge(const Constraints* c, const Body* body)
{
    double least = (double)INFINITY;
    for (size_t k = 0; k < c->edge_count; k++) {
        const EdgeConstraint* e = &c->edge[k];
        double w = 1 / body->mass[e->point[0]] + 1 / body->mass[e->point[1]];
        least = fmin(least, e->compliance / w);
    }
    return sqrt(least);
}

static mn_Result mass_points_create(ElasticSet* set, Body* body, mn_Error* error)
{
    MassPoints* state = memory_take(set->memory, sizeof *state);
    if (!state)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for mass points");
    *state = (MassPoints){.x = memory_take(set->memory, body->point_count * sizeof(Quad)),
                          .old = memory_take(set->memory, body->point_count * sizeof(Quad)),
                          .v = memory_take(set->memory, body->point_count * sizeof(Quad)),
                          .pull = memory_take(set->memory, body->point_count * sizeof(Quad)),
                          .tied = memory_take(set->memory, body->point_count * sizeof(uint32_t))};
    body->state = state;
    if (!state->x || !state->old || !state->v || !state->pull || !state->tied)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu mass points", body->point_count);
    mn_Result result = constraints_build(&state->constraints, set, body, error);
    if (result == MN_OK)
        state->stiffest = stiffest_edge(&state->constraints, body);
    return result;
}

// --- one constraint

// What all constraints of a substep need.
typedef struct Solve {
    Quad* x;
    const Quad* old;
    Quad* pull;
    double inverse_h2; // [1/s2]
    double pull_scale; // [1/s] from a push to the impulse that a pin is to feel
    double damp;       // [1]
} Solve;

// A multiplier times gradient moves a free point, and pulls at the pin of another.
static inline void push(const Solve* s, uint32_t point, Quad x, Quad by)
{
    if (x[3] > 0)
        s->x[point] = x + by * x[3];
    else
        s->pull[point] += by * s->pull_scale;
}

static void solve_edge(const EdgeConstraint* e, const Solve* s)
{
    Quad a = s->x[e->point[0]], b = s->x[e->point[1]], d = quad_xyz(a - b);
    double w = a[3] + b[3], length2 = quad_dot3(d, d);
    if (!(w > 0) || !(length2 > 0))
        return;
    double length = sqrt(length2), c = length - e->rest;
    if (s->damp > 0) {
        Quad moved = d - quad_xyz(s->old[e->point[0]] - s->old[e->point[1]]);
        c += s->damp * quad_dot3(d, moved) / length;
    }
    Quad by = d * (-c / (((1 + s->damp) * w + e->compliance * s->inverse_h2) * length));
    push(s, e->point[0], a, by);
    push(s, e->point[1], b, -by);
}

static Quad hinge_sum(const HingeConstraint* g, const Quad* x)
{
    return x[g->point[0]] * (double)g->coefficient[0] + x[g->point[1]] * (double)g->coefficient[1] +
           x[g->point[2]] * (double)g->coefficient[2] + x[g->point[3]] * (double)g->coefficient[3];
}

// How far the vector of a hinge is from where it wants to be: along itself, with the sign of the fold.
static Quad hinge_excess(const HingeConstraint* g, const Quad* x, Quad sum)
{
    if (g->rest == 0)
        return sum;
    Vec3d a = quad_vec(x[g->point[0]]), s = quad_vec(sum);
    Vec3d e0 = vec3d_sub(quad_vec(x[g->point[1]]), a);
    Vec3d n =
        vec3d_add(vec3d_cross(e0, vec3d_sub(quad_vec(x[g->point[2]]), a)), vec3d_cross(vec3d_sub(quad_vec(x[g->point[3]]), a), e0));
    double length = vec3d_length(s), rest = (double)g->rest;
    if (vec3d_dot(s, n) < 0)
        rest = -rest;
    // flat: the fold goes to the side that the normal says
    Vec3d along = length > 1e-6 * fabs((double)g->rest) ? vec3d_scale(s, 1 / length) : vec3d_normalise(n);
    return quad(vec3d_scale(along, length - rest), 0);
}

static void solve_hinge(const HingeConstraint* g, const Solve* s)
{
    Quad sum = quad_xyz(hinge_sum(g, s->x)), c = hinge_excess(g, s->x, sum);
    double w = 0;
    for (int k = 0; k < 4; k++)
        w += s->x[g->point[k]][3] * (double)(g->coefficient[k] * g->coefficient[k]);
    if (!(w > 0))
        return;
    if (s->damp > 0)
        c += (sum - quad_xyz(hinge_sum(g, s->old))) * s->damp;
    Quad l = c * (-1 / ((1 + s->damp) * w + (double)g->compliance * s->inverse_h2));
    for (int k = 0; k < 4; k++)
        push(s, g->point[k], s->x[g->point[k]], l * (double)g->coefficient[k]);
}

static void solve_tet(const TetConstraint* t, const Solve* s)
{
    Vec3d p[4], gradient[4];
    double w = 0;
    for (int k = 0; k < 4; k++)
        p[k] = quad_vec(s->x[t->point[k]]);
    Vec3d a = vec3d_sub(p[1], p[0]), b = vec3d_sub(p[2], p[0]), c = vec3d_sub(p[3], p[0]);
    gradient[1] = vec3d_scale(vec3d_cross(b, c), 1.0 / 6);
    gradient[2] = vec3d_scale(vec3d_cross(c, a), 1.0 / 6);
    gradient[3] = vec3d_scale(vec3d_cross(a, b), 1.0 / 6);
    gradient[0] = vec3d_scale(vec3d_add(gradient[1], vec3d_add(gradient[2], gradient[3])), -1);
    double excess = vec3d_dot(a, gradient[1]) - t->rest;
    for (int k = 0; k < 4; k++) {
        w += s->x[t->point[k]][3] * vec3d_dot(gradient[k], gradient[k]);
        if (s->damp > 0)
            excess += s->damp * vec3d_dot(gradient[k], vec3d_sub(p[k], quad_vec(s->old[t->point[k]])));
    }
    if (!(w > 0))
        return;
    double l = -excess / ((1 + s->damp) * w + t->compliance * s->inverse_h2);
    for (int k = 0; k < 4; k++)
        push(s, t->point[k], s->x[t->point[k]], quad(vec3d_scale(gradient[k], l), 0));
}

// --- the parts of a substep, in parallel

static void predict_points(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Substep* job = context;
    const Body* body = job->body;
    MassPoints* s = job->state;
    double h = job->h, keep = exp(-body->def.drag * h);
    for (size_t i = begin; i < end; i++) {
        s->old[i] = s->x[i];
        if (body->pin_of[i] >= 0) {
            const Carrier* carrier = carrier_of(job->set, body, i);
            s->x[i] = quad(carrier ? carrier_place(carrier, body->pinned[i]) : pin_target(body, i, job->to), 0);
            continue;
        }
        Quad pull = quad(vec3d_mad(job->gravity, s->x[i][3], body->load[i]), 0); // [m/s2]
        s->v[i] = (s->v[i] + pull * h) * keep;
        s->x[i] += quad_xyz(s->v[i]) * h;
    }
}

static void solve_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Substep* job = context;
    const Constraints* c = &job->state->constraints;
    Solve solve = {.x = job->state->x,
                   .old = job->state->old,
                   .pull = job->state->pull,
                   .pull_scale = 1 / job->h,
                   .inverse_h2 = 1 / (job->h * job->h),
                   .damp = fmin(job->body->def.damping / job->h, 1)};
    for (size_t k = job->first + begin; k < job->first + end; k++) {
        const ConstraintBlock* b = &c->block[k];
        for (uint32_t i = b->edge; i < b->edge_end; i++)
            solve_edge(&c->edge[i], &solve);
        for (uint32_t i = b->hinge; i < b->hinge_end; i++)
            solve_hinge(&c->hinge[i], &solve);
        for (uint32_t i = b->tet; i < b->tet_end; i++)
            solve_tet(&c->tet[i], &solve);
    }
}

static void find_velocities(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Substep* job = context;
    MassPoints* s = job->state;
    for (size_t i = begin; i < end; i++)
        s->v[i] = quad_xyz(s->x[i] - s->old[i]) * (1 / job->h);
}

static void solve_constraints(ElasticSet* set, Substep* job)
{
    const Constraints* c = &job->state->constraints;
    job->first = 0;
    for (int colour = 0; colour < c->colour_count; colour++) {
        parallel_for(set->pool, c->colour_end[colour] - job->first, 1, solve_blocks, job);
        job->first = c->colour_end[colour];
    }
}

// Points that went too far into an obstacle are put back in front of it. They then stick where they touch, unless they slip by
// more than friction holds: a share of how far they were in (Muller 2007, section 3.4; Macklin 2014, eq. 24).
static void solve_contacts(ElasticSet* set, Substep* job, double t)
{
    MassPoints* s = job->state;
    for (size_t k = 0; k < job->body->touch_count; k++) {
        const Touch* touch = &job->body->touch[k];
        Quad* x = &s->x[touch->point];
        Vec3d at = quad_vec(*x);
        double depth = touch_depth(touch, at, t);
        if (!(depth > 0))
            continue;
        Vec3d push = vec3d_scale(touch->normal, depth);
        Vec3d slip = vec3d_mad(vec3d_sub(vec3d_add(at, push), quad_vec(s->old[touch->point])), -job->h, touch->velocity);
        slip = vec3d_mad(slip, -vec3d_dot(slip, touch->normal), touch->normal);
        double length = vec3d_length(slip), most = touch->friction * depth;
        push = vec3d_mad(push, length > most ? -most / length : -1, slip);
        *x += quad(push, 0);
        touch_push(set, touch, at, vec3d_scale(push, -job->body->mass[touch->point] / job->h));
    }
}

// --- points in and out

static void load_points(const Body* body, MassPoints* s)
{
    for (size_t i = 0; i < body->point_count; i++) {
        s->x[i] = quad(body->position[i], body->pin_of[i] >= 0 ? 0 : 1 / body->mass[i]);
        s->v[i] = quad(body->velocity[i], 0);
        s->pull[i] = (Quad){0, 0, 0, 0};
    }
}

static void store_points(Body* body, const MassPoints* s)
{
    for (size_t i = 0; i < body->point_count; i++) {
        body->position[i] = quad_vec(s->x[i]);
        body->velocity[i] = quad_vec(s->v[i]);
    }
}

// One iteration from zero finds a force that is too small by about k h^2 w: a tenth of it for the stiffest edge, and much less
// for most.
static int mass_points_substeps(const Body* body, const MassPoints* s, double dt)
{
    if (body->def.substeps > 0)
        return body->def.substeps;
    double wanted = ceil(dt / (STIFF_SHARE * s->stiffest));
    return wanted < 1 ? 1 : wanted > MOST_SUBSTEPS ? MOST_SUBSTEPS : (int)wanted;
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
    for (size_t i = 0; i < body->point_count && body->pin_count; i++) {
        if (body->pin_of[i] < 0)
            continue;
        Vec3d force = vec3d_mad(vec3d_mad(body->load[i], body->mass[i], set->gravity), 1 / dt, quad_vec(s->pull[i]));
        add_to_pin(&body->pin[body->pin_of[i]], body->position[i], force);
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
        carrier_kick(carrier_of(set, body, i), quad_vec(job->state->x[i]), vec3d_scale(force, job->h));
    }
}

// What the constraints of the substep did to them.
static void pull_carriers(const Substep* job, double dt)
{
    const Body* body = job->body;
    MassPoints* s = job->state;
    for (size_t k = 0; k < s->tied_count; k++) {
        uint32_t i = s->tied[k];
        Vec3d at = quad_vec(s->x[i]), impulse = quad_vec(s->pull[i]);
        carrier_kick(carrier_of(job->set, body, i), at, impulse);
        add_to_pin(&body->pin[body->pin_of[i]], at, vec3d_scale(impulse, 1 / dt));
        s->pull[i] = (Quad){0, 0, 0, 0};
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

static bool mass_points_step(ElasticSet* set, Body* body, double dt)
{
    MassPoints* s = body->state;
    int count = mass_points_substeps(body, s, dt);
    Substep job = {.set = set, .body = body, .state = s, .gravity = set->gravity, .h = dt / count};
    if (!touches_find(set, body, dt))
        return false;
    load_points(body, s);
    for (size_t k = 0; k < body->pin_count; k++)
        body->pin[k].force = body->pin[k].torque = vec3d(0, 0, 0);
    find_tied(set, body, s);
    carriers_begin(set, body, s->tied, s->tied_count, dt);
    for (int k = 0; k < count; k++) {
        job.to = (double)(k + 1) / count;
        push_carriers(set, &job);
        carriers_advance(set, job.h, 1.0 / count);
        parallel_for(set->pool, body->point_count, POINT_GRAIN, predict_points, &job);
        solve_constraints(set, &job);
        pull_carriers(&job, dt);
        solve_contacts(set, &job, dt * job.to);
        parallel_for(set->pool, body->point_count, POINT_GRAIN, find_velocities, &job);
    }
    store_points(body, s);
    add_pin_forces(set, body, dt);
    store_tied(set, body, s);
    carriers_end(set);
    return true;
}

static double mass_points_energy(const Body* body)
{
    const MassPoints* s = body->state;
    const Constraints* c = &s->constraints;
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
        sum += 0.5 * excess * excess / t->compliance;
    }
    return sum;
}

static double mass_points_longest(const Body* body)
{
    const MassPoints* s = body->state;
    return body->def.substeps > 0 ? (double)INFINITY : MOST_SUBSTEPS * STIFF_SHARE * s->stiffest;
}

const ElasticModel elastic_mass_points = {.name = "mass_points",
                                          .create = mass_points_create,
                                          .destroy = mass_points_destroy,
                                          .step = mass_points_step,
                                          .strain_energy = mass_points_energy,
                                          .longest = mass_points_longest};
