// SPDX-License-Identifier: MIT
// The linear system of iisph and dfsph (Ihmsen 2013; Akinci 2014, eqs. 2.20-2.26), matrix free. With
//   e_i(P) = source_i + dt^2 div a(P)_i                      compression that would remain
// the pressures we want are P >= 0 with e = 0 where P > 0 and e <= 0 where P = 0: fluid never pulls. Because -div a(P) is
// symmetric and positive, these are the minimum of a quadratic function over P >= 0, and the paper's relaxed Jacobi
//   P_i <- max(0, P_i + omega e_i / d_ii),  d_ii = dt^2 diagonal_i / rho0_i
// is a projected gradient descent towards it. Deviations from the paper:
// - Nesterov's momentum with restarts (O'Donoghue and Candes 2015): about the square root of the iterations.
// - Too much pressure counts as an error too (e < 0 where P > 0). Counting compression only, as the papers do, accepts a warm
//   start that is too strong, and water at rest starts to bounce. Where nothing but a density is asked for (max_pressure_error
//   1) it counts a quarter: 11 instead of 16 iterations in a column of 98 layers, with a quarter more bouncing; at weight 0 the
//   bouncing is 3.5 times as strong.
// - Compression within a third of the tolerance is taken back by a share kappa (a tenth at most) per step, not at once. Think of
// one column with pressure p,
//   velocity v and compression x, in units of the time step: a solve that converges by a share beta per step acts as
//   p' = -beta p + beta (kappa x + v), v' = -p, x' = v, which is stable for beta > kappa only. With kappa = 1 (the papers) and a
//   warm start, deep water needs exact solves (23 iterations at 20 layers, measured); with kappa = 0.1, 6 are enough. Deeper
//   water converges by less per iteration: kappa follows.
#include "fluid/pressure/method.h"

#include "fluid/responder.h"

// Step of the descent: momentum needs omega < 4/3 / lambda, where lambda, the largest eigenvalue of the scaled system, was
// measured between 2.7 and 3.3 for water. Where disorder makes it larger the solve notices and shortens the step.
static const float OMEGA = PRESSURE_OMEGA;

// A mean error that densities in single precision cannot tell from 0.
static const double ROUNDING = 3e-7;

// Weight of too much pressure in the error where only a density is asked for (max_pressure_error 1).
static const double EXCESS = 0.25;

// Most and least share of a tolerated compression that a step takes back, and iterations spent on max_pressure_error.
static const float MOST_KAPPA = 0.1f, LEAST_KAPPA = 0.004f;
enum { EXTRA_ITERATIONS = 30 };

enum { UPDATE_GRAIN = LANES * SWEEP_CHUNKS }; // particles per block

typedef struct Job {
    Sph* sph;
    float dt;
    float factor;
    float omega, momentum;
    float lowest;            // [Pa] 0, or less where a surface may pull
    float excess;            // [1] weight of too much pressure in the error
    bool first;              // iteration of a solve: no change to go on with yet
    float kappa, band, most; // see tolerated()
    float share;             // [1] of a usual step
    float prototype;         // [1/m2] pcisph: least diagonal, and source holds predicted densities; else 0
    float density[FLUIDS_MOST];
    const uint8_t* owner;                   // (chunks) see Sph.owner; NULL: nobody owns any
    bool late[RESPONDERS_MOST + 1];         // by owner: chunks are updated when all responders have moved
    const float* response[RESPONDERS_MOST]; // [1] (particles) what responders will take from errors
    int responses;
} Job;

// Where only a density is asked for, all compression is to be taken back at once.
static float band_of(const Sph* sph)
{
    return pressure_is_checked(sph) ? 0.3f * (float)sph->solver.max_density_error : 0;
}

static float most_of(const Sph* sph, float dt)
{
    return dt / (float)sph->relax_time;
}

// A step cut short before a frame or an event is to take back compression at the usual rate: a thousandth of it, taken back
// within a thousandth of a step, makes a tank of water jump.
static float share_of(const Sph* sph, float dt)
{
    return sph->usual_dt > 0 ? fminf(1, 2 * dt / (float)sph->usual_dt) : 1;
}

