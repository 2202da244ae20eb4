// SPDX-License-Identifier: MIT
// Number densities of points among boundary particles, without lists: what the volumes of boundary particles come from.
#ifndef PARTICLES_NUMBER_DENSITY_H
#define PARTICLES_NUMBER_DENSITY_H

#include "particles/neighbours.h"

// Number density sum_k W_ik [1/m^d] of points at `position` (count) against the particles of `points`, self included if it
// is one of them.
void number_density_at(Pool* pool, const Kernel* kernel, const BoundaryPoints* points, const Vec4* position, size_t count,
                       const uint32_t* which, float* out_density);

// The same for many points that are sorted by cell, to rounding: those that lie together are looked at together, which is four
// times as fast. Both parts of `points` have grids.
void number_density_together(Pool* pool, const Kernel* kernel, const BoundaryPoints* points, const Vec4* position, size_t count,
                             const uint32_t* which, float* out_density);

#endif
