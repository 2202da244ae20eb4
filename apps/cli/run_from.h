// SPDX-License-Identifier: MIT
// meniscus run SCENE --from RUN@FRAME: a scene that begins where a frame of an earlier run was.
#ifndef CLI_RUN_FROM_H
#define CLI_RUN_FROM_H

#include <meniscus/scene.h>

// Fluids take the particles of the frame's fluids of the same name in place of their own, with velocities; rigid solids take place
// and velocities of the solids of their name. `from` is the folder of a run, with @ and the number of a frame, or without: the last
// one. Fills `said` with a line about it.
mn_Result run_from_apply(mn_Scene* scene, const char* from, char* said, size_t said_size, mn_Error* error);

#endif
