// SPDX-License-Identifier: MIT
// How solids respond to the fluid in a coupling by boundary particles. Fluid particles i and boundary particles b that move are
// pairs, with G_ib = V_b grad W_ib. There is one operator,
//   F_b = V sum_i P_i G_ib                    pressures push b                             (Akinci 2014, eqs. 3.7, 3.8)
//   a = B M B^T F                             the solid responds
//   d^2 s_i/dt^2 -= sum_b a_b . G_ib          which changes densities
// with the same G on both sides: A = V G^T B M B^T G is symmetric and positive, the fluid gets minus what solids get, and a solve
// in which solids give way keeps the system that it has without them (fluid/responder.h). Friction is pair by pair and central,
//   F_ib = -m_i k_ib x_ib x_ib^T (v_i - v_b)                                                (fluid/viscosity/viscosity.h)
// and goes the same way: one matrix S_i = sum_b k_ib x_ib x_ib^T per particle and body, or a force per b (friction.h); so does
// adhesion (adhesion.h).
//
// Solids differ in the basis B in which they respond:
//   as one      six numbers per body: (B u)_b = v + w x (x_b - c), M = mass and inertia           response_body.h
//   by vertex   u per vertex: (B u)_b = sum_v w_bv u_v, M = own masses, or the solid's mobility   response_vertex.h
// Each has a list of pairs of its own (body_pairs.h, vertex_pairs.h), and that is on purpose. B^T G of a body is summed over all
// its boundary particles when lists are built: three numbers per particle and body instead of about forty pairs, and passes are
// that much shorter. A vertex takes part in few pairs, so nothing can be summed beforehand; its list has every pair twice, by fluid
// particle and by boundary particle, because both sides only gather.
#ifndef COUPLING_RESPONSE_H
#define COUPLING_RESPONSE_H

#include "fluid/responder.h"

typedef struct Twist {
    Vec3d linear, angular;
} Twist;

// What boundary friction of each fluid depends on, as lookup registers.
typedef struct FrictionTable {
    float approach[FLUIDS_MOST], all[FLUIDS_MOST]; // [m2/s] see WallFriction
    float density[FLUIDS_MOST];                    // [kg/m3]
} FrictionTable;

FrictionTable friction_table(const Sph* sph);

#endif
