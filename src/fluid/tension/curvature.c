// SPDX-License-Identifier: MIT
// Tension from the shape of the surface. A cohesion between all particles (akinci) presses on the whole fluid with about sigma / h,
// and disordered particles under such a pressure lock like grains: small waves freeze. Here nothing acts inside. With
//   G_i = V0 sum_j grad W_ij + 1/2 sum_b V_b grad W_ib             gradient of the fluid's colour; 0 inside
// the acceleration is that of a continuous surface force (Brackbill et al. 1992),
//   a_i = 2 f sigma kappa_i G_i / rho0
// Constant pressures P push by -2 P G_i / rho0 (walls by half as much): with P = sigma kappa both cancel, however particles
// lie, so this is a pressure of the surface, and only differences of curvature move anybody. (The same force dealt out to
// neighbours acts a spacing deeper: waves of 24 spacings had periods 14 % too long.) f makes up for the sums over a lattice that
// stand for an integral, 1.05. What is new here is where kappa comes from, the band
//   g_i = V0 sum_j W_ij G'_j                                       G' is G but beside walls, see contact.h
// of two to three layers, by particles within H on the same side of the fluid, w the Wendland kernel of that support, 4 spacings in
// 2D and 3 in 3D, where there are more of them:
//   n_i ~ -sum_j w g_j                    outward, unit length
//   n_j = a + B (x_j - x_i)               least squares in the tangent plane, weights w |g_j|
//   kappa = sum of k / (1 + k d), k the eigenvalues of B, d a depth below the surface
//   kappa <- S kappa + 3 (S kappa - S S kappa),   S the mean with weights w |g_j|
// The sum over normals, the fit and the mean take each about as much from short waves; the last line gives it back to second
// order, so that long ones have their whole curvature, and never amplifies. d is 0.16 h: the band lies twice as deep, by which
// drops had their pressure within 1 % and periods up to 20 % too long; with 0.16 h both are within 5 % (docs/theory/tension.md). At
// walls the band goes on by images (contact.h). A closed surface has no net force and torque, which sums keep to about a hundredth:
// balance.c takes the rest. Surfaces that curve inwards pull: pressures may be negative down to -sigma / spacing
// (Sph.lowest_pressure); cut off at 0, they feed drops on walls with energy until they fly apart.
#include "fluid/mirror.h"
#include "fluid/tension/band.h"
#include "fluid/tension/tension.h"
#include <string.h>

static const float DEPTH = 0.16f;      // [h] see above
static const float LEAST = 0.02f;      // |g| times the spacing from which on a particle belongs to the band; 0.3 at a flat surface
static const float SAME_SIDE = 0.2f;   // least cosine between normals of one side
static const float SHARPENING = 3;     // see above
static const float LEAST_SPAN = 1e-4f; // [H^2] variance of places in the tangent plane that a fit needs
static const float MOST = 0.5f;        // [1/spacing] largest principal curvature that there is
enum { BAND_GRAIN = 64 };

typedef struct Job {
    Sph* sph;
    SurfaceBand* band;
    float reach;    // [m] H
    float depth;    // [m]
    float strength; // [1] that makes a jump of sigma kappa of sums over a flat surface
    const float* sigma;
} Job;

// --- the colour's gradient

// To the force: one layer of wall particles pushes as fluid of the same pressure does, half as much as a particle and its neighbour
// together. To the shape: as walls have it where some surface is near, else as if they were fluid.
static void add_walls(const Job* job, size_t c)
{
    const Sph* sph = job->sph;
    const NearBoundary* near = sph->neighbours.chunk[c].near;
    const float least = LEAST / 2 / (2 * (float)sph->radius);
    for (size_t i = LANES * c; i < LANES * (c + 1) && i < sph->fluid.set.count; i++) {
        Vec4 *gradient = &job->band->gradient[i], *shape = &job->band->shape[i];
        const size_t lane = i - LANES * c;
        const float fluid[3] = {shape->x, shape->y, shape->z};
        float sum[3], g[3];
        WallContact wall;
        for (int k = 0; k < 3; k++)
            sum[k] = fluid[k] + near->gradient[k][lane];
        *shape = (Vec4){sum[0], sum[1], sum[2], shape->w};
        *gradient = (Vec4){(fluid[0] + sum[0]) / 2, (fluid[1] + sum[1]) / 2, (fluid[2] + sum[2]) / 2, gradient->w};
        if (!(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] > least * least) || !sph->walls.contact ||
            !contact_find(sph, i, &wall) || mirror_is(sph, wall.solid))
            continue;
        contact_gradient(sph, &wall, fluid, sum, g);
        *shape = (Vec4){g[0], g[1], g[2], shape->w};
    }
}

