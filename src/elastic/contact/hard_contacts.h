// SPDX-License-Identifier: MIT
// Points of elastic bodies against the surfaces of solids that do not deform. Before a step every point that may reach an obstacle
// gets a plane that stays with the obstacle through the step: where it is nearest, the side it may be on.
#ifndef ELASTIC_CONTACT_HARD_CONTACTS_H
#define ELASTIC_CONTACT_HARD_CONTACTS_H

#include "elastic/elastic_parts.h"

// Finds body->hard for a step of length `dt`. False: out of memory.
bool hard_contacts_find(ElasticSet* set, Body* body, double dt);

// For points that are put in front of their planes at once: makes planes that a point cannot be in front of both leave it room
// between them, and notes how deep points are in already, which is not their motion's fault and must not become motion.
// Then the contacts of a point that has some, or is a corner of a face near a sharp feature, are a chain from
// body->slot[point].next on.
void hard_contacts_prepare(Body* body, double dt);
// After a substep of `h` [s] of the body, `t` [s] after the step began: points are in front of their planes.
void hard_contacts_solve(ElasticSet* set, Body* body, double h, double t);

// How far inside an obstacle the point is, a time `t` [s] after the step began; negative: free.
static inline double hard_depth(const HardContact* contact, Vec3d x, double t)
{
    return contact->gap - vec3d_dot(contact->normal, vec3d_sub(x, vec3d_mad(contact->place, t, contact->velocity)));
}

enum { HARD_NONE = UINT32_MAX };

#endif
