// SPDX-License-Identifier: MIT
// The functions of simd.h lane by lane, with the same bits.
#ifndef BASE_SIMD_SCALAR_H
#define BASE_SIMD_SCALAR_H

#include "base/simd.h"

typedef struct F8 {
    float v[LANES];
} F8;
typedef struct I8 {
    uint32_t v[LANES];
} I8;

#define F8_EACH(expression)                                                                                                        \
    F8 r;                                                                                                                          \
    for (int k = 0; k < LANES; k++)                                                                                                \
        r.v[k] = (expression);                                                                                                     \
    return r

static inline float bits_to_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline uint32_t float_to_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline F8 f8_set(float a)
{
    F8_EACH(a);
}
static inline F8 f8_zero(void)
{
    F8_EACH(0.0f);
}
static inline F8 f8_ramp(void)
{
    F8_EACH((float)k);
}
static inline F8 f8_load(const float* p)
{
    F8_EACH(p[k]);
}
static inline void f8_store(float* p, F8 a)
{
    memcpy(p, a.v, sizeof a.v);
}
static inline F8 f8_add(F8 a, F8 b)
{
    F8_EACH(a.v[k] + b.v[k]);
}
static inline F8 f8_sub(F8 a, F8 b)
{
    F8_EACH(a.v[k] - b.v[k]);
}
static inline F8 f8_mul(F8 a, F8 b)
{
    F8_EACH(a.v[k] * b.v[k]);
}
static inline F8 f8_div(F8 a, F8 b)
{
    F8_EACH(a.v[k] / b.v[k]);
}
static inline F8 f8_mad(F8 a, F8 b, F8 c)
{
    F8_EACH(fmaf(a.v[k], b.v[k], c.v[k]));
}
static inline F8 f8_nmad(F8 a, F8 b, F8 c)
{
    F8_EACH(fmaf(-a.v[k], b.v[k], c.v[k]));
}
static inline F8 f8_sqrt(F8 a)
{
    F8_EACH(sqrtf(a.v[k]));
}
static inline F8 f8_floor(F8 a)
{
    F8_EACH(floorf(a.v[k]));
}
static inline F8 f8_max(F8 a, F8 b)
{
    F8_EACH(a.v[k] > b.v[k] ? a.v[k] : b.v[k]);
}
static inline F8 f8_min(F8 a, F8 b)
{
    F8_EACH(a.v[k] < b.v[k] ? a.v[k] : b.v[k]);
}
static inline F8 f8_less(F8 a, F8 b)
{
    F8_EACH(bits_to_float(a.v[k] < b.v[k] ? 0xffffffffu : 0));
}
static inline F8 f8_not_zero(F8 a)
{
    F8_EACH(bits_to_float(a.v[k] < 0 || a.v[k] > 0 ? 0xffffffffu : 0));
}
static inline F8 f8_and(F8 a, F8 mask)
{
    F8_EACH(bits_to_float(float_to_bits(a.v[k]) & float_to_bits(mask.v[k])));
}
static inline F8 f8_or(F8 a, F8 b)
{
    F8_EACH(bits_to_float(float_to_bits(a.v[k]) | float_to_bits(b.v[k])));
}
static inline F8 f8_lanes(unsigned bits)
{
    F8_EACH(bits_to_float(bits >> k & 1 ? 0xffffffffu : 0));
}
static inline F8 f8_before(F8 a, float first)
{
    F8_EACH(k == 0 ? first : a.v[k - 1]);
}
static inline F8 f8_after(F8 a, float last)
{
    F8_EACH(k == LANES - 1 ? last : a.v[k + 1]);
}
static inline F8 f8_pick(F8 mask, F8 yes, F8 no)
{
    F8_EACH(float_to_bits(mask.v[k]) >> 31 ? yes.v[k] : no.v[k]);
}
static inline unsigned f8_mask(F8 mask)
{
    unsigned bits = 0;
    for (int k = 0; k < LANES; k++)
        bits |= (float_to_bits(mask.v[k]) >> 31) << k;
    return bits;
}
static inline I8 i8_load(const uint32_t* p)
{
    I8 r;
    memcpy(r.v, p, sizeof r.v);
    return r;
}
static inline void i8_store(uint32_t* p, I8 a)
{
    memcpy(p, a.v, sizeof a.v);
}

