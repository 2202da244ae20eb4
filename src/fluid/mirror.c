// SPDX-License-Identifier: MIT
#include "fluid/mirror.h"

int mirror_codes(const Sph* sph, const F8 x[3], uint8_t out[MIRROR_IMAGES])
{
    const float h = sph->kernel.h;
    uint8_t side[3][3];
    int sides[3], count = 0;
    for (int k = 0; k < 3; k++) {
        sides[k] = 0;
        side[k][sides[k]++] = 0;
        if (f8_smallest(x[k]) < sph->mirror.low[k] + h)
            side[k][sides[k]++] = 1;
        if (f8_largest(x[k]) > sph->mirror.high[k] - h)
            side[k][sides[k]++] = 2;
    }
    for (int a = 0; a < sides[0]; a++)
        for (int b = 0; b < sides[1]; b++)
            for (int c = 0; c < sides[2]; c++)
                if (a + b + c > 0)
                    out[count++] = (uint8_t)(side[0][a] | side[1][b] << 2 | side[2][c] << 4);
    return count;
}

// All bits set for particles in the box, or hardly beyond its walls.
static F8 is_inside(const Sph* sph, const F8 x[3])
{
    const float room = (float)sph->radius;
    F8 inside = f8_less(f8_zero(), f8_set(1));
    for (int k = 0; k < 3; k++) {
        inside = f8_and(inside, f8_less(f8_set(sph->mirror.low[k] - room), x[k]));
        inside = f8_and(inside, f8_less(x[k], f8_set(sph->mirror.high[k] + room)));
    }
    return inside;
}

// A chunk's images one after the other, and for each the pairs of its list, then each particle's own image.
typedef struct Walk {
    const Sph* sph;
    const ChunkList* list;
    const uint16_t* coefficient;
    const Vec4* position;
    F8 x[3], inside;
    uint8_t code[MIRROR_IMAGES];
    int codes;
    Image image;
    F8 d[3], r2, q; // of the pair at hand
    F8 valid;       // whether there is one
} Walk;

static bool walk_begin(Walk* w, const Sph* sph, const ChunkList* list, const Vec4* position, const F8 x[3])
{
    w->codes = mirror_codes(sph, x, w->code);
    if (w->codes == 0)
        return false;
    w->sph = sph;
    w->list = list;
    w->coefficient = list_coefficients(list->twice, list->slots);
    w->position = position;
    for (int k = 0; k < 3; k++)
        w->x[k] = x[k];
    w->inside = is_inside(sph, x);
    return true;
}

// Slot `s` of the list; the one after the last is a particle's own image. *w4 is the fourth number of the others' records.
static inline void walk_pair(Walk* w, uint32_t s, F8* w4)
{
    F8 other[3] = {w->x[0], w->x[1], w->x[2]};
    w->valid = w->inside;
    if (s < w->list->slots) {
        f8_gather4_twice(w->position, w->list->twice + LANES * s, &other[0], &other[1], &other[2], w4);
        w->valid = f8_and(w->valid, f8_not_zero(f8_load_half(w->coefficient + LANES * s))); // padding has c = 0
    }
    mirror_apart(w->image.base, w->image.sign, other, w->d);
    if (w->sph->grid.period.any)
        period_nearest(&w->sph->grid.period, &w->d[0], &w->d[1], &w->d[2]);
    w->r2 = f8_mad(w->d[2], w->d[2], f8_mad(w->d[1], w->d[1], f8_mul(w->d[0], w->d[0])));
    w->q = f8_mul(f8_sqrt(w->r2), f8_set(1 / w->sph->kernel.h));
}

static inline F8 walk_coefficient(const Walk* w)
{
    return f8_and(kernel8_c(w->sph->kernel.type, w->q), w->valid);
}

void mirror_acceleration(const Sph* sph, const ChunkList* list, const F8 x[3], F8 p, F8 sum[3])
{
    Walk w;
    if (!walk_begin(&w, sph, list, sph->fluid.position, x))
        return;
    for (int n = 0; n < w.codes; n++) {
        w.image = mirror_image(sph, w.code[n], x);
        for (uint32_t s = 0; s <= list->slots; s++) {
            F8 pj = p;
            walk_pair(&w, s, &pj);
            F8 f = f8_mul(walk_coefficient(&w), f8_add(p, pj));
            for (int k = 0; k < 3; k++)
                sum[k] = f8_mad(f, w.d[k], sum[k]);
        }
    }
}

