// SPDX-License-Identifier: MIT
// Distance to the weighted centre of the particles around:
//   phi(x) = |x - c(x)| - f r,   c(x) = sum_j w_j x_j / sum_j w_j,   w_j = (1 - |x - x_j|^2 / R^2)^3      (Solenthaler 2007)
// Between two groups of particles c jumps from one to the other and phi would show a ghost there. The largest eigenvalue
// of grad c tells: f = 1 up to t_low = 0.4, then f = g^3 - 3 g^2 + 3 g with g = (t_high - e) / (t_high - t_low), t_high = 2.
// With p_j = x_j - x:   grad c = (6 / R^2) (sum_j u_j^2 p_j p_j^T - (c - x) (sum_j u_j^2 p_j)^T) / sum_j w_j,   u^3 = w.
// Deviations: the eigenvalue is that of the symmetric part, found from above by Newton's method on the characteristic
// polynomial, which needs no trigonometry and runs on eight nodes at once; and r is FIELD_LEVEL particle radii.
#include "surface/field.h"

#include "base/simd.h"
#include <string.h>

#define T_LOW 0.4f
#define T_HIGH 2.0f
enum { NEWTON_ROUNDS = 6 };

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

bool field_layer(FieldScratch* s, Memory* memory, float z, float reach)
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

bool field_row(FieldScratch* s, Memory* memory, float y, float reach, uint32_t out_count[2])
{
    const BlockParticles* l = &s->layer;
    uint32_t count[2] = {0, 0};
    if (!hit_room(s, memory, l->count))
        return false;
    static const uint32_t eight[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t number[LANES];
    F8 reach2 = f8_set(reach * reach);
    for (size_t k = 0; k < l->count; k += LANES) {
        F8 dy = f8_sub(f8_sub(f8_set(y), f8_load(l->cy + k)), f8_load(l->fy + k));
        F8 dz = f8_load(l->cz + k), x = f8_add(f8_load(l->cx + k), f8_load(l->fx + k));
        F8 room = f8_sub(reach2, f8_mad(dy, dy, f8_mul(dz, dz)));
        unsigned near = f8_mask(f8_less(f8_zero(), room));
        if (!near)
            continue;
        // what is left for x, and a margin: only who adds nothing at all may be passed over
        F8 along = f8_add(f8_sqrt(f8_max(room, f8_zero())), f8_set(1e-3f * reach));
        F8 low_end = f8_add(f8_set(7), along), high_end = f8_sub(f8_set(8), along);
        for (int j = 0; j < LANES; j++)
            number[j] = eight[j] + (uint32_t)k;
        I8 numbers = i8_load(number);
        count[0] += i8_pack(s->hit[0] + count[0], numbers, near & f8_mask(f8_less(x, low_end)));
        count[1] += i8_pack(s->hit[1] + count[1], numbers, near & f8_mask(f8_less(high_end, x)));
    }
    out_count[0] = count[0];
    out_count[1] = count[1];
    return true;
}

bool field_mixed(const float* phi)
{
    bool inside = false, outside = false;
    for (int k = 0; k < BLOCK_NODES3; k++) {
        inside |= phi[k] < 0;
        outside |= !(phi[k] < 0);
    }
    return inside && outside;
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

// Largest eigenvalue of a symmetric matrix: roots of t^3 - p t - q of the part without trace, from the bound sqrt(4 p / 3).
static inline F8 largest_eigenvalue(F8 xx, F8 xy, F8 xz, F8 yy, F8 yz, F8 zz)
{
    F8 mean = f8_mul(f8_add(f8_add(xx, yy), zz), f8_set(1.0f / 3));
    xx = f8_sub(xx, mean);
    yy = f8_sub(yy, mean);
    zz = f8_sub(zz, mean);
    F8 off = f8_mad(xy, xy, f8_mad(xz, xz, f8_mul(yz, yz)));
    F8 p = f8_mad(f8_set(0.5f), f8_mad(xx, xx, f8_mad(yy, yy, f8_mul(zz, zz))), off);
    F8 q = f8_mul(xx, f8_nmad(yz, yz, f8_mul(yy, zz))); // the determinant
    q = f8_nmad(xy, f8_nmad(yz, xz, f8_mul(xy, zz)), q);
    q = f8_mad(xz, f8_nmad(yy, xz, f8_mul(xy, yz)), q);
    F8 t = f8_sqrt(f8_mul(p, f8_set(4.0f / 3)));
    for (int k = 0; k < NEWTON_ROUNDS; k++) {
        F8 t2 = f8_mul(t, t);
        F8 value = f8_sub(f8_mul(t, f8_sub(t2, p)), q), slope = f8_max(f8_sub(f8_mul(f8_set(3), t2), p), f8_set(1e-12f));
        t = f8_sub(t, f8_max(f8_div(value, slope), f8_zero()));
    }
    return f8_add(mean, t);
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

bool field_distance(const Lattice* lattice, BlockKey key, float radius, FieldScratch* scratch, float* phi, bool* out_ok)
{
    static const float lanes[BLOCK_NODES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    float reach = (float)lattice->reach, level = FIELD_LEVEL * radius;
    F8 inverse2 = f8_set(1 / (reach * reach));
    *out_ok = lattice_gather(lattice, key, &scratch->particles);
    if (!*out_ok || !scratch->particles.count)
        return false;
    for (int z = 0; z < BLOCK_NODES && *out_ok; z++) {
        *out_ok = field_layer(scratch, lattice->memory, (float)z, reach);
        for (int y = 0; y < BLOCK_NODES && *out_ok; y++) {
            uint32_t count[2];
            *out_ok = field_row(scratch, lattice->memory, (float)y, reach, count);
            for (int half = 0; half < 2 && *out_ok; half++) {
                Sums sums =
                    sum_particles(&scratch->layer, scratch->hit[half], count[half], f8_load(lanes + 8 * half), (float)y, inverse2);
                f8_store(phi + (z * BLOCK_NODES + y) * BLOCK_NODES + 8 * half, distance(&sums, reach, level));
            }
        }
    }
    return *out_ok && field_mixed(phi);
}
