// SPDX-License-Identifier: MIT
// LANES vectors at a time, for passes over pixels side by side.
#ifndef RENDER_LANES_H
#define RENDER_LANES_H

#include "base/simd.h"

typedef struct V8 {
    F8 x, y, z;
} V8;

static inline V8 v8_set(Vec3 a)
{
    return (V8){f8_set(a.x), f8_set(a.y), f8_set(a.z)};
}
static inline V8 v8_load(float lane[3][LANES])
{
    return (V8){f8_load(lane[0]), f8_load(lane[1]), f8_load(lane[2])};
}
static inline void v8_store(float lane[3][LANES], V8 a)
{
    f8_store(lane[0], a.x);
    f8_store(lane[1], a.y);
    f8_store(lane[2], a.z);
}
static inline V8 v8_sub(V8 a, V8 b)
{
    return (V8){f8_sub(a.x, b.x), f8_sub(a.y, b.y), f8_sub(a.z, b.z)};
}
static inline V8 v8_add(V8 a, V8 b)
{
    return (V8){f8_add(a.x, b.x), f8_add(a.y, b.y), f8_add(a.z, b.z)};
}
static inline V8 v8_mul(V8 a, V8 b)
{
    return (V8){f8_mul(a.x, b.x), f8_mul(a.y, b.y), f8_mul(a.z, b.z)};
}
static inline V8 v8_scale(V8 a, F8 s)
{
    return (V8){f8_mul(a.x, s), f8_mul(a.y, s), f8_mul(a.z, s)};
}
static inline V8 v8_mad(V8 a, F8 s, V8 b) // a + s b
{
    return (V8){f8_mad(s, b.x, a.x), f8_mad(s, b.y, a.y), f8_mad(s, b.z, a.z)};
}
static inline V8 v8_mix(V8 a, V8 b, F8 t)
{
    return v8_mad(a, t, v8_sub(b, a));
}
static inline F8 v8_dot(V8 a, V8 b)
{
    return f8_mad(a.x, b.x, f8_mad(a.y, b.y, f8_mul(a.z, b.z)));
}
static inline V8 v8_normalise(V8 a)
{
    return v8_scale(a, f8_div(f8_set(1), f8_sqrt(f8_max(v8_dot(a, a), f8_set(1e-36f)))));
}
static inline V8 v8_pick(F8 mask, V8 yes, V8 no)
{
    return (V8){f8_pick(mask, yes.x, no.x), f8_pick(mask, yes.y, no.y), f8_pick(mask, yes.z, no.z)};
}
static inline F8 f8_negative(F8 a)
{
    return f8_sub(f8_zero(), a);
}
static inline F8 f8_positive(F8 a)
{
    return f8_max(a, f8_negative(a));
}
static inline F8 f8_within(F8 a, float low, float high)
{
    return f8_min(f8_max(a, f8_set(low)), f8_set(high));
}

// exp(-a) for a >= 0, to 2e-5 of it where a < 8: a series for a / 64, squared six times.
static inline F8 f8_fade(F8 a)
{
    F8 t = f8_mul(f8_min(a, f8_set(60)), f8_set(-1.0f / 64)), one = f8_set(1);
    F8 e = f8_mad(f8_mul(t, f8_set(0.25f)), one, one);
    e = f8_mad(f8_mul(t, f8_set(1.0f / 3)), e, one);
    e = f8_mad(f8_mul(t, f8_set(0.5f)), e, one);
    e = f8_mad(t, e, one);
    for (int k = 0; k < 6; k++)
        e = f8_mul(e, e);
    return e;
}

#endif
