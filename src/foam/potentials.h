// SPDX-License-Identifier: MIT
// Where a fluid takes air in (Ihmsen et al. 2012, as used by Akinci 2014, section 6.1.2), per fluid particle i, x_ij = x_i - x_j:
//   trapped air   v_i = sum_j |v_ij| (1 - v^_ij . x^_ij) (1 - |x_ij| / h)
//   wave crest    kappa_i = sum_j (1 - n^_i . n^_j) (1 - |x_ij| / h)  over neighbours with x^_ji . n^_i < 0, if v^_i . n^_i >= 0.6
//   energy        E_i = |v_i|^2 / 2
// Energy is per mass, so that thresholds do not change with the resolution. The normal is
//   n_i = sum_j x^_ij (1 - |x_ij| / h),
// and only particles where it is longer than a quarter of the sum of the weights are at the surface: within the fluid it is
// noise, and a crest there would be noise too. Others have no normal and do not count in kappa.
#ifndef FOAM_POTENTIALS_H
#define FOAM_POTENTIALS_H

#include "base/parallel.h"
#include "foam/around.h"

typedef struct FoamPotentials {
    Vec4* normal;       // (fluid particles) n^, or 0 within the fluid; w: number of neighbours
    float* trapped_air; // [m/s] (fluid particles) v_i
    float* wave_crest;  // [1] (fluid particles) kappa_i
} FoamPotentials;

// Arrays have room for eight more than the fluid has particles. Particles slower than `least_speed` [m/s] get no potentials, but a
// normal: their neighbours may ask for it.
void foam_potentials(const FoamFluid* fluid, float h, float least_speed, Pool* pool, const FoamPotentials* out);

#endif
