// SPDX-License-Identifier: MIT
// meniscus run SCENE --from RUN@FRAME: a scene that begins where a frame or the checkpoint of an earlier run was.
#ifndef CLI_RUN_FROM_H
#define CLI_RUN_FROM_H

#include "io/frame.h"
#include <meniscus/scene.h>

// What a checkpoint held, until it is in the new run's folder.
typedef struct RunStart {
    size_t count;
    Frame* frame; // of the fluids that the checkpoint gave particles to
    char** path;  // where it goes
} RunStart;

typedef struct RunFrom {
    const char* from; // folder of a run, or with @: the number of a frame, or "checkpoint"; without: the last frame
    const char* out;  // folder of the new run, which need not be there yet
    char said[400];   // a line about what was found
} RunFrom;

// Fluids take the particles of the fluids of the same name in place of their own, with velocities; rigid solids take place and
// velocities of the solids of their name. The scene then names files: those of the frame or, of a checkpoint, such that
// run_from_write makes in the new run's folder.
mn_Result run_from_apply(mn_Scene* scene, RunFrom* job, mn_Error* error);
// Reads such files, also before they are written.
mn_ReadParticlesFn run_from_read;
mn_Result run_from_write(mn_Error* error);
void run_from_free(void);

#endif
