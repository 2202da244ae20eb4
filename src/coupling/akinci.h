// SPDX-License-Identifier: MIT
// Two-way coupling of fluid and solids by boundary particles (Akinci et al. 2012, 2013; Akinci 2014, chapters 3 and 4). Solids
// respond as one or by vertex (response.h), whatever their kind is. Weak: they keep their velocity while pressures are found, as in
// the thesis. Strong: they give way within the iterations. What contacts, joints, elasticity and gravity will do to them in a step
// is predicted first.
#ifndef COUPLING_AKINCI_H
#define COUPLING_AKINCI_H

#include "coupling/body_solids.h"
#include "coupling/coupling.h"
#include "coupling/vertex_solids.h"

typedef struct Akinci {
    Memory* memory;
    Sph* sph;
    Solid* solid;
    size_t solid_count;
    BodySolids bodies;
    VertexSolids skins;
    // walls: solids that do not give way
    Vec3d* origin;    // [m] (solids) of its frame
    Wrench* wrench;   // (solids) scratch
    bool* is_counted; // (solids) its forces are known otherwise
    bool no_weight;   // boundary particles of walls stand for nothing
} Akinci;

#endif