static inline I8 i8_of(F8 whole)
{
    I8 r;
    for (int k = 0; k < LANES; k++)
        r.v[k] = (uint32_t)whole.v[k];
    return r;
}
static inline I8 i8_place(F8 x, F8 y, uint32_t stride)
{
    I8 r;
    for (int k = 0; k < LANES; k++)
        r.v[k] = (uint32_t)x.v[k] + (uint32_t)y.v[k] * stride;
    return r;
}
static inline F8 f8_gather(const float* base, I8 index)
{
    F8_EACH(base[index.v[k]]);
}
static inline I8 i8_ramp(uint32_t first)
{
    I8 r;
    for (uint32_t k = 0; k < LANES; k++)
        r.v[k] = first + k;
    return r;
}

static inline float half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = (h >> 10) & 31, fraction = h & 1023u;
    if (exponent == 0) { // zero or subnormal: fraction * 2^-24
        float f = (float)fraction * 0x1p-24f;
        return sign ? -f : f;
    }
    if (exponent == 31)
        return bits_to_float(sign | 0x7f800000u | fraction << 13);
    return bits_to_float(sign | (exponent + 112) << 23 | fraction << 13);
}
static inline uint16_t float_to_half(float f) // round to nearest, ties to even
{
    uint32_t bits = float_to_bits(f), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x47800000u) // 65536 and above, infinite, NaN
        return (uint16_t)(sign | (magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u));
    if (magnitude < 0x38800000u) { // subnormal half: adding 0.5 lines the bits up and rounds
        float aligned = bits_to_float(magnitude) + 0.5f;
        return (uint16_t)(sign | (float_to_bits(aligned) - 0x3f000000u));
    }
    uint32_t odd = magnitude >> 13 & 1;
    return (uint16_t)(sign | ((magnitude - (112u << 23) + 0xfffu + odd) >> 13));
}
static inline F8 f8_load_half(const uint16_t* p)
{
    F8_EACH(half_to_float(p[k]));
}
static inline void f8_store_half(uint16_t* p, F8 a)
{
    for (int k = 0; k < LANES; k++)
        p[k] = float_to_half(a.v[k]);
}
static inline F8 f8_round_half(F8 a)
{
    F8_EACH(half_to_float(float_to_half(a.v[k])));
}
static inline float f8_sum(F8 a)
{
    return ((a.v[0] + a.v[4]) + (a.v[2] + a.v[6])) + ((a.v[1] + a.v[5]) + (a.v[3] + a.v[7]));
}
static inline float f8_largest(F8 a)
{
    float m = a.v[0];
    for (int k = 1; k < LANES; k++)
        m = a.v[k] > m ? a.v[k] : m;
    return m;
}
static inline float f8_smallest(F8 a)
{
    float m = a.v[0];
    for (int k = 1; k < LANES; k++)
        m = a.v[k] < m ? a.v[k] : m;
    return m;
}
static inline void f8_gather4(const Vec4* base, const uint32_t* index, F8* x, F8* y, F8* z, F8* w)
{
    for (int k = 0; k < LANES; k++) {
        Vec4 r = base[index[k]];
        x->v[k] = r.x;
        y->v[k] = r.y;
        z->v[k] = r.z;
        w->v[k] = r.w;
    }
}
static inline void f8_gather4_twice(const Vec4* base, const uint32_t* twice, F8* x, F8* y, F8* z, F8* w)
{
    uint32_t index[LANES];
    for (int k = 0; k < LANES; k++)
        index[k] = twice[k] / 2;
    f8_gather4(base, index, x, y, z, w);
}
typedef struct R8 {
    Vec4 v[LANES];
} R8;

