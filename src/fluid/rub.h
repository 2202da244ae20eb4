// SPDX-License-Identifier: MIT
// Friction between fluid and movers, implicit in the velocities of the movers. Pairs rub along the line between them
// (viscosity.h), so that for particle i and mover B all of them come down to a symmetric matrix:
//   F_i = -m_i S_i (v_i - v_B(x_i)),    v_B(x) = v_B + w_B x (x - c_B),    S_i = sum_b k_ib x_ib x_ib^T
// The viscosity pass gives the fluid what velocities at the beginning of the step make of it. A body that is light, or small in
// a thick fluid, would be thrown back and forth by minus that. With the velocity that it has at the end of the step,
//   (M + dt D) dV = J + dt F,    D = sum_i m_i G_i^T S_i G_i,    G_i (v, w) = v + w x (x_i - c_B)
// where J is everything else that it gets in the step, pressure included: a body that falls at its final speed does so with steps
// of any length. Pressure solves see the mobility (M + dt D)^-1. In the end the fluid gets dt S_i G_i dV more.
#ifndef FLUID_RUB_H
#define FLUID_RUB_H

#include "fluid/reaction.h"

// Friction of this step: forces, drag and mobility of the movers. Velocities must be those that viscosity_acceleration() used.
void rub_movers(Reaction* reaction, double dt);

// After the pressures were found: movers get their friction, fluid.acceleration what it still lacks.
void rub_fluid(Reaction* reaction, double dt);

#endif
