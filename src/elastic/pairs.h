// SPDX-License-Identifier: MIT
// Contact between deformable surfaces: a sheet with itself, one body with another.
#ifndef ELASTIC_PAIRS_H
#define ELASTIC_PAIRS_H

#include "elastic/elastic_parts.h"

// Keeps where all points are before a step. False: out of memory.
bool pairs_begin(ElasticSet* set);
// Pushes apart what came too near, or passed through, in the step of length `dt` [s]. False: out of memory.
bool pairs_resolve(ElasticSet* set, double dt);
void pairs_free(ElasticSet* set);

#endif
