// SPDX-License-Identifier: MIT
// Inner friction of mass points, apart from their elasticity: impulses along the constraints against the rate of strain,
//   j = -c dC/dt / (1 + c sum w |grad C|^2),   c = k damping dt
// one constraint after the other. Momentum and angular momentum stay what they are.
#ifndef ELASTIC_DAMP_H
#define ELASTIC_DAMP_H

#include "elastic/constraints.h"

// Acts on `velocity` [m/s] (points) for a time `dt` [s]; `damping` [s] is that of the material. Constraints at pins are left out.
void damp_velocities(const Constraints* constraints, Pool* pool, const Body* body, Vec3d* velocity, double damping, double dt);

#endif
