// SPDX-License-Identifier: MIT
// Rates of strain of the velocity field, exact for fields that are linear, however particles lie.
#ifndef FLUID_VISCOSITY_STRAIN_H
#define FLUID_VISCOSITY_STRAIN_H

#include "fluid/fluid.h"

// Room for them, if they are wanted. False: out of memory.
bool strain_reserve(Sph* sph);
// Of the present velocities, in Sph.strain.
void strain_rates(Sph* sph);

// S of eight particles
typedef struct Strain {
    F8 xx, yy, zz, xy, yz, zx;
} Strain;

static inline Strain strain_load(const Sph* sph, size_t chunk)
{
    Strain s;
    F8 unused;
    f8_load4(sph->scratch.strain[0] + LANES * chunk, &s.xx, &s.yy, &s.zz, &s.xy);
    f8_load4(sph->scratch.strain[1] + LANES * chunk, &s.yz, &s.zx, &unused, &unused);
    return s;
}

static inline Strain strain_gather(const Sph* sph, const uint32_t* twice)
{
    Strain s;
    F8 unused;
    f8_gather4_twice(sph->scratch.strain[0], twice, &s.xx, &s.yy, &s.zz, &s.xy);
    f8_gather4_twice(sph->scratch.strain[1], twice, &s.yz, &s.zx, &unused, &unused);
    return s;
}

// x . S x
static inline F8 strain_along(const Strain* s, F8 x, F8 y, F8 z)
{
    F8 sum = f8_mul(f8_mul(s->xx, x), x);
    sum = f8_mad(f8_mul(s->yy, y), y, sum);
    sum = f8_mad(f8_mul(s->zz, z), z, sum);
    F8 mixed = f8_mul(f8_mul(s->xy, x), y);
    mixed = f8_mad(f8_mul(s->yz, y), z, mixed);
    mixed = f8_mad(f8_mul(s->zx, z), x, mixed);
    return f8_mad(f8_set(2), mixed, sum);
}

#endif