void mirror_gradient(const Sph* sph, const ChunkList* list, const F8 x[3], F8 sum[3])
{
    Walk w;
    F8 unused;
    if (!walk_begin(&w, sph, list, sph->fluid.position, x))
        return;
    for (int n = 0; n < w.codes; n++) {
        w.image = mirror_image(sph, w.code[n], x);
        for (uint32_t s = 0; s <= list->slots; s++) {
            walk_pair(&w, s, &unused);
            for (int k = 0; k < 3; k++)
                sum[k] = f8_mad(walk_coefficient(&w), w.d[k], sum[k]);
        }
    }
}

F8 mirror_divergence(const Sph* sph, const ChunkList* list, const Vec4* u, const F8 x[3], const F8 ui[3])
{
    Walk w;
    F8 sum = f8_zero(), unused;
    if (!walk_begin(&w, sph, list, sph->fluid.position, x))
        return sum;
    for (int n = 0; n < w.codes; n++) {
        w.image = mirror_image(sph, w.code[n], x);
        for (uint32_t s = 0; s <= list->slots; s++) {
            F8 uj[3] = {ui[0], ui[1], ui[2]}, du[3];
            walk_pair(&w, s, &unused);
            if (s < list->slots)
                f8_gather4_twice(u, list->twice + LANES * s, &uj[0], &uj[1], &uj[2], &unused);
            mirror_apart(ui, w.image.sign, uj, du);
            F8 dot = f8_mad(du[2], w.d[2], f8_mad(du[1], w.d[1], f8_mul(du[0], w.d[0])));
            sum = f8_mad(walk_coefficient(&w), dot, sum);
        }
    }
    return sum;
}

static F8 values_of(const ChunkList* list, uint32_t slot, const float* value)
{
    float out[LANES];
    for (uint32_t k = 0; k < LANES; k++)
        out[k] = value[list->twice[LANES * slot + k] / 2];
    return f8_load(out);
}

F8 mirror_virial(const Sph* sph, const ChunkList* list, const float* p, const F8 x[3], F8 pi)
{
    Walk w;
    F8 sum = f8_zero(), unused;
    if (!walk_begin(&w, sph, list, sph->fluid.position, x))
        return sum;
    for (int n = 0; n < w.codes; n++) {
        w.image = mirror_image(sph, w.code[n], x);
        for (uint32_t s = 0; s <= list->slots; s++) {
            F8 pj = pi;
            walk_pair(&w, s, &unused);
            if (s < list->slots)
                pj = values_of(list, s, p);
            sum = f8_mad(f8_mul(walk_coefficient(&w), w.r2), f8_add(pi, pj), sum);
        }
    }
    return sum;
}

bool mirror_push(const Sph* sph, size_t k, F8 sum[3])
{
    const ChunkList* list = &sph->neighbours.chunk[k];
    const float* more = sph->fluid.divergence_pressure;
    F8 x[3], p;
    Walk w;
    f8_load4(sph->fluid.position + LANES * k, &x[0], &x[1], &x[2], &p);
    if (!walk_begin(&w, sph, list, sph->fluid.position, x))
        return false;
    p = f8_add(p, f8_load(more + LANES * k));
    sum[0] = sum[1] = sum[2] = f8_zero();
    for (int n = 0; n < w.codes; n++) {
        w.image = mirror_image(sph, w.code[n], x);
        for (uint32_t s = 0; s <= list->slots; s++) {
            F8 pj = p;
            walk_pair(&w, s, &pj);
            if (s < list->slots)
                pj = f8_add(pj, values_of(list, s, more));
            F8 f = f8_mul(walk_coefficient(&w), f8_add(p, pj));
            for (int m = 0; m < 3; m++)
                sum[m] = f8_mad(f, w.d[m], sum[m]);
        }
    }
    return true;
}