static void gradient_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Sph* sph = job->sph;
    const Vec4 *x = sph->fluid.position, *v = sph->fluid.velocity;
    const bool many = sph->material_count > 1;
    const F8 scale = f8_set(sph->kernel.gradient * sph->volume);
    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
        F8 xi[3], unused, kind, kj, u0, u1, u2, g[3] = {f8_zero(), f8_zero(), f8_zero()};
        f8_load4(x + LANES * c, &xi[0], &xi[1], &xi[2], &unused);
        f8_load4(v + LANES * c, &u0, &u1, &u2, &kind);
        for (uint32_t slot = 0; slot < list->slots; slot++) {
            const uint32_t* twice = list->twice + LANES * slot;
            list_prefetch(list->twice, slot);
            F8 d[3], f = f8_load_half(coefficient + LANES * slot);
            f8_gather4_twice(x, twice, &d[0], &d[1], &d[2], &unused);
            if (many) {
                f8_gather4_twice(v, twice, &u0, &u1, &u2, &kj);
                f = f8_pick(f8_not_zero(f8_sub(kind, kj)), f8_zero(), f);
            }
            for (int k = 0; k < 3; k++)
                d[k] = f8_sub(xi[k], d[k]);
            if (sph->grid.period.any)
                period_nearest(&sph->grid.period, &d[0], &d[1], &d[2]);
            for (int k = 0; k < 3; k++)
                g[k] = f8_mad(f, d[k], g[k]);
        }
        if (mirror_any(sph))
            mirror_gradient(sph, list, xi, g);
        for (int k = 0; k < 3; k++)
            g[k] = f8_mul(g[k], scale);
        f8_store4(job->band->shape + LANES * c, g[0], g[1], g[2], kind);
        f8_store4(job->band->gradient + LANES * c, g[0], g[1], g[2], kind);
        if (list->near)
            add_walls(job, c);
    }
}

static void spread_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Sph* sph = job->sph;
    const Vec4 *x = sph->fluid.position, *gradient = job->band->shape;
    const F8 scale = f8_set(sph->volume * sph->kernel.norm), inverse_h = f8_set(1 / sph->kernel.h);
    for (size_t c = begin; c < end; c++) {
        const ChunkList* list = &sph->neighbours.chunk[c];
        const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
        F8 xi, yi, zi, unused, g[3], kind;
        f8_load4(x + LANES * c, &xi, &yi, &zi, &unused);
        f8_load4(gradient + LANES * c, &g[0], &g[1], &g[2], &kind); // its own share, w(0) = 1
        for (uint32_t slot = 0; slot < list->slots; slot++) {
            const uint32_t* twice = list->twice + LANES * slot;
            list_prefetch(list->twice, slot);
            F8 xj, yj, zj, gj[3], kj;
            f8_gather4_twice(x, twice, &xj, &yj, &zj, &unused);
            f8_gather4_twice(gradient, twice, &gj[0], &gj[1], &gj[2], &kj);
            F8 dx = f8_sub(xi, xj), dy = f8_sub(yi, yj), dz = f8_sub(zi, zj);
            if (sph->grid.period.any)
                period_nearest(&sph->grid.period, &dx, &dy, &dz);
            F8 w = kernel8_w(sph->kernel.type, f8_mul(f8_sqrt(f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)))), inverse_h));
            w = f8_and(w, f8_not_zero(f8_load_half(coefficient + LANES * slot))); // padding has c = 0
            w = f8_pick(f8_not_zero(f8_sub(kind, kj)), f8_zero(), w);
            for (int k = 0; k < 3; k++)
                g[k] = f8_mad(w, gj[k], g[k]);
        }
        f8_store4(job->band->spread + LANES * c, f8_mul(g[0], scale), f8_mul(g[1], scale), f8_mul(g[2], scale), kind);
    }
}

// --- who counts, and how much

// What a sum over the band is about: a particle, and the direction that others of its side share.
typedef struct Viewer {
    float reach;
    float direction[3]; // of unit length
    float least;        // cosine with it
    float kind;         // of the fluid
} Viewer;

