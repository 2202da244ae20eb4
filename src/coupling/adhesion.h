// SPDX-License-Identifier: MIT
// Adhesion of fluids on solids that respond: minus what they do to the fluid (fluid/tension/adhesion.h). Nothing if no solid
// attracts a fluid.
#ifndef COUPLING_ADHESION_H
#define COUPLING_ADHESION_H

#include "coupling/response_body.h"
#include "coupling/response_vertex.h"
#include "fluid/wall_force.h"

// Impulses on bodies over `dt` [s]. `centre` [m] and `is_body` have an entry per solid, and so has the scratch. False: out of
// memory.
bool adhesion_on_bodies(BodyResponse* response, double dt, const Vec3d* centre, const bool* is_body, size_t solid_count,
                        Wrench* scratch);

// Adds to the forces at hand, which friction_on_vertices() takes.
void adhesion_on_vertices(VertexResponse* response);

#endif