F8 mirror_density(const Sph* sph, const ChunkList* list, const Vec4* at, const F8 x[3])
{
    Walk w;
    F8 sum = f8_zero(), unused;
    if (!walk_begin(&w, sph, list, at, x))
        return sum;
    for (int n = 0; n < w.codes; n++) {
        w.image = mirror_image(sph, w.code[n], x);
        for (uint32_t s = 0; s <= list->slots; s++) {
            walk_pair(&w, s, &unused);
            sum = f8_add(sum, f8_and(kernel8_w(sph->kernel.type, w.q), w.valid));
        }
    }
    return sum;
}

F8 mirror_counts(const Sph* sph, const uint32_t* boundary)
{
    float counts[LANES];
    for (int k = 0; k < LANES; k++)
        counts[k] = !mirror_is(sph, sph->walls.solid[boundary[k]]);
    return f8_load(counts);
}

// --- sums

typedef struct Sums {
    F8 w, x[3], square; // as the search has them
} Sums;

// sum_b over boundary particles of the box
static Sums box_sums(const Sph* sph, const NearBoundary* near, const F8 x[3])
{
    Sums t = {f8_zero(), {f8_zero(), f8_zero(), f8_zero()}, f8_zero()};
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    for (uint32_t s = 0; s < near->slots; s++) {
        const uint32_t* index = near->index + LANES * s;
        F8 b[3], v, d[3], c = f8_load_half(coefficient + LANES * s);
        f8_gather4(sph->walls.points.position, index, &b[0], &b[1], &b[2], &v);
        v = f8_and(f8_mul(v, f8_sub(f8_set(1), mirror_counts(sph, index))), f8_not_zero(c));
        for (int k = 0; k < 3; k++)
            d[k] = f8_sub(x[k], b[k]);
        F8 r = f8_sqrt(f8_mad(d[2], d[2], f8_mad(d[1], d[1], f8_mul(d[0], d[0]))));
        t.w = f8_mad(v, kernel8_w(sph->kernel.type, f8_mul(r, f8_set(1 / sph->kernel.h))), t.w);
        for (int k = 0; k < 3; k++)
            t.x[k] = f8_mad(f8_mul(c, v), d[k], t.x[k]);
    }
    return t;
}

static Sums image_sums(const Sph* sph, const ChunkList* list, const F8 x[3])
{
    Sums t = {f8_zero(), {f8_zero(), f8_zero(), f8_zero()}, f8_zero()};
    Walk w;
    F8 unused;
    if (!walk_begin(&w, sph, list, sph->fluid.position, x))
        return t;
    for (int n = 0; n < w.codes; n++) {
        w.image = mirror_image(sph, w.code[n], x);
        for (uint32_t s = 0; s <= list->slots; s++) {
            walk_pair(&w, s, &unused);
            F8 c = walk_coefficient(&w);
            t.w = f8_add(t.w, f8_and(kernel8_w(sph->kernel.type, w.q), w.valid));
            t.square = f8_mad(f8_mul(c, c), w.r2, t.square);
            for (int k = 0; k < 3; k++)
                t.x[k] = f8_mad(c, w.d[k], t.x[k]);
        }
    }
    return t;
}

// sum_j c x_ij and sum_j (c |x_ij|)^2 of fluid
static Sums fluid_sums(const Sph* sph, const ChunkList* list, const F8 x[3])
{
    Sums t = {f8_zero(), {f8_zero(), f8_zero(), f8_zero()}, f8_zero()};
    const uint16_t* coefficient = list_coefficients(list->twice, list->slots);
    for (uint32_t s = 0; s < list->slots; s++) {
        F8 o[3], d[3], unused, c = f8_load_half(coefficient + LANES * s);
        f8_gather4_twice(sph->fluid.position, list->twice + LANES * s, &o[0], &o[1], &o[2], &unused);
        for (int k = 0; k < 3; k++)
            d[k] = f8_sub(x[k], o[k]);
        if (sph->grid.period.any)
            period_nearest(&sph->grid.period, &d[0], &d[1], &d[2]);
        for (int k = 0; k < 3; k++) {
            d[k] = f8_mul(c, d[k]);
            t.x[k] = f8_add(t.x[k], d[k]);
        }
        t.square = f8_add(t.square, f8_mad(d[2], d[2], f8_mad(d[1], d[1], f8_mul(d[0], d[0]))));
    }
    return t;
}

