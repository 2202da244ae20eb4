// SPDX-License-Identifier: MIT
// Bodies in a pressure solve (strong coupling). With the fluid alone a solve looks for the minimum of a quadratic function of P
// over P >= 0 (pressure/jacobi.c); bodies add the term
//   K = sum_B U_B M_B^-1 U_B^T V0,      M_B mass and inertia of body B
// which is large for light bodies: a ball of 1 kg/m3 weighs a thousandth of the layer of water around it. A diagonal step would
// have to be that much shorter. So the step is taken in the metric D / omega + K instead of D / omega, exactly:
//   P_i(y) = max(0, P_i + omega rho0_i / (dt^2 D_i) (e_i - dt^2 sum_B y_B . U_iB)),   y_B = M_B^-1 V0 sum_i U_iB (P_i(y) - P_i)
// y is the change of the bodies' accelerations that the step itself brings about: six unknowns per body, found by Newton's
// method over the few particles that touch it. Iterations then do not depend on how light a body is.
// Each iteration takes about two passes over the pairs for that. The second takes the step by the way (PressureStep.update) and
// knows the forces of the pressures to come; without that there is one pass more, for the forces.
#include "coupling/body_pairs.h"

#include <string.h>

// Share of a spacing by which a step of an iteration may still move a body when a solve ends.
static const double SETTLED = 1e-4;

void body_response_free(BodyResponse* r)
{
    if (r->base.sph)
        responder_remove(r->base.sph, &r->base);
    for (int k = 0; k < PAIR_BLOCKS; k++) {
        memory_give(r->memory, r->block[k].pair);
        memory_give(r->memory, r->block[k].state);
        memory_give(r->memory, r->block[k].drag);
        memory_give(r->memory, r->block[k].body);
    }
    void* arrays[] = {r->body, r->body_of, r->sums, r->total, r->motion, r->inverse, r->search, r->response};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(r->memory, arrays[k]);
    memset(r, 0, sizeof *r);
}

Twist body_mobility(const ResponseBody* m, Twist f)
{
    return (Twist){vec3d_scale(f.linear, m->inverse_mass), mat3d_times(m->inverse_inertia, f.angular)};
}

void solve_6x6(double a[6][6], double b[6][6], int n)
{
    for (int k = 0; k < 6; k++) {
        int pivot = k;
        for (int i = k + 1; i < 6; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        for (int j = 0; j < 6; j++) {
            double swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        for (int j = 0; j < n; j++) {
            double swap = b[k][j];
            b[k][j] = b[pivot][j];
            b[pivot][j] = swap;
        }
        for (int i = k + 1; i < 6; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < 6; j++)
                a[i][j] -= f * a[k][j];
            for (int j = 0; j < n; j++)
                b[i][j] -= f * b[k][j];
        }
    }
    for (int k = 5; k >= 0; k--)
        for (int j = 0; j < n; j++) {
            for (int i = k + 1; i < 6; i++)
                b[k][j] -= a[k][i] * b[i][j];
            b[k][j] /= a[k][k];
        }
}

// --- forces

static void force_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const BodyPass* pass = context;
    const PairBlock* block = &pass->response->block[number];
    for (size_t k = 0; k < block->count; k++) {
        const BodyPair* t = &block->pair[k];
        Arms arms = pair_arms(t);
        F8 u[6], p = pair_pressures(pass, t);
        pair_u(t, &arms, u);
        BodySum* sum = body_sum_of(pass, block, t);
        for (int c = 0; c < 6; c++)
            lane_mad(sum->lane[c], p, u[c]);
    }
}

// From sums of P U to forces.
static void push(const Sph* sph, const double sum[6], ResponseBody* body)
{
    double force[6];
    for (int c = 0; c < 6; c++)
        force[c] = sum[c] * (double)sph->mass_volume;
    body->force = twist_from(force);
    body->acceleration = twist_by(body->mobility, body->force);
}

static BodyResponse* response_of(Responder* responder)
{
    return (BodyResponse*)responder;
}

static void body_pressure(Responder* responder)
{
    BodyResponse* r = response_of(responder);
    body_sums(r, force_block, 6, &(BodyPass){0});
    for (size_t m = 0; m < r->body_count; m++)
        push(r->base.sph, r->total[m], &r->body[m]);
}

