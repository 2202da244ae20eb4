// SPDX-License-Identifier: MIT
// From the particles of a world, which are in memory order, to a frame sorted by id.
#ifndef IO_FRAME_GATHER_H
#define IO_FRAME_GATHER_H

#include "io/frame.h"
#include <meniscus/world.h>

// The particles of one fluid (index in the scene, whose rest density [kg/m3] is given). Frees what `frame` held before.
mn_Result frame_gather(const mn_ParticleView* particles, uint8_t fluid, double rest_density, double time, Frame* frame,
                       mn_Error* error);
// Diffuse particles, see foam_file.h. Frees what `frame` held before.
mn_Result frame_gather_foam(const mn_FoamView* foam, double time, Frame* frame, mn_Error* error);
// Puts several frames into one, sorted by id. `frame` must be empty.
mn_Result frame_merge(const Frame* parts, size_t part_count, Frame* frame, mn_Error* error);

#endif
