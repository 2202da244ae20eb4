// SPDX-License-Identifier: MIT
// Finite elements that yield. Each tetrahedron has a plastic strain, in the axes of the rest shape and without a change of volume,
// which the edges around take the means of, as they do of gradients (fem_elements.c):
//   stress 2 mu R (sym(R^T F) - 1 - ep_e),   ep_e = sum_t V_t / 6 ep_t / V_e
// After a step it flows where the stress is too high (von Mises; Muller 2004, section 3.3 has the strain in place of the stress):
//   s = 2 mu dev(sym(R^T F) - 1 - ep),  q = sqrt(3/2) |s|,     ep += (1 - exp(-creep dt)) (1 - yield / q) s / (2 mu)   if q > yield
// so that the part of the stress above the yield stress decays with the rate `creep`, whatever the step, and at once if that is
// infinite. In a bar that is pulled q is the stress. |ep| goes no further than a limit: then the solid is elastic again.
#ifndef ELASTIC_PLASTIC_H
#define ELASTIC_PLASTIC_H

#include "elastic/fem.h"

// For bodies that have a yield stress; for others there is nothing. False: out of memory. Free it in any case.
bool plastic_create(Fem* fem, Memory* memory, const Body* body);
void plastic_free(Fem* fem, Memory* memory);

// Strains of tetrahedra are others now: edges follow.
void plastic_spread(FemJob* job);
// A step of `dt` [s] led to the positions that the body has.
void plastic_flow(FemJob* job, double dt);

#endif