// out_i -= motion . U
static void motion_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const BodyPass* pass = context;
    const PairBlock* block = &pass->response->block[number];
    for (size_t k = 0; k < block->count; k++) {
        const BodyPair* t = &block->pair[k];
        Arms arms = pair_arms(t);
        float* out = pass->out + (size_t)LANES * t->chunk;
        f8_store(out, f8_sub(f8_load(out), pair_dot(pass->response->motion[t->body], &arms, t)));
    }
}

static void body_gained(Responder* responder)
{
    BodyResponse* r = response_of(responder);
    for (size_t m = 0; m < r->body_count; m++)
        twist_to(&r->body[m].gain, r->motion[m]);
    body_pass(r, motion_block, &(BodyPass){.out = r->base.sph->fluid.divergence});
}

static void body_accelerated(Responder* responder)
{
    BodyResponse* r = response_of(responder);
    for (size_t m = 0; m < r->body_count; m++)
        twist_to(&r->body[m].acceleration, r->motion[m]);
    body_pass(r, motion_block, &(BodyPass){.out = r->base.sph->fluid.divergence});
}

static Twist displacement(const ResponseBody* m, double dt)
{
    return twist_mad((Twist){0}, dt, twist_mad(m->gain, dt, m->acceleration));
}

static void body_displaced(Responder* responder, float dt, float* density)
{
    BodyResponse* r = response_of(responder);
    for (size_t m = 0; m < r->body_count; m++) {
        Twist path = displacement(&r->body[m], (double)dt);
        twist_to(&path, r->motion[m]);
    }
    body_pass(r, motion_block, &(BodyPass){.out = density});
}

// --- the response

// Movers follow the pressures at hand: out -= motion . U. What is left as an error, and the step to be taken, stay with the chunk.
static inline void begin_chunk(const BodyPass* pass, const BodyPair* t, size_t count, PairState* state)
{
    size_t i = (size_t)LANES * t->chunk;
    F8 out = f8_load(pass->out + i);
    for (size_t k = 0; k < count; k++) {
        Arms arms = pair_arms(&t[k]);
        out = f8_sub(out, pair_dot(pass->response->motion[t[k].body], &arms, &t[k]));
    }
    f8_store(pass->out + i, out);
    f8_store(state->at, pair_pressures(pass, t));
    if (pass->steps)
        f8_store(state->step, pass->step->descent(pass->step->context, i));
    f8_store(state->error, pass->step->error(pass->step->context, i));
    if (pass->step->update)
        f8_store(state->before, pass->step->first ? f8_load(state->at) : f8_load(pass->sph->fluid.iterate + i));
}

// A row of weight U U^T, up to the diagonal. Always inlined, with a constant for the row: loops within loops are not taken apart.
static inline __attribute__((always_inline)) void add_row(BodySum* sum, F8 weight, const F8 u[6], int row)
{
    F8 w = f8_mul(weight, u[row]);
    float(*lane)[LANES] = &sum->lane[sum_entry(row, 0)];
    for (int b = 0; b <= row; b++)
        lane_mad(lane[b], w, u[b]);
}

