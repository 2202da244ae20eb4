// SPDX-License-Identifier: MIT
// Contact between deformable surfaces: a sheet with itself, one body with another.
#ifndef ELASTIC_CONTACT_DEFORMABLES_H
#define ELASTIC_CONTACT_DEFORMABLES_H

#include "elastic/elastic_parts.h"

// When a step of length `dt` [s] begins. False: out of memory.
bool deformables_begin(ElasticSet* set, double dt);
// Whether two bodies that take part in contact cannot meet in the step.
bool deformables_apart(const Body* a, const Body* b);

// --- bodies that step together, in substeps of `h` [s]: those with body->now

// Finds what may meet in a span of as many of the substeps that are left as `*substeps` then says. False: out of memory.
bool deformables_open(ElasticSet* set, double h, int left, int* substeps);
// After each of them: keeps bodies apart.
void deformables_solve(ElasticSet* set, double h);
// After all of them: nothing is crossed. Positions are those of body->now. False: out of memory.
bool deformables_close(ElasticSet* set, double h);
// After their step.
void deformables_met(ElasticSet* set, Body* const* body, size_t count);

// --- all

// After the step: pushes apart what came too near, or passed through, and did not meet yet. False: out of memory.
bool deformables_resolve(ElasticSet* set, double dt);
void deformables_free(ElasticSet* set);

// For tests: how many pairs must be kept apart after a step, and how many of them passed through each other.
bool deformables_find(ElasticSet* set, double dt, size_t* count, size_t* passed);

#endif
