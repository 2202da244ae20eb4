// SPDX-License-Identifier: MIT
// Solids that deform, as nodes that respond (response_vertex.h; Akinci et al. 2013; Akinci 2014, chapter 4). Particles of a skin
// follow its vertices with barycentric weights; pressure, friction and adhesion on them go back to the vertices with the same
// weights, so force and torque are conserved (section 2.2). Strong: vertices give way within the pressure iterations, each by its
// own mass, and what else accelerates them (elasticity, gravity, contacts, pins) is what it was in the last step. Finite elements
// know better how they respond to a force F within an implicit step: by C = bh/dt A^-1, A = M + bh^2 K, in good approximation
// (SolidKind.mobility), and what they would do under the force of the last step (SolidKind.predict). The fluid then sees dv/dt =
// a(F_last) + k C (F - F_last), where k is how much more the solid gave way than C says, if that was much more. A node of a stiff
// plate is ten times as light as what it is joined to: giving way by its own mass, it lets the water fall for many steps until the
// load is there.
#ifndef COUPLING_VERTEX_SOLIDS_H
#define COUPLING_VERTEX_SOLIDS_H

#include "base/register.h"
#include "coupling/response_vertex.h"
#include "solid/solid.h"

typedef struct VertexSolids {
    Memory* memory;
    Sph* sph;
    Boundary* boundary;
    Solid* solid;
    VertexResponse response;
    double* yield;      // (skins) [1] by how much more than its mobility a solid gives way, as measured; state
    Vec3d* last;        // [N] (nodes with a mobility) what the fluid did in the step before
    Vec3d* expected;    // [m/s] (nodes with a mobility) velocities after the step if the fluid did that again
    uint32_t* revision; // (skins) of the surfaces that nodes are those of
    Vec3d* before;      // [m/s] (nodes) velocities before the solids' step; before that scratch
    Vec3d* fluid;       // [N] (nodes) what the fluid did in this step; state
    Vec3d* other;       // (nodes) [N] force by all but the fluid in the last step; 0 of nodes with a mobility; state
} VertexSolids;

// `solids` must be zero. Of the boundary's skins; without any, nothing responds. False: out of memory.
bool vertex_solids_create(VertexSolids* solids, Memory* memory, Sph* sph, Boundary* boundary, Solid* solid, bool strong);
void vertex_solids_destroy(VertexSolids* solids);

// Skins of surfaces that came apart have more vertices: nodes follow. False: out of memory.
bool vertex_solids_follow(VertexSolids* solids);
// Masses as they are now: pins come and go.
void vertex_solids_place(VertexSolids* solids);

// A try at a step begins.
void vertex_solids_begin(VertexSolids* solids, double dt);
// [m/s] the speed with which vertices near fluid may go no farther than `path` [m] in a step, and others no farther than half a
// support radius. Now or, as far as it is known, after the step.
double vertex_solids_speed(const VertexSolids* solids, double path, bool after);
void vertex_solids_forces(VertexSolids* solids, double dt); // adhesion and friction
// The step is accepted: forces on vertices and on whole solids.
void vertex_solids_finish(VertexSolids* solids, double dt);
// Around the solids' own step. Steps far below the `usual` length [s] (between a frame and an event) tell nothing about
// accelerations.
void vertex_solids_before(VertexSolids* solids);
void vertex_solids_after(VertexSolids* solids, double dt, double usual);

bool vertex_solids_register(VertexSolids* solids, Register* reg); // state; false: out of memory

#endif