// Sums of U (P(y) - P) and, if wanted, over the particles that P(y) leaves free, of step U U^T; with an update, of U P for the P
// to come. Always inlined, with constants for `begin` and `matrix`: this is what strong coupling costs.
static inline __attribute__((always_inline)) void newton_chunk(const BodyPass* pass, const PairBlock* block, size_t at_pair,
                                                               size_t count, bool begin, bool matrix, F8 update[STEP_SUMS])
{
    const BodyResponse* r = pass->response;
    const BodyPair* t = &block->pair[at_pair];
    const PairState* state = &block->state[at_pair];
    const F8 dt2 = f8_set(pass->step->dt * pass->step->dt), zero = f8_zero();
    F8 response = zero;
    for (size_t k = 0; k < count && !begin; k++) {
        Arms arms = pair_arms(&t[k]);
        response = f8_mad(dt2, pair_dot(r->motion[t[k].body], &arms, &t[k]), response);
    }
    const bool updates = !begin && pass->step->update;
    StepLanes lanes = {f8_load(state->error), f8_load(state->step), f8_load(state->at), zero, response};
    F8 next = zero;
    if (updates) {
        lanes.before = f8_load(state->before);
        next = pass->step->take_with(pass->step->context, (size_t)LANES * t->chunk, &lanes, update);
    } else {
        f8_store(r->response + (size_t)LANES * t->chunk, response);
    }
    F8 at = lanes.at, step = lanes.descent, p = f8_mad(step, f8_sub(lanes.error, response), at);
    F8 open = f8_and(f8_less(zero, p), f8_less(zero, step));
    F8 change = f8_sub(f8_and(p, open), at), weight = f8_and(f8_mul(step, dt2), open);
    for (size_t k = 0; k < count; k++) {
        Arms arms = pair_arms(&t[k]);
        F8 u[6];
        pair_u(&t[k], &arms, u);
        BodySum* sum = body_sum_of(pass, block, &t[k]);
        for (int a = 0; a < 6; a++)
            lane_mad(sum->lane[a], change, u[a]);
        for (int a = 0; a < 6 && updates; a++)
            lane_mad(sum->lane[SUM_SECOND + a], next, u[a]);
        if (!matrix)
            continue;
        add_row(sum, weight, u, 0);
        add_row(sum, weight, u, 1);
        add_row(sum, weight, u, 2);
        add_row(sum, weight, u, 3);
        add_row(sum, weight, u, 4);
        add_row(sum, weight, u, 5);
    }
}

static void add_update(double to[STEP_SUMS], F8 update[STEP_SUMS])
{
    for (int c = 0; c < STEP_SUMS; c++) {
        to[c] += (double)f8_sum(update[c]);
        update[c] = f8_zero();
    }
}

// What the pair some places ahead will need: a pass over all lists has driven it from the caches near by.
static inline void fetch_ahead(const BodyPass* pass, const PairBlock* block, size_t k)
{
    enum { AHEAD = 6, FARTHER = 12, LINE = 64 };
    const Fluid* fluid = &pass->sph->fluid;
    if (k + FARTHER < block->count)
        for (size_t at = 0; at < sizeof(BodyPair); at += LINE)
            __builtin_prefetch((const char*)&block->pair[k + FARTHER] + at);
    if (k + AHEAD >= block->count)
        return;
    size_t i = (size_t)LANES * block->pair[k + AHEAD].chunk;
    __builtin_prefetch(&fluid->position[i]);
    __builtin_prefetch(&fluid->position[i + LANES / 2]);
    __builtin_prefetch(pass->out + i, 1);
    __builtin_prefetch(&fluid->source[i]);
    __builtin_prefetch(&fluid->iterate[i]);
    __builtin_prefetch(&block->state[k + AHEAD], 1);
    __builtin_prefetch((const char*)&block->state[k + AHEAD] + LINE, 1);
}

static inline __attribute__((always_inline)) void newton_pairs(const BodyPass* pass, PairBlock* block, bool begin, bool matrix)
{
    enum { OFTEN = 64 };
    F8 update[STEP_SUMS] = {f8_zero(), f8_zero(), f8_zero()};
    memset(block->update, 0, sizeof block->update);
    int terms = 0;
    for (size_t k = 0, count; k < block->count; k += count) {
        for (count = 1; k + count < block->count && !block->pair[k + count].first;)
            count++;
        if (begin)
            fetch_ahead(pass, block, k);
        if (begin)
            begin_chunk(pass, &block->pair[k], count, &block->state[k]);
        newton_chunk(pass, block, k, count, begin, matrix, update);
        if (++terms % OFTEN == 0)
            add_update(block->update, update);
    }
    add_update(block->update, update);
}

static void newton_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const BodyPass* pass = context;
    PairBlock* block = &pass->response->block[number];
    if (pass->begin)
        newton_pairs(pass, block, true, true);
    else if (pass->matrix)
        newton_pairs(pass, block, false, true);
    else
        newton_pairs(pass, block, false, false);
}

// (1 + M^-1 V0 sum step U U^T)^-1
static void invert_newton(const Sph* sph, const ResponseBody* body, const double sum[], double crowd, double inverse[6][6])
{
    double a[6][6];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            a[i][j] = inverse[i][j] = i == j;
            for (int k = 0; k < 6; k++)
                a[i][j] += body->mobility[i][k] * crowd * (double)sph->mass_volume * sum[sum_entry(k, j)];
        }
    solve_6x6(a, inverse, 6);
}

