// SPDX-License-Identifier: MIT
// Particles that move, seen by whoever does not care what else they are: seeding, emitters, drains, the guard of sides, sums. A
// kind of fluid says once where its arrays are; since a set moves arrays when it grows or sorts, these are places of pointers.
#ifndef PARTICLES_MOVING_H
#define PARTICLES_MOVING_H

#include "particles/cell_grid.h"
#include "particles/particle_set.h"

typedef struct MovingParticles {
    ParticleSet* set;
    Vec4** position; // [m] x, y, z; the fourth number is the owner's
    Vec4** velocity; // [m/s] x, y, z, and the number of the fluid
    uint32_t** id;   // from 0 in order of birth
} MovingParticles;

static inline size_t moving_count(const MovingParticles* particles)
{
    return particles->set ? particles->set->count : 0;
}

// One more at the end, the rest of its state 0. False: out of memory.
bool moving_append(const MovingParticles* particles, Vec3d position, Vec3d velocity, int kind, uint32_t id);

// Puts them into the order of their cells; along periodic axes, first into the domain. False: out of memory.
bool moving_sort(const MovingParticles* particles, CellGrid* grid, Pool* pool);

#endif
