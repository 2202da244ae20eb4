// SPDX-License-Identifier: MIT
// Accelerations to velocities, velocities to positions.
#ifndef FLUID_INTEGRATE_H
#define FLUID_INTEGRATE_H

#include "fluid/fluid.h"

// v += dt (a + gravity); returns the largest |a + gravity| [m/s2].
double fluid_kick(Sph* sph, float dt, Vec3d gravity);

// What pressure makes of the velocities.
typedef struct Gain {
    double speed;         // [m/s] the largest, infinite if something is not a number
    double before, after; // [kg m2/s2 per volume] sums of rho |v|^2 without and with the pressure
} Gain;

// v += dt a
Gain fluid_apply_pressure(Sph* sph, float dt);

// x += dt v; where particles were goes to `before`.
void fluid_move(Sph* sph, float dt, Vec4* before);

// Largest speed [m/s], and the largest of the blocks' root mean squares of P / rho0 [m2/s2]: a single particle in an impact says
// nothing about the next step.
void fluid_speeds(Sph* sph, double* speed, double* pressure);

// Mean and largest compression [1], max(0, s - 1).
void fluid_density_errors(Sph* sph, double* mean, double* most);

#endif
