// SPDX-License-Identifier: MIT
// What is at the path that a run is to be written to, and making room for it without losing anything but an old run.
#ifndef IO_RUN_PLACE_H
#define IO_RUN_PLACE_H

#include "io/run_names.h"
#include <meniscus/scene.h>

typedef enum RunPlace {
    RUN_PLACE_FREE,      // nothing, an empty folder, or a run that had not written a frame
    RUN_PLACE_FOREIGN,   // a file, or a folder with other things in it
    RUN_PLACE_STARTED,   // a run without a checkpoint
    RUN_PLACE_RESUMABLE, // a run with a checkpoint
} RunPlace;
RunPlace run_place(const char* path);

mn_Result run_place_make(const char* path, mn_Error* error);  // the folder and those above it
mn_Result run_place_clear(const char* path, mn_Error* error); // removes the files of an old run, but not its log
mn_Result run_place_cut(const char* frames_folder, int64_t last_frame, mn_Error* error); // removes frames behind the last

#endif
