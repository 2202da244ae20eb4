// SPDX-License-Identifier: MIT
// Tetrahedra that are crushed harden. The co-rotational material alone can be pressed flat and inside out by a finite stress,
// about its own modulus, and smoothed strains (fem_elements.c) do not see single tetrahedra: those around an edge may turn inside
// out by turns while their mean stays as it is. A skin that is inside out has its boundary particles on the wrong side, and the
// fluid there is thrown away. So each tetrahedron has a stress of its own where a principal stretch s is below c:
//   F = U diag(s) V^T,  U and V rotations, the least s negative if F is inside out            (Irving 2004)
//   energy density  sum_i -k (c - s_i)^2 log(s_i / c) for s_i < c,    P = U diag(h(s)) V^T,  h its derivative
// and h goes on as a straight line below s = FLAT: it is strong there and finite everywhere, and what is inside out after all is
// pushed back the short way. The products of the solver hold U V^T fixed, as they do for the rest of the stress:
//   dP = U (D o sym(U^T dF V)) V^T,   D_ij = (h_i - h_j) / (s_i - s_j) >= 0,  D_ii = h'(s_i)
// which is symmetric and positive.
//
// A body that is thrown into a tangle, with many tetrahedra inside out, would be held there: in knots, where what is around an
// edge goes round it twice, all of them are hard and the right way. So nothing hardens in a tangled body until nothing of it is
// crushed any more.
#ifndef ELASTIC_CRUSH_H
#define ELASTIC_CRUSH_H

#include "elastic/fem.h"

// When a step begins, with the gradients of where points are: whether the body is tangled.
void crush_look(FemJob* job);
// The crushed ones among tetrahedra whose gradients are at hand, their stress and stiffness. False: out of memory, then none are.
bool crush_find(FemJob* job);
static inline bool crush_has(const Fem* fem, size_t tet)
{
    return fem->crush.count && fem->crush.of[tet] != NOT_CRUSHED;
}
// += 6 P of a tetrahedron that is crushed: `stress` is a sum over six edges. At the gradient at hand, that of positions
// (deformed) or of a change.
void crush_add_stress(const FemJob* job, size_t tet, Mat3* stress);
// += scale K_ii of the corner whose shape function has the gradient b
void crush_add_block(const Fem* fem, size_t tet, Vec3d b, double scale, Mat3* block);
double crush_energy(const Fem* fem); // [J] of those found last
void crush_free(Crush* crush, Memory* memory);

#endif
