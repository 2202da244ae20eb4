// SPDX-License-Identifier: MIT
#include "elastic/relax.h"

#include "base/error.h"
#include <string.h>

enum { FACTOR_GRAIN = 4096 };

mn_Result relax_create(Relax* r, ElasticSet* set, const Body* body, mn_Error* error)
{
    mn_Result result = constraints_build(&r->constraints, set, body, error);
    if (result != MN_OK)
        return result;
    const Constraints* c = &r->constraints;
    size_t n = body->point_count;
    r->x = memory_take(r->memory, n * sizeof *r->x);
    r->old = memory_take(r->memory, n * sizeof *r->old);
    r->pull = memory_take(r->memory, n * sizeof *r->pull);
    r->edge_factor = memory_take(r->memory, (c->edge_count + 1) * sizeof *r->edge_factor);
    r->hinge_factor = memory_take(r->memory, (c->hinge_count + 1) * sizeof *r->hinge_factor);
    r->plain = memory_take(r->memory, c->edge_count + 1);
    if (!r->x || !r->old || !r->pull || !r->edge_factor || !r->hinge_factor || !r->plain)
        return error_set(error, MN_OUT_OF_MEMORY, "no memory for %zu mass points", n);
    return MN_OK;
}

void relax_destroy(Relax* r)
{
    constraints_free(&r->constraints, r->memory);
    void* arrays[] = {r->x, r->old, r->pull, r->edge_factor, r->hinge_factor, r->plain};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(r->memory, arrays[k]);
}

double relax_edge_time(const Relax* r, const double* mass)
{
    double least = (double)INFINITY;
    for (size_t k = 0; k < r->constraints.edge_count; k++) {
        const EdgeConstraint* e = &r->constraints.edge[k];
        double w = 1 / mass[e->point[0]] + 1 / mass[e->point[1]];
        least = fmin(least, e->compliance / w);
    }
    return sqrt(least);
}

double relax_hinge_time(const Relax* r, const double* mass)
{
    double least = (double)INFINITY;
    for (size_t k = 0; k < r->constraints.hinge_count; k++) {
        const HingeConstraint* g = &r->constraints.hinge[k];
        double w = 0;
        for (int i = 0; i < 4; i++)
            w += (double)(g->coefficient[i] * g->coefficient[i]) / mass[g->point[i]];
        least = fmin(least, (double)g->compliance / w);
    }
    return sqrt(least);
}

// --- what constraints divide by

static double factor_of(const Relax* r, double w, double compliance)
{
    return w > 0 ? 1 / ((1 + r->damp) * w + compliance / (r->h * r->h)) : 0;
}

static void edge_factors(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Relax* r = context;
    const EdgeConstraint* edge = r->constraints.edge;
    for (size_t k = begin; k < end; k++) {
        double a = r->x[edge[k].point[0]][3], b = r->x[edge[k].point[1]][3];
        r->edge_factor[k] = factor_of(r, a + b, edge[k].compliance);
        r->plain[k] = a > 0 && b > 0;
    }
}

static void hinge_factors(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Relax* r = context;
    const HingeConstraint* hinge = r->constraints.hinge;
    for (size_t k = begin; k < end; k++) {
        double w = 0;
        for (int i = 0; i < 4; i++)
            w += r->x[hinge[k].point[i]][3] * (double)(hinge[k].coefficient[i] * hinge[k].coefficient[i]);
        // once in a while, and as much stiffer
        r->hinge_factor[k] = factor_of(r, w, (double)hinge[k].compliance / r->hinge_rate);
    }
}

void relax_begin(Relax* r, Pool* pool, double h, double damp, double hinge_rate)
{
    r->h = h;
    r->damp = damp;
    r->hinge_rate = hinge_rate;
    parallel_for(pool, r->constraints.edge_count, FACTOR_GRAIN, edge_factors, r);
    parallel_for(pool, r->constraints.hinge_count, FACTOR_GRAIN, hinge_factors, r);
}

// --- one constraint

// A multiplier times gradient moves a free point, and pulls at the pin of another.
static inline void push(const Relax* r, uint32_t point, Quad x, Quad by)
{
    if (x[3] > 0)
        r->x[point] = x + by * quad_w(x);
    else
        r->pull[point] += by * (1 / r->h);
}

static void relax_edge(const Relax* r, size_t k)
{
    const EdgeConstraint* e = &r->constraints.edge[k];
    Quad a = r->x[e->point[0]], b = r->x[e->point[1]], d = quad_xyz(a - b);
    double length2 = quad_dot3(d, d);
    if (!(length2 > 0))
        return;
    double share = e->rest / sqrt(length2) - 1;
    if (r->damp > 0)
        share -= r->damp * quad_dot3(d, d - quad_xyz(r->old[e->point[0]] - r->old[e->point[1]])) / length2;
    Quad by = d * (share * r->edge_factor[k]);
    push(r, e->point[0], a, by);
    push(r, e->point[1], b, -by);
}

