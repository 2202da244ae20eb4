// SPDX-License-Identifier: MIT
// Eight floats at a time. The physics is written once over these functions; AVX2 and the scalar fallback give the same
// bits: every operation is correctly rounded IEEE, fused multiply-adds are explicit, sums across lanes have a fixed order.
#ifndef BASE_SIMD_H
#define BASE_SIMD_H

#include "base/vec.h"
#include <string.h>

enum { LANES = 8 };

extern const uint64_t simd_pack_order[256];

#if !defined(MENISCUS_SCALAR) // the only place that knows the instruction set

#include <immintrin.h>

typedef __m256 F8;  // eight floats
typedef __m256i I8; // eight uint32

static inline F8 f8_set(float a)
{
    return _mm256_set1_ps(a);
}
static inline F8 f8_zero(void)
{
    return _mm256_setzero_ps();
}
static inline F8 f8_ramp(void) // 0, 1, 2, ...
{
    return _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
}
static inline F8 f8_load(const float* p)
{
    return _mm256_loadu_ps(p);
}
static inline void f8_store(float* p, F8 a)
{
    _mm256_storeu_ps(p, a);
}
static inline F8 f8_add(F8 a, F8 b)
{
    return _mm256_add_ps(a, b);
}
static inline F8 f8_sub(F8 a, F8 b)
{
    return _mm256_sub_ps(a, b);
}
static inline F8 f8_mul(F8 a, F8 b)
{
    return _mm256_mul_ps(a, b);
}
static inline F8 f8_div(F8 a, F8 b)
{
    return _mm256_div_ps(a, b);
}
static inline F8 f8_mad(F8 a, F8 b, F8 c) // a b + c, rounded once
{
    return _mm256_fmadd_ps(a, b, c);
}
static inline F8 f8_nmad(F8 a, F8 b, F8 c) // c - a b, rounded once
{
    return _mm256_fnmadd_ps(a, b, c);
}
static inline F8 f8_sqrt(F8 a)
{
    return _mm256_sqrt_ps(a);
}
static inline F8 f8_floor(F8 a)
{
    return _mm256_floor_ps(a);
}
static inline F8 f8_max(F8 a, F8 b)
{
    return _mm256_max_ps(a, b);
}
static inline F8 f8_min(F8 a, F8 b)
{
    return _mm256_min_ps(a, b);
}
static inline F8 f8_less(F8 a, F8 b) // all bits set where a < b
{
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
static inline F8 f8_not_zero(F8 a) // all bits set where a != 0
{
    return _mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_NEQ_OQ);
}
static inline F8 f8_and(F8 a, F8 mask)
{
    return _mm256_and_ps(a, mask);
}
static inline F8 f8_pick(F8 mask, F8 yes, F8 no)
{
    return _mm256_blendv_ps(no, yes, mask);
}
static inline unsigned f8_mask(F8 mask) // bit k: lane k
{
    return (unsigned)_mm256_movemask_ps(mask);
}
static inline I8 i8_load(const uint32_t* p)
{
    return _mm256_loadu_si256((const __m256i*)p);
}
static inline void i8_store(uint32_t* p, I8 a)
{
    _mm256_storeu_si256((__m256i*)p, a);
}
static inline I8 i8_ramp(uint32_t first) // first, first + 1, ...
{
    return _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
static inline F8 f8_load_half(const uint16_t* p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)p));
}
static inline void f8_store_half(uint16_t* p, F8 a)
{
    _mm_storeu_si128((__m128i*)p, _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}

// Sum over the lanes as ((0+4)+(2+6)) + ((1+5)+(3+7)).
static inline float f8_sum(F8 a)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    s = _mm_add_ss(s, _mm_shuffle_ps(s, s, 1));
    return _mm_cvtss_f32(s);
}
static inline float f8_largest(F8 a)
{
    __m128 s = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    s = _mm_max_ss(s, _mm_shuffle_ps(s, s, 1));
    return _mm_cvtss_f32(s);
}

static inline float f8_smallest(F8 a)
{
    return -f8_largest(_mm256_sub_ps(_mm256_setzero_ps(), a));
}

// Rows of 4x8 turned into columns: lane k of out_x..out_w is record k.
static inline void f8_columns(__m256 r04, __m256 r15, __m256 r26, __m256 r37, F8* x, F8* y, F8* z, F8* w)
{
    __m256 a = _mm256_unpacklo_ps(r04, r15); // x0 x1 y0 y1 | x4 x5 y4 y5
    __m256 b = _mm256_unpackhi_ps(r04, r15); // z0 z1 w0 w1
    __m256 c = _mm256_unpacklo_ps(r26, r37);
    __m256 d = _mm256_unpackhi_ps(r26, r37);
    *x = _mm256_shuffle_ps(a, c, 0x44);
    *y = _mm256_shuffle_ps(a, c, 0xee);
    *z = _mm256_shuffle_ps(b, d, 0x44);
    *w = _mm256_shuffle_ps(b, d, 0xee);
}
static inline __m256 f8_pair(const Vec4* low, const Vec4* high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(&low->x)), _mm_load_ps(&high->x), 1);
}
// Loads eight 16-byte records by index and turns them into four vectors.
static inline void f8_gather4(const Vec4* base, const uint32_t* index, F8* x, F8* y, F8* z, F8* w)
{
    f8_columns(f8_pair(base + index[0], base + index[4]), f8_pair(base + index[1], base + index[5]),
               f8_pair(base + index[2], base + index[6]), f8_pair(base + index[3], base + index[7]), x, y, z, w);
}

