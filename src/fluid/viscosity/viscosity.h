// SPDX-License-Identifier: MIT
// Forces that need no pressure: viscosity among fluid particles and friction at boundaries.
#ifndef FLUID_VISCOSITY_H
#define FLUID_VISCOSITY_H

#include "fluid/fluid.h"

// fluid.acceleration = viscosity and boundary friction [m/s2]; fluid.divergence = ds/dt of the velocities [1/s], as
// vector_divergence() would leave it, but for solids that give way
void viscosity_acceleration(Sph* sph, float dt);

// [m2/s] the largest kinematic viscosity that limits an explicit step; 0 if none
double viscosity_limit(const Sph* sph);

// Coefficients of a fluid-boundary pair force, shared with the force on solids: acceleration of i is
//   [(approach min(v.x, 0) sigma_b + all v.x wall_b) / (r^2 + 0.01 h^2)] V_b grad W_ib
typedef struct WallFriction {
    float approach; // [m2/s] h c_s / 2           (Akinci 2014, eqs. 3.9, 3.10)
    float all;      // [m2/s] 2 (d + 2) mu / rho0  laplace fluids
} WallFriction;
WallFriction viscosity_at_wall(const Sph* sph, int kind);

#endif