typedef struct BlockSums {
    double error;   // sum of the errors that count
    double source;  // sum of the compressions without any pressure
    double descent; // sum of e (P_new - P_old): negative when momentum overshoots
} BlockSums;

// The part of a particle's present compression that a step leaves alone: nearly all of what lies within the band, and all
// beyond `most` per step. Taking back a given compression in ever shorter steps would need ever higher speeds: fluid that is
// squeezed together (overlapping sources, a closing gap) must push itself apart, not explode.
static inline float tolerated(const Job* job, float compression)
{
    float kept = (1 - job->kappa) * compression;
    kept = kept > job->band ? job->band : kept < -job->band ? -job->band : kept;
    float excess = compression - kept;
    excess = excess > 0 ? excess * job->share : excess;
    return compression - (excess > job->most ? job->most : excess);
}

// Densities at predicted positions are other sums than those of the search: where nothing moves they differ by rounding, which a
// short step would answer with speed.
static inline float beyond_rounding(float error)
{
    const float band = 2 * (float)ROUNDING;
    return error > band ? error - band : error < -band ? error + band : 0;
}

static inline float error_of(const Job* job, size_t i)
{
    const Fluid* fluid = &job->sph->fluid;
    if (job->prototype > 0)
        return beyond_rounding(fluid->source[i] - 1 - tolerated(job, fluid->density[i] - 1));
    return fluid->source[i] + job->dt * job->dt * fluid->divergence[i];
}

// Pressures in use: w of eight records.
static inline F8 load_pressures(const Vec4* x)
{
    F8 unused, p;
    f8_load4(x, &unused, &unused, &unused, &p);
    return p;
}

// Sums of eight lanes that go to double often enough to stay exact to float rounding.
typedef struct LaneSums {
    F8 error, source, descent;
} LaneSums;

static void add_lanes(BlockSums* sums, LaneSums* lanes)
{
    sums->error += (double)f8_sum(lanes->error);
    sums->source += (double)f8_sum(lanes->source);
    sums->descent += (double)f8_sum(lanes->descent);
    *lanes = (LaneSums){f8_zero(), f8_zero(), f8_zero()};
}

static inline F8 load_error(const Job* job, size_t i)
{
    if (job->prototype > 0) { // predicted densities, rarely enough for a plain loop
        float error[LANES];
        for (size_t k = 0; k < LANES; k++)
            error[k] = error_of(job, i + k);
        return f8_load(error);
    }
    return f8_mad(f8_set(job->dt * job->dt), f8_load(job->sph->fluid.divergence + i), f8_load(job->sph->fluid.source + i));
}

// omega rho0 / (dt^2 diagonal); 0 for a particle without neighbours, which has no say in its own density
static inline F8 descent_step(const Job* job, size_t i)
{
    const Sph* sph = job->sph;
    F8 d = f8_max(f8_load(sph->fluid.diagonal + i), f8_set(job->prototype));
    F8 rho0 = sph->material_count == 1 ? f8_set(job->density[0])
                                       : sph_lookup(job->density, load_pressures(sph->fluid.velocity + i)); // w: the fluid's number
    F8 least = f8_set(1e-6f / (sph->kernel.h * sph->kernel.h));
    F8 step = f8_div(f8_mul(f8_set(job->omega), rho0), f8_mul(f8_set(job->dt * job->dt), f8_max(d, least)));
    return f8_and(step, f8_less(least, d));
}

// One step for eight particles, which `before` it were there; returns the P where the next a(P) is taken. Lanes that are not `real`
// do not count.
static inline F8 update_lanes(const Job* job, size_t i, const StepLanes* s, F8 real, LaneSums* lanes)
{
    const F8 zero = f8_zero(), lowest = f8_set(job->lowest);
    F8 error = f8_and(s->error, real), at = s->at;
    F8 counted = f8_pick(f8_less(zero, error), error, f8_and(f8_mul(f8_set(-job->excess), error), f8_less(lowest, at)));
    lanes->error = f8_add(lanes->error, counted);
    lanes->source = f8_add(lanes->source, f8_and(f8_max(f8_load(job->sph->fluid.source + i), zero), real));
    F8 p = f8_mad(s->descent, f8_sub(error, s->response), at);
    p = f8_and(f8_max(p, lowest), f8_less(zero, s->descent));
    F8 change = f8_sub(p, s->before), next = f8_max(f8_mad(f8_set(job->momentum), change, p), lowest);
    lanes->descent = f8_mad(error, change, lanes->descent);
    f8_store(job->sph->fluid.iterate + i, p);       // P itself
    f8_store(job->sph->fluid.divergence + i, next); // has done its work
    return next;
}

