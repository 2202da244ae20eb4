// SPDX-License-Identifier: MIT
// Distance to the weighted centre of the particles around:
//   phi(x) = |x - c(x)| - f r,   c(x) = sum_j w_j x_j / sum_j w_j,   w_j = (1 - |x - x_j|^2 / R^2)^3      (Solenthaler 2007)
// Between two groups of particles c jumps from one to the other and phi would show a ghost there. The largest eigenvalue
// of grad c tells: f = 1 up to t_low = 0.4, then f = g^3 - 3 g^2 + 3 g with g = (t_high - e) / (t_high - t_low), t_high = 2.
// With p_j = x_j - x:   grad c = (6 / R^2) (sum_j u_j^2 p_j p_j^T - (c - x) (sum_j u_j^2 p_j)^T) / sum_j w_j,   u^3 = w.
// Deviations: the eigenvalue is that of the symmetric part; and r is FIELD_LEVEL particle radii.
#include "surface/field.h"

#include "base/simd.h"
#include <string.h>

// With no particle nearer than s0 R, and |c - x| = a R, the mean of the eigenvalues and hence the largest is at least
// 2 (s0^2 - a s0) / (1 - s0^2): from s0 = 0.72 on that makes f r < a R for every a, and the node is outside.
#define FIELD_NEAR (0.725f * (float)FIELD_REACH) // [particle radii]

#define T_LOW 0.4f
#define T_HIGH 2.0f

// --- which particles a row of nodes feels

void field_scratch_free(FieldScratch* s, Memory* memory)
{
    block_particles_free(&s->particles, memory);
    block_particles_free(&s->layer, memory);
    memory_give(memory, s->hit[0]);
    memory_give(memory, s->hit[1]);
    *s = (FieldScratch){0};
}

static bool layer_room(BlockParticles* layer, Memory* memory, size_t needed)
{
    if (needed + LANES <= layer->capacity)
        return true;
    block_particles_free(layer, memory);
    size_t n = (2 * needed + 64) & ~(size_t)7;
    uint32_t* index = memory_take(memory, n * sizeof *index);
    float* data = memory_take(memory, 6 * n * sizeof *data);
    if (!index || !data) {
        memory_give(memory, index);
        memory_give(memory, data);
        return false;
    }
    *layer = (BlockParticles){.capacity = n,
                              .index = index,
                              .cx = data,
                              .fx = data + n,
                              .cy = data + 2 * n,
                              .fy = data + 3 * n,
                              .cz = data + 4 * n,
                              .fz = data + 5 * n};
    return true;
}

// The particles of `s->particles` within `reach` of the nodes' layer z.
static bool field_layer(FieldScratch* s, Memory* memory, float z, float reach)
{
    const BlockParticles* from = &s->particles;
    BlockParticles* to = &s->layer;
    if (!layer_room(to, memory, from->count))
        return false;
    size_t n = 0, k = 0;
    for (int row = 0; row < from->row_count; row++) {
        if (from->row_high[row] < z - reach || from->row_low[row] > z + reach) {
            k = from->row_end[row];
            continue;
        }
        for (; k < from->row_end[row]; k++) {
            float dz = (z - from->cz[k]) - from->fz[k];
            to->index[n] = from->index[k];
            to->cx[n] = from->cx[k];
            to->fx[n] = from->fx[k];
            to->cy[n] = from->cy[k];
            to->fy[n] = from->fy[k];
            to->cz[n] = dz;
            n += dz < reach && dz > -reach;
        }
    }
    to->count = n;
    for (size_t end = n; end < n + LANES; end++) { // the last vector may read on
        to->cx[end] = to->fx[end] = to->cy[end] = to->fy[end] = 0;
        to->cz[end] = 4 * reach;
    }
    return true;
}

static bool hit_room(FieldScratch* s, Memory* memory, size_t needed)
{
    if (needed + LANES <= s->hit_capacity)
        return true;
    memory_give(memory, s->hit[0]);
    memory_give(memory, s->hit[1]);
    size_t n = 2 * needed + 64;
    s->hit[0] = memory_take(memory, n * sizeof(uint32_t));
    s->hit[1] = memory_take(memory, n * sizeof(uint32_t));
    s->hit_capacity = s->hit[0] && s->hit[1] ? n : 0;
    return s->hit_capacity > 0;
}

