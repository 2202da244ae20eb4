// SPDX-License-Identifier: MIT
// The last resort: points of pairs that cannot be solved one by one stop moving against each other for a step.
#ifndef ELASTIC_CONTACT_ZONES_H
#define ELASTIC_CONTACT_ZONES_H

#include "elastic/contact/pair_search.h"

typedef struct Zones {
    uint32_t* parent; // (points of all bodies) another point of the same zone, or the point itself
    size_t* first;    // (bodies + 1) of a body's points
    size_t parent_capacity, first_capacity;
    Vec3d *path, *momentum;   // (points) sums of a zone, at its root: [kg m], [kg m/s]
    double* mass;             // [kg]
    uint32_t *members, *held; // points, and pinned ones among them
    size_t path_capacity, momentum_capacity, mass_capacity, members_capacity, held_capacity;
} Zones;

// Each point alone. False: out of memory.
bool zones_begin(Zones* zones, const ElasticSet* set);
void zones_join(Zones* zones, const ContactPair* pair); // its four points are one zone
// All points of a zone go the same way from body->from: the mean one, or that of its pinned points.
// Momentum of zones without pins is kept. `h` [s]: of substeps, for bodies within them.
void zones_stop(Zones* zones, ElasticSet* set, double h);
void zones_free(Zones* zones, Memory* memory);

#endif
