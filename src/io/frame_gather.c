// SPDX-License-Identifier: MIT
#include "io/frame_gather.h"

#include "io/points.h"
#include <stdlib.h>
#include <string.h>

// A particle's place (low half) under its id (high half): one number to sort.
typedef uint64_t Key;

static Key key_of(uint32_t id, size_t place)
{
    return (Key)id << 32 | (uint32_t)place;
}

// Radix sort by id, least digit first; `spare` has the same size. Returns whichever of the two holds the result.
static Key* sort_keys(Key* keys, Key* spare, size_t count)
{
    enum { BITS = 11, DIGITS = 1 << BITS };
    for (int shift = 32; shift < 64; shift += BITS) {
        size_t start[DIGITS + 1] = {0};
        for (size_t k = 0; k < count; k++)
            start[(keys[k] >> shift & (DIGITS - 1)) + 1]++;
        for (size_t d = 0; d < DIGITS; d++)
            start[d + 1] += start[d];
        for (size_t k = 0; k < count; k++)
            spare[start[keys[k] >> shift & (DIGITS - 1)]++] = keys[k];
        Key* swap = keys;
        keys = spare;
        spare = swap;
    }
    return keys;
}

static void gather_one(const mn_ParticleView* p, size_t from, double rest_density, Frame* frame, size_t to)
{
    memcpy(&frame->position[3 * to], &p->position[4 * from], 3 * sizeof(float));
    memcpy(&frame->velocity[3 * to], &p->velocity[4 * from], 3 * sizeof(float));
    frame->density[to] = (float)((double)p->density[from] * rest_density);
    frame->pressure[to] = p->pressure[from];
    frame->id[to] = p->id[from];
    frame->fluid[to] = p->fluid[from];
}

mn_Result frame_gather(const mn_ParticleView* particles, uint8_t fluid, double rest_density, double time, Frame* frame,
                       mn_Error* error)
{
    size_t count = 0;
    for (size_t k = 0; k < particles->count; k++)
        count += particles->fluid[k] == fluid;
    frame_free(frame);
    frame->time = time;
    Key* keys = malloc(2 * (count + 1) * sizeof *keys);
    if (!keys || !frame_allocate(frame, count)) {
        free(keys);
        return memory_error(error, NULL);
    }
    size_t n = 0;
    for (size_t k = 0; k < particles->count; k++)
        if (particles->fluid[k] == fluid)
            keys[n++] = key_of(particles->id[k], k);
    const Key* sorted = sort_keys(keys, keys + count, count);
    for (size_t k = 0; k < count; k++)
        gather_one(particles, (uint32_t)sorted[k], rest_density, frame, k);
    free(keys);
    return MN_OK;
}

mn_Result frame_gather_foam(const mn_FoamView* foam, double time, Frame* frame, mn_Error* error)
{
    frame_free(frame);
    frame->time = time;
    frame->radius = (float)foam->radius;
    Key* keys = malloc(2 * (foam->count + 1) * sizeof *keys);
    if (!keys || !frame_allocate(frame, foam->count)) {
        free(keys);
        return memory_error(error, NULL);
    }
    for (size_t k = 0; k < foam->count; k++)
        keys[k] = key_of(foam->id[k], k);
    const Key* sorted = sort_keys(keys, keys + foam->count, foam->count);
    for (size_t k = 0; k < foam->count; k++) {
        size_t from = (uint32_t)sorted[k];
        memcpy(&frame->position[3 * k], &foam->position[4 * from], 3 * sizeof(float));
        memcpy(&frame->velocity[3 * k], &foam->velocity[4 * from], 3 * sizeof(float));
        frame->density[k] = foam->velocity[4 * from + 3];
        frame->pressure[k] = foam->position[4 * from + 3];
        frame->id[k] = foam->id[from];
        frame->fluid[k] = foam->kind[from];
    }
    free(keys);
    return MN_OK;
}

static void copy_one(const Frame* from, size_t i, Frame* to, size_t k)
{
    memcpy(&to->position[3 * k], &from->position[3 * i], 3 * sizeof(float));
    memcpy(&to->velocity[3 * k], &from->velocity[3 * i], 3 * sizeof(float));
    to->density[k] = from->density[i];
    to->pressure[k] = from->pressure[i];
    to->id[k] = from->id[i];
    to->fluid[k] = from->fluid[i];
}

mn_Result frame_merge(const Frame* parts, size_t part_count, Frame* frame, mn_Error* error)
{
    size_t count = 0;
    for (size_t p = 0; p < part_count; p++)
        count += parts[p].count;
    bool has_velocity = true, has_id = true;
    for (size_t p = 0; p < part_count; p++) {
        has_velocity = has_velocity && (parts[p].has_velocity || !parts[p].count);
        has_id = has_id && (parts[p].has_id || !parts[p].count);
    }
    if (part_count)
        frame->time = parts[0].time;
    Key* keys = malloc(2 * (count + 1) * sizeof *keys);
    if (!keys || count > UINT32_MAX || !frame_allocate(frame, count)) {
        free(keys);
        return memory_error(error, NULL);
    }
    size_t n = 0;
    for (size_t p = 0; p < part_count; p++)
        for (size_t k = 0; k < parts[p].count; k++, n++)
            keys[n] = key_of(parts[p].id[k], n);
    const Key* sorted = sort_keys(keys, keys + count, count);
    for (size_t k = 0; k < count; k++) {
        size_t place = (uint32_t)sorted[k], p = 0;
        while (place >= parts[p].count)
            place -= parts[p++].count;
        copy_one(&parts[p], place, frame, k);
    }
    frame->has_velocity = has_velocity;
    frame->has_id = has_id;
    free(keys);
    return MN_OK;
}