static inline F8 real_lanes(size_t i, size_t end)
{
    return f8_less(f8_ramp(), f8_set(end - i < LANES ? (float)(end - i) : LANES));
}

static inline void update_chunk(const Job* job, size_t i, size_t end, LaneSums* lanes)
{
    const Sph* sph = job->sph;
    F8 at = load_pressures(sph->fluid.position + i); // w: the P that made the divergence
    StepLanes s = {load_error(job, i), descent_step(job, i), at, job->first ? at : f8_load(sph->fluid.iterate + i), f8_zero()};
    for (int k = 0; k < job->responses; k++)
        s.response = f8_add(s.response, f8_load(job->response[k] + i));
    update_lanes(job, i, &s, real_lanes(i, end), lanes);
}

// Chunks of a block that nobody owns, or those that are late.
static BlockSums update_some(const Job* job, size_t begin, size_t end, bool late)
{
    enum { OFTEN = 64 * LANES };
    BlockSums sums = {0, 0, 0};
    LaneSums lanes = {f8_zero(), f8_zero(), f8_zero()};
    for (size_t i = begin; i < end; i += LANES) {
        int owner = job->owner ? job->owner[i / LANES] : 0;
        if (late ? job->late[owner] : !owner)
            update_chunk(job, i, end, &lanes);
        if ((i - begin) % OFTEN == OFTEN - LANES)
            add_lanes(&sums, &lanes);
    }
    add_lanes(&sums, &lanes);
    return sums;
}

static void update_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    BlockSums sums = update_some(job, begin, end, false);
    job->sph->scratch.partial[3 * block] = sums.error;
    job->sph->scratch.partial[3 * block + 1] = sums.source;
    job->sph->scratch.partial[3 * block + 2] = sums.descent;
}

// After update_block.
static void update_late(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    BlockSums sums = update_some(job, begin, end, true);
    job->sph->scratch.partial[3 * block] += sums.error;
    job->sph->scratch.partial[3 * block + 1] += sums.source;
    job->sph->scratch.partial[3 * block + 2] += sums.descent;
}

// --- what responders need of an iteration

static F8 error_here(const void* context, size_t i)
{
    return load_error(context, i);
}

static F8 descent_here(const void* context, size_t i)
{
    return descent_step(context, i);
}

static void take_here(const void* context, size_t i, F8 sums[STEP_SUMS])
{
    const Job* job = context;
    LaneSums lanes = {sums[0], sums[1], sums[2]};
    update_chunk(job, i, job->sph->fluid.set.count, &lanes);
    sums[0] = lanes.error;
    sums[1] = lanes.source;
    sums[2] = lanes.descent;
}

static F8 take_with(const void* context, size_t i, const StepLanes* step, F8 sums[STEP_SUMS])
{
    const Job* job = context;
    LaneSums lanes = {sums[0], sums[1], sums[2]};
    F8 next = update_lanes(job, i, step, real_lanes(i, job->sph->fluid.set.count), &lanes);
    sums[0] = lanes.error;
    sums[1] = lanes.source;
    sums[2] = lanes.descent;
    return next;
}

// Whether a responder updates the chunks that it owns.
static bool updates(const Job* job, const Responder* r)
{
    return job->owner && r->sole;
}

// Who updates which chunks in the iterations to come. Predicted densities are there for all at once.
static void share_out(Job* job, bool at_once)
{
    const Sph* sph = job->sph;
    bool strong = false;
    for (int k = 0; k < sph->responders.count; k++)
        strong |= sph->responders.list[k]->strong;
    job->owner = strong && at_once ? sph->responders.owner : NULL;
    for (int k = 0; k < sph->responders.count; k++)
        job->late[k + 1] = sph->responders.list[k]->strong && !updates(job, sph->responders.list[k]);
}