typedef struct Job {
    Sph* sph;
    float* gradient;
} Job;

static F8 dot(const F8 a[3], const F8 b[3])
{
    return f8_mad(a[2], b[2], f8_mad(a[1], b[1], f8_mul(a[0], b[0])));
}

static void sums_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Job* job = context;
    const Sph* sph = job->sph;
    Fluid* fluid = &job->sph->fluid;
    const F8 volume = f8_set(sph->volume), gradient = f8_set(sph->kernel.gradient), share = f8_mul(volume, gradient);
    for (size_t c = begin; c < end; c++) {
        ChunkList* list = &job->sph->neighbours.chunk[c];
        uint8_t code[MIRROR_IMAGES];
        F8 x[3], unused;
        f8_load4(fluid->position + LANES * c, &x[0], &x[1], &x[2], &unused);
        if (mirror_codes(sph, x, code) == 0)
            continue;
        Sums image = image_sums(sph, list, x), own = fluid_sums(sph, list, x);
        F8 s = f8_mad(f8_mul(volume, f8_set(sph->kernel.norm)), image.w, f8_load(fluid->density + LANES * c));
        F8 all[3], solid[3] = {f8_zero(), f8_zero(), f8_zero()};
        if (list->near) {
            NearBoundary* near = list->near;
            Sums box = box_sums(sph, near, x);
            s = f8_nmad(f8_set(sph->kernel.norm), box.w, s);
            for (int k = 0; k < 3; k++) {
                solid[k] = f8_nmad(gradient, box.x[k], f8_load(near->gradient[k]));
                if (near->solid >= 0 && mirror_is(sph, (size_t)near->solid))
                    solid[k] = f8_zero();
                f8_store(near->gradient[k], solid[k]);
            }
        }
        for (int k = 0; k < 3; k++)
            all[k] = f8_mad(share, f8_add(image.x[k], own.x[k]), solid[k]);
        F8 square = f8_mul(f8_mul(share, f8_add(image.square, own.square)), share);
        f8_store(fluid->density + LANES * c, s);
        f8_store(fluid->diagonal + LANES * c, f8_add(square, dot(all, all)));
        if (job->gradient)
            f8_store(job->gradient + LANES * c, f8_sqrt(dot(all, all)));
    }
}

void mirror_sums(Sph* sph, float* gradient)
{
    Job job = {sph, gradient};
    parallel_for(sph->pool, block_count(sph->fluid.set.count, LANES), CHUNK_GRAIN, sums_block, &job);
}

// --- contact

typedef struct Hold {
    Sph* sph;
    float dt;
} Hold;

// The velocity away from a wall at a distance of `y`, at least so much that the step ends no closer than `least`; a particle that
// is closer already need not go back at once.
static inline float held(float v, float y, float least, float dt)
{
    float room = y - least;
    return fmaxf(v, room > 0 ? -room / dt : 0);
}

static void hold_block(void* context, size_t begin, size_t end, size_t block, int worker)
{
    const Hold* job = context;
    const Mirror* mirror = &job->sph->mirror;
    const float least = 0.5f * (float)job->sph->radius, beyond = -(float)job->sph->radius;
    for (size_t i = begin; i < end; i++) {
        Vec4 x = job->sph->fluid.position[i], *v = &job->sph->fluid.velocity[i];
        float at[3] = {x.x, x.y, x.z}, u[3] = {v->x, v->y, v->z};
        bool inside = true;
        for (int k = 0; k < 3; k++)
            inside &= at[k] - mirror->low[k] > beyond && mirror->high[k] - at[k] > beyond;
        if (!inside)
            continue;
        for (int k = 0; k < 3; k++) {
            u[k] = held(u[k], at[k] - mirror->low[k], least, job->dt);
            u[k] = -held(-u[k], mirror->high[k] - at[k], least, job->dt);
        }
        *v = (Vec4){u[0], u[1], u[2], v->w};
    }
}

void mirror_hold(Sph* sph, float dt)
{
    Hold job = {sph, dt};
    if (mirror_any(sph))
        parallel_for(sph->pool, sph->fluid.set.count, PARTICLE_GRAIN, hold_block, &job);
}