static inline F8 dot(const F8 a[3], const float b[3])
{
    return f8_mad(a[2], f8_set(b[2]), f8_mad(a[1], f8_set(b[1]), f8_mul(a[0], f8_set(b[0]))));
}

// The weights w of eight others at `d` with directions n; lanes from `end` on are not there.
static inline F8 weights(const Viewer* v, const F8 d[3], const F8 n[3], F8 kind, uint32_t j, uint32_t end)
{
    F8 q = f8_mul(f8_sqrt(f8_mad(d[2], d[2], f8_mad(d[1], d[1], f8_mul(d[0], d[0])))), f8_set(1 / v->reach));
    F8 w = f8_and(kernel8_w(MN_KERNEL_WENDLAND, q), f8_less(f8_set(v->least), dot(n, v->direction)));
    w = f8_and(w, f8_less(f8_ramp(), f8_set((float)(end - j))));
    return f8_pick(f8_not_zero(f8_sub(kind, f8_set(v->kind))), f8_zero(), w);
}

static inline void load_apart(const SurfaceBand* band, uint32_t j, Vec4 at, F8 d[3], F8* size)
{
    f8_load4(band->at + j, &d[0], &d[1], &d[2], size);
    d[0] = f8_sub(d[0], f8_set(at.x));
    d[1] = f8_sub(d[1], f8_set(at.y));
    d[2] = f8_sub(d[2], f8_set(at.z));
}

static Viewer viewer(const Job* job, Vec4 direction, float sign, float least)
{
    return (Viewer){job->reach, {sign * direction.x, sign * direction.y, sign * direction.z}, least, direction.w};
}

// --- normals

typedef struct NormalSums {
    Viewer viewer;
    F8 sum[3];
} NormalSums;

static void normal_run(const SurfaceBand* band, Vec4 at, uint32_t begin, uint32_t end, void* context)
{
    NormalSums* s = context;
    for (uint32_t j = begin; j < end; j += LANES) {
        F8 d[3], size, g[3], kind;
        load_apart(band, j, at, d, &size);
        f8_load4(band->inward + j, &g[0], &g[1], &g[2], &kind);
        F8 w = weights(&s->viewer, d, g, kind, j, end);
        for (int k = 0; k < 3; k++)
            s->sum[k] = f8_mad(w, g[k], s->sum[k]);
    }
}

static void normal_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    SurfaceBand* band = job->band;
    for (size_t i = begin; i < end; i++) {
        NormalSums s = {viewer(job, band->inward[i], 1, 0), {f8_zero(), f8_zero(), f8_zero()}};
        band_around(band, &job->sph->grid.period, band->at[i], normal_run, &s);
        float n[3] = {-f8_sum(s.sum[0]), -f8_sum(s.sum[1]), -f8_sum(s.sum[2])};
        float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), inverse = length > 0 ? 1 / length : 0;
        band->normal[i] = (Vec4){n[0] * inverse, n[1] * inverse, n[2] * inverse, s.viewer.kind};
    }
}

// --- fit

typedef struct FitSums {
    Viewer viewer;
    float tangent[2][3];
    F8 weight, x[2], n[2], xx[3], nx[2][2]; // of w, w x_a, w n_a, w x_a x_b (last: x_0 x_1), w n_a x_b
} FitSums;

// Two directions across n; in 2D one, in the plane.
static void tangents(const float n[3], int dimension, float t[2][3])
{
    memset(t, 0, 2 * sizeof t[0]);
    if (dimension == 2) {
        t[0][0] = -n[1];
        t[0][1] = n[0];
        return;
    }
    int least = fabsf(n[1]) < fabsf(n[0]) ? 1 : 0;
    least = fabsf(n[2]) < fabsf(n[least]) ? 2 : least;
    float inverse = 1 / sqrtf(fmaxf(1 - n[least] * n[least], 0.1f));
    for (int k = 0; k < 3; k++)
        t[0][k] = ((k == least) - n[least] * n[k]) * inverse;
    for (int k = 0; k < 3; k++)
        t[1][k] = n[(k + 1) % 3] * t[0][(k + 2) % 3] - n[(k + 2) % 3] * t[0][(k + 1) % 3];
}

