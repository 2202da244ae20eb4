// SPDX-License-Identifier: MIT
// Spikes of hard solids (corners, edges, what is more curved than a cloth can follow, see spikes.h) against the faces of a body.
#ifndef ELASTIC_POKES_H
#define ELASTIC_POKES_H

#include "elastic/elastic_parts.h"

// The corners of a face within a step.
typedef struct PokeFace {
    uint32_t point[3];
    Vec3d x[3];        // [m]
    Vec3d velocity[3]; // [m/s]
    double inverse[3]; // [1/kg] 0: pinned
} PokeFace;

// Finds body->poke for a step of length `dt` [s]; part of touches_find(). False: out of memory.
bool pokes_find(ElasticSet* set, Body* body, double dt);
// The corners of the spike's face went from `before` to `x` in the last substep: finds out on which side of it the spike has to be,
// and whether they may have met. For all pokes before the first is solved: pushes are no ways.
void poke_watch(const ElasticSet* set, Poke* poke, const Vec3d before[3], const Vec3d x[3]);
// Pushes the face off the spike, if it is too near or was passed, `t` [s] after the step began; true: it did.
bool poke_solve(ElasticSet* set, const Body* body, const Poke* poke, PokeFace* face, double t);
void pokes_free(ElasticSet* set);

#endif