static inline R8 r8_zero(void)
{
    R8 r;
    memset(&r, 0, sizeof r);
    return r;
}
static inline void r8_mad_twice(R8* sum, F8 factor, const Vec4* base, const uint32_t* twice)
{
    for (int k = 0; k < LANES; k++) {
        Vec4 r = base[twice[k] / 2], *s = &sum->v[k];
        *s = (Vec4){fmaf(factor.v[k], r.x, s->x), fmaf(factor.v[k], r.y, s->y), fmaf(factor.v[k], r.z, s->z),
                    fmaf(factor.v[k], r.w, s->w)};
    }
}
static inline void r8_mad_floats(R8* sum, F8 factor, const float* base, const uint32_t* index)
{
    for (int k = 0; k < LANES; k++) {
        const float* r = base + index[k];
        Vec4* s = &sum->v[k];
        *s = (Vec4){fmaf(factor.v[k], r[0], s->x), fmaf(factor.v[k], r[1], s->y), fmaf(factor.v[k], r[2], s->z),
                    fmaf(factor.v[k], r[3], s->w)};
    }
}
static inline void r8_columns(const R8* sum, F8* x, F8* y, F8* z, F8* w)
{
    static const uint32_t order[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    f8_gather4(sum->v, order, x, y, z, w);
}
static inline void f8_load4(const Vec4* base, F8* x, F8* y, F8* z, F8* w)
{
    static const uint32_t order[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    f8_gather4(base, order, x, y, z, w);
}
static inline void f8_store4(Vec4* base, F8 x, F8 y, F8 z, F8 w)
{
    for (int k = 0; k < LANES; k++)
        base[k] = (Vec4){x.v[k], y.v[k], z.v[k], w.v[k]};
}
static inline F8 f8_lookup(F8 table, F8 index)
{
    F8_EACH(table.v[(unsigned)index.v[k] & 7]);
}
static inline unsigned i8_pack(uint32_t* out, I8 a, unsigned bits)
{
    unsigned n = 0;
    for (int k = 0; k < LANES; k++)
        if (bits >> k & 1)
            out[n++] = a.v[k];
    return n;
}
static inline I8 i8_even(uint32_t first)
{
    I8 r;
    for (uint32_t k = 0; k < LANES; k++)
        r.v[k] = first + 2 * k;
    return r;
}
static inline unsigned i8_equal_mask(I8 a, uint32_t b)
{
    unsigned bits = 0;
    for (int k = 0; k < LANES; k++)
        bits |= (unsigned)(a.v[k] == b) << k;
    return bits;
}
typedef struct Candidates {
    const float *x, *y, *z;
    const uint32_t* name;
} Candidates;

static inline unsigned wide_near(uint32_t* out, const Candidates* c, size_t k, Vec4 p, float h2, bool skip, uint32_t self)
{
    unsigned n = 0;
    for (size_t j = k; j < k + WIDE; j++) {
        float dx = c->x[j] - p.x, dy = c->y[j] - p.y, dz = c->z[j] - p.z;
        if (fmaf(dz, dz, fmaf(dy, dy, dx * dx)) < h2 && !(skip && c->name[j] == self))
            out[n++] = c->name[j];
    }
    return n;
}
static inline void wide_columns(const Vec4* base, float* x, float* y, float* z)
{
    for (int k = 0; k < WIDE; k++) {
        x[k] = base[k].x;
        y[k] = base[k].y;
        z[k] = base[k].z;
    }
}
static inline void i8_transpose(const uint32_t* in, size_t stride, uint32_t* out)
{
    for (size_t row = 0; row < 8; row++)
        for (size_t column = 0; column < 8; column++)
            out[8 * column + row] = in[row * stride + column];
}

#endif
