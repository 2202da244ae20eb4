// SPDX-License-Identifier: MIT
// The functions of simd.h with AVX2; AVX-512 where it is faster and the build has it.
#ifndef BASE_SIMD_X86_H
#define BASE_SIMD_X86_H

#include "base/simd.h"
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
static inline F8 f8_or(F8 a, F8 b)
{
    return _mm256_or_ps(a, b);
}
static inline F8 f8_lanes(unsigned bits) // all bits set in lane k if bit k is; the other way round than f8_mask
{
    __m256i each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), each), each));
}
static inline F8 f8_before(F8 a, float first) // first, a0, a1, ..., a6
{
    F8 turned = _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6));
    return _mm256_blend_ps(turned, _mm256_set1_ps(first), 1);
}
static inline F8 f8_after(F8 a, float last) // a1, a2, ..., a7, last
{
    F8 turned = _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0));
    return _mm256_blend_ps(turned, _mm256_set1_ps(last), 128);
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
static inline I8 i8_of(F8 whole) // of whole numbers from 0 on
{
    return _mm256_cvttps_epi32(whole);
}
static inline I8 i8_place(F8 x, F8 y, uint32_t stride) // x + y stride, of whole numbers from 0 on
{
    return _mm256_add_epi32(i8_of(x), _mm256_mullo_epi32(i8_of(y), _mm256_set1_epi32((int)stride)));
}
static inline F8 f8_gather(const float* base, I8 index) // base[index]; indices below 2^31
{
    return _mm256_i32gather_ps(base, index, 4);
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

static inline F8 f8_round_half(F8 a) // as storing and loading would
{
    return _mm256_cvtph_ps(_mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
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
// Eight records that sums are made in, not yet turned into columns: a sum of records times factors needs no turning but that of the
// result.
typedef struct R8 {
    __m256 r04, r15, r26, r37;
} R8;

static inline R8 r8_zero(void)
{
    return (R8){_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
}
// Adds factor k times the record at twice[k] to record k.
static inline void r8_mad_twice(R8* sum, F8 factor, const Vec4* base, const uint32_t* twice)
{
    __m256 r04 = f8_pair(record_at(base, twice[0]), record_at(base, twice[4]));
    __m256 r15 = f8_pair(record_at(base, twice[1]), record_at(base, twice[5]));
    __m256 r26 = f8_pair(record_at(base, twice[2]), record_at(base, twice[6]));
    __m256 r37 = f8_pair(record_at(base, twice[3]), record_at(base, twice[7]));
    sum->r04 = _mm256_fmadd_ps(_mm256_permute_ps(factor, 0x00), r04, sum->r04);
    sum->r15 = _mm256_fmadd_ps(_mm256_permute_ps(factor, 0x55), r15, sum->r15);
    sum->r26 = _mm256_fmadd_ps(_mm256_permute_ps(factor, 0xaa), r26, sum->r26);
    sum->r37 = _mm256_fmadd_ps(_mm256_permute_ps(factor, 0xff), r37, sum->r37);
}
// The same with records of four floats that begin anywhere: at base + index[k].
static inline __m256 floats_pair(const float* low, const float* high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}
static inline void r8_mad_floats(R8* sum, F8 factor, const float* base, const uint32_t* index)
{
    __m256 r04 = floats_pair(base + index[0], base + index[4]), r15 = floats_pair(base + index[1], base + index[5]);
    __m256 r26 = floats_pair(base + index[2], base + index[6]), r37 = floats_pair(base + index[3], base + index[7]);
    sum->r04 = _mm256_fmadd_ps(_mm256_permute_ps(factor, 0x00), r04, sum->r04);
    sum->r15 = _mm256_fmadd_ps(_mm256_permute_ps(factor, 0x55), r15, sum->r15);
    sum->r26 = _mm256_fmadd_ps(_mm256_permute_ps(factor, 0xaa), r26, sum->r26);
    sum->r37 = _mm256_fmadd_ps(_mm256_permute_ps(factor, 0xff), r37, sum->r37);
}
static inline void r8_columns(const R8* sum, F8* x, F8* y, F8* z, F8* w)
{
    f8_columns(sum->r04, sum->r15, sum->r26, sum->r37, x, y, z, w);
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
#if defined(__AVX512VL__)
    _mm256_storeu_si256((__m256i*)out, _mm256_maskz_compress_epi32((__mmask8)bits, a));
#else
    __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)&simd_pack_order[bits]));
    _mm256_storeu_si256((__m256i*)out, _mm256_permutevar8x32_epi32(a, order));
#endif
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

// Sixteen candidates of a search at a time: coordinates as columns, and what stands for each of them.
typedef struct Candidates {
    const float *x, *y, *z;
    const uint32_t* name;
} Candidates;

// Appends the names of candidates k..k+15 that are closer than the root of h2 to p, in order; `self` is left out if `skip`.
// Returns how many. Always writes sixteen: leave room.
static inline unsigned wide_near(uint32_t* out, const Candidates* c, size_t k, Vec4 p, float h2, bool skip, uint32_t self)
{
#if defined(__AVX512F__)
    __m512 dx = _mm512_sub_ps(_mm512_loadu_ps(c->x + k), _mm512_set1_ps(p.x));
    __m512 dy = _mm512_sub_ps(_mm512_loadu_ps(c->y + k), _mm512_set1_ps(p.y));
    __m512 dz = _mm512_sub_ps(_mm512_loadu_ps(c->z + k), _mm512_set1_ps(p.z));
    __m512 r2 = _mm512_fmadd_ps(dz, dz, _mm512_fmadd_ps(dy, dy, _mm512_mul_ps(dx, dx)));
    __m512i name = _mm512_loadu_si512(c->name + k);
    __mmask16 hits = _mm512_cmp_ps_mask(r2, _mm512_set1_ps(h2), _CMP_LT_OQ);
    if (skip)
        hits = _mm512_mask_cmpneq_epi32_mask(hits, name, _mm512_set1_epi32((int)self));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(hits, name));
    return (unsigned)__builtin_popcount(hits);
#else
    unsigned count = 0;
    for (size_t half = k; half < k + WIDE; half += LANES) {
        F8 dx = f8_sub(f8_load(c->x + half), f8_set(p.x)), dy = f8_sub(f8_load(c->y + half), f8_set(p.y)),
           dz = f8_sub(f8_load(c->z + half), f8_set(p.z));
        F8 r2 = f8_mad(dz, dz, f8_mad(dy, dy, f8_mul(dx, dx)));
        I8 name = i8_load(c->name + half);
        unsigned hits = f8_mask(f8_less(r2, f8_set(h2)));
        if (skip)
            hits &= ~i8_equal_mask(name, self);
        count += i8_pack(out + count, name, hits);
    }
    return count;
#endif
}

// x, y and z of sixteen consecutive records.
static inline void wide_columns(const Vec4* base, float* x, float* y, float* z)
{
#if defined(__AVX512F__)
    const __m512i xy = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    const __m512i zz = _mm512_setr_epi32(2, 6, 10, 14, 18, 22, 26, 30, 2, 6, 10, 14, 18, 22, 26, 30);
    __m512 a = _mm512_loadu_ps(&base[0].x), b = _mm512_loadu_ps(&base[4].x), c = _mm512_loadu_ps(&base[8].x),
           d = _mm512_loadu_ps(&base[12].x);
    __m512 low = _mm512_permutex2var_ps(a, xy, b), high = _mm512_permutex2var_ps(c, xy, d);
    _mm512_storeu_ps(x, _mm512_shuffle_f32x4(low, high, 0x44));
    _mm512_storeu_ps(y, _mm512_shuffle_f32x4(low, high, 0xee));
    _mm256_storeu_ps(z, _mm512_castps512_ps256(_mm512_permutex2var_ps(a, zz, b)));
    _mm256_storeu_ps(z + LANES, _mm512_castps512_ps256(_mm512_permutex2var_ps(c, zz, d)));
#else
    for (int half = 0; half < WIDE; half += LANES) {
        F8 cx, cy, cz, unused;
        f8_load4(base + half, &cx, &cy, &cz, &unused);
        f8_store(x + half, cx);
        f8_store(y + half, cy);
        f8_store(z + half, cz);
    }
#endif
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

#endif
