// SPDX-License-Identifier: MIT
// Conditions and what else holds bodies, together. Let J be the impulses of the conditions on the bodies. Contacts and joints
// answer to them: V*(J), predicted by the solids themselves, is no longer the same for all J. A round predicts V*(J) and solves
// (18) for new impulses G(J); sought is J = G(J). A round takes free bodies for what they are and errs only in what holds them, so
// that its error shrinks in each round, by s / (1 + s) with s the ratio of the fluid that they touch to their own mass: slowly for
// light bodies that are held fast. So rounds are combined (Anderson 1965): of the last ones the mixture that leaves the least.
//
// What holds bodies is first predicted under all that pushed them in the last step. But pressure is solved for before there are
// conditions: the answer to theirs alone would pull at bodies that nothing pushes, pressure would push back, and a light body on a
// joint swung further in each step. So solids are asked without the conditions' share first.
#include "coupling/direct.h"

#include <string.h>

enum { ROUNDS_MOST = 24, DEPTH = 6 };
static const double AGREED = 1e-7; // of the impulses, by the energy that they are worth

// --- vectors of six per body, measured by x^T M^-1 y

static double product(const Direct* d, const double* x, const double* y)
{
    double sum = 0;
    for (size_t m = 0; m < direct_body_count(d); m++, x += 6, y += 6) {
        Vec3d spin = mat3d_times((const double(*)[3])d->body[m].inverse_inertia, vec3d(y[3], y[4], y[5]));
        sum += (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) / d->body[m].mass + x[3] * spin.x + x[4] * spin.y + x[5] * spin.z;
    }
    return sum;
}

// V* with what holds the bodies as it is known now; `push` [N s] are impulses that V* does not have.
static void find_velocities(Direct* d, double dt)
{
    for (size_t m = 0; m < direct_body_count(d); m++) {
        const ResponseBody* r = &d->base->bodies.response.body[m];
        Twist other, by = body_mobility(r, r->impulse);
        const Solid* solid = &d->solid[r->solid];
        solid->kind->other_acceleration(solid, &other.linear, &other.angular);
        d->body[m].velocity.linear = vec3d_add(r->velocity.linear, vec3d_mad(by.linear, dt, other.linear));
        d->body[m].velocity.angular = vec3d_add(r->velocity.angular, vec3d_mad(by.angular, dt, other.angular));
        d->body[m].velocity = direct_in_plane(d, d->body[m].velocity);
    }
}

// Solids are asked what holds them under pressure and impulses J.
static bool predict(Direct* d, double dt, const double* j)
{
    const Solid* last = NULL;
    for (size_t m = 0; m < direct_body_count(d); m++, j += 6) {
        const ResponseBody* r = &d->base->bodies.response.body[m];
        Solid* s = &d->solid[r->solid];
        Vec3d push = vec3d_add(r->impulse.linear, vec3d(j[0], j[1], j[2]));
        Vec3d moment = vec3d_add(r->impulse.angular, vec3d(j[3], j[4], j[5]));
        s->force = vec3d_scale(push, 1 / dt);
        s->torque = vec3d_scale(vec3d_add(moment, vec3d_cross(vec3d_sub(r->centre, s->pose.position), push)), 1 / dt);
    }
    bool ok = true;
    for (size_t m = 0; m < direct_body_count(d) && ok; m++) { // once for all that step together
        const Solid* s = &d->solid[d->base->bodies.response.body[m].solid];
        if (!last || last->system != s->system)
            ok = d->answer.predict(d->answer.context, s, dt);
        last = s;
    }
    return ok;
}

void direct_note_shares(Direct* d, double dt)
{
    memset(d->share, 0, d->solid_count * sizeof *d->share);
    for (size_t m = 0; m < direct_body_count(d); m++) {
        const ResponseBody* r = &d->base->bodies.response.body[m];
        Twist by = direct_in_plane(d, d->impulse[m]), *share = &d->share[r->solid];
        Vec3d arm = vec3d_sub(r->centre, d->solid[r->solid].pose.position);
        share->linear = vec3d_scale(by.linear, 1 / dt);
        share->angular = vec3d_scale(vec3d_add(by.angular, vec3d_cross(arm, by.linear)), 1 / dt);
    }
}

static bool has_share(const Direct* d, size_t k)
{
    const Twist* s = &d->share[k];
    return vec3d_dot(s->linear, s->linear) > 0 || vec3d_dot(s->angular, s->angular) > 0;
}

static void add_shares(Direct* d, double sign)
{
    for (size_t k = 0; k < d->solid_count; k++)
        if (has_share(d, k)) {
            d->solid[k].force = vec3d_mad(d->solid[k].force, sign, d->share[k].linear);
            d->solid[k].torque = vec3d_mad(d->solid[k].torque, sign, d->share[k].angular);
        }
}

bool direct_expect(Direct* d, double dt)
{
    const Solid* held = NULL;
    for (size_t k = 0; k < d->solid_count && !held; k++)
        if (has_share(d, k) && solid_is_body(&d->solid[k]) && d->solid[k].kind->body(&d->solid[k]).bound)
            held = &d->solid[k];
    if (!held)
        return true;
    add_shares(d, -1);
    bool ok = d->answer.predict(d->answer.context, held, dt);
    add_shares(d, 1); // another try at the step begins with them
    return ok;
}

