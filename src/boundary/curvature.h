// SPDX-License-Identifier: MIT
// Boundary volumes on curved surfaces.
//
// One layer of boundary particles stands for the fluid that a solid S displaces. On a ball of few particles that layer lies on a
// much smaller sphere, and with V_b = 1 / sum_k W_bk fluid comes too close: the ball floats as if it were smaller, by 15 % of its
// volume at a radius of five particle radii. How much fluid there is too much follows from the densities. Let the fluid have the
// number density 1/V0 outside of S plus an error delta. Where it is at rest density, delta * W = I - B with
//   I(x) = int_S W(x - y) dy      what displaced fluid would contribute,    B(x) = sum_b V_b W(x - x_b)      what the layer does,
// so delta has no mass if the integral of I - B over the outside vanishes. Each particle therefore gets a factor c_b with
//   V_b = c_b / sum_k W_bk,      c_b V_b g_b = e_b A_b
// where g_b is the part of its kernel that reaches out of S, A_b its share of the surface, and e the same for displaced fluid per
// area of surface (0.2214 spacings on a plane, less on a ball). Both are surface integrals over what is near, by Gauss's theorem:
//   g(x) = oint_(r<h) (1 - M(r)) / (S_d r^d) (y - x) . n dA,          M(r) = S_d int_0^r W s^(d-1) ds,   S_d = 4 pi (2D: 2 pi)
//   e(x) = oint_(r<h) k(r) n_x . n_y dA,                              k(r) = int_r^h (1 - M(s)) / (S_d s^(d-1)) ds
#ifndef BOUNDARY_CURVATURE_H
#define BOUNDARY_CURVATURE_H

#include "base/parallel.h"
#include "boundary/sample.h"
#include "mesh/tri_mesh.h"
#include "particles/kernel.h"

typedef struct CurvatureDef {
    const TriMesh* mesh; // closed, the solid's inside is displaced
    const Kernel* kernel;
    double spacing; // [m] of fluid particles
    Pool* pool;     // may be NULL
} CurvatureDef;

// `factor` (samples->count) receives c_b. `weight` (the same; may be NULL) receives weights w_b <= 1 for samples that lie closer
// than a lattice would, V_b = c_b w_b / sum_k w_k W_bk: where two surfaces meet, the finer sampling would otherwise take all of the
// volume from the other one. Factors are at least 1 where the shape is thinner than about two spacings; without weights, of rigid
// bodies, only where it is a plate. False: out of memory.
bool curvature_factors(const CurvatureDef* def, const SurfaceSamples* samples, float* factor, float* weight);

#endif
