// SPDX-License-Identifier: MIT
// Two-way coupling of fluid and rigid bodies by boundary particles (Akinci et al. 2012; Akinci 2014, chapter 3).
//   F_body = sum_b F_b,    torque = sum_b (x_b - x_cm) x F_b,    F_b = -(what b does to the fluid)         (section 3.2.4)
// Pressure comes from the solve itself (fluid/reaction.h), friction is implicit in the bodies' velocities (fluid/rub.h), and the
// fluid gets minus what they get. Weak: bodies keep their velocity while pressures are found, as in the thesis. Strong: bodies
// give way within the iterations. What contacts, joints and gravity will do to them in this step is predicted first.
#ifndef COUPLING_AKINCI_H
#define COUPLING_AKINCI_H

#include "boundary/boundary.h"
#include "fluid/reaction.h"
#include "fluid/rub.h"
#include "fluid/wall_force.h"
#include "rigid/rigid.h"

// Solids and bodies have the same indices.
typedef struct Akinci {
    Memory* memory;
    Sph* sph;
    Boundary* boundary;
    Solid* solid;
    size_t solid_count;
    Rigid* rigid;
    Reaction reaction;
    Vec3d *linear, *angular; // [m/s2], [1/s2] per solid: what all but the fluid does to it
    Vec3d* centre;           // [m] per solid
    Wrench* adhesion;        // per solid
} Akinci;

// `coupling` must be zero. Links itself to `sph`. False: out of memory.
bool akinci_create(Akinci* coupling, Memory* memory, Sph* sph, Boundary* boundary, Solid* solid, size_t solid_count, Rigid* rigid,
                   bool strong);
void akinci_destroy(Akinci* coupling);

// Solids take over where bodies are; movers get ready for the neighbour search.
void akinci_place(Akinci* coupling);

// A try at a step, when it is known what else moves the bodies.
void akinci_begin(Akinci* coupling, double dt);
// After the fluid's own friction was computed, before it acts. False: out of memory.
bool akinci_rub(Akinci* coupling, double dt);
// After pressures were found, before they act.
void akinci_settle(Akinci* coupling, double dt);
// [m/s] speed of the fastest point of a body after the step, as far as it is known.
double akinci_speed(const Akinci* coupling, double dt);

// The step is accepted: forces on solids that move.
void akinci_finish(Akinci* coupling, double dt);
// A body gets an impulse [N s], [N m s] about its centre, which the fluid has lost otherwise than by forces.
void akinci_kick(Akinci* coupling, const Mover* mover, Twist impulse);

#endif
