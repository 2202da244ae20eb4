// SPDX-License-Identifier: MIT
// A particle that has no place left, between bodies that clap together or a limb and the floor, is squeezed into one of them, and
// nothing would bring it out again: within a body there is no pressure gradient to tell it where to go. By geometry, like the count
// of leaks, it is put to the nearest point of the surface and leaves with its velocity; the body gets minus the momentum that
// takes. Particles hardly ever need that, and it is counted (mn_Stats.expelled_particles).
#ifndef COUPLING_EXPEL_H
#define COUPLING_EXPEL_H

#include "coupling/coupling.h"

// After fluid and solids have moved, before events change them and particles are sorted. Looks at those that touched a solid that
// moves as one in this step. Returns how many were put out.
size_t expel_caught(Coupling* coupling);

#endif
