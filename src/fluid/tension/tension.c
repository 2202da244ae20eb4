// SPDX-License-Identifier: MIT
#include "fluid/tension/tension.h"

#include "fluid/tension/adhesion.h"
#include "fluid/tension/band.h"
#include "fluid/tension/cohesion.h"
#include <string.h>

static const TensionMethod* const METHODS[] = {
    [MN_TENSION_AKINCI] = &tension_akinci,
    [MN_TENSION_BECKER] = &tension_becker,
    [MN_TENSION_TARTAKOVSKY] = &tension_tartakovsky,
    [MN_TENSION_CURVATURE] = &tension_curvature,
};

const TensionMethod* tension_method(mn_Tension method)
{
    return METHODS[method];
}

// --- shapes

double cohesion_scale(ShapeFn* shape, mn_Kernel kernel, int dimension)
{
    enum { N = 128 }; // times 8 lanes; the midpoint rule is good to 1e-6
    double sum = 0;
    for (int k = 0; k < N; k++) {
        float q[LANES], c[LANES];
        for (int lane = 0; lane < LANES; lane++)
            q[lane] = ((float)(LANES * k + lane) + 0.5f) / (N * LANES);
        f8_store(c, shape(kernel, f8_load(q)));
        for (int lane = 0; lane < LANES; lane++)
            sum += (double)(c[lane] * q[lane] * (dimension == 3 ? q[lane] : 1)) / (N * LANES);
    }
    return COHESION_PULL / ((dimension == 3 ? M_PI : 2) * sum);
}

// --- normals

static bool wants_normals(const Sph* sph)
{
    for (int k = 0; k < sph->material_count; k++)
        if (sph->material[k].gamma > 0 && tension_method(sph->material[k].tension)->normals)
            return true;
    return false;
}

bool tension_is_geometric(const FluidMaterial* m)
{
    return m->gamma > 0 && tension_method(m->tension)->band;
}

// The band, and how far surfaces that curve inwards may pull: as strongly as one with a radius of a spacing.
static bool reserve_band(Sph* sph)
{
    double most = 0, spacing = 2 * sph->radius;
    for (int k = 0; k < sph->material_count; k++)
        if (tension_is_geometric(&sph->material[k]))
            most = fmax(most, tension_sigma(sph, k));
    sph->lowest_pressure = (float)(-most / spacing);
    if (!(most > 0)) {
        band_destroy(sph->band);
        sph->band = NULL;
        return true;
    }
    if (!sph->band)
        sph->band = band_create(sph->memory, (double)curvature_reach(sph), sph->kernel.dimension);
    return sph->band && band_reserve(sph->band, sph->fluid.set.capacity);
}

bool tension_reserve(Sph* sph)
{
    if (!reserve_band(sph))
        return false;
    return !wants_normals(sph) || memory_reserve(sph->memory, &sph->scratch.normal, &sph->scratch.normal_capacity, 0,
                                                 sph->fluid.set.capacity + 16, sizeof *sph->scratch.normal);
}

// n_i += h sum_b share V_b grad W_ib: a solid that attracts the fluid as the fluid does itself is no surface to it
static void add_walls(const Sph* sph, const NearBoundary* near, size_t c, F8 n[3])
{
    F8 xi, yi, zi, unused;
    f8_load4(sph->fluid.position + LANES * c, &xi, &yi, &zi, &unused);
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    for (uint32_t slot = 0; slot < near->slots; slot++) {
        const uint32_t* index = near->index + LANES * slot;
        F8 xb, yb, zb, volume;
        float share[LANES];
        for (size_t k = 0; k < LANES; k++)
            share[k] = sph->walls.wetting[sph->walls.solid[index[k]]].share[(int)sph->fluid.velocity[LANES * c + k].w];
        f8_gather4(sph->walls.points.position, index, &xb, &yb, &zb, &volume);
        F8 f = f8_mul(f8_mul(f8_load_half(coefficient + LANES * slot), volume), f8_load(share));
        n[0] = f8_mad(f, f8_sub(xi, xb), n[0]);
        n[1] = f8_mad(f, f8_sub(yi, yb), n[1]);
        n[2] = f8_mad(f, f8_sub(zi, zb), n[2]);
    }
}

// n_i = h sum_j V0 / s_j grad W_ij over particles of the same fluid: close to 0 inside, pointing inwards at a surface
static void normal_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    Sph* sph = context;
    const Vec4 *x = sph->fluid.position, *v = sph->fluid.velocity;
    const float* s = sph->fluid.density;
    const bool many = sph->material_count > 1;
    const F8 scale = f8_set(sph->kernel.h * sph->kernel.gradient), volume = f8_set(sph->volume);
    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        F8 xi, yi, zi, unused, kind, kj, u0, u1, u2;
        f8_load4(x + LANES * c, &xi, &yi, &zi, &unused);
        f8_load4(v + LANES * c, &u0, &u1, &u2, &kind);
        F8 n[3] = {f8_zero(), f8_zero(), f8_zero()};
        const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
        for (uint32_t slot = 0; slot < list->slots; slot++) {
            const uint32_t* twice = list->twice + LANES * slot;
            list_prefetch(list->twice, slot);
            F8 xj, yj, zj;
            float sj[LANES];
            for (int k = 0; k < LANES; k++)
                sj[k] = s[twice[k] / 2];
            f8_gather4_twice(x, twice, &xj, &yj, &zj, &unused);
            F8 f = f8_div(f8_load_half(coefficient + LANES * slot), f8_load(sj));
            if (many) {
                f8_gather4_twice(v, twice, &u0, &u1, &u2, &kj);
                F8 other = f8_not_zero(f8_sub(kind, kj));
                f = f8_pick(other, f8_zero(), f);
            }
            f = f8_mul(f, volume);
            F8 dx = f8_sub(xi, xj), dy = f8_sub(yi, yj), dz = f8_sub(zi, zj);
            if (sph->grid.period.any)
                period_nearest(&sph->grid.period, &dx, &dy, &dz);
            n[0] = f8_mad(f, dx, n[0]);
            n[1] = f8_mad(f, dy, n[1]);
            n[2] = f8_mad(f, dz, n[2]);
        }
        if (list->near && sph->walls.wetting)
            add_walls(sph, list->near, c, n);
        f8_store4(sph->scratch.normal + LANES * c, f8_mul(n[0], scale), f8_mul(n[1], scale), f8_mul(n[2], scale),
                  f8_load(s + LANES * c));
    }
}

