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
// - A bulk level (bulk.h) takes what iterations would have to carry through the depth of the water.
#include "fluid/pressure/bulk.h"
#include "fluid/pressure/tolerance.h"

#include "fluid/responder.h"
#include <string.h>

// Step of the descent: momentum needs omega < 4/3 / lambda, where lambda, the largest eigenvalue of the scaled system, was
// measured between 2.7 and 3.3 for water. Where disorder makes it larger the solve notices and shortens the step.
static const float OMEGA = PRESSURE_OMEGA;

// A mean error that densities in single precision cannot tell from 0.
static const double ROUNDING = 3e-7;

enum { CORRECTIONS = 6, CORRECTIONS_APART = 4 }; // of a solve by the bulk level, iterations between them
enum { UPDATE_GRAIN = LANES * SWEEP_CHUNKS };    // particles per block

typedef struct Job {
    Sph* sph;
    float dt;
    float factor;
    float omega, momentum;
    float lowest;        // [Pa] 0, or less where a surface may pull
    float excess;        // [1] weight of too much pressure in the error
    bool first;          // iteration of a solve: no change to go on with yet
    Tolerance tolerance; // of predicted densities
    float* kept;         // [1] (particles) where errors go for the bulk level; NULL: nowhere
    float prototype;     // [1/m2] pcisph: least diagonal, and source holds predicted densities; else 0
    float density[FLUIDS_MOST];
    const uint8_t* owner;                   // (chunks) see Sph.owner; NULL: nobody owns any
    bool late[RESPONDERS_MOST + 1];         // by owner: chunks are updated when all responders have moved
    const float* response[RESPONDERS_MOST]; // [1] (particles) what responders will take from errors
    int responses;
} Job;

typedef struct BlockSums {
    double error;   // sum of the errors that count
    double source;  // sum of the compressions without any pressure
    double descent; // sum of e (P_new - P_old): negative when momentum overshoots
    double local;   // sum of omega e^2 / d_ii: energy of the errors, as far as neighbours see to them
    double work;    // sum of (source - e) P: energy of the pressures
} BlockSums;

_Static_assert(sizeof(BlockSums) == STEP_SUMS * sizeof(double), "one after the other");

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
        return beyond_rounding(fluid->source[i] - 1 - tolerated(&job->tolerance, fluid->density[i] - 1));
    return fluid->source[i] + job->dt * job->dt * fluid->divergence[i];
}

// Pressures in use: w of eight records.
static inline F8 load_pressures(const Vec4* x)
{
    F8 unused, p;
    f8_load4(x, &unused, &unused, &unused, &p);
    return p;
}

static void add_sums(BlockSums* sums, const double more[STEP_SUMS])
{
    sums->error += more[0];
    sums->source += more[1];
    sums->descent += more[2];
    sums->local += more[3];
    sums->work += more[4];
}

// Sums of eight lanes that go to double often enough to stay exact to float rounding.
typedef struct LaneSums {
    F8 error, source, descent, local, work;
} LaneSums;

_Static_assert(sizeof(LaneSums) == STEP_SUMS * sizeof(F8), "one after the other");

static inline LaneSums no_lanes(void)
{
    return (LaneSums){f8_zero(), f8_zero(), f8_zero(), f8_zero(), f8_zero()};
}

static void add_lanes(BlockSums* sums, LaneSums* lanes)
{
    sums->error += (double)f8_sum(lanes->error);
    sums->source += (double)f8_sum(lanes->source);
    sums->descent += (double)f8_sum(lanes->descent);
    sums->local += (double)f8_sum(lanes->local);
    sums->work += (double)f8_sum(lanes->work);
    *lanes = no_lanes();
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
    if (job->kept)
        f8_store(job->kept + i, error);
    F8 has = f8_less(lowest, at), counted = f8_pick(f8_less(zero, error), error, f8_and(f8_mul(f8_set(-job->excess), error), has));
    lanes->error = f8_add(lanes->error, counted);
    F8 source = f8_and(f8_load(job->sph->fluid.source + i), real);
    lanes->source = f8_add(lanes->source, f8_max(source, zero));
    F8 matters = f8_pick(has, error, f8_max(error, zero));
    lanes->local = f8_mad(f8_mul(matters, matters), s->descent, lanes->local);
    lanes->work = f8_mad(f8_sub(source, error), at, lanes->work);
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
    BlockSums sums = {0};
    LaneSums lanes = no_lanes();
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
    memcpy(job->sph->scratch.partial + STEP_SUMS * block, &sums, sizeof sums);
}

// After update_block.
static void update_late(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    BlockSums sums = update_some(job, begin, end, true);
    add_sums(&sums, job->sph->scratch.partial + STEP_SUMS * block);
    memcpy(job->sph->scratch.partial + STEP_SUMS * block, &sums, sizeof sums);
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
    LaneSums lanes;
    memcpy(&lanes, sums, sizeof lanes);
    update_chunk(job, i, job->sph->fluid.set.count, &lanes);
    memcpy(sums, &lanes, sizeof lanes);
}

static F8 take_with(const void* context, size_t i, const StepLanes* step, F8 sums[STEP_SUMS])
{
    const Job* job = context;
    LaneSums lanes;
    memcpy(&lanes, sums, sizeof lanes);
    F8 next = update_lanes(job, i, step, real_lanes(i, job->sph->fluid.set.count), &lanes);
    memcpy(sums, &lanes, sizeof lanes);
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
    BlockSums sums = {0};
    for (int k = 0; k < sph->responders.count; k++) {
        const Responder* r = sph->responders.list[k];
        if (r->strong && updates(job, r))
            add_sums(&sums, r->sums);
    }
    for (size_t b = 0; b < blocks; b++)
        add_sums(&sums, sph->scratch.partial + STEP_SUMS * b);
    return sums;
}