// Four edges without a common point and without pins, side by side.
static void relax_four(const Relax* r, size_t k)
{
    const EdgeConstraint* e = &r->constraints.edge[k];
    Quad a[4], b[4], d[4], p[4];
    for (int i = 0; i < 4; i++) {
        a[i] = r->x[e[i].point[0]];
        b[i] = r->x[e[i].point[1]];
        d[i] = quad_xyz(a[i] - b[i]);
        p[i] = d[i] * d[i];
    }
    // an edge without length has no direction: nothing times something large
    Quad length2 = quad_sums(p[0], p[1], p[2], p[3]) + quad_all(1e-200), rest = {e[0].rest, e[1].rest, e[2].rest, e[3].rest};
    Quad share = rest / quad_sqrt(length2) - quad_all(1);
    if (r->damp > 0) {
        for (int i = 0; i < 4; i++)
            p[i] = d[i] * (d[i] - quad_xyz(r->old[e[i].point[0]] - r->old[e[i].point[1]]));
        share -= quad_sums(p[0], p[1], p[2], p[3]) * quad_all(r->damp) / length2;
    }
    Quad factor;
    memcpy(&factor, r->edge_factor + k, sizeof factor);
    share *= factor;
    for (int i = 0; i < 4; i++) {
        Quad by = d[i] * quad_all(share[i]);
        r->x[e[i].point[0]] = a[i] + by * quad_w(a[i]);
        r->x[e[i].point[1]] = b[i] - by * quad_w(b[i]);
    }
}

static inline Quad hinge_sum(const HingeConstraint* g, const Quad* x)
{
    return quad_xyz(x[g->point[0]] * (double)g->coefficient[0] + x[g->point[1]] * (double)g->coefficient[1] +
                    x[g->point[2]] * (double)g->coefficient[2] + x[g->point[3]] * (double)g->coefficient[3]);
}

// How far the vector of a hinge that is bent at rest is from where it wants to be: along itself, with the sign of the fold.
static Quad hinge_excess(const HingeConstraint* g, const Quad* x, Quad sum)
{
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

static void relax_hinge(const Relax* r, size_t k)
{
    const HingeConstraint* g = &r->constraints.hinge[k];
    Quad sum = hinge_sum(g, r->x), c = g->rest == 0 ? sum : hinge_excess(g, r->x, sum);
    if (r->damp > 0)
        c += (sum - hinge_sum(g, r->old)) * r->damp;
    Quad l = c * -r->hinge_factor[k];
    for (int i = 0; i < 4; i++)
        push(r, g->point[i], r->x[g->point[i]], l * (double)g->coefficient[i]);
}

static void relax_tet(const Relax* r, const TetConstraint* t)
{
    Vec3d p[4], gradient[4];
    double w = 0;
    for (int k = 0; k < 4; k++)
        p[k] = quad_vec(r->x[t->point[k]]);
    Vec3d a = vec3d_sub(p[1], p[0]), b = vec3d_sub(p[2], p[0]), c = vec3d_sub(p[3], p[0]);
    gradient[1] = vec3d_scale(vec3d_cross(b, c), 1.0 / 6);
    gradient[2] = vec3d_scale(vec3d_cross(c, a), 1.0 / 6);
    gradient[3] = vec3d_scale(vec3d_cross(a, b), 1.0 / 6);
    gradient[0] = vec3d_scale(vec3d_add(gradient[1], vec3d_add(gradient[2], gradient[3])), -1);
    double volume = vec3d_dot(a, gradient[1]), excess = volume - t->rest, compliance = t->compliance;
    if (volume < TET_CRUSHED * t->rest) { // two constraints with the same gradient are one
        double stiffness = 1 / t->compliance + 1 / t->crushed;
        excess = (excess / t->compliance + (volume - TET_CRUSHED * t->rest) / t->crushed) / stiffness;
        compliance = 1 / stiffness;
    }
    for (int k = 0; k < 4; k++) {
        w += r->x[t->point[k]][3] * vec3d_dot(gradient[k], gradient[k]);
        if (r->damp > 0)
            excess += r->damp * vec3d_dot(gradient[k], vec3d_sub(p[k], quad_vec(r->old[t->point[k]])));
    }
    double l = -excess * factor_of(r, w, compliance);
    for (int k = 0; k < 4; k++)
        push(r, t->point[k], r->x[t->point[k]], quad(vec3d_scale(gradient[k], l), 0));
}

// --- all constraints

static void relax_blocks(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Relax* r = context;
    const Constraints* c = &r->constraints;
    for (size_t k = r->first + begin; k < r->first + end; k++) {
        const ConstraintBlock* b = &c->block[k];
        for (size_t i = b->edge; i < b->edge_fours; i += 4) {
            const uint8_t* plain = r->plain + i;
            if (plain[0] & plain[1] & plain[2] & plain[3])
                relax_four(r, i);
            else
                for (size_t j = i; j < i + 4; j++)
                    relax_edge(r, j);
        }
        for (size_t i = b->edge_fours; i < b->edge_end; i++)
            relax_edge(r, i);
        for (size_t i = b->hinge; i < b->hinge_end && r->hinges; i++)
            relax_hinge(r, i);
        for (size_t i = b->tet; i < b->tet_end; i++)
            relax_tet(r, &c->tet[i]);
    }
}

void relax_pass(Relax* r, Pool* pool, bool hinges)
{
    const Constraints* c = &r->constraints;
    r->hinges = hinges;
    r->first = 0;
    for (int colour = 0; colour < c->colour_count; colour++) {
        parallel_for(pool, c->colour_end[colour] - r->first, 1, relax_blocks, r);
        r->first = c->colour_end[colour];
    }
}
