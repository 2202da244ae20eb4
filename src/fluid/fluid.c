// SPDX-License-Identifier: MIT
#include "fluid/fluid.h"

enum { PADDING = 16 };

static bool grow(Fluid* fluid, void* array, size_t capacity, size_t size)
{
    size_t had = fluid->capacity ? fluid->capacity + PADDING : 0;
    return memory_reserve(fluid->memory, array, &had, fluid->capacity ? fluid->count : 0, capacity + PADDING, size);
}

bool fluid_reserve(Fluid* fluid, size_t count)
{
    if (count <= fluid->capacity)
        return true;
    size_t grown = fluid->capacity + fluid->capacity / 8;
    size_t capacity = count > grown ? count : grown;
    capacity = (capacity + LANES - 1) / LANES * LANES;
    bool ok = grow(fluid, &fluid->position, capacity, sizeof(Vec4)) && grow(fluid, &fluid->velocity, capacity, sizeof(Vec4)) &&
              grow(fluid, &fluid->acceleration, capacity, sizeof(Vec4)) && grow(fluid, &fluid->scratch, capacity, sizeof(Vec4)) &&
              grow(fluid, &fluid->divergence_pressure, capacity, sizeof(float)) &&
              grow(fluid, &fluid->id, capacity, sizeof(uint32_t)) && grow(fluid, &fluid->density, capacity, sizeof(float)) &&
              grow(fluid, &fluid->diagonal, capacity, sizeof(float)) && grow(fluid, &fluid->source, capacity, sizeof(float)) &&
              grow(fluid, &fluid->divergence, capacity, sizeof(float)) && grow(fluid, &fluid->iterate, capacity, sizeof(float)) &&
              grow(fluid, &fluid->kind, capacity, sizeof(uint8_t)) &&
              (!fluid->crossings || grow(fluid, &fluid->crossings, capacity, sizeof(int8_t)));
    if (ok)
        fluid->capacity = capacity;
    return ok;
}

void fluid_free(Fluid* fluid)
{
    void* arrays[] = {fluid->position, fluid->velocity, fluid->acceleration, fluid->scratch, fluid->divergence_pressure,
                      fluid->id,       fluid->density,  fluid->diagonal,     fluid->source,  fluid->divergence,
                      fluid->iterate,  fluid->kind,     fluid->crossings};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(fluid->memory, arrays[k]);
    *fluid = (Fluid){.memory = fluid->memory};
}

bool fluid_append(Fluid* fluid, Vec3d position, Vec3d velocity, int kind, uint32_t id)
{
    if (!fluid_reserve(fluid, fluid->count + 1))
        return false;
    size_t i = fluid->count++;
    fluid->position[i] = (Vec4){(float)position.x, (float)position.y, (float)position.z, 0};
    fluid->velocity[i] = (Vec4){(float)velocity.x, (float)velocity.y, (float)velocity.z, (float)kind};
    fluid->divergence_pressure[i] = 0;
    fluid->id[i] = id;
    if (fluid->crossings)
        fluid->crossings[i] = 0;
    return true;
}

bool fluid_count_crossings(Fluid* fluid)
{
    if (!fluid_reserve(fluid, 1))
        return false;
    fluid->crossings = memory_take(fluid->memory, fluid->capacity + PADDING);
    if (fluid->crossings)
        memset(fluid->crossings, 0, fluid->capacity + PADDING);
    return fluid->crossings;
}

typedef struct Permute {
    const uint32_t* order;
    const Vec4* from4;
    Vec4* to4;
    const uint32_t* from1;
    uint32_t* to1;
} Permute;

static void permute4(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Permute* job = context;
    for (size_t k = begin; k < end; k++)
        job->to4[k] = job->from4[job->order[k]];
}

static void permute1(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Permute* job = context;
    for (size_t k = begin; k < end; k++)
        job->to1[k] = job->from1[job->order[k]];
}

void fluid_permute(Fluid* fluid, Pool* pool, const uint32_t* order)
{
    Vec4** records[] = {&fluid->position, &fluid->velocity};
    for (int k = 0; k < 2; k++) {
        Permute job = {.order = order, .from4 = *records[k], .to4 = fluid->scratch};
        parallel_for(pool, fluid->count, PARTICLE_GRAIN, permute4, &job);
        fluid->scratch = *records[k];
        *records[k] = job.to4;
    }
    // the narrow arrays go through `source`, which nothing needs between steps
    void* narrow[] = {&fluid->divergence_pressure, &fluid->id};
    for (int k = 0; k < 2; k++) {
        void* from;
        memcpy(&from, narrow[k], sizeof from);
        Permute job = {.order = order, .from1 = from, .to1 = (uint32_t*)fluid->source};
        parallel_for(pool, fluid->count, PARTICLE_GRAIN, permute1, &job);
        void* to = fluid->source;
        memcpy(narrow[k], &to, sizeof to);
        fluid->source = from;
    }
    if (fluid->crossings) {
        int8_t* sorted = (int8_t*)fluid->scratch;
        for (size_t k = 0; k < fluid->count; k++)
            sorted[k] = fluid->crossings[order[k]];
        memcpy(fluid->crossings, sorted, fluid->count);
    }
}

size_t fluid_remove(Fluid* fluid, const uint8_t* doomed)
{
    size_t kept = 0;
    for (size_t i = 0; i < fluid->count; i++) {
        if (doomed[i])
            continue;
        fluid->position[kept] = fluid->position[i];
        fluid->velocity[kept] = fluid->velocity[i];
        fluid->divergence_pressure[kept] = fluid->divergence_pressure[i];
        fluid->id[kept] = fluid->id[i];
        if (fluid->crossings)
            fluid->crossings[kept] = fluid->crossings[i];
        kept++;
    }
    size_t removed = fluid->count - kept;
    fluid->count = kept;
    return removed;
}

void fluid_clear_padding(Fluid* fluid)
{
    for (size_t k = fluid->count; k < fluid->count + PADDING && fluid->capacity; k++) {
        fluid->position[k] = fluid->velocity[k] = fluid->acceleration[k] = fluid->scratch[k] = (Vec4){0};
        fluid->divergence_pressure[k] = fluid->source[k] = fluid->divergence[k] = fluid->diagonal[k] = 0;
        fluid->density[k] = 1;
    }
}

bool sph_reserve_partial(Sph* sph)
{
    size_t chunks = block_count(sph->fluid.count, LANES);
    size_t blocks = 3 * (block_count(chunks, CHUNK_GRAIN) + 1);
    return memory_reserve(sph->memory, &sph->partial, &sph->partial_capacity, 0, blocks, sizeof *sph->partial);
}

double sph_partial_sum(const Sph* sph, size_t blocks)
{
    double sum = 0;
    for (size_t b = 0; b < blocks; b++)
        sum += sph->partial[b];
    return sum;
}

double sph_partial_max(const Sph* sph, size_t blocks)
{
    double most = 0;
    for (size_t b = 0; b < blocks; b++)
        most = sph->partial[b] > most ? sph->partial[b] : most;
    return most;
}
