// SPDX-License-Identifier: MIT
#include "flip/inside.h"

#include "flip/transfer.h"

enum { FIELD_CELLS = 3 }; // as far distances from the surface at rest are known

static bool reserve(Inside* in, Memory* memory, size_t count)
{
    memory_give(memory, in->pressure);
    memory_give(memory, in->particle);
    memory_give(memory, in->unsorted);
    memory_give(memory, in->cell);
    memory_give(memory, in->order);
    in->pressure = memory_take(memory, (count + 1) * sizeof *in->pressure);
    in->particle = memory_take(memory, (count + 1) * sizeof *in->particle);
    in->unsorted = memory_take(memory, (count + 1) * sizeof *in->unsorted);
    in->cell = memory_take(memory, (count + 1) * sizeof *in->cell);
    in->order = memory_take(memory, (count + 1) * sizeof *in->order);
    if (!in->pressure || !in->particle || !in->unsorted || !in->cell || !in->order)
        return false;
    memset(in->pressure, 0, count * sizeof *in->pressure);
    in->count = count;
    return true;
}

void inside_free(Inside* in, Memory* memory)
{
    for (size_t k = 0; k < in->solid_count; k++) {
        distances_free(&in->solid[k].field, memory);
        doubt_free(&in->solid[k].doubt, memory);
    }
    void* arrays[] = {in->solid, in->pressure,   in->particle, in->unsorted, in->cell, in->order,   in->start,   in->voxel_slot,
                      in->voxel, in->slot_block, in->near,     in->touched,  in->far,  in->reached, in->doubted, in->suspect};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        memory_give(memory, arrays[k]);
    *in = (Inside){0};
}

double inside_density(const Flip* flip, const CarriedSolid* s)
{
    return (double)(s->mass / s->weight) / pow(flip->def.spacing, flip->def.dimension);
}

bool flip_carry(Flip* flip, Solid* solid)
{
    Inside* in = &flip->inside;
    Memory* memory = flip->def.memory;
    size_t capacity = in->solid_count;
    if (!memory_reserve(memory, &in->solid, &capacity, in->solid_count, in->solid_count + 1, sizeof *in->solid))
        return false;
    CarriedSolid* s = &in->solid[in->solid_count];
    SolidInside inside = solid->kind->inside(solid);
    double volume = inside.mass / solid->kind->density(solid), own = pow(flip->def.spacing, flip->def.dimension);
    *s = (CarriedSolid){
        .solid = solid, .inside = inside, .first = in->count, .mass = (float)inside.mass, .weight = (float)(volume / own)};
    in->solid_count++;
    Box3d box = {vec3d_sub(solid->bound_centre, solid->bound_half), vec3d_add(solid->bound_centre, solid->bound_half)};
    if (!distances_create(&s->field, solid->test, &box, flip->def.spacing, FIELD_CELLS * flip->dx, flip->def.dimension, memory,
                          flip->def.pool) ||
        !doubt_create(&s->doubt, solid, &inside, &s->field, flip->def.spacing, memory))
        return false;
    float density = (float)solid->kind->density(solid);
    flip->lightest = density > flip->lightest ? density : flip->lightest;
    return reserve(in, memory, in->count + inside.count);
}

double inside_speed(const Flip* flip)
{
    const Inside* in = &flip->inside;
    float most = 0;
    for (size_t s = 0; s < in->solid_count; s++)
        for (size_t i = 0; i < in->solid[s].inside.count; i++) {
            Vec4 v = in->solid[s].inside.velocity[i];
            float square = v.x * v.x + v.y * v.y + v.z * v.z;
            most = square > most ? square : most;
        }
    return sqrt((double)most);
}

// --- where they are

