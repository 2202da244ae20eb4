// SPDX-License-Identifier: MIT
// Sides of pairs of features of deformable bodies: which one a pair is on, and whether it is too near there or has passed through.
#ifndef ELASTIC_CONTACT_PAIR_SIDE_H
#define ELASTIC_CONTACT_PAIR_SIDE_H

#include "elastic/contact/pair_search.h"

#define PAIR_BESIDE 0.3 // margin of a feature, in its own size, in which a pair that met is still pushed

// Where the ends were and are: in the step, or since they met if their bodies stepped together.
void pair_ends(const ElasticSet* set, const ContactPair* pair, Vec3d before[4], Vec3d x[4]);
// The same for the last substep.
void pair_ends_within(const ElasticSet* set, const ContactPair* pair, Vec3d before[4], Vec3d x[4]);

// Whether a pair may meet in the time to come. A PairTest.
bool pair_may_meet(const ElasticSet* set, ContactPair* pair, double dt);
// Whether the features passed through each other, or are about to touch; fills in how near they may come. A PairTest.
bool pair_meets(const ElasticSet* set, ContactPair* pair, double dt);
// After a substep: on which side the pair has to be, and whether it may have met. For all pairs before the first is solved: shifts
// are no paths.
void pair_watch(const ElasticSet* set, ContactPair* pair);

// When a step begins: which way points of a body that came apart look.
void pair_find_outward(Body* body);

#endif