static void fit_run(const SurfaceBand* band, Vec4 at, uint32_t begin, uint32_t end, void* context)
{
    FitSums* s = context;
    for (uint32_t j = begin; j < end; j += LANES) {
        F8 d[3], size, n[3], kind;
        load_apart(band, j, at, d, &size);
        f8_load4(band->normal + j, &n[0], &n[1], &n[2], &kind);
        F8 w = f8_mul(weights(&s->viewer, d, n, kind, j, end), size);
        F8 x[2] = {dot(d, s->tangent[0]), dot(d, s->tangent[1])}, m[2] = {dot(n, s->tangent[0]), dot(n, s->tangent[1])};
        s->weight = f8_add(s->weight, w);
        for (int a = 0; a < 2; a++) {
            F8 wx = f8_mul(w, x[a]);
            s->x[a] = f8_add(s->x[a], wx);
            s->n[a] = f8_mad(w, m[a], s->n[a]);
            s->xx[a] = f8_mad(wx, x[a], s->xx[a]);
            s->nx[0][a] = f8_mad(wx, m[0], s->nx[0][a]);
            s->nx[1][a] = f8_mad(wx, m[1], s->nx[1][a]);
        }
        s->xx[2] = f8_mad(f8_mul(w, x[0]), x[1], s->xx[2]);
    }
}

// Sum of the eigenvalues of B after each k became k / (1 + k depth).
static float at_surface(double trace, double determinant, double depth)
{
    double below = 1 + depth * trace + depth * depth * determinant;
    return (float)((trace + 2 * depth * determinant) / fmax(below, 0.2));
}

static float fitted(const FitSums* s, int dimension, double reach, double depth)
{
    double w = (double)f8_sum(s->weight), x[2], n[2], xx[3], nx[2][2];
    if (!(w > 0))
        return 0;
    for (int a = 0; a < 2; a++) {
        x[a] = (double)f8_sum(s->x[a]) / w;
        n[a] = (double)f8_sum(s->n[a]) / w;
    }
    for (int a = 0; a < 2; a++) {
        xx[a] = (double)f8_sum(s->xx[a]) / w - x[a] * x[a] + (double)LEAST_SPAN * reach * reach;
        for (int b = 0; b < 2; b++)
            nx[a][b] = (double)f8_sum(s->nx[a][b]) / w - n[a] * x[b];
    }
    if (dimension == 2)
        return at_surface(nx[0][0] / xx[0], 0, depth);
    xx[2] = (double)f8_sum(s->xx[2]) / w - x[0] * x[1];
    double inverse = 1 / (xx[0] * xx[1] - xx[2] * xx[2]), b[2][2];
    for (int a = 0; a < 2; a++) {
        b[a][0] = (nx[a][0] * xx[1] - nx[a][1] * xx[2]) * inverse;
        b[a][1] = (nx[a][1] * xx[0] - nx[a][0] * xx[2]) * inverse;
    }
    return at_surface(b[0][0] + b[1][1], b[0][0] * b[1][1] - b[0][1] * b[1][0], depth);
}

static void fit_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    SurfaceBand* band = job->band;
    const int dimension = job->sph->kernel.dimension;
    for (size_t i = begin; i < end; i++) {
        FitSums s;
        memset(&s, 0, sizeof s);
        s.viewer = viewer(job, band->normal[i], 1, SAME_SIDE);
        tangents(s.viewer.direction, dimension, s.tangent);
        band_around(band, &job->sph->grid.period, band->at[i], fit_run, &s);
        float kappa = fitted(&s, dimension, (double)job->reach, (double)job->depth),
              most = MOST * (float)(dimension - 1) / (2 * (float)job->sph->radius);
        band->fitted[i] = fminf(fmaxf(kappa, -most), most);
    }
}

// --- mean over the surface

typedef struct MeanSums {
    Viewer viewer;
    F8 weight, sum;
} MeanSums;

static void mean_run(const SurfaceBand* band, Vec4 at, uint32_t begin, uint32_t end, void* context)
{
    MeanSums* s = context;
    for (uint32_t j = begin; j < end; j += LANES) {
        F8 d[3], size, n[3], kind;
        load_apart(band, j, at, d, &size);
        f8_load4(band->normal + j, &n[0], &n[1], &n[2], &kind);
        F8 w = f8_mul(weights(&s->viewer, d, n, kind, j, end), size);
        s->weight = f8_add(s->weight, w);
        s->sum = f8_mad(w, f8_load(band->fitted + j), s->sum);
    }
}

