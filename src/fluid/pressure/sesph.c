// SPDX-License-Identifier: MIT
// State-equation SPH (Akinci 2014, algorithm 2.1; Monaghan 2005): pressure from density by the Tait equation
//   p = rho0 c_s^2 / gamma ((rho / rho0)^gamma - 1),   gamma 7 or 1, negative pressures cut off
#include "fluid/pressure/method.h"

#include "fluid/responder.h"

typedef struct Job {
    Sph* sph;
    float stiffness[FLUIDS_MOST]; // [Pa] rho0 c_s^2 / gamma
} Job;

static void state_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    Fluid* fluid = &job->sph->fluid;
    bool seventh = job->sph->solver.gamma > 1;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        float s = fluid->density[i], power = s;
        if (seventh) {
            float s2 = s * s;
            power = s2 * s2 * s2 * s;
        }
        float p = job->stiffness[(int)fluid->velocity[i].w] * (power - 1);
        fluid->position[i].w = p > 0 ? p / (s * s) : 0;
        sum += s > 1 ? (double)(s - 1) : 0;
    }
    job->sph->scratch.partial[block] = sum;
}

static void sesph_solve(Sph* sph, float dt, PressureReport* report)
{
    Job job = {.sph = sph};
    double c = sph->solver.speed_of_sound;
    for (int k = 0; k < sph->material_count; k++)
        job.stiffness[k] = (float)((double)sph->material[k].density * c * c / sph->solver.gamma);
    size_t count = sph->fluid.set.count;
    parallel_for(sph->pool, count, PARTICLE_GRAIN, state_block, &job);
    pressure_acceleration(sph);
    responders_push(sph, dt);
    report->iterations = 1;
    report->density_error = count ? sph_partial_sum(sph, block_count(count, PARTICLE_GRAIN)) / (double)count : 0;
    report->converged = true;
}

const PressureMethod pressure_sesph = {.name = "sesph", .type = MN_PRESSURE_SESPH, .resolves_sound = true, .solve = sesph_solve};
