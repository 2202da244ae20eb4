// SPDX-License-Identifier: MIT
// A frame of spray, foam and bubbles as a file of any particle format: position, velocity, age [s], life (the share that is left, 1
// to 0), radius [m], id and kind (0 spray, 1 foam, 2 bubble). Read as a Frame, with age in the place of density, life of pressure
// and kind of fluid.
#ifndef IO_FOAM_FILE_H
#define IO_FOAM_FILE_H

#include "io/run_folder.h"
#include <meniscus/world.h>

mn_Result foam_write(const char* path, mn_ParticleFormat format, const mn_FoamView* foam, double time, mn_Error* error);

// Where the diffuse particles of a run's frame are: foam_000000.vtp in `folder`, or in that of the run's frames if it is NULL, in
// the run's format or another. False: there are none.
bool foam_find(const RunFolder* run, const char* folder, size_t index, char* path, size_t size);

#endif