// All responders move by the pressures at hand.
static void give_way(Job* job, bool follows)
{
    Sph* sph = job->sph;
    job->responses = 0;
    for (int k = 0; k < sph->responders.count; k++) {
        Responder* r = sph->responders.list[k];
        if (!r->strong)
            continue;
        const bool update = updates(job, r);
        r->response = NULL;
        r->kind->give_way(r, &(PressureStep){.dt = job->dt,
                                             .omega = job->omega,
                                             .prototype = job->prototype,
                                             .first = job->first,
                                             .update = update,
                                             .follows = update && follows,
                                             .context = job,
                                             .error = error_here,
                                             .descent = descent_here,
                                             .take = take_here,
                                             .take_with = take_with});
        if (r->response)
            job->response[job->responses++] = r->response;
    }
}

// Updates chunks that are late; all of them, if nothing was updated on the way.
static void update_rest(Job* job, bool at_once)
{
    bool late = !at_once;
    for (int k = 1; k <= job->sph->responders.count; k++)
        late |= job->late[k];
    if (late)
        parallel_for(job->sph->pool, job->sph->fluid.set.count, UPDATE_GRAIN, at_once ? update_late : update_block, job);
}

// The P where a(P) is taken next. While a solve goes on its acceleration belongs to the P in use: forces on solids are minus what
// the fluid got, to rounding.
static void take_next(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fluid* fluid = &((Job*)context)->sph->fluid;
    for (size_t i = begin; i < end; i++)
        fluid->position[i].w = fluid->divergence[i];
}

static void take_iterate(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fluid* fluid = &((Job*)context)->sph->fluid;
    for (size_t i = begin; i < end; i++)
        fluid->position[i].w = fluid->iterate[i];
}

// Over all responders and blocks.
static BlockSums total(const Job* job, size_t blocks)
{
    const Sph* sph = job->sph;
    BlockSums sums = {0, 0, 0};
    for (int k = 0; k < sph->responders.count; k++) {
        const Responder* r = sph->responders.list[k];
        if (r->strong && updates(job, r))
            sums = (BlockSums){sums.error + r->sums[0], sums.source + r->sums[1], sums.descent + r->sums[2]};
    }
    for (size_t b = 0; b < blocks; b++) {
        sums.error += sph->scratch.partial[3 * b];
        sums.source += sph->scratch.partial[3 * b + 1];
        sums.descent += sph->scratch.partial[3 * b + 2];
    }
    return sums;
}

// A solve that runs out of iterations converges by too small a share for this kappa: take compression back more slowly.
static void adapt_kappa(Sph* sph, bool accurate)
{
    float kappa = accurate ? 1.1f * sph->control.kappa : 0.5f * sph->control.kappa;
    sph->control.kappa = kappa > MOST_KAPPA ? MOST_KAPPA : kappa < LEAST_KAPPA ? LEAST_KAPPA : kappa;
}

