// SPDX-License-Identifier: MIT
// Rigid bodies that carry pins and are moved by them, inside the step of an elastic body.
#ifndef ELASTIC_CARRIER_H
#define ELASTIC_CARRIER_H

#include "elastic/elastic_parts.h"

// The carrier that the pin of a point is tied to and that gives way, or NULL.
Carrier* carrier_of(const ElasticSet* set, const Body* body, size_t point);

// Takes the points on carriers into them, with what they weigh and how they move; `tied` are all such points of the body.
void carriers_begin(ElasticSet* set, const Body* body, const uint32_t* tied, size_t count, double dt);
// An impulse [N s] at a place [m].
void carrier_push(Carrier* carrier, Vec3d at, Vec3d impulse);
// Moves them on by `h` [s], a share of the step.
void carriers_advance(ElasticSet* set, double h, double share);
// Where a point is on its carrier now, and how it moves [m/s].
Vec3d carrier_place(const Carrier* carrier, Vec3d pinned);
Vec3d carrier_velocity(const Carrier* carrier, Vec3d at);
// What the body did to them becomes their motion over the step.
void carriers_end(ElasticSet* set);

#endif
