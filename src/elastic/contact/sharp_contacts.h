// SPDX-License-Identifier: MIT
// SharpFeatures of hard solids (corners, edges, what is more curved than a cloth can follow, see features.h) against the faces of a
// body.
#ifndef ELASTIC_CONTACT_SHARP_CONTACTS_H
#define ELASTIC_CONTACT_SHARP_CONTACTS_H

#include "elastic/elastic_parts.h"

// Finds body->sharp for a step of length `dt` [s]; part of hard_contacts_find(). False: out of memory.
bool sharp_contacts_find(ElasticSet* set, Body* body, double dt);
// After a substep of `h` [s] of the body, `time` [s] after the step began: faces keep features on their sides.
void sharp_contacts_solve(ElasticSet* set, Body* body, double h, double time);
// [m] Where the feature is when the step ends, as its solid was told to move.
Vec3d sharp_contact_end(const ElasticSet* set, const SharpContact* contact);
void sharp_contacts_free(ElasticSet* set);

#endif
