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

// Whether a fluid has the viscosity of a Newtonian one, in Pa s.
static inline bool viscosity_is_physical(mn_Viscosity method)
{
    return method == MN_VISCOSITY_LAPLACE || method == MN_VISCOSITY_IMPLICIT;
}

// Eight fluid particles at x with velocity v, and a boundary particle of each: what friction between them depends on.
typedef struct WallPair {
    F8 dx, dy, dz, r2; // from the boundary particle
    F8 dot;            // (v - v_b) . d
    F8 volume, friction, wall;
} WallPair;

static inline WallPair wall_pair(const Sph* sph, const uint32_t index[LANES], const F8 x[3], const F8 v[3])
{
    WallPair p;
    F8 xb, yb, zb, ux, uy, uz;
    float wall[LANES];
    f8_gather4(sph->walls.points.position, index, &xb, &yb, &zb, &p.volume);
    f8_gather4(sph->walls.points.velocity, index, &ux, &uy, &uz, &p.friction);
    for (int k = 0; k < LANES; k++)
        wall[k] = sph->walls.viscosity[index[k]];
    p.wall = f8_load(wall);
    p.dx = f8_sub(x[0], xb);
    p.dy = f8_sub(x[1], yb);
    p.dz = f8_sub(x[2], zb);
    p.r2 = f8_mad(p.dz, p.dz, f8_mad(p.dy, p.dy, f8_mul(p.dx, p.dx)));
    p.dot = f8_mad(f8_sub(v[2], uz), p.dz, f8_mad(f8_sub(v[1], uy), p.dy, f8_mul(f8_sub(v[0], ux), p.dx)));
    return p;
}

#endif
