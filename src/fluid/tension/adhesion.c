// SPDX-License-Identifier: MIT
#include "fluid/tension/adhesion.h"

#include "fluid/tension/cohesion.h"
#include "fluid/tension/tension.h"

// beta / gamma from which on a solid attracts as much as the fluid it replaces: drops no longer shrink from it.
static const double LIKE_FLUID = 4.0 / 3;

void wetting_set(Wetting* wetting, const Kernel* k, int kind, double beta, double gamma)
{
    double scale = k->dimension == 2 ? ADHESION_SCALE_2D : ADHESION_SCALE_3D;
    wetting->strength[kind] = (float)(beta * TENSION_DENSITY * scale / pow((double)k->h, k->dimension));
    wetting->share[kind] = gamma > 0 ? (float)fmin(1, beta / (LIKE_FLUID * gamma)) : 0;
}

static void adhesion_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Sph* sph = context;
    const F8 inverse_h = f8_set(1 / sph->kernel.h), least = f8_set(1e-12f * sph->kernel.h * sph->kernel.h);
    for (size_t c = begin; c < end; c++) {
        const NearBoundary* near = sph->neighbours.chunk[c].near;
        if (!near)
            continue;
        F8 x, y, z, p, ax, ay, az, w;
        f8_load4(sph->fluid.position + LANES * c, &x, &y, &z, &p);
        f8_load4(sph->fluid.acceleration + LANES * c, &ax, &ay, &az, &w);
        const uint16_t* coefficient = list_coefficients(near->index, near->slots);
        for (uint32_t s = 0; s < near->slots; s++) {
            const uint32_t* index = near->index + LANES * s;
            F8 xb, yb, zb, volume;
            f8_gather4(sph->walls.points.position, index, &xb, &yb, &zb, &volume);
            float strength[LANES];
            for (size_t k = 0; k < LANES; k++)
                strength[k] = sph->walls.wetting[sph->walls.solid[index[k]]].strength[(int)sph->fluid.velocity[LANES * c + k].w];
            F8 dx = f8_sub(x, xb), dy = f8_sub(y, yb), dz = f8_sub(z, zb);
            F8 r = f8_sqrt(f8_max(f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx))), least));
            F8 f = f8_mul(f8_mul(f8_load(strength), volume), adhesion8(f8_mul(r, inverse_h)));
            f = f8_and(f8_div(f, r), f8_not_zero(f8_load_half(coefficient + LANES * s))); // padding has c = 0
            ax = f8_nmad(f, dx, ax);
            ay = f8_nmad(f, dy, ay);
            az = f8_nmad(f, dz, az);
        }
        f8_store4(sph->fluid.acceleration + LANES * c, ax, ay, az, w);
    }
}

void adhesion_acceleration(Sph* sph)
{
    if (sph->walls.wetting && sph->walls.points.position)
        parallel_for(sph->pool, block_count(sph->fluid.set.count, LANES), CHUNK_GRAIN, adhesion_block, sph);
}

float adhesion_pair(const Sph* sph, Vec4 x, int kind, uint32_t b)
{
    if (!sph->walls.wetting)
        return 0;
    Vec4 xb = sph->walls.points.position[b];
    float dx = x.x - xb.x, dy = x.y - xb.y, dz = x.z - xb.z, h = sph->kernel.h;
    float r = sqrtf(fmaxf(fmaf(dz, dz, fmaf(dy, dy, dx * dx)), 1e-12f * h * h)), q = r * (1 / h);
    float square = fmaf(fmaf(-4, q, 6), q, -2), shape = q > 0.5f && square > 0 ? sqrtf(sqrtf(square)) : 0;
    return sph->walls.wetting[sph->walls.solid[b]].strength[kind] * xb.w * shape / r;
}
