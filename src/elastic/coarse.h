// SPDX-License-Identifier: MIT
// A coarse space for conjugate gradients on tetrahedra (Nicolaides 1987; Frank and Vuik 2001). Points are gathered in some hundred
// groups of neighbours, and each group may move as a rigid body: Z maps 6 numbers per group to velocities of points. The diagonal
// blocks alone carry news by one tetrahedron per iteration, and a slender stiff body needs thousands of them; the coarse matrix
// Z^T A Z, factored, carries it through the whole body at once:
//   z = D^-1 r + Z (Z^T A Z)^-1 Z^T r
// Groups are rigid where the body is now, so what is within a group adds nothing but mass; only edges that touch several are looked
// at.
#ifndef ELASTIC_COARSE_H
#define ELASTIC_COARSE_H

#include "elastic/fem.h"

// False: out of memory. Free it in any case.
bool coarse_create(Coarse* coarse, Memory* memory, const Body* body, const Fem* fem);
void coarse_free(Coarse* coarse);

// For A = keep M + scale K + contacts at positions x and the rotations found last.
void coarse_factor(Coarse* coarse, Pool* pool, const Body* body, const Fem* fem, const Vec3d* x, double keep, double scale);
// z += Z (Z^T A Z)^-1 Z^T r
void coarse_add(Coarse* coarse, const Body* body, const Vec3d* r, Vec3d* z);

// An approximation of A^-1 that is never larger than (keep M)^-1, and as large where K does not matter:
//   C = Z (Z^T A Z)^-1 Z^T + Q D^-1 Q^T,   Q = 1 - Z (Z^T M Z)^-1 Z^T M
// coarse_split(), after coarse_factor(), is for Q. `r` keeps nothing.
void coarse_split(Coarse* coarse, const Body* body, double keep);
void coarse_mobility(Coarse* coarse, const Body* body, const Mat3* block, Vec3d* r, Vec3d* out);

#endif
