// SPDX-License-Identifier: MIT
// Physical viscosity that does not limit the step: velocities are those that viscosity makes of them at its end.
#ifndef FLUID_VISCOSITY_IMPLICIT_H
#define FLUID_VISCOSITY_IMPLICIT_H

#include "fluid/fluid.h"

// Whether fluids of viscosity_method implicit are solved for. Beside solids that give way they are explicit, like laplace: friction
// there acts on velocities that are known (coupling/friction.h).
bool implicit_is_used(const Sph* sph);

// Room for the solve, if it is used. False: out of memory.
bool implicit_reserve(Sph* sph);

// fluid.velocity, which has got all other forces of the step, gets viscosity and friction at walls. Returns iterations.
int implicit_solve(Sph* sph, float dt);

// Velocities by which friction at walls acted in this step.
const Vec4* implicit_velocity(const Sph* sph);

#endif
