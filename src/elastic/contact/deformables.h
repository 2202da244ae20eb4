// SPDX-License-Identifier: MIT
// Contact between deformable surfaces: a sheet with itself, one body with another.
#ifndef ELASTIC_CONTACT_DEFORMABLES_H
#define ELASTIC_CONTACT_DEFORMABLES_H

#include "elastic/contact/pair.h"

// A pair of features of two bodies, or of one.
typedef struct ContactPair {
    ContactKind kind;
    uint32_t body[2];  // of the first and of the second feature
    uint32_t point[4]; // a point and the corners of a face, or the ends of two edges
    bool passed;       // they went through each other
    double side;       // +1 or -1: of the normal of pair_place()
    double gap;        // [m] that it should have
    double target;     // [m] that it gets in this step, at most the gap
} ContactPair;

// Keeps where all points are before a step. False: out of memory.
bool deformables_begin(ElasticSet* set);
// Pushes apart what came too near, or passed through, in the step of length `dt` [s]. False: out of memory.
bool deformables_resolve(ElasticSet* set, double dt);
void deformables_free(ElasticSet* set);

// The pairs that must be kept apart after a step, for tests: their number, and how many of them passed through each other.
bool deformables_find(ElasticSet* set, double dt, size_t* count, size_t* passed);

#endif