// The same where `twice` holds indices times two: an address can be scaled by eight bytes, not by sixteen, and eight shifts less
// make a loop over neighbours shorter.
static inline const Vec4* record_at(const Vec4* base, uint32_t twice)
{
    return (const Vec4*)(const void*)((const uint64_t*)(const void*)base + twice);
}
static inline void f8_gather4_twice(const Vec4* base, const uint32_t* twice, F8* x, F8* y, F8* z, F8* w)
{
    f8_columns(f8_pair(record_at(base, twice[0]), record_at(base, twice[4])),
               f8_pair(record_at(base, twice[1]), record_at(base, twice[5])),
               f8_pair(record_at(base, twice[2]), record_at(base, twice[6])),
               f8_pair(record_at(base, twice[3]), record_at(base, twice[7])), x, y, z, w);
}
// Eight consecutive records.
static inline void f8_load4(const Vec4* base, F8* x, F8* y, F8* z, F8* w)
{
    f8_columns(f8_pair(base + 0, base + 4), f8_pair(base + 1, base + 5), f8_pair(base + 2, base + 6), f8_pair(base + 3, base + 7),
               x, y, z, w);
}
static inline void f8_store4(Vec4* base, F8 x, F8 y, F8 z, F8 w)
{
    __m256 a = _mm256_unpacklo_ps(x, y); // x0 y0 x1 y1 | x4 y4 x5 y5
    __m256 b = _mm256_unpackhi_ps(x, y); // x2 y2 x3 y3 | x6 ..
    __m256 c = _mm256_unpacklo_ps(z, w);
    __m256 d = _mm256_unpackhi_ps(z, w);
    __m256 r04 = _mm256_shuffle_ps(a, c, 0x44), r15 = _mm256_shuffle_ps(a, c, 0xee);
    __m256 r26 = _mm256_shuffle_ps(b, d, 0x44), r37 = _mm256_shuffle_ps(b, d, 0xee);
    _mm_store_ps(&base[0].x, _mm256_castps256_ps128(r04));
    _mm_store_ps(&base[1].x, _mm256_castps256_ps128(r15));
    _mm_store_ps(&base[2].x, _mm256_castps256_ps128(r26));
    _mm_store_ps(&base[3].x, _mm256_castps256_ps128(r37));
    _mm_store_ps(&base[4].x, _mm256_extractf128_ps(r04, 1));
    _mm_store_ps(&base[5].x, _mm256_extractf128_ps(r15, 1));
    _mm_store_ps(&base[6].x, _mm256_extractf128_ps(r26, 1));
    _mm_store_ps(&base[7].x, _mm256_extractf128_ps(r37, 1));
}

static inline F8 f8_lookup(F8 table, F8 index) // table[index] for whole numbers 0..7
{
    return _mm256_permutevar8x32_ps(table, _mm256_cvttps_epi32(index));
}

// Left packing: writes the lanes of `a` whose bit is set to the front, returns how many. Always writes eight: leave room.
static inline unsigned i8_pack(uint32_t* out, I8 a, unsigned bits)
{
    __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)&simd_pack_order[bits]));
    _mm256_storeu_si256((__m256i*)out, _mm256_permutevar8x32_epi32(a, order));
    return (unsigned)__builtin_popcount(bits);
}
static inline I8 i8_even(uint32_t first) // first, first + 2, ...
{
    return _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14));
}
static inline unsigned i8_equal_mask(I8 a, uint32_t b) // bit k: lane k equals b
{
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, _mm256_set1_epi32((int)b))));
}

// Turns eight rows of eight uint32 (row stride `stride` elements) into columns: out[8 * column + row].
static inline void i8_transpose(const uint32_t* in, size_t stride, uint32_t* out)
{
    __m256 r[8], t[8];
    for (int k = 0; k < 8; k++)
        r[k] = _mm256_loadu_ps((const float*)(in + (size_t)k * stride));
    for (int k = 0; k < 4; k++) {
        t[2 * k] = _mm256_unpacklo_ps(r[2 * k], r[2 * k + 1]);
        t[2 * k + 1] = _mm256_unpackhi_ps(r[2 * k], r[2 * k + 1]);
    }
    for (int k = 0; k < 2; k++) {
        r[4 * k] = _mm256_shuffle_ps(t[4 * k], t[4 * k + 2], 0x44);
        r[4 * k + 1] = _mm256_shuffle_ps(t[4 * k], t[4 * k + 2], 0xee);
        r[4 * k + 2] = _mm256_shuffle_ps(t[4 * k + 1], t[4 * k + 3], 0x44);
        r[4 * k + 3] = _mm256_shuffle_ps(t[4 * k + 1], t[4 * k + 3], 0xee);
    }
    for (int k = 0; k < 4; k++) {
        _mm256_storeu_ps((float*)(out + 8 * k), _mm256_permute2f128_ps(r[k], r[k + 4], 0x20));
        _mm256_storeu_ps((float*)(out + 8 * (k + 4)), _mm256_permute2f128_ps(r[k], r[k + 4], 0x31));
    }
}

#else // scalar: the same operations, lane by lane

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
static inline void i8_transpose(const uint32_t* in, size_t stride, uint32_t* out)
{
    for (size_t row = 0; row < 8; row++)
        for (size_t column = 0; column < 8; column++)
            out[8 * column + row] = in[row * stride + column];
}

#endif

#endif