void tension_normals(Sph* sph)
{
    if (wants_normals(sph))
        parallel_for(sph->pool, block_count(sph->fluid.set.count, LANES), CHUNK_GRAIN, normal_block, sph);
}

// --- forces

// Of all methods, or of those with forces between pairs. False: out of memory.
static bool add_methods(Sph* sph, bool pairs)
{
    bool ok = true;
    for (size_t method = 0; method < sizeof METHODS / sizeof *METHODS; method++) {
        float gamma[FLUIDS_MOST] = {0}, sum = 0;
        for (int k = 0; k < sph->material_count; k++)
            if ((size_t)sph->material[k].tension == method)
                sum += gamma[k] = sph->material[k].gamma;
        if (sum > 0 && !(pairs && METHODS[method]->band))
            ok = ok && METHODS[method]->add(sph, gamma);
    }
    return ok;
}

bool tension_acceleration(Sph* sph)
{
    bool ok = add_methods(sph, false);
    adhesion_acceleration(sph);
    return ok;
}

void tension_virial(Sph* sph, float* pressure)
{
    if (!(tension_pull(sph) > 0))
        return;
    Fluid* fluid = &sph->fluid;
    memset(fluid->acceleration, 0, block_count(fluid->set.count, LANES) * LANES * sizeof *fluid->acceleration);
    tension_normals(sph);
    add_methods(sph, true);
    for (size_t i = 0; i < fluid->set.count; i++) {
        float rho0 = sph->material[(int)fluid->velocity[i].w].density;
        pressure[i] += rho0 * fluid->density[i] * fluid->acceleration[i].w / (2 * (float)sph->kernel.dimension);
    }
}

// --- limits

double tension_pull(const Sph* sph)
{
    double most = 0;
    for (int k = 0; k < sph->material_count; k++)
        if (!sph->material[k].unused)
            most = fmax(most, (double)sph->material[k].gamma);
    return most * TENSION_DENSITY * COHESION_PULL;
}

static double strength(const Sph* sph, mn_Tension method)
{
    double h = (double)sph->kernel.h;
    return tension_method(method)->strength[sph->kernel.dimension - 2] * h * h;
}

double tension_sigma(const Sph* sph, int kind)
{
    const FluidMaterial* m = &sph->material[kind];
    return strength(sph, m->tension) * (double)(m->gamma * m->density);
}

double tension_gamma(const Sph* sph, mn_Tension method, double density, double sigma)
{
    return sigma / (strength(sph, method) * density);
}

// Measured on drops without gravity (docs/theory/tension.md), beta / gamma and the angle [degrees].
typedef struct WettingPoint {
    double ratio, angle;
} WettingPoint;

static const WettingPoint wetting_3d[] = {{0, 180}, {0.33, 145}, {0.5, 129}, {0.67, 110}, {0.83, 93},
                                          {1, 79},  {1.33, 63},  {1.67, 47}, {2, 20},     {2.2, 0}};
static const WettingPoint wetting_2d[] = {{0, 180}, {0.33, 117}, {0.67, 92}, {1.33, 81}, {2, 70}, {3.3, 0}};

double tension_wetting(const Sph* sph, double angle)
{
    const WettingPoint* p = sph->kernel.dimension == 3 ? wetting_3d : wetting_2d;
    while (p[1].angle > 0 && p[1].angle > angle)
        p++;
    double t = (angle - p[0].angle) / (p[1].angle - p[0].angle);
    return p[0].ratio + t * (p[1].ratio - p[0].ratio);
}

double tension_angle(double ratio)
{
    const WettingPoint* p = wetting_3d; // in 2D drops of akinci stick
    while (p[1].angle > 0 && p[1].ratio < ratio)
        p++;
    double t = fmin((ratio - p[0].ratio) / (p[1].ratio - p[0].ratio), 1);
    return p[0].angle + t * (p[1].angle - p[0].angle);
}

double tension_limit(const Sph* sph)
{
    double most = 0, d = 2 * sph->radius;
    for (int k = 0; k < sph->material_count; k++)
        if (!sph->material[k].unused)
            most = fmax(most, tension_sigma(sph, k) / (double)sph->material[k].density);
    return most > 0 ? 0.4 * sqrt(d * d * d / (2 * M_PI * most)) : (double)INFINITY;
}
