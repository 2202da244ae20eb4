// SPDX-License-Identifier: MIT
// Divergence-free SPH (Bender and Koschier 2015): first the velocity field is made divergence free, then, after all other
// forces, a constant-density solve corrects what the step would compress. Both solve the same system with different
// right-hand sides:
//   divergence-free   source_i = dt ds_i/dt (v)
//   constant density  source_i = s_i + dt ds_i/dt (v*) - 1
// Pressures of both solves start from their last values. Particles with a poor neighbourhood take no part in the
// divergence-free solve: their divergence is an artefact of the missing neighbours.
#include "fluid/pressure/method.h"

#include "fluid/responder.h"
#include <string.h>

// Relative density below which a neighbourhood counts as poor (a flat free surface has about 0.8).
static const float POOR_DENSITY = 0.7f;

typedef struct Job {
    Fluid* fluid;
    float dt;
    double* partial;                    // [1] compression per block
    const float* room[RESPONDERS_MOST]; // [1] of particles at responders, see ResponderKind.room
    int rooms;
} Job;

// Divergence as a source
static void source_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Fluid* fluid = job->fluid;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        float room = 0;
        for (int k = 0; k < job->rooms; k++)
            room = fminf(room, job->room[k][i]);
        float source = job->dt * fluid->divergence[i] + room;
        fluid->source[i] = fluid->density[i] >= POOR_DENSITY ? source : -1;
        sum += fluid->source[i] > 0 ? (double)fluid->source[i] : 0;
    }
    job->partial[block] = sum;
}

// The pressures of the two solves change places.
static void begin_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Fluid* fluid = ((const Job*)context)->fluid;
    for (size_t i = begin; i < end; i++) {
        float other = fluid->divergence_pressure[i];
        fluid->divergence_pressure[i] = fluid->position[i].w;
        fluid->position[i].w = fluid->source[i] > 0 ? 0.5f * other : 0;
    }
}

// Nothing to do.
static void skip_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    memset(((const Job*)context)->fluid->divergence_pressure + begin, 0, (end - begin) * sizeof(float));
}

static void end_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Fluid* fluid = job->fluid;
    for (size_t i = begin; i < end; i++) {
        float other = fluid->divergence_pressure[i];
        fluid->divergence_pressure[i] = fluid->position[i].w;
        fluid->position[i].w = other;
        fluid->velocity[i].x += job->dt * fluid->acceleration[i].x;
        fluid->velocity[i].y += job->dt * fluid->acceleration[i].y;
        fluid->velocity[i].z += job->dt * fluid->acceleration[i].z;
    }
}

static void find_rooms(Sph* sph, Job* job)
{
    for (int k = 0; k < sph->responders.count; k++) {
        Responder* r = sph->responders.list[k];
        if (r->strong && r->kind->room)
            job->room[job->rooms++] = r->kind->room(r);
    }
}

static bool dfsph_prepare(Sph* sph, float dt, PressureReport* report)
{
    PressureGoal goal = {sph->solver.max_divergence_error, 1, 1, 1, sph->solver.max_iterations, 0, 0};
    responders_gained(sph);
    Job job = {&sph->fluid, dt, sph->scratch.partial, {NULL}, 0};
    find_rooms(sph, &job);
    size_t count = sph->fluid.set.count;
    parallel_for(sph->pool, count, PARTICLE_GRAIN, source_block, &job);
    if (sph_partial_sum(sph, block_count(count, PARTICLE_GRAIN)) <= goal.tolerance * (double)count) {
        parallel_for(sph->pool, count, PARTICLE_GRAIN, skip_block, &job);
        return false;
    }
    parallel_for(sph->pool, count, PARTICLE_GRAIN, begin_block, &job);
    double error;
    report->divergence_iterations = pressure_jacobi(sph, dt, &goal, &error);
    responders_close(sph, dt);
    parallel_for(sph->pool, count, PARTICLE_GRAIN, end_block, &job);
    return true;
}

const PressureMethod pressure_dfsph = {
    .name = "dfsph", .type = MN_PRESSURE_DFSPH, .iterates = true, .prepare = dfsph_prepare, .solve = pressure_solve_density};