static int iterate(Job job, PredictFn* predict, const PressureGoal* goal, double without, double* error)
{
    Sph* sph = job.sph;
    for (int k = 0; k < sph->material_count; k++)
        job.density[k] = sph->material[k].density;
    job.excess = (float)goal->excess;
    job.lowest = goal->lowest;
    // pressures are updated on the way, but for those where responders have a say
    const bool at_once = !predict;
    share_out(&job, at_once);
    size_t count = sph->fluid.set.count, blocks = block_count(count, UPDATE_GRAIN);
    // momentum of the fourth iteration from the start: a warm start is some iterations old already (12.7 -> 10.0 per step);
    // predicted positions of pcisph are less patient
    double t = predict ? 1 : 4, best = INFINITY;
    int within_for = 0;
    WorkFn* start = NULL; // the first a(P) is taken where the solve starts
    for (int iteration = 1;; iteration++) {
        double next = (1 + sqrt(1 + 4 * t * t)) / 2;
        job.momentum = (float)((t - 1) / next);
        job.first = iteration == 1;
        job.responses = 0;
        pressure_product(sph, &(ProductHooks){start, at_once ? update_block : NULL, predict != NULL, &job});
        const bool follows = start == take_next;
        start = take_next;
        if (predict)
            predict(sph, job.dt);
        give_way(&job, follows);
        update_rest(&job, at_once);
        BlockSums sums = total(&job, blocks);
        *error = count ? sums.error / (double)count : 0;
        bool within = *error <= goal->tolerance && iteration >= goal->least && responders_settled(sph, job.dt);
        bool accurate =
            goal->relative >= 1 || *error <= ROUNDING || sums.error <= goal->relative * (predict ? without : sums.source);
        if (within && goal->extra > 0 && (accurate || within_for >= goal->extra))
            adapt_kappa(sph, accurate);
        if ((within && (accurate || within_for >= goal->extra)) || iteration >= goal->most || !isfinite(*error)) {
            responders_end(sph); // of the P in use, as the acceleration is
            return iteration;
        }
        within_for += within;
        t = next;
        bool worse = *error > 2 * best;
        best = *error < best ? *error : best;
        if (sums.descent < 0 || worse) {
            t = 1;
            job.omega *= worse ? 0.7f : 1;
            start = take_iterate;
        }
    }
}

int pressure_jacobi(Sph* sph, float dt, const PressureGoal* goal, double* error)
{
    return iterate((Job){.sph = sph, .dt = dt, .omega = OMEGA}, NULL, goal, 0, error);
}

int pressure_correct(Sph* sph, float dt, float prototype, PredictFn* predict, const PressureGoal* goal, double* error)
{
    double without = 0;
    for (size_t i = 0; i < sph->fluid.set.count; i++)
        without += sph->fluid.source[i] > 0 ? (double)sph->fluid.source[i] : 0;
    return iterate((Job){.sph = sph,
                         .dt = dt,
                         .omega = OMEGA,
                         .prototype = prototype,
                         .kappa = sph->control.kappa,
                         .band = band_of(sph),
                         .most = most_of(sph, dt),
                         .share = share_of(sph, dt)},
                   predict, goal, without, error);
}

bool pressure_is_checked(const Sph* sph)
{
    return sph->solver.max_pressure_error < 1;
}

PressureGoal pressure_goal(const Sph* sph)
{
    const mn_SolverDef* def = &sph->solver;
    // without a last pressure to start from, everything has to be found at once
    int patience = sph->first_step ? 10 : 1;
    // half the tolerance is for what the prediction misses and for what is tolerated, unless nothing beyond it is asked for
    bool checked = pressure_is_checked(sph);
    double share = checked ? 0.5 : 1, excess = checked ? 1 : EXCESS;
    return (PressureGoal){share * def->max_density_error,
                          excess,
                          def->max_pressure_error,
                          def->min_iterations,
                          patience * def->max_iterations,
                          patience * EXTRA_ITERATIONS,
                          sph->lowest_pressure};
}

static void compression_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Fluid* fluid = &job->sph->fluid;
    for (size_t i = begin; i < end; i++)
        fluid->source[i] = fluid->density[i] - 1 - tolerated(job, fluid->density[i] - 1) + job->dt * fluid->divergence[i];
}

void pressure_predict_compression(Sph* sph, float dt)
{
    vector_divergence(sph, sph->fluid.velocity, true);
    Job job = {.sph = sph,
               .dt = dt,
               .kappa = sph->control.kappa,
               .band = band_of(sph),
               .most = most_of(sph, dt),
               .share = share_of(sph, dt)};
    parallel_for(sph->pool, sph->fluid.set.count, PARTICLE_GRAIN, compression_block, &job);
}

static void scale_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    for (size_t i = begin; i < end; i++)
        job->sph->fluid.position[i].w *= job->factor;
}

void pressure_scale(Sph* sph, float factor)
{
    Job job = {.sph = sph, .factor = factor};
    parallel_for(sph->pool, sph->fluid.set.count, PARTICLE_GRAIN, scale_block, &job);
}

// --- densities at predicted positions