// The bulk level in a solve: corrections, some iterations apart, until one was small. Iterations in between smooth what a
// correction leaves between the corners of its cells, and keep their momentum. Where the last solves had no use for it they begin
// without.
typedef struct BulkSteps {
    bool possible; // there may be a level for these particles
    bool now;      // the iteration under way ends with a correction
    int done;
    double left;  // [1] energy of the last correction, as a share of that of the pressures, to the power of 1/2
    double small; // [1] that is small: a correction takes away more than two thirds
    float share;  // [1] of a correction that is made
} BulkSteps;

static void plan_bulk(BulkSteps* bulk, Sph* sph, int iteration)
{
    bulk->now = bulk->possible && iteration % CORRECTIONS_APART == 1 && (iteration > 1 || sph->control.deep) &&
                bulk->done < CORRECTIONS && bulk->left > bulk->small;
    if (bulk->now && !bulk->done)
        bulk->now = bulk->possible = bulk_begin(sph);
}

static void correct_bulk(const Job* job, BulkSteps* bulk, const BlockSums* sums)
{
    Sph* sph = job->sph;
    BulkStep step = {.dt = job->dt, .lowest = job->lowest, .share = bulk->share};
    double energy = bulk_correct(sph, &step), last = bulk->left;
    bulk->left = sums->work > 0 ? sqrt(fmax(energy, 0) / sums->work) : (double)INFINITY;
    if (bulk->done == 0)
        sph->control.deep = bulk->left > bulk->small;
    else if (bulk->left > 0.7 * last) { // the last one went too far
        bulk->share *= 0.5f;
        sph->control.deep = false;
    }
    bulk->done++;
}

// Whether the pressures are right to the share that is wanted: all errors are small against the compression without pressure, or
// the energies of what iterations and the bulk level would still change are small against that of the pressures. What is left after
// some iterations are waves of a few spacings, with eigenvalues of about 2 in the scaled system: their energy is e^2 / 2 d_ii.
static bool is_accurate(const Job* job, const PressureGoal* goal, const BulkSteps* bulk, const BlockSums* sums, double error,
                        double without)
{
    if (goal->relative >= 1 || error <= ROUNDING || sums->error <= goal->relative * without)
        return true;
    double energy = sums->local / (2 * (double)job->omega);
    return bulk->left <= bulk->small && energy <= goal->relative * goal->relative * sums->work;
}

static int iterate(Job job, PredictFn* predict, const PressureGoal* goal, double without, double* error)
{
    Sph* sph = job.sph;
    for (int k = 0; k < sph->material_count; k++)
        job.density[k] = sph->material[k].density;
    job.excess = (float)goal->excess;
    job.lowest = goal->lowest;
    job.first = true;
    bool moved = false; // pressures, since they were updated
    // pressures are updated on the way, but for those where responders have a say
    const bool at_once = !predict;
    share_out(&job, at_once);
    size_t count = sph->fluid.set.count, blocks = block_count(count, UPDATE_GRAIN);
    // momentum of the fourth iteration from the start: a warm start is some iterations old already (12.7 -> 10.0 per step);
    // predicted positions of pcisph are less patient
    double t = predict ? 1 : 4, best = INFINITY;
    int within_for = 0;
    WorkFn* start = NULL; // the first a(P) is taken where the solve starts
    // the bulk level does not know what gives way: with it soft balls under water were lifted and shaken by too much
    BulkSteps bulk = {.possible = at_once && goal->relative < 1 && sph->responders.count == 0,
                      .left = INFINITY,
                      .small = 3 * goal->relative,
                      .share = 1};
    for (int iteration = 1;; iteration++) {
        double next = (1 + sqrt(1 + 4 * t * t)) / 2;
        job.momentum = (float)((t - 1) / next);
        job.responses = 0;
        plan_bulk(&bulk, sph, iteration);
        job.kept = bulk.now ? bulk_errors(sph) : NULL;
        pressure_product(sph, &(ProductHooks){.before = start,
                                              .after = at_once ? update_block : NULL,
                                              .only_acceleration = predict != NULL,
                                              .constant = bulk.now && !bulk.done ? bulk_constants(sph) : NULL,
                                              .context = &job});
        const bool follows = start == take_next && !moved;
        start = take_next;
        if (predict)
            predict(sph, job.dt);
        give_way(&job, follows);
        update_rest(&job, at_once);
        job.first = false;
        BlockSums sums = total(&job, blocks);
        *error = count ? sums.error / (double)count : 0;
        bool within = *error <= goal->tolerance && iteration >= goal->least && responders_settled(sph, job.dt);
        bool accurate = is_accurate(&job, goal, &bulk, &sums, *error, predict ? without : sums.source);
        if (within && goal->extra > 0 && (accurate || within_for >= goal->extra))
            tolerance_adapt(sph, accurate);
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
        moved = bulk.now;
        if (bulk.now) {
            correct_bulk(&job, &bulk, &sums);
            best = INFINITY; // neighbours are to find their places in it
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
    return iterate((Job){.sph = sph, .dt = dt, .omega = OMEGA, .prototype = prototype, .tolerance = tolerance_of(sph, dt)}, predict,
                   goal, without, error);
}