// How far y of a body is from y = M^-1 V0 sum U (P(y) - P).
static void find_off(const Sph* sph, const ResponseBody* body, const double sum[], const double y[6], double off[6])
{
    for (int i = 0; i < 6; i++) {
        off[i] = -y[i];
        for (int k = 0; k < 6; k++)
            off[i] += body->mobility[i][k] * (double)sph->mass_volume * sum[k];
    }
}

// One Newton step for y of a body. Returns how much y changed, relative.
static double newton_step(const double off[6], double inverse[6][6], double y[6], double step[6])
{
    double size = 0, change = 0;
    for (int i = 0; i < 6; i++) {
        step[i] = 0;
        for (int k = 0; k < 6; k++)
            step[i] += inverse[i][k] * off[k];
        y[i] += step[i];
        size += y[i] * y[i];
        change += step[i] * step[i];
    }
    return size > 0 ? sqrt(change / size) : 0;
}

// y is where a convex function of it is least, whose slope along a direction is -direction . M off.
static double slope(const ResponseBody* body, const double direction[6], const double off[6])
{
    double a[6][6], b[6][6] = {{0}}, sum = 0;
    for (int i = 0; i < 6; i++) {
        memcpy(a[i], body->mobility[i], sizeof a[i]);
        a[i][i] += !(a[i][i] > 0); // what cannot move does not
        b[i][0] = off[i];
    }
    solve_6x6(a, b, 1);
    for (int i = 0; i < 6; i++)
        sum -= direction[i] * b[i][0];
    return sum;
}

// A Newton step that went too far, up the other side of the valley, is taken back in part. True: it was.
static bool turn_back(const ResponseBody* body, NewtonSearch* s, const double off[6], double y[6])
{
    double there = slope(body, s->step, off);
    if (!s->under_way || there <= 0.5 * fabs(s->slope))
        return false;
    double share = fmin(fmax(fabs(s->slope) / (fabs(s->slope) + there), 0.1), 0.7);
    for (int i = 0; i < 6; i++) {
        s->step[i] *= share;
        y[i] = s->from[i] + s->step[i];
    }
    s->slope *= share;
    return true;
}

// Every other step goes without a new matrix: with the first one mostly all is done, and the second finds that out. Answers are
// those of the last y but one, which differs from the last by less than a thousandth; an update takes at least two steps.
// Particles that close and open can drive the steps of a light body that few of them touch round in circles: then each step has a
// matrix of its own, and goes no farther than down.
static void find_response(BodyResponse* r, BodyPass* pass)
{
    const Sph* sph = r->base.sph;
    enum { MOST_STEPS = 40, EASY_STEPS = 4 };
    // bodies that share particles see each other's responses only in the next step: shorter steps keep that stable
    double crowd = r->crowded ? 2 : 1;
    for (int k = 0; k <= MOST_STEPS; k++) {
        double most = 0;
        bool hard = k > EASY_STEPS;
        pass->begin = k == 0;
        pass->matrix = k % 2 == 0 || hard;
        body_sums(r, newton_block, pass->matrix ? BODY_SUMS : SUM_MATRIX, pass);
        for (size_t m = 0; m < r->body_count; m++) {
            const ResponseBody* body = &r->body[m];
            double off[6], *y = r->motion[m];
            if (k == 0)
                memset(y, 0, sizeof r->motion[m]);
            NewtonSearch* s = &r->search[m];
            find_off(sph, body, r->total[m], y, off);
            s->under_way = hard && s->under_way; // set by every earlier round, so known by then
            if (hard && turn_back(body, s, off, y)) {
                most = 1;
                continue;
            }
            if (pass->matrix)
                invert_newton(sph, body, r->total[m], crowd, r->inverse[m]);
            memcpy(s->from, y, sizeof s->from);
            most = fmax(most, newton_step(off, r->inverse[m], y, s->step));
            s->slope = hard ? slope(body, s->step, off) : 0;
            s->under_way = hard;
        }
        if (!(most > 1e-3) && (k > 0 || !pass->step->update))
            break;
    }
    memset(r->base.sums, 0, sizeof r->base.sums);
    for (int b = 0; b < PAIR_BLOCKS; b++)
        for (int c = 0; c < STEP_SUMS; c++)
            r->base.sums[c] += r->block[b].update[c];
}

