// SPDX-License-Identifier: MIT
// Two-way coupling of fluid and solids by boundary particles (Akinci et al. 2012, 2013; Akinci 2014, chapters 3 and 4).
//   F_body = sum_b F_b,    torque = sum_b (x_b - x_cm) x F_b,    F_b = -(what b does to the fluid)         (section 3.2.4)
// Solids that move as one take these as force and torque (fluid/reaction.h), with friction that is implicit in their velocities
// (fluid/rub.h); those that deform take them on their vertices (coupling/elastic.h). The fluid gets minus what they get. Weak:
// solids keep their velocity while pressures are found, as in the thesis. Strong: they give way within the iterations. What
// contacts, joints, elasticity and gravity will do to them in a step is predicted first.
#ifndef COUPLING_AKINCI_H
#define COUPLING_AKINCI_H

#include "coupling/coupling.h"
#include "coupling/elastic.h"
#include "fluid/reaction.h"
#include "fluid/rub.h"
#include "fluid/wall_force.h"

typedef struct Akinci {
    Memory* memory;
    Sph* sph;
    Boundary* boundary;
    Solid* solid;
    size_t solid_count;
    bool has_bodies, has_skins; // there are solids that move as one, solids that deform
    Reaction bodies;
    ElasticCoupling skins;
    Vec3d* centre;    // [m] (solids) of mass, or of its frame
    Vec3d* origin;    // [m] (solids) of its frame
    Wrench* wrench;   // (solids) scratch
    bool* is_body;    // (solids) it moves as one and is free to
    bool* is_counted; // (solids) its forces are known otherwise than by wall_forces()
} Akinci;

#endif
