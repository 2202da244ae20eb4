// SPDX-License-Identifier: MIT
// A density solve: what is to be taken back, what is wanted of the solve, and a look at the densities that it leads to.
#include "fluid/pressure/tolerance.h"

#include "fluid/responder.h"

// Weight of too much pressure in the error where only a density is asked for (max_pressure_error 1). Counting compression only, as
// the papers do, accepts a warm start that is too strong, and water at rest starts to bounce: 11 instead of 16 iterations in a
// column of 98 layers with this weight, with a quarter more bouncing; at weight 0 the bouncing is 3.5 times as strong.
static const double EXCESS = 0.25;

enum { EXTRA_ITERATIONS = 30 }; // spent on max_pressure_error

typedef struct Job {
    Sph* sph;
    float dt;
    float factor;
    Tolerance tolerance;
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

Tolerance tolerance_of(const Sph* sph, float dt)
{
    return (Tolerance){.kappa = sph->control.kappa, .band = band_of(sph), .most = most_of(sph, dt), .share = share_of(sph, dt)};
}

void tolerance_adapt(Sph* sph, bool accurate)
{
    float kappa = accurate ? 1.1f * sph->control.kappa : 0.5f * sph->control.kappa;
    sph->control.kappa = kappa > MOST_KAPPA ? MOST_KAPPA : kappa < LEAST_KAPPA ? LEAST_KAPPA : kappa;
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
        fluid->source[i] =
            fluid->density[i] - 1 - tolerated(&job->tolerance, fluid->density[i] - 1) + job->dt * fluid->divergence[i];
}

void pressure_predict_compression(Sph* sph, float dt)
{
    vector_divergence(sph, sph->fluid.velocity, true);
    Job job = {.sph = sph, .dt = dt, .tolerance = tolerance_of(sph, dt)};
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
        fluid->source[i] =
            compression - tolerated(&job->tolerance, fluid->density[i] - 1) - job->dt * job->dt * fluid->divergence[i];
    }
    job->sph->scratch.partial[block] = sum;
}

// Mean compression at the positions that the present solution leads to; the source is corrected by the way.
static double check_prediction(Sph* sph, float dt)
{
    Job job = {.sph = sph, .dt = dt, .tolerance = tolerance_of(sph, dt)};
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
    sph->control.deep = false;
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