// Whether the chunks have these steps already; from now on they do.
static bool has_steps(BodyResponse* r, const PressureStep* step)
{
    bool same = r->has_steps && !(step->dt != r->step_dt || step->omega != r->step_omega || step->prototype != r->step_prototype);
    r->has_steps = true;
    r->step_dt = step->dt;
    r->step_omega = step->omega;
    r->step_prototype = step->prototype;
    return same;
}

static void body_give_way(Responder* responder, const PressureStep* step)
{
    BodyResponse* r = response_of(responder);
    Sph* sph = r->base.sph;
    if (!step->follows)
        body_pressure(responder);
    for (size_t m = 0; m < r->body_count && step->follows; m++) // the last pass knew what was to come
        push(sph, &r->total[m][SUM_SECOND], &r->body[m]);
    // densities were predicted with the velocity that bodies had when the step began
    bool displaced = step->prototype > 0;
    for (size_t m = 0; m < r->body_count; m++) {
        Twist motion = displaced ? displacement(&r->body[m], (double)step->dt) : r->body[m].acceleration;
        twist_to(&motion, r->motion[m]);
    }
    BodyPass pass = {.step = step, .out = displaced ? sph->fluid.source : sph->fluid.divergence};
    pass.steps = !has_steps(r, step);
    find_response(r, &pass);
    r->base.response = step->update ? NULL : r->response;
}

static void room_block(void* context, size_t begin, size_t end, size_t number, int worker)
{
    const BodyPass* pass = context;
    const Sph* sph = pass->sph;
    const PairBlock* block = &pass->response->block[number];
    for (size_t k = 0; k < block->count; k++)
        for (size_t lane = 0; lane < LANES; lane++) {
            size_t i = (size_t)LANES * block->pair[k].chunk + lane;
            if (block->pair[k].lanes >> lane & 1)
                pass->response->response[i] = fminf(0, sph->fluid.density[i] - 1);
        }
}

static const float* body_room(Responder* responder)
{
    BodyResponse* r = response_of(responder);
    body_pass(r, room_block, &(BodyPass){0});
    return r->response; // find_response begins anew
}

static bool body_settled(const Responder* responder, float dt)
{
    const BodyResponse* r = (const BodyResponse*)responder;
    const Sph* sph = r->base.sph;
    // a step cut short may leave no more speed than a usual one
    const double least = SETTLED * 2 * sph->radius / ((double)dt * fmax((double)dt, sph->usual_dt));
    for (size_t m = 0; m < r->body_count; m++) {
        const double* y = r->motion[m]; // left by find_response
        if (sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) > least)
            return false;
    }
    return true;
}

void body_response_begin(BodyResponse* r)
{
    for (size_t m = 0; m < r->body_count; m++) {
        ResponseBody* body = &r->body[m];
        body->gain = body->impulse = body->force = body->acceleration = (Twist){0};
        memset(body->mobility, 0, sizeof body->mobility);
        memset(body->drag, 0, sizeof body->drag);
        for (int c = 0; c < 3; c++) {
            body->mobility[c][c] = body->inverse_mass;
            for (int k = 0; k < 3; k++)
                body->mobility[3 + c][3 + k] = body->inverse_inertia[c][k];
        }
    }
}

static void body_close(Responder* responder, float dt)
{
    BodyResponse* r = response_of(responder);
    if (r->base.strong)
        rebound_soften(r, dt);
    for (size_t m = 0; m < r->body_count; m++) {
        ResponseBody* body = &r->body[m];
        body->impulse = twist_mad(body->impulse, (double)dt, body->force);
        body->gain = twist_mad(body->gain, (double)dt, body->acceleration);
        body->force = body->acceleration = (Twist){0};
    }
}

static bool body_build(Responder* responder)
{
    return body_pairs_build(response_of(responder));
}

static const ResponderKind as_one = {.name = "as one",
                                     .build = body_build,
                                     .pressure = body_pressure,
                                     .gained = body_gained,
                                     .accelerated = body_accelerated,
                                     .displaced = body_displaced,
                                     .give_way = body_give_way,
                                     .settled = body_settled,
                                     .room = body_room,
                                     .close = body_close};

void body_response_create(BodyResponse* r, Sph* sph, bool strong)
{
    r->base.kind = &as_one;
    r->base.strong = strong;
    responder_add(sph, &r->base);
}
