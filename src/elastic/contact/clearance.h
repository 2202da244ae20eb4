// SPDX-License-Identifier: MIT
// How far all surfaces are from each other, and from themselves: while no point has gone half of that, no pair can have met, and
// nobody has to look for one.
#ifndef ELASTIC_CONTACT_CLEARANCE_H
#define ELASTIC_CONTACT_CLEARANCE_H

#include "elastic/contact/pair_search.h"

typedef struct Clearance {
    Vec3d* at;          // [m] (points of all bodies that are active, one after the other) when it was measured
    uint32_t* revision; // (bodies) of what was measured; UINT32_MAX: not active
    size_t at_capacity, body_capacity, bodies;
    double room;  // [m] that a point may go; not above 0: nothing is known
    int wait;     // steps before it is measured again
    int patience; // steps to wait if there is little room
} Clearance;

void clearance_free(Clearance* clearance, Memory* memory);
// Whether no pair can meet on the paths from body->from to body->swept.
bool clearance_holds(const Clearance* clearance, const ElasticSet* set);
// After a search that found nothing: measures where all points are now, with `search` as scratch, which is empty after it. Does
// nothing as long as it is not worth its time. False: out of memory.
bool clearance_measure(Clearance* clearance, ElasticSet* set, PairSearch* search);

#endif
