// SPDX-License-Identifier: MIT
// The folder of a run, for reading: what frames there are, the scene they came from, where the solids were.
#ifndef IO_RUN_FOLDER_H
#define IO_RUN_FOLDER_H

#include "io/frame.h"
#include <meniscus/scene.h>

typedef struct RunFolder {
    char path[1024];
    mn_Scene* scene;    // scene.json of the run
    size_t frame_count; // particle frames found, in order of number
    int* frame_number;
    double* frame_time; // [s] from stats.csv
    mn_ParticleFormat format;
    // rows of bodies.csv: frame_count x scene->solid_count, NULL if absent
    mn_Pose* solid_pose;
    mn_Vec3 (*solid_velocity)[2]; // [m/s], [1/s] of the same; NULL with solid_pose
} RunFolder;

mn_Result run_folder_open(RunFolder* run, const char* path, mn_Error* error);
void run_folder_close(RunFolder* run);
mn_Result run_folder_read_frame(const RunFolder* run, size_t index, Frame* frame, mn_Error* error); // index in 0..frame_count

#endif
