// SPDX-License-Identifier: MIT
#include "surface/block_values.h"

#include "base/simd.h"

bool value_scratch_take(ValueScratch* s, Memory* memory)
{
    *s = (ValueScratch){0};
    s->at = memory_take(memory, (BLOCK_VERTICES + LANES) * sizeof *s->at);
    s->order = memory_take(memory, (BLOCK_VERTICES + LANES) * sizeof *s->order);
    return s->at && s->order;
}

void value_scratch_free(ValueScratch* s, Memory* memory)
{
    block_particles_free(&s->particles, memory);
    memory_give(memory, s->hit);
    memory_give(memory, s->weight);
    memory_give(memory, s->at);
    memory_give(memory, s->order);
    *s = (ValueScratch){0};
}

static bool hit_room(ValueScratch* s, Memory* memory, size_t needed)
{
    if (needed + LANES <= s->room)
        return true;
    memory_give(memory, s->hit);
    memory_give(memory, s->weight);
    size_t n = 2 * needed + 64;
    s->hit = memory_take(memory, n * sizeof *s->hit);
    s->weight = memory_take(memory, n * LANES * sizeof *s->weight);
    s->room = s->hit && s->weight ? n : 0;
    return s->room > 0;
}

// --- bricks

static int brick_of(const float at[3])
{
    int index[3];
    for (int k = 0; k < 3; k++) {
        index[k] = (int)(at[k] / (float)BRICK_CELLS);
        index[k] = index[k] < 0 ? 0 : index[k] >= BRICK_SIDE ? BRICK_SIDE - 1 : index[k];
    }
    return (index[2] * BRICK_SIDE + index[1]) * BRICK_SIDE + index[0];
}

// Vertices in the block's own frame, and their order by brick.
static void sort_vertices(const Lattice* l, BlockKey key, ValueScratch* s, const Vec3* position, uint32_t count,
                          uint32_t first[BRICKS + 1])
{
    const double origin[3] = {key.x * (double)BLOCK_CELLS, key.y * (double)BLOCK_CELLS, key.z * (double)BLOCK_CELLS};
    double inverse = 1 / l->spacing;
    uint32_t next[BRICKS + 1] = {0};
    uint8_t brick[BLOCK_VERTICES];
    for (uint32_t v = 0; v < count; v++) {
        s->at[v][0] = (float)((double)position[v].x * inverse - origin[0]);
        s->at[v][1] = (float)((double)position[v].y * inverse - origin[1]);
        s->at[v][2] = (float)((double)position[v].z * inverse - origin[2]);
        brick[v] = (uint8_t)brick_of(s->at[v]);
        next[brick[v] + 1]++;
    }
    for (int k = 0; k < BRICKS; k++)
        next[k + 1] += next[k];
    for (int k = 0; k <= BRICKS; k++)
        first[k] = next[k];
    for (uint32_t v = 0; v < count; v++)
        s->order[next[brick[v]]++] = (uint16_t)v;
}

// Particles within reach of the box around some vertices.
static uint32_t near_box(const BlockParticles* p, const float low[3], const float high[3], float reach, uint32_t* hit)
{
    uint32_t count = 0;
    F8 zero = f8_zero(), reach2 = f8_set(reach * reach);
    for (size_t k = 0; k < p->count; k += LANES) {
        F8 x = f8_add(f8_load(p->cx + k), f8_load(p->fx + k)), y = f8_add(f8_load(p->cy + k), f8_load(p->fy + k));
        F8 z = f8_add(f8_load(p->cz + k), f8_load(p->fz + k));
        F8 dx = f8_max(f8_max(f8_sub(f8_set(low[0]), x), f8_sub(x, f8_set(high[0]))), zero);
        F8 dy = f8_max(f8_max(f8_sub(f8_set(low[1]), y), f8_sub(y, f8_set(high[1]))), zero);
        F8 dz = f8_max(f8_max(f8_sub(f8_set(low[2]), z), f8_sub(z, f8_set(high[2]))), zero);
        unsigned near = f8_mask(f8_less(f8_mad(dx, dx, f8_mad(dy, dy, f8_mul(dz, dz))), reach2));
        near &= p->count - k < LANES ? (1u << (p->count - k)) - 1 : 0xffu;
        if (near)
            count += i8_pack(hit + count, i8_ramp((uint32_t)k), near);
    }
    return count;
}

// --- eight vertices

