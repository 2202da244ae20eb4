// SPDX-License-Identifier: MIT
#ifndef FLUID_CORRECTED_H
#define FLUID_CORRECTED_H

#include "fluid/fluid.h"

// Replaces the densities that the search left by corrected ones, see corrected.c.
void density_correct(Sph* sph);

#endif
