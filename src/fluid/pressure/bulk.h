// SPDX-License-Identifier: MIT
// A coarse level for pressure solves. Jacobi iterations, with momentum too, carry a correction a few spacings at a time: what is
// wrong with the pressure of a whole column takes them as long as the column is deep. On a grid of cells of two supports it is a
// small system, which is solved at once.
//
// Corrections are what is there times something smooth,
//   P_i += w_i sum_n phi_n(x_i) q_n,     w_i = max(P_i, 0) + floor,
// with phi linear between the corners n of cells. Disordered particles hold each other by pressures that differ from one to the
// next; a multiple of these still does, while a smooth pressure would push them about by more than it drives the flow (at 100
// layers two to three times), and iterations would rather undo it than adapt. For these the operator of a solve (jacobi.c) is
//   A_mn = dt^2 sum_i b_im . b_in / rho0_i,     b_in = phi_n(x_i) (floor k_i - rho0_i a_i) + w_i grad phi_n(x_i)
//   k_i  = 2 V0 sum_j grad W_ij + sum_b V_b grad W_ib
// with the acceleration a by the pressures that are there; k is what a constant pressure does. Particles that have no pressure and
// want none hold it at 0. Solids are seen as they stand: where some give way there is no such level.
#ifndef FLUID_PRESSURE_BULK_H
#define FLUID_PRESSURE_BULK_H

#include "fluid/fluid.h"

typedef struct Bulk Bulk;

Bulk* bulk_create(Memory* memory); // NULL: out of memory
void bulk_free(Bulk* bulk);        // NULL is allowed

// Whether these particles have a coarse level: room was made for their cells. Along periodic axes it ends at the borders of the
// domain: pressures of both sides are corrected as if they did not touch, and iterations see to the rest.
bool bulk_begin(Sph* sph);

// True once, when there was no memory for the level: whoever has words says so. Solves go on without.
bool bulk_lacks_memory(Bulk* bulk);

// Where the next acceleration pass is to leave k_i, and whoever knows the errors [1] those.
Vec4* bulk_constants(Sph* sph);
float* bulk_errors(Sph* sph);

typedef struct BulkStep {
    float dt;
    float lowest; // [Pa]
    float share;  // [1] of the correction that is made
} BulkStep;

// Adds the correction for the errors at hand to the pressures of an iteration (fluid.iterate, and those in use next, which are in
// fluid.divergence), which stay above the lowest. Returns the energy
// of the whole correction: the sum of e_i (P_new - P_old) before they are cut off.
double bulk_correct(Sph* sph, const BulkStep* step);

#endif
