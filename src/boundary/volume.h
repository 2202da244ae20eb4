// SPDX-License-Identifier: MIT
// Volumes of boundary particles, V_b = c_b / sum_k W_bk (boundary.h), where solids move. A solid that keeps its shape keeps its
// volumes too as long as no particle of another one is within reach: these are found once, in its own frame. What is near something
// else is summed anew. Volumes depend on where the particles are and on nothing that was before.
#ifndef BOUNDARY_VOLUME_H
#define BOUNDARY_VOLUME_H

#include "boundary/boundary.h"

// Volumes of the particles of each solid that keeps its shape, as if it were alone, while all are still in the order they were made
// in. False: out of memory.
bool volumes_alone(Boundary* boundary, Pool* pool, const Kernel* kernel);

// Volumes of particles that rest, with nothing that moves.
void volumes_resting(Boundary* boundary, Pool* pool, const Kernel* kernel);

// After moving particles were placed and sorted: their volumes, and those of resting ones that they come near to. Needs no memory.
void volumes_update(Boundary* boundary, Pool* pool, const Kernel* kernel);

#endif
