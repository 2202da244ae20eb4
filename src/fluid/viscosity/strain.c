// SPDX-License-Identifier: MIT
// The velocity gradient L that fits best what the neighbours do, in the sense of least squares with weights w = -c_ij:
//   L_i = [sum_j w v_ij x_ij^T] [sum_j w x_ij x_ij^T]^-1,   S_i = (L_i + L_i^T) / 2
// Walls take no part: the fit needs no full neighbourhood. Where the neighbours do not span the space (a droplet, a thread) there
// is no such fit, and S_i = 0.
#include "fluid/viscosity/strain.h"

bool strain_reserve(Sph* sph)
{
    return !sph_is_smooth(sph) || (memory_reserve(sph->memory, &sph->scratch.strain[0], &sph->scratch.strain_capacity[0], 0,
                                                  sph->fluid.set.capacity + 16, sizeof *sph->scratch.strain[0]) &&
                                   memory_reserve(sph->memory, &sph->scratch.strain[1], &sph->scratch.strain_capacity[1], 0,
                                                  sph->fluid.set.capacity + 16, sizeof *sph->scratch.strain[1]));
}

typedef struct Fit {
    F8 b[3][3]; // sum w v_ij x_ij^T
    F8 m[6];    // sum w x_ij x_ij^T: xx, yy, zz, xy, yz, zx
} Fit;

static void add_pairs(const Sph* sph, const ChunkList* list, size_t c, Fit* fit)
{
    const Vec4 *x = sph->fluid.position, *v = sph->fluid.velocity;
    F8 xi, yi, zi, ui, vi, wi, unused;
    f8_load4(x + LANES * c, &xi, &yi, &zi, &unused);
    f8_load4(v + LANES * c, &ui, &vi, &wi, &unused);
    const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
    for (uint32_t s = 0; s < list->slots; s++) {
        list_prefetch(list->twice, s);
        F8 xj, yj, zj, uj, vj, wj;
        f8_gather4_twice(x, list->twice + LANES * s, &xj, &yj, &zj, &unused);
        f8_gather4_twice(v, list->twice + LANES * s, &uj, &vj, &wj, &unused);
        F8 w = f8_sub(f8_zero(), f8_load_half(coefficient + LANES * s));
        F8 d[3] = {f8_sub(xi, xj), f8_sub(yi, yj), f8_sub(zi, zj)};
        if (sph->grid.period.any)
            period_nearest(&sph->grid.period, &d[0], &d[1], &d[2]);
        F8 u[3] = {f8_sub(ui, uj), f8_sub(vi, vj), f8_sub(wi, wj)};
        F8 wd[3] = {f8_mul(w, d[0]), f8_mul(w, d[1]), f8_mul(w, d[2])};
        for (int a = 0; a < 3; a++) {
            for (int k = 0; k < 3; k++)
                fit->b[a][k] = f8_mad(u[a], wd[k], fit->b[a][k]);
            fit->m[a] = f8_mad(d[a], wd[a], fit->m[a]);
            fit->m[3 + a] = f8_mad(d[a], wd[(a + 1) % 3], fit->m[3 + a]);
        }
    }
}

// (L + L^T) / 2, as xx, yy, zz, xy, yz, zx
static void solve(const Fit* fit, bool plane, F8 s[6])
{
    const F8 xx = fit->m[0], yy = fit->m[1], xy = fit->m[3], yz = fit->m[4], zx = fit->m[5];
    // in a plane there is nothing to fit across it
    const F8 zz = plane ? f8_mul(f8_set(0.5f), f8_add(xx, yy)) : fit->m[2];
    F8 a[6] = {f8_nmad(yz, yz, f8_mul(yy, zz)), f8_nmad(zx, zx, f8_mul(xx, zz)), f8_nmad(xy, xy, f8_mul(xx, yy)),
               f8_nmad(xy, zz, f8_mul(yz, zx)), f8_nmad(yz, xx, f8_mul(xy, zx)), f8_nmad(zx, yy, f8_mul(xy, yz))};
    F8 determinant = f8_mad(zx, a[5], f8_mad(xy, a[3], f8_mul(xx, a[0])));
    F8 third = f8_mul(f8_set(1.0f / 3), f8_add(f8_add(xx, yy), zz)),
       least = f8_mul(f8_set(0.05f), f8_mul(third, f8_mul(third, third)));
    F8 spans = f8_less(least, determinant);
    F8 inverse = f8_and(f8_div(f8_set(1), f8_pick(spans, determinant, f8_set(1))), spans);
    F8 l[3][3];
    for (int r = 0; r < 3; r++) {
        const F8* b = fit->b[r];
        l[r][0] = f8_mad(b[2], a[5], f8_mad(b[1], a[3], f8_mul(b[0], a[0])));
        l[r][1] = f8_mad(b[2], a[4], f8_mad(b[1], a[1], f8_mul(b[0], a[3])));
        l[r][2] = f8_mad(b[2], a[2], f8_mad(b[1], a[4], f8_mul(b[0], a[5])));
    }
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        s[k] = f8_mul(inverse, l[k][k]);
        s[3 + k] = f8_mul(f8_mul(f8_set(0.5f), inverse), f8_add(l[k][next], l[next][k]));
    }
}

static void strain_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Sph* sph = context;
    const F8 zero = f8_zero();
    for (size_t c = begin; c < end; c++) {
        Fit fit;
        for (int k = 0; k < 9; k++)
            fit.b[k / 3][k % 3] = zero;
        for (int k = 0; k < 6; k++)
            fit.m[k] = zero;
        add_pairs(sph, &sph->neighbours.chunk[c], c, &fit);
        F8 s[6];
        solve(&fit, sph->kernel.dimension == 2, s);
        f8_store4(sph->scratch.strain[0] + LANES * c, s[0], s[1], s[2], s[3]);
        f8_store4(sph->scratch.strain[1] + LANES * c, s[4], s[5], zero, zero);
    }
}

void strain_rates(Sph* sph)
{
    parallel_for(sph->pool, block_count(sph->fluid.set.count, LANES), CHUNK_GRAIN, strain_block, sph);
}