// Weights of the hits for the vertices; returns their sums.
static F8 weigh(const ValueScratch* s, uint32_t hits, const uint16_t vertex[LANES], float inverse2)
{
    float x[3][LANES];
    for (int lane = 0; lane < LANES; lane++)
        for (int k = 0; k < 3; k++)
            x[k][lane] = s->at[vertex[lane]][k];
    F8 vx = f8_load(x[0]), vy = f8_load(x[1]), vz = f8_load(x[2]), sum = f8_zero(), one = f8_set(1), scale = f8_set(inverse2);
    const BlockParticles* p = &s->particles;
    for (uint32_t n = 0; n < hits; n++) {
        uint32_t k = s->hit[n];
        F8 dx = f8_sub(vx, f8_set(p->cx[k] + p->fx[k])), dy = f8_sub(vy, f8_set(p->cy[k] + p->fy[k]));
        F8 dz = f8_sub(vz, f8_set(p->cz[k] + p->fz[k]));
        F8 u = f8_max(f8_nmad(f8_mad(dx, dx, f8_mad(dy, dy, f8_mul(dz, dz))), scale, one), f8_zero());
        F8 w = f8_mul(f8_mul(u, u), u);
        f8_store(s->weight + LANES * n, w);
        sum = f8_add(sum, w);
    }
    return sum;
}

// Sums of four of the particles' numbers, from `offset` on.
static void add_four(const Sampler* sampler, const ValueScratch* s, uint32_t hits, size_t offset, F8 sum[4])
{
    F8 a = f8_zero(), b = a, c = a, d = a;
    for (uint32_t n = 0; n < hits; n++) {
        const float* record = sampler->record + s->particles.index[s->hit[n]] * sampler->stride + offset;
        F8 w = f8_load(s->weight + LANES * n);
        a = f8_mad(w, f8_set(record[0]), a);
        b = f8_mad(w, f8_set(record[1]), b);
        c = f8_mad(w, f8_set(record[2]), c);
        d = f8_mad(w, f8_set(record[3]), d);
    }
    sum[0] = a;
    sum[1] = b;
    sum[2] = c;
    sum[3] = d;
}

static void eight_vertices(const Sampler* sampler, const ValueScratch* s, uint32_t hits, const uint16_t vertex[LANES], int count,
                           SurfaceMesh* mesh, uint32_t first, float* crowd)
{
    float reach = (float)sampler->lattice->reach, mean[LANES][SAMPLER_WIDEST], line[LANES];
    F8 weight = weigh(s, hits, vertex, 1 / (reach * reach));
    F8 inverse = f8_div(f8_set(1), f8_max(weight, f8_set(1e-20f)));
    for (size_t offset = 0; offset < sampler->width; offset += 4) {
        F8 sum[4];
        add_four(sampler, s, hits, offset, sum);
        for (size_t k = 0; k < 4; k++) {
            f8_store(line, f8_mul(sum[k], inverse));
            for (int lane = 0; lane < LANES; lane++)
                mean[lane][offset + k] = line[lane];
        }
    }
    f8_store(line, weight);
    for (int lane = 0; lane < count; lane++) {
        surface_store_values(mesh, first + vertex[lane], mean[lane]);
        crowd[first + vertex[lane]] = line[lane];
    }
}

// --- the block

static void brick_values(const Sampler* sampler, const ValueScratch* s, const uint16_t* vertex, uint32_t count, SurfaceMesh* mesh,
                         uint32_t first, float* crowd)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t v = 0; v < count; v++)
        for (int k = 0; k < 3; k++) {
            float x = s->at[vertex[v]][k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    uint32_t hits = near_box(&s->particles, low, high, (float)sampler->lattice->reach, s->hit);
    for (uint32_t v = 0; v < count; v += LANES) {
        uint16_t eight[LANES];
        int own = count - v < LANES ? (int)(count - v) : LANES;
        for (int lane = 0; lane < LANES; lane++)
            eight[lane] = vertex[v + (uint32_t)(lane < own ? lane : own - 1)];
        eight_vertices(sampler, s, hits, eight, own, mesh, first, crowd);
    }
}

bool block_values(const Sampler* sampler, BlockKey key, ValueScratch* s, SurfaceMesh* mesh, uint32_t begin, uint32_t end,
                  float* crowd)
{
    const Lattice* l = sampler->lattice;
    if (begin == end)
        return true;
    if (!lattice_gather(l, key, &s->particles) || !hit_room(s, l->memory, s->particles.count))
        return false;
    uint32_t first[BRICKS + 1];
    sort_vertices(l, key, s, mesh->position + begin, end - begin, first);
    for (int brick = 0; brick < BRICKS; brick++)
        if (first[brick] < first[brick + 1])
            brick_values(sampler, s, s->order + first[brick], first[brick + 1] - first[brick], mesh, begin, crowd);
    return true;
}
