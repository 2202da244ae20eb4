// SPDX-License-Identifier: MIT
// How much of the compression that there is a step takes back.
//
// Compression within a third of the tolerance is taken back by a share kappa (a tenth at most) per step, not at once. Think of one
// column with pressure p, velocity v and compression x, in units of the time step: a solve that converges by a share beta per step
// acts as
//   p' = -beta p + beta (kappa x + v), v' = -p, x' = v,
// which is stable for beta > kappa only. With kappa = 1 (the papers) and a warm start, deep water needs exact solves (23 iterations
// at 20 layers, measured); with kappa = 0.1, 6 are enough. Deeper water converges by less per iteration: kappa follows.
#ifndef FLUID_PRESSURE_TOLERANCE_H
#define FLUID_PRESSURE_TOLERANCE_H

#include "fluid/pressure/method.h"

// Most and least share of a tolerated compression that a step takes back.
#define MOST_KAPPA 0.1f
#define LEAST_KAPPA 0.004f

typedef struct Tolerance {
    float kappa; // [1] share of a tolerated compression that a step takes back,
    float band;  // [1] which is at most this
    float most;  // [1] that a step takes back beyond it
    float share; // [1] of a usual step
} Tolerance;

Tolerance tolerance_of(const Sph* sph, float dt);

// A solve that runs out of iterations converges by too small a share for this kappa: take compression back more slowly.
void tolerance_adapt(Sph* sph, bool accurate);

// The part of a particle's present compression that a step leaves alone: nearly all of what lies within the band, and all
// beyond `most` per step. Taking back a given compression in ever shorter steps would need ever higher speeds: fluid that is
// squeezed together (overlapping sources, a closing gap) must push itself apart, not explode.
static inline float tolerated(const Tolerance* t, float compression)
{
    float kept = (1 - t->kappa) * compression;
    kept = kept > t->band ? t->band : kept < -t->band ? -t->band : kept;
    float excess = compression - kept;
    excess = excess > 0 ? excess * t->share : excess;
    return compression - (excess > t->most ? t->most : excess);
}

#endif