// From `s->layer` those within reach of row y, for each half row of eight nodes, and whether one of them is near.
static bool field_row(FieldScratch* s, Memory* memory, float y, const FieldMethod* method, uint32_t out_count[2], bool out_near[2])
{
    const BlockParticles* l = &s->layer;
    uint32_t count[2] = {0, 0};
    unsigned near[2] = {0, 0};
    if (!hit_room(s, memory, l->count))
        return false;
    F8 reach2 = f8_set(method->reach * method->reach), near2 = f8_set(method->near * method->near);
    F8 margin = f8_set(1e-3f * method->reach), zero = f8_zero();
    for (size_t k = 0; k < l->count; k += LANES) {
        F8 dy = f8_sub(f8_sub(f8_set(y), f8_load(l->cy + k)), f8_load(l->fy + k));
        F8 dz = f8_load(l->cz + k), x = f8_add(f8_load(l->cx + k), f8_load(l->fx + k));
        F8 across2 = f8_mad(dy, dy, f8_mul(dz, dz)), room = f8_sub(reach2, across2);
        unsigned felt = f8_mask(f8_less(zero, room));
        if (!felt)
            continue;
        // what is left for x, and a margin: only who adds nothing at all may be passed over
        F8 along = f8_add(f8_sqrt(f8_max(room, zero)), margin);
        I8 numbers = i8_ramp((uint32_t)k);
        count[0] += i8_pack(s->hit[0] + count[0], numbers, felt & f8_mask(f8_less(x, f8_add(f8_set(7), along))));
        count[1] += i8_pack(s->hit[1] + count[1], numbers, felt & f8_mask(f8_less(f8_sub(f8_set(8), along), x)));
        room = f8_sub(near2, across2);
        felt = f8_mask(f8_less(zero, room));
        along = f8_add(f8_sqrt(f8_max(room, zero)), margin);
        near[0] |= felt & f8_mask(f8_less(x, f8_add(f8_set(7), along)));
        near[1] |= felt & f8_mask(f8_less(f8_sub(f8_set(8), along), x));
    }
    for (int k = 0; k < 2; k++) {
        out_count[k] = count[k];
        out_near[k] = near[k];
    }
    return true;
}

// --- a block

static void fill(float* phi, size_t count, float value)
{
    for (size_t k = 0; k < count; k++)
        phi[k] = value;
}

static unsigned negative(const float* phi)
{
    return f8_mask(f8_less(f8_load(phi), f8_zero()));
}

static void evaluate_half(const FieldMethod* method, const HalfRow* half, unsigned deep, float* phi)
{
    method->evaluate(method->context, half, phi);
    for (int k = 0; deep && k < LANES; k++) // a block that shares the node may not have looked at it
        phi[k] = deep >> k & 1 ? method->inside : phi[k];
}

static bool fill_row(FieldScratch* s, const Lattice* l, int row, const FieldMethod* method, float* phi)
{
    unsigned deep = s->depth.row[row];
    uint32_t count[2] = {0, 0};
    bool near[2] = {false, false};
    int y = row % BLOCK_NODES;
    if (deep != 0xffff && s->layer.count && !field_row(s, l->memory, (float)y, method, count, near))
        return false;
    s->inside[row] = s->skipped[row] = 0;
    for (int k = 0; k < 2; k++, phi += LANES) {
        unsigned deep_half = deep >> LANES * k & 0xff;
        HalfRow half = {s, s->hit[k], count[k], (float)(LANES * k), (float)y};
        if (deep_half == 0xff) {
            fill(phi, LANES, method->inside);
        } else if (near[k] || deep_half) {
            evaluate_half(method, &half, deep_half, phi);
        } else {
            fill(phi, LANES, method->outside);
            s->skipped[row] |= (uint16_t)((count[k] ? 0xff : 0) << LANES * k);
        }
        s->inside[row] |= (uint16_t)(negative(phi) << LANES * k);
    }
    return true;
}

static bool fill_layer(FieldScratch* s, const Lattice* l, int z, const FieldMethod* method, float* phi)
{
    unsigned every = 0xffff;
    for (int y = 0; y < BLOCK_NODES; y++)
        every &= s->depth.row[BLOCK_NODES * z + y];
    if (every != 0xffff && !field_layer(s, l->memory, (float)z, method->reach))
        return false;
    for (int y = 0; y < BLOCK_NODES; y++)
        if (!fill_row(s, l, BLOCK_NODES * z + y, method, phi + y * BLOCK_NODES))
            return false;
    return true;
}

// Nodes of a row that were skipped and have a neighbour inside: the surface is next to them, and its place needs their values.
static unsigned wanted(const FieldScratch* s, int row)
{
    int y = row % BLOCK_NODES, z = row / BLOCK_NODES;
    unsigned own = s->inside[row], around = own << 1 | own >> 1;
    around |= y > 0 ? s->inside[row - 1] : 0u;
    around |= y + 1 < BLOCK_NODES ? s->inside[row + 1] : 0u;
    around |= z > 0 ? s->inside[row - BLOCK_NODES] : 0u;
    around |= z + 1 < BLOCK_NODES ? s->inside[row + BLOCK_NODES] : 0u;
    return s->skipped[row] & around;
}

