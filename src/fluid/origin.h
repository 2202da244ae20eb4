// SPDX-License-Identifier: MIT
// A sum over pairs of c_ij a_j . (x_j - x_i) would gather two records of j, positions and accelerations. Written as
//   sum_j c_ij a_j . (x_j - o)  -  (x_i - o) . sum_j c_ij a_j
// it needs one: whoever makes a_j leaves a_j . (x_j - o_j) beside it. The origins o are points of a lattice so coarse that a chunk
// and all its neighbours mostly share one, and so fine that little is lost in the difference of the sums (x - o is at most 55 h).
// Chunks at borders between lattice cells gather both records.
#ifndef FLUID_ORIGIN_H
#define FLUID_ORIGIN_H

#include "fluid/fluid.h"

#define ORIGINS_APART 64.0f // [h]
#define ORIGINS_SHIFT 0.4f  // [lattice cells] scenes like to begin at 0

static inline F8 origin_number(const Sph* sph, F8 x)
{
    return f8_floor(f8_mad(x, f8_set(1 / (ORIGINS_APART * sph->kernel.h)), f8_set(ORIGINS_SHIFT)));
}

static inline F8 origin_of(const Sph* sph, F8 number)
{
    return f8_mul(f8_sub(number, f8_set(ORIGINS_SHIFT - 0.5f)), f8_set(ORIGINS_APART * sph->kernel.h));
}

// x - o
static inline F8 from_origin(const Sph* sph, F8 x)
{
    return f8_sub(x, origin_of(sph, origin_number(sph, x)));
}

// Whether all points closer than h to any of the eight have one origin number.
static inline bool share_origin(const Sph* sph, F8 x)
{
    F8 reach = f8_set(1.001f * sph->kernel.h);
    F8 low = origin_number(sph, f8_sub(x, reach)), high = origin_number(sph, f8_add(x, reach));
    return f8_smallest(low) >= f8_largest(high);
}

#endif
