// SPDX-License-Identifier: MIT
// Contact between deformable surfaces: a sheet with itself, one body with another.
#ifndef ELASTIC_CONTACT_DEFORMABLES_H
#define ELASTIC_CONTACT_DEFORMABLES_H

#include "elastic/elastic_parts.h"

// When a step of length `dt` [s] begins: finds what may meet in it. False: out of memory.
bool deformables_begin(ElasticSet* set, double dt);
// After a substep of `h` [s] of the bodies that have one, `t` [s] after the step began: keeps them apart.
void deformables_solve(ElasticSet* set, double h, double t);
// After the step: pushes apart what came too near, or passed through. False: out of memory.
bool deformables_resolve(ElasticSet* set, double dt);
void deformables_free(ElasticSet* set);

// The pairs that must be kept apart after a step, for tests: their number, and how many of them passed through each other.
bool deformables_find(ElasticSet* set, double dt, size_t* count, size_t* passed);

#endif