static bool complete_layer(FieldScratch* s, const Lattice* l, int z, const FieldMethod* method, float* phi)
{
    bool ready = false;
    for (int y = 0; y < BLOCK_NODES; y++, phi += BLOCK_NODES) {
        unsigned nodes = wanted(s, BLOCK_NODES * z + y);
        uint32_t count[2];
        bool near[2];
        if (!nodes)
            continue;
        if ((!ready && !field_layer(s, l->memory, (float)z, method->reach)) ||
            !field_row(s, l->memory, (float)y, method, count, near))
            return false;
        ready = true;
        for (int k = 0; k < 2; k++)
            if (nodes >> LANES * k & 0xff) {
                HalfRow half = {s, s->hit[k], count[k], (float)(LANES * k), (float)y};
                evaluate_half(method, &half, 0, phi + LANES * k);
            }
    }
    return true;
}

bool field_block(const Lattice* l, BlockKey key, FieldScratch* s, const FieldMethod* method, float* phi, bool* out_ok)
{
    enum { LAYER = BLOCK_NODES * BLOCK_NODES };
    *out_ok = true;
    block_depth(l, key, &s->depth);
    if (s->depth.all) {
        fill(phi, BLOCK_NODES3, method->inside);
        return false;
    }
    *out_ok = lattice_gather(l, key, &s->particles);
    if (!*out_ok || !s->particles.count)
        return false;
    for (int z = 0; z < BLOCK_NODES && *out_ok; z++)
        *out_ok = fill_layer(s, l, z, method, phi + z * LAYER);
    unsigned any = 0, every = 0xffff;
    for (int row = 0; row < LAYER; row++) {
        any |= s->inside[row];
        every &= s->inside[row];
    }
    if (!*out_ok || !any || every == 0xffff)
        return false;
    for (int z = 0; z < BLOCK_NODES && *out_ok; z++)
        *out_ok = complete_layer(s, l, z, method, phi + z * LAYER);
    return *out_ok;
}

// --- eight nodes at once

typedef struct Sums {
    F8 w, px, py, pz;          // sum w, sum w p
    F8 qx, qy, qz;             // sum u^2 p
    F8 xx, xy, xz, yy, yz, zz; // sum u^2 p p^T
} Sums;

