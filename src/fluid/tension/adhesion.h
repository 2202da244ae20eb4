// SPDX-License-Identifier: MIT
// Adhesion of fluids to solids:
//   a_i = -sum_b beta Psi_b A(|x_i - x_b|) (x_i - x_b) / |x_i - x_b|,   Psi_b = 1000 kg/m3 V_b       (Akinci 2014, eqs. 5.6, 5.7)
// with minus m_i a_ib on the solid. Masses count as if the fluid were water (tension.h).
#ifndef FLUID_ADHESION_H
#define FLUID_ADHESION_H

#include "fluid/fluid.h"

// How a solid attracts each fluid.
typedef struct Wetting {
    float strength[FLUIDS_MOST]; // [1/(m^(d-1) s2)] acceleration per V_b a(q)
    float share[FLUIDS_MOST];    // [1] how far the solid counts as fluid for normals
    float cosine[FLUIDS_MOST];   // [1] of the contact angle, for tensions by curvature
    float offset;                // [m] its particles lie this far behind its surface
} Wetting;

// Sets what belongs to one fluid.
void wetting_set(Wetting* wetting, const Kernel* kernel, int kind, double beta, double gamma);

// fluid.acceleration += adhesion; nothing if no solid attracts a fluid
void adhesion_acceleration(Sph* sph);

// [1/s2] what multiplies x_i - x_b in the acceleration of i towards b
float adhesion_pair(const Sph* sph, Vec4 x, int kind, uint32_t b);

#endif