void inside_gather(Flip* flip)
{
    Inside* in = &flip->inside;
    float deep = DEEP_IN * (float)flip->def.spacing;
    for (size_t s = 0; s < in->solid_count; s++) {
        const CarriedSolid* solid = &in->solid[s];
        for (size_t i = 0; i < solid->inside.count; i++) {
            Vec4 x = solid->inside.position[i];
            x.w = in->pressure[solid->first + i];
            in->unsorted[solid->first + i] = (CarriedParticle){.position = x,
                                                               .velocity = solid->inside.velocity[i],
                                                               .ahead = solid->inside.ahead[i],
                                                               .rest = solid->inside.rest[i],
                                                               .solid = (uint32_t)s,
                                                               .number = (uint32_t)i,
                                                               .is_deep = solid->doubt.depth[i] > deep};
        }
    }
}

static void find_cell(const Flip* flip, Vec4 x, BlockKey* key, int cell[3])
{
    double at[3] = {(double)x.x / flip->dx, (double)x.y / flip->dx, (double)x.z / flip->dx};
    int32_t c[3];
    for (int a = 0; a < 3; a++)
        c[a] = (int32_t)floor(fmin(fmax(at[a], -1e9), 1e9));
    *key = (BlockKey){c[0] >> 3, c[1] >> 3, c[2] >> 3};
    for (int a = 0; a < 3; a++)
        cell[a] = c[a] & 7;
}

bool inside_add_blocks(Flip* flip)
{
    Inside* in = &flip->inside;
    BlockKey last = {0};
    uint32_t block = 0;
    for (size_t i = 0; i < in->count; i++) {
        BlockKey key;
        int cell[3];
        find_cell(flip, in->unsorted[i].position, &key, cell);
        if (!block || key.x != last.x || key.y != last.y || key.z != last.z) {
            block = flip_add_block(flip, key);
            last = key;
        }
        if (!block)
            return false;
        flip->near[block] |= flip_near_blocks(cell, cell, FLIP_REACH, flip->def.dimension);
    }
    return true;
}

// --- in the order of cells

// Stable, by a key below `keys`; `from` NULL: as they are.
static void sort_by(const Inside* in, const uint32_t* from, uint32_t* to, uint32_t* start, size_t keys, bool by_block)
{
    memset(start, 0, (keys + 1) * sizeof *start);
    for (size_t i = 0; i < in->count; i++)
        start[(by_block ? in->cell[i] / CELLS : in->cell[i] % CELLS) + 1]++;
    for (size_t k = 0; k < keys; k++)
        start[k + 1] += start[k];
    for (size_t n = 0; n < in->count; n++) {
        uint32_t i = from ? from[n] : (uint32_t)n;
        to[start[by_block ? in->cell[i] / CELLS : in->cell[i] % CELLS]++] = i;
    }
    memmove(start + 1, start, keys * sizeof *start);
    start[0] = 0;
}

bool inside_sort(Flip* flip)
{
    Inside* in = &flip->inside;
    Memory* memory = flip->def.memory;
    size_t blocks = flip->blocks.count, keys = blocks > CELLS ? blocks : CELLS;
    if (!memory_reserve(memory, &in->start, &in->start_capacity, 0, keys + 2, sizeof *in->start) ||
        !memory_reserve(memory, &in->near, &in->near_capacity, 0, blocks, sizeof *in->near) ||
        !memory_reserve(memory, &in->voxel_slot, &in->slot_capacity, 0, blocks, sizeof *in->voxel_slot))
        return false;
    memset(in->near, 0, blocks * sizeof *in->near);
    for (size_t i = 0; i < in->count; i++) {
        BlockKey key;
        int cell[3];
        find_cell(flip, in->unsorted[i].position, &key, cell);
        uint32_t block = blocks_find(&flip->blocks, key);
        in->cell[i] = block * CELLS + (uint32_t)(cell[2] * ROWS + cell[1] * EDGE + cell[0]);
        in->near[block] |= flip_near_blocks(cell, cell, 1, flip->def.dimension);
    }
    // the second order is by way of the particles' own memory, which is not filled yet
    uint32_t* by_cell = (uint32_t*)in->particle;
    sort_by(in, NULL, by_cell, in->start, CELLS, false);
    sort_by(in, by_cell, in->order, in->start, blocks, true);
    for (size_t n = 0; n < in->count; n++)
        in->particle[n] = in->unsorted[in->order[n]];
    return true;
}
