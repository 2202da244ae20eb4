// SPDX-License-Identifier: MIT
// Implicit incompressible SPH (Ihmsen 2013; Akinci 2014, algorithm 2.3, with boundaries as after algorithm 3.1): pressures
// such that the density predicted from v* reaches rho0.
// Deviation: the warm start is the whole last pressure, not half of it; see jacobi.c for why that is safe here.
#include "fluid/pressure/method.h"

const PressureMethod pressure_iisph = {
    .name = "iisph", .type = MN_PRESSURE_IISPH, .iterates = true, .solve = pressure_solve_density};
