// SPDX-License-Identifier: MIT
// The two sparse products that every iterated pressure method is made of, and the density prediction of pcisph.
#ifndef FLUID_OPERATORS_H
#define FLUID_OPERATORS_H

#include "fluid/fluid.h"

// fluid.acceleration = -1/rho0_i [V0 sum_j (P_i + P_j) grad W_ij + P_i sum_b V_b grad W_ib], P from position.w
// Its w, and fluid.divergence, are what pressure_divergence() goes on with.
void pressure_acceleration(Sph* sph);

// fluid.divergence = V0 sum_j (u_i - u_j) . grad W_ij + u_i . sum_b V_b grad W_ib, minus the boundary's own velocity term if
// `moving_walls`. With u a velocity this is ds/dt.
void vector_divergence(Sph* sph, const Vec4* u, bool moving_walls);

// The same of the acceleration that pressure_acceleration() has just left, in half the time.
void pressure_divergence(Sph* sph);

// fluid.density_at[i] = V0 sum_j W(x*_ij) + sum_b V_b W(x*_i - x_b - dt v_b), over the lists of the current positions.
void predicted_density(Sph* sph, const Vec4* predicted, float dt, float* out_density);

// Several fluids: replaces the diagonal by sum_j |grad W_ij|^2 weighted with rho0_i / rho0_j.
void weighted_diagonal(Sph* sph);

#endif