// x* = x + dt (v + dt a), in place of a, which the next solve computes anew
static void place_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Fluid* fluid = &job->sph->fluid;
    float dt = job->dt;
    for (size_t i = begin; i < end; i++) {
        Vec4 x = fluid->position[i], v = fluid->velocity[i], *a = &fluid->acceleration[i];
        *a = (Vec4){x.x + dt * (v.x + dt * a->x), x.y + dt * (v.y + dt * a->y), x.z + dt * (v.z + dt * a->z), 0};
    }
}

// source += s(x*) - 1 - (source + tolerated + dt^2 div a); the compression at x* goes to partial
static void correct_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Fluid* fluid = &job->sph->fluid;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        float compression = fluid->iterate[i] - 1;
        sum += compression > 0 ? (double)compression : 0;
        fluid->source[i] = compression - tolerated(job, fluid->density[i] - 1) - job->dt * job->dt * fluid->divergence[i];
    }
    job->sph->scratch.partial[block] = sum;
}

// Mean compression at the positions that the present solution leads to; the source is corrected by the way.
static double check_prediction(Sph* sph, float dt)
{
    Job job = {.sph = sph,
               .dt = dt,
               .kappa = sph->control.kappa,
               .band = band_of(sph),
               .most = most_of(sph, dt),
               .share = share_of(sph, dt)};
    size_t count = sph->fluid.set.count;
    vector_divergence(sph, sph->fluid.acceleration, false);
    responders_accelerated(sph);
    parallel_for(sph->pool, count, PARTICLE_GRAIN, place_block, &job);
    predicted_density(sph, sph->fluid.acceleration, dt, sph->fluid.iterate);
    responders_displaced(sph, dt, sph->fluid.iterate);
    parallel_for(sph->pool, count, PARTICLE_GRAIN, correct_block, &job);
    return count ? sph_partial_sum(sph, block_count(count, PARTICLE_GRAIN)) / (double)count : 0;
}

// A small tolerance can be missed from one step to the next; a larger one is first seen to come near (world/search.c).
static bool is_checked(const Sph* sph)
{
    static const double SMALL = 5e-4;
    return sph->control.check_prediction || (pressure_is_checked(sph) && sph->solver.max_density_error < SMALL);
}

void pressure_begin(Sph* sph)
{
    sph->control.kappa = MOST_KAPPA;
    sph->control.foreseen = -1;
}

void pressure_compare(Sph* sph, double compression)
{
    DensityControl* c = &sph->control;
    if (c->foreseen >= 0)
        c->unseen = fmax(0.9 * c->unseen, compression - c->foreseen);
    // more compression than was asked for: from now on steps look before they leap
    c->check_prediction |= pressure_is_checked(sph) && compression > 0.5 * sph->solver.max_density_error;
}

void pressure_solve_density(Sph* sph, float dt, PressureReport* report)
{
    enum { CORRECTIONS = 6 };
    static const double NEAR = 0.2;
    PressureGoal goal = pressure_goal(sph);
    double most = sph->solver.max_density_error, wanted = fmax(0.75 * most - 2 * sph->control.unseen, 0.25 * most);
    pressure_predict_compression(sph, dt);
    if (!sph->solver.warm_start)
        pressure_scale(sph, 0);
    report->iterations = pressure_jacobi(sph, dt, &goal, &report->density_error);
    sph->control.foreseen = -1;
    PressureGoal more = {goal.tolerance, goal.excess, 1, 1, goal.most, 0, goal.lowest};
    bool checked = is_checked(sph);
    for (int k = 0; k < CORRECTIONS && checked && isfinite(report->density_error); k++) {
        double compression = check_prediction(sph, dt);
        sph->control.foreseen = compression;
        if (k == 0)
            sph->control.check_prediction = compression > NEAR * most;
        if (compression <= wanted || report->iterations >= goal.most) {
            pressure_acceleration(sph); // its place was taken by predicted positions
            report->density_error = compression;
            break;
        }
        more.most = goal.most - report->iterations;
        report->iterations += pressure_jacobi(sph, dt, &more, &report->density_error);
        more.tolerance *= 0.5; // what is left to be taken back is less with every round
    }
    responders_close(sph, dt);
    report->converged = report->density_error <= most;
}
