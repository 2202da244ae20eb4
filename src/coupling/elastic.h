// SPDX-License-Identifier: MIT
// Two-way coupling of fluid and elastic solids by boundary particles (Akinci et al. 2013; Akinci 2014, chapter 4).
// Particles of a skin follow its vertices with barycentric weights; pressure, friction and adhesion on them go back to the vertices
// with the same weights, so force and torque are conserved (section 2.2). Strong: vertices give way within the pressure iterations,
// each by its own mass, and what else accelerates them (elasticity, gravity, contacts, pins) is what it was in the last step.
// Finite elements know better how they answer to a force F within an implicit step: by C = bh/dt A^-1, A = M + bh^2 K, in good
// approximation (SolidKind.mobility), and what they would do under the force of the last step (SolidKind.predict). The fluid then
// sees dv/dt = a(F_last) + C (F - F_last). A node of a stiff plate is ten times as light as what it is joined to: giving way by its
// own mass, it lets the water fall for many steps until the load is there.
#ifndef COUPLING_ELASTIC_H
#define COUPLING_ELASTIC_H

#include "fluid/soft.h"
#include "solid/solid.h"

typedef struct ElasticCoupling {
    Memory* memory;
    Sph* sph;
    Boundary* boundary;
    Solid* solid;
    Soft soft;
    Vec3d* before; // [m/s] (nodes) velocities before the solids' step; before that scratch
    Vec3d* fluid;  // [N] (nodes) what the fluid did in this step; state
    Vec3d* other;  // (nodes) [N] force by all but the fluid in the last step; 0 of nodes that answer; state
} ElasticCoupling;

// `coupling` must be zero. Couples the solids of the boundary's skins. False: out of memory.
bool elastic_coupling_create(ElasticCoupling* coupling, Memory* memory, Sph* sph, Boundary* boundary, Solid* solid, bool strong);
void elastic_coupling_destroy(ElasticCoupling* coupling);

// Masses as they are now: pins come and go.
void elastic_coupling_place(ElasticCoupling* coupling);

// A try at a step begins.
void elastic_coupling_begin(ElasticCoupling* coupling, double dt);
// [m/s] the speed with which vertices near fluid may go no farther than `way` [m] in a step, and others no farther than half a
// support radius. Now or, as far as it is known, after the step.
double elastic_coupling_speed(const ElasticCoupling* coupling, double way, bool after);
// The step is accepted: forces on vertices and on whole solids.
void elastic_coupling_finish(ElasticCoupling* coupling, double dt);
// Around the solids' own step. Steps far below the `usual` length [s] (between a frame and an event) tell nothing about
// accelerations.
void elastic_coupling_before(ElasticCoupling* coupling);
void elastic_coupling_after(ElasticCoupling* coupling, double dt, double usual);

// State besides that of the bodies, as plain bytes.
size_t elastic_coupling_state_bytes(const ElasticCoupling* coupling);
void elastic_coupling_save(const ElasticCoupling* coupling, void* bytes);
bool elastic_coupling_load(ElasticCoupling* coupling, Pool* pool, const void* bytes); // false: out of memory or damaged

#endif
