// SPDX-License-Identifier: MIT
// Share of space that is filled, with the ellipsoids of anisotropy.h:
//   phi(x) = l - sum_j V |G_j| P(|G_j (x - x_j)|),   P(q) = 1.567 (1 - q^2)^3                          (Yu and Turk 2010, eq. 6)
#include "surface/field.h"

#include "base/simd.h"

static inline F8 filled(const BlockParticles* l, const uint32_t* hit, uint32_t count, const Shape3* shape, F8 node_x, float node_y)
{
    F8 sum = f8_zero(), one = f8_set(1);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t k = hit[n];
        const Shape3* g = &shape[l->index[k]];
        float y = (node_y - l->cy[k]) - l->fy[k], z = l->cz[k];
        F8 dx = f8_sub(f8_sub(node_x, f8_set(l->cx[k])), f8_set(l->fx[k]));
        F8 ax = f8_mad(f8_set(g->xx), dx, f8_set(g->xy * y + g->xz * z));
        F8 ay = f8_mad(f8_set(g->xy), dx, f8_set(g->yy * y + g->yz * z));
        F8 az = f8_mad(f8_set(g->xz), dx, f8_set(g->yz * y + g->zz * z));
        F8 u = f8_max(f8_sub(one, f8_mad(ax, ax, f8_mad(ay, ay, f8_mul(az, az)))), f8_zero());
        sum = f8_mad(f8_set(g->weight), f8_mul(f8_mul(u, u), u), sum);
    }
    return sum;
}

static void filled_half(const void* context, const HalfRow* half, float* phi)
{
    F8 x = f8_add(f8_ramp(), f8_set(half->x));
    F8 sum = filled(&half->scratch->layer, half->hit, half->count, context, x, half->y);
    f8_store(phi, f8_sub(f8_set(FIELD_SHARE), sum));
}

bool field_anisotropic(const Lattice* lattice, BlockKey key, const Shape3* shape, FieldScratch* scratch, float* phi, bool* out_ok)
{
    float reach = (float)lattice->reach;
    FieldMethod method = {filled_half, shape, reach, reach, FIELD_SHARE - 1, FIELD_SHARE};
    return field_block(lattice, key, scratch, &method, phi, out_ok);
}