static inline Sums sum_particles(const BlockParticles* l, const uint32_t* hit, uint32_t count, F8 node_x, float node_y, F8 inverse2)
{
    F8 zero = f8_zero();
    Sums s = {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
    for (uint32_t n = 0; n < count; n++) {
        uint32_t k = hit[n];
        float dy1 = (node_y - l->cy[k]) - l->fy[k], dz1 = l->cz[k];
        F8 dx = f8_sub(f8_sub(node_x, f8_set(l->cx[k])), f8_set(l->fx[k]));
        F8 dy = f8_set(dy1), dz = f8_set(dz1);
        F8 r2 = f8_mad(dx, dx, f8_mad(dy, dy, f8_mul(dz, dz)));
        F8 u = f8_max(f8_nmad(r2, inverse2, f8_set(1)), zero);
        F8 u2 = f8_mul(u, u), w = f8_mul(u2, u);
        F8 ax = f8_mul(u2, dx), ay = f8_mul(u2, dy), az = f8_mul(u2, dz);
        s.w = f8_add(s.w, w);
        s.px = f8_mad(w, dx, s.px);
        s.py = f8_mad(w, dy, s.py);
        s.pz = f8_mad(w, dz, s.pz);
        s.qx = f8_add(s.qx, ax);
        s.qy = f8_add(s.qy, ay);
        s.qz = f8_add(s.qz, az);
        s.xx = f8_mad(ax, dx, s.xx);
        s.xy = f8_mad(ax, dy, s.xy);
        s.xz = f8_mad(ax, dz, s.xz);
        s.yy = f8_mad(ay, dy, s.yy);
        s.yz = f8_mad(ay, dz, s.yz);
        s.zz = f8_mad(az, dz, s.zz);
    }
    return s;
}

// Largest eigenvalue of a symmetric matrix. That of the part without trace is the largest root of t^3 - p t - q,
//   2 sqrt(p/3) cos(a/3)   with   cos a = q / (2 (p/3)^(3/2)),   and   cos(a/3) = g(x),   x = cos(a/2) = sqrt((1 + cos a) / 2).
// g(x) = cos(2/3 acos x) is smooth on [0, 1]: a polynomial through seven Chebyshev points has it to 2e-07.
static inline F8 largest_eigenvalue(F8 xx, F8 xy, F8 xz, F8 yy, F8 yz, F8 zz)
{
    static const float g[] = {0.5000002f, 0.5773319f, -0.1108055f, 0.05147476f, -0.02639975f, 0.01050175f, -0.002103491f};
    enum { TERMS = sizeof g / sizeof *g };
    F8 mean = f8_mul(f8_add(f8_add(xx, yy), zz), f8_set(1.0f / 3));
    xx = f8_sub(xx, mean);
    yy = f8_sub(yy, mean);
    zz = f8_sub(zz, mean);
    F8 off = f8_mad(xy, xy, f8_mad(xz, xz, f8_mul(yz, yz)));
    F8 p = f8_mad(f8_set(0.5f), f8_mad(xx, xx, f8_mad(yy, yy, f8_mul(zz, zz))), off);
    F8 q = f8_mul(xx, f8_nmad(yz, yz, f8_mul(yy, zz))); // the determinant
    q = f8_nmad(xy, f8_nmad(yz, xz, f8_mul(xy, zz)), q);
    q = f8_mad(xz, f8_nmad(yy, xz, f8_mul(xy, yz)), q);
    F8 third = f8_mul(p, f8_set(1.0f / 3)), root = f8_sqrt(third);
    F8 half_cosine = f8_div(q, f8_max(f8_mul(f8_set(4), f8_mul(root, third)), f8_set(1e-30f)));
    F8 x = f8_sqrt(f8_min(f8_max(f8_add(half_cosine, f8_set(0.5f)), f8_zero()), f8_set(1)));
    F8 cosine = f8_set(g[TERMS - 1]);
    for (int k = TERMS - 2; k >= 0; k--)
        cosine = f8_mad(cosine, x, f8_set(g[k]));
    return f8_mad(f8_mul(f8_set(2), root), cosine, mean);
}

static inline F8 trust(F8 eigenvalue)
{
    F8 g = f8_mul(f8_sub(f8_set(T_HIGH), eigenvalue), f8_set(1 / (T_HIGH - T_LOW)));
    g = f8_min(f8_max(g, f8_zero()), f8_set(1));
    return f8_mul(g, f8_mad(g, f8_sub(g, f8_set(3)), f8_set(3)));
}

static inline F8 distance(const Sums* s, float reach, float level)
{
    F8 any = f8_less(f8_set(1e-12f), s->w);
    F8 inverse = f8_div(f8_set(1), f8_max(s->w, f8_set(1e-12f)));
    F8 cx = f8_mul(s->px, inverse), cy = f8_mul(s->py, inverse), cz = f8_mul(s->pz, inverse);
    F8 scale = f8_mul(inverse, f8_set(6 / (reach * reach))), half = f8_set(0.5f);
    // symmetric part of  sum u^2 p p^T - c q^T
    F8 xx = f8_mul(scale, f8_nmad(cx, s->qx, s->xx));
    F8 yy = f8_mul(scale, f8_nmad(cy, s->qy, s->yy));
    F8 zz = f8_mul(scale, f8_nmad(cz, s->qz, s->zz));
    F8 xy = f8_mul(scale, f8_nmad(half, f8_mad(cx, s->qy, f8_mul(cy, s->qx)), s->xy));
    F8 xz = f8_mul(scale, f8_nmad(half, f8_mad(cx, s->qz, f8_mul(cz, s->qx)), s->xz));
    F8 yz = f8_mul(scale, f8_nmad(half, f8_mad(cy, s->qz, f8_mul(cz, s->qy)), s->yz));
    F8 f = trust(largest_eigenvalue(xx, xy, xz, yy, yz, zz));
    F8 length = f8_sqrt(f8_mad(cx, cx, f8_mad(cy, cy, f8_mul(cz, cz))));
    F8 phi = f8_nmad(f, f8_set(level), length);
    return f8_pick(any, phi, f8_set(reach - level));
}

typedef struct DistanceField {
    float reach, level;
} DistanceField;

static void distance_half(const void* context, const HalfRow* half, float* phi)
{
    const DistanceField* field = context;
    F8 inverse2 = f8_set(1 / (field->reach * field->reach));
    F8 x = f8_add(f8_ramp(), f8_set(half->x));
    Sums sums = sum_particles(&half->scratch->layer, half->hit, half->count, x, half->y, inverse2);
    f8_store(phi, distance(&sums, field->reach, field->level));
}

bool field_distance(const Lattice* lattice, BlockKey key, float radius, FieldScratch* scratch, float* phi, bool* out_ok)
{
    DistanceField field = {(float)lattice->reach, FIELD_LEVEL * radius};
    FieldMethod method = {distance_half, &field, field.reach, FIELD_NEAR * radius, -field.level, field.reach - field.level};
    return field_block(lattice, key, scratch, &method, phi, out_ok);
}