// G(J)
static bool run_round(Direct* d, double dt, const double* j, double* g)
{
    ForcingProblem problem = direct_problem(d);
    if (!predict(d, dt, j))
        return false;
    find_velocities(d, dt);
    forcing_solve_global(&problem);
    for (size_t m = 0; m < direct_body_count(d); m++, g += 6) {
        ForcingBody* b = &d->body[m];
        b->gain = direct_in_plane(d, b->gain);
        Vec3d push = vec3d_scale(b->gain.linear, b->mass), moment = mat3d_times((const double(*)[3])b->inertia, b->gain.angular);
        const double values[6] = {push.x, push.y, push.z, moment.x, moment.y, moment.z};
        memcpy(g, values, sizeof values);
    }
    return true;
}

// Weights of the differences between rounds that leave the least of the last error: normal equations, which are small.
static void find_weights(const Direct* d, double* const* differences, const double* error, int depth, double* weight)
{
    double a[DEPTH][DEPTH + 1], most = 0;
    for (int i = 0; i < depth; i++) {
        for (int k = 0; k < depth; k++)
            a[i][k] = product(d, differences[i], differences[k]);
        a[i][depth] = product(d, differences[i], error);
        most = fmax(most, a[i][i]);
    }
    for (int i = 0; i < depth; i++) // differences may be nearly the same
        a[i][i] += 1e-12 * most + 1e-300;
    for (int k = 0; k < depth; k++)
        for (int i = k + 1; i < depth; i++) {
            double f = a[i][k] / a[k][k];
            for (int c = k; c <= depth; c++)
                a[i][c] -= f * a[k][c];
        }
    for (int k = depth - 1; k >= 0; k--) {
        weight[k] = a[k][depth];
        for (int c = k + 1; c < depth; c++)
            weight[k] -= a[k][c] * weight[c];
        weight[k] /= a[k][k];
    }
}

typedef struct Rounds {
    double *j, *g, *error, *last_g, *last_error; // (6 per body)
    double *difference[DEPTH], *step[DEPTH];     // of errors and of G, from round to round, in a ring
} Rounds;

static bool reserve(Direct* d, Rounds* r)
{
    size_t n = 6 * direct_body_count(d), count = 5 + 2 * DEPTH;
    if (!memory_reserve(d->memory, &d->history, &d->history_capacity, 0, n * count, sizeof *d->history))
        return false;
    memset(d->history, 0, n * count * sizeof *d->history);
    double* at = d->history;
    double** fixed[] = {&r->j, &r->g, &r->error, &r->last_g, &r->last_error};
    for (size_t k = 0; k < 5; k++, at += n)
        *fixed[k] = at;
    for (int k = 0; k < DEPTH; k++, at += 2 * n) {
        r->difference[k] = at;
        r->step[k] = at + n;
    }
    return true;
}

static void mix(const Direct* d, Rounds* r, int round)
{
    size_t n = 6 * direct_body_count(d);
    int depth = round < DEPTH ? round : DEPTH;
    double weight[DEPTH];
    if (round > 0) {
        int slot = (round - 1) % DEPTH;
        for (size_t k = 0; k < n; k++) {
            r->difference[slot][k] = r->error[k] - r->last_error[k];
            r->step[slot][k] = r->g[k] - r->last_g[k];
        }
        find_weights(d, r->difference, r->error, depth, weight);
    }
    memcpy(r->last_error, r->error, n * sizeof *r->error);
    memcpy(r->last_g, r->g, n * sizeof *r->g);
    for (size_t k = 0; k < n; k++) {
        r->j[k] = r->g[k];
        for (int w = 0; w < depth; w++)
            r->j[k] -= weight[w] * r->step[w][k];
    }
}

static bool is_any_held(const Direct* d)
{
    bool held = false;
    for (size_t m = 0; m < direct_body_count(d); m++) {
        const Solid* s = &d->solid[d->base->bodies.response.body[m].solid];
        held |= s->kind->body(s).bound;
    }
    return held;
}

bool direct_solve(Direct* d, double dt)
{
    Rounds r;
    ForcingProblem problem = direct_problem(d);
    d->rounds = 0;
    if (!is_any_held(d)) {
        forcing_solve_global(&problem);
        for (size_t m = 0; m < problem.body_count; m++)
            d->body[m].gain = direct_in_plane(d, d->body[m].gain);
        return true;
    }
    if (!reserve(d, &r))
        return false;
    for (int round = 0; round < ROUNDS_MOST; round++) {
        if (!run_round(d, dt, r.j, r.g))
            return false;
        d->rounds++;
        for (size_t k = 0; k < 6 * direct_body_count(d); k++)
            r.error[k] = r.g[k] - r.j[k];
        if (product(d, r.error, r.error) <= AGREED * AGREED * product(d, r.g, r.g))
            break;
        mix(d, &r, round);
    }
    return true;
}
