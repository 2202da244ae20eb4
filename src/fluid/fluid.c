// SPDX-License-Identifier: MIT
#include "fluid/fluid.h"

#include "fluid/responder.h"

bool fluid_init(Fluid* fluid)
{
    const uint32_t one = 0x3f800000; // 1.0f: densities beyond the last particle are divided by
    const ParticleArray arrays[] = {
        {"fluid.position", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &fluid->position, false, 0},
        {"fluid.velocity", PARTICLE_STATE, STATE_FLOAT, sizeof(Vec4), &fluid->velocity, false, 0},
        {"fluid.divergence_pressure", PARTICLE_STATE, STATE_FLOAT, sizeof(float), &fluid->divergence_pressure, true, 0},
        {"fluid.packed", PARTICLE_STATE, STATE_FLOAT, sizeof(float), &fluid->packed, false, 0},
        {"fluid.id", PARTICLE_STATE, STATE_UINT32, sizeof(uint32_t), &fluid->id, false, 0},
        {"fluid.density", PARTICLE_DERIVED, STATE_FLOAT, sizeof(float), &fluid->density, false, one},
        {"fluid.diagonal", PARTICLE_DERIVED, STATE_FLOAT, sizeof(float), &fluid->diagonal, false, 0},
        {"fluid.acceleration", PARTICLE_DERIVED, STATE_FLOAT, sizeof(Vec4), &fluid->acceleration, false, 0},
        {"fluid.source", PARTICLE_SPARE, STATE_FLOAT, sizeof(float), &fluid->source, false, 0},
        {"fluid.divergence", PARTICLE_DERIVED, STATE_FLOAT, sizeof(float), &fluid->divergence, false, 0},
        {"fluid.iterate", PARTICLE_DERIVED, STATE_FLOAT, sizeof(float), &fluid->iterate, false, 0},
        {"fluid.kind", PARTICLE_DERIVED, STATE_UINT8, sizeof(uint8_t), &fluid->kind, false, 0},
    };
    if (fluid->set.array_count)
        return true;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!particle_set_add(&fluid->set, &arrays[k]))
            return false;
    return true;
}

bool fluid_reserve(Fluid* fluid, size_t count)
{
    return fluid_init(fluid) && particle_set_reserve(&fluid->set, count);
}

void fluid_free(Fluid* fluid)
{
    particle_set_free(&fluid->set);
}

MovingParticles fluid_moving(Fluid* fluid)
{
    return (MovingParticles){&fluid->set, &fluid->position, &fluid->velocity, &fluid->id};
}

bool fluid_append(Fluid* fluid, Vec3d position, Vec3d velocity, int kind, uint32_t id)
{
    MovingParticles particles = fluid_moving(fluid);
    return fluid_init(fluid) && moving_append(&particles, position, velocity, kind, id);
}

// --- tries at a step

typedef struct Try {
    Fluid* fluid;
    Vec4* kept; // velocity, and P in place of the fluid's number, which no step changes
} Try;

static void keep_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Try* try = context;
    for (size_t i = begin; i < end; i++) {
        Vec4 v = try->fluid->velocity[i];
        try->kept[i] = (Vec4){v.x, v.y, v.z, try->fluid->position[i].w};
    }
}

static void take_back_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Try* try = context;
    for (size_t i = begin; i < end; i++) {
        Vec4 kept = try->kept[i], *v = &try->fluid->velocity[i];
        *v = (Vec4){kept.x, kept.y, kept.z, v->w};
        try->fluid->position[i].w = kept.w;
    }
}

void fluid_keep(Fluid* fluid, Pool* pool)
{
    Try try = {fluid, particle_set_borrow(&fluid->set, "velocities and pressures before the step")};
    parallel_for(pool, fluid->set.count, PARTICLE_GRAIN, keep_block, &try);
    fluid->before = try.kept;
}

void fluid_take_back(Fluid* fluid, Pool* pool)
{
    Try try = {fluid, fluid->set.scratch};
    parallel_for(pool, fluid->set.count, PARTICLE_GRAIN, take_back_block, &try);
}

void fluid_accept(Fluid* fluid)
{
    particle_set_return(&fluid->set, fluid->before);
    fluid->before = NULL;
}

void fluid_forget(Fluid* fluid)
{
    fluid->set.borrower = NULL;
    fluid->before = NULL;
    fluid->shown_pressure = NULL;
}

// --- between steps

float* fluid_show(Fluid* fluid)
{
    fluid_hide(fluid);
    if (fluid->set.count > 0)
        fluid->shown_pressure = (float*)particle_set_borrow(&fluid->set, "pressures shown");
    return fluid->shown_pressure;
}

void fluid_hide(Fluid* fluid)
{
    if (fluid->shown_pressure)
        particle_set_return(&fluid->set, (const Vec4*)fluid->shown_pressure);
    fluid->shown_pressure = NULL;
}

bool sph_reserve_partial(Sph* sph)
{
    size_t chunks = block_count(sph->fluid.set.count, LANES);
    size_t blocks = STEP_SUMS * (block_count(chunks, CHUNK_GRAIN) + 1);
    return memory_reserve(sph->memory, &sph->scratch.partial, &sph->scratch.partial_capacity, 0, blocks,
                          sizeof *sph->scratch.partial);
}

double sph_partial_sum(const Sph* sph, size_t blocks)
{
    double sum = 0;
    for (size_t b = 0; b < blocks; b++)
        sum += sph->scratch.partial[b];
    return sum;
}