static void mean_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    SurfaceBand* band = job->band;
    for (size_t i = begin; i < end; i++) {
        MeanSums s = {viewer(job, band->normal[i], 1, SAME_SIDE), f8_zero(), f8_zero()};
        band_around(band, &job->sph->grid.period, band->at[i], mean_run, &s);
        float w = f8_sum(s.weight);
        band->curvature[i] = w > 0 ? f8_sum(s.sum) / w : 0;
    }
}

static void smooth(Job* job)
{
    SurfaceBand* band = job->band;
    parallel_for(job->sph->pool, band->count, BAND_GRAIN, mean_block, job);
    band_copy(band, band->curvature);
    memcpy(band->fitted, band->curvature, band->count * sizeof *band->fitted);
    parallel_for(job->sph->pool, band->count, BAND_GRAIN, mean_block, job);
    for (size_t k = 0; k < band->count; k++) // of images, what nobody reads
        band->curvature[k] = band->fitted[k] + SHARPENING * (band->fitted[k] - band->curvature[k]);
}

// --- forces

static void find_forces(const Job* job)
{
    SurfaceBand* band = job->band;
    for (size_t k = 0; k < band->count; k++) {
        Vec4 g = band->gradient[band->particle[k]];
        float f = band_is_image(band, k)
                      ? 0
                      : job->strength * job->sigma[(int)g.w] * band->curvature[k] / job->sph->material[(int)g.w].density;
        band->force[k] = (Vec4){f * g.x, f * g.y, f * g.z, 0};
    }
}

static void add_forces(const Job* job)
{
    const SurfaceBand* band = job->band;
    for (size_t k = 0; k < band->count; k++) {
        if (band_is_image(band, k))
            continue;
        Vec4 *a = &job->sph->fluid.acceleration[band->particle[k]], f = band->force[k];
        *a = (Vec4){a->x + f.x, a->y + f.y, a->z + f.z, a->w};
    }
}

// 1 over the sum of |G| times the spacing over the layers of a lattice with a flat surface.
static float strength_of(const Sph* sph)
{
    const double d = 2 * sph->radius;
    const int n = (int)ceil((double)sph->kernel.h / d), deep = sph->kernel.dimension == 3 ? n : 0;
    double sum = 0; // a pair m layers apart is cut by the surface m times
    for (int m = 1; m <= n; m++)
        for (int a = -n; a <= n; a++)
            for (int b = -deep; b <= deep; b++) {
                double r = d * sqrt((double)(m * m + a * a + b * b));
                sum -= m * kernel_slope(&sph->kernel, r) * m * d / r;
            }
    return (float)(1 / (sum * (double)sph->volume * d));
}

float curvature_reach(const Sph* sph)
{
    return (sph->kernel.dimension == 3 ? 3.0f : 4.0f) * 2 * (float)sph->radius;
}

static bool curvature_add(Sph* sph, const float gamma[FLUIDS_MOST])
{
    SurfaceBand* band = sph->band;
    float sigma[FLUIDS_MOST] = {0}, spacing = (float)(2 * sph->radius);
    for (int k = 0; k < sph->material_count; k++)
        sigma[k] = gamma[k] > 0 ? (float)tension_sigma(sph, k) : 0;
    Job job = {.sph = sph,
               .band = band,
               .reach = curvature_reach(sph),
               .depth = DEPTH * sph->kernel.h,
               .strength = strength_of(sph),
               .sigma = sigma};
    const size_t count = sph->fluid.set.count, chunks = block_count(count, LANES);
    parallel_for(sph->pool, chunks, CHUNK_GRAIN, gradient_block, &job);
    parallel_for(sph->pool, chunks, CHUNK_GRAIN, spread_block, &job);
    if (!band_find(band, sph, LEAST / spacing, sigma))
        return false;
    parallel_for(sph->pool, band->count, BAND_GRAIN, normal_block, &job);
    band_reflect(band, band->normal);
    parallel_for(sph->pool, band->count, BAND_GRAIN, fit_block, &job);
    band_copy(band, band->fitted);
    smooth(&job);
    find_forces(&job);
    bool ok = band_balance(band, sph);
    add_forces(&job);
    return ok;
}

const TensionMethod tension_curvature = {.name = "curvature", .band = true, .strength = {10, 5.7}, .add = curvature_add};
