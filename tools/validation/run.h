// SPDX-License-Identifier: MIT
// A run folder as the comparisons see it: tables of particles (output.particles = csv) and of probes.
#pragma once

#include "table.h"

typedef struct Frames {
    size_t count;
    char** path; // in order of time
} Frames;

Frames frames_list(const char* run);
void frames_free(Frames* frames);

// Columns of a table of particles.
typedef struct Particles {
    Table table;
    size_t x, y, vx, vy, pressure;
    double time;
} Particles;

Particles particles_read(const char* path);
void particles_free(Particles* particles);

Table run_probes(const char* run);
