// SPDX-License-Identifier: MIT
// The two sparse products that every iterated pressure method is made of, and the density prediction of pcisph.
#ifndef FLUID_OPERATORS_H
#define FLUID_OPERATORS_H

#include "fluid/fluid.h"

// fluid.acceleration = -1/rho0_i [V0 sum_j (P_i + P_j) grad W_ij + P_i sum_b V_b grad W_ib], P from position.w
void pressure_acceleration(Sph* sph);

// fluid.divergence = V0 sum_j (u_i - u_j) . grad W_ij + u_i . sum_b V_b grad W_ib, minus the boundary's own velocity term if
// `moving_walls`. With u a velocity this is ds/dt.
void vector_divergence(Sph* sph, const Vec4* u, bool moving_walls);

// Both, the divergence being that of the acceleration, in one sweep over the lists (particles/sweep.h).
typedef struct ProductHooks {
    WorkFn* before;         // may be NULL; gets particles whose pressures nobody has looked at yet, and may set them
    WorkFn* after;          // may be NULL; gets particles whose divergence is there. Pressures of others may still be read
    bool only_acceleration; // no divergence is wanted
    Vec4* constant;         // [1/m] gets what a constant pressure does to each particle, see pressure/bulk.h; may be NULL
    void* context;
} ProductHooks;
void pressure_product(Sph* sph, const ProductHooks* hooks);

// fluid.density_at[i] = V0 sum_j W(x*_ij) + sum_b V_b W(x*_i - x_b - dt v_b), over the lists of the current positions,
// less what is packed.
void predicted_density(Sph* sph, const Vec4* predicted, float dt, float* out_density);

// Several fluids: replaces the diagonal by sum_j |grad W_ij|^2 weighted with rho0_i / rho0_j.
void weighted_diagonal(Sph* sph);

#endif
