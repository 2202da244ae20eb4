// SPDX-License-Identifier: MIT
// The pressure that a fluid particle feels, for people and probes.
#ifndef FLUID_VIRIAL_H
#define FLUID_VIRIAL_H

#include "fluid/fluid.h"

// out_pressure (count, rounded up to 8) [Pa]: stress of all pair forces of the last step. Uses fluid.iterate as scratch.
void virial_pressure(Sph* sph, float* out_pressure);

#endif
