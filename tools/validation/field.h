// SPDX-License-Identifier: MIT
// Velocities at points between particles, as means over the last frames of a run.
#pragma once

#include "run.h"

typedef struct Sample {
    double x, y;   // where
    double vx, vy; // mean velocity there
} Sample;

// Kernel-weighted linear fit (moving least squares) with a Wendland kernel of support 4 radii; a plain mean would be biased near
// walls, where all particles are on one side. Fills vx, vy of every sample; returns how many frames were used.
size_t field_samples(const char* run, double radius, double from_time, Sample* sample, size_t count);
