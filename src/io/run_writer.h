// SPDX-License-Identifier: MIT
// Writing a run folder. Frames are whole or absent, tables end with whole rows, and the checkpoint is replaced last: whenever
// the process dies, what is in the folder can be read, and a resumed run ends with the same files as one that never stopped.
#ifndef IO_RUN_WRITER_H
#define IO_RUN_WRITER_H

#include "base/memory.h"
#include "base/parallel.h"
#include "io/checkpoint.h"
#include "io/frame.h"
#include "io/probe_tables.h"
#include "io/run_place.h"
#include "io/table.h"
#include <meniscus/scene.h>

// Where a run is; part of each checkpoint.
typedef struct RunProgress {
    int64_t frame;  // last frame written; -1 = none yet
    double seconds; // of computing, over all sittings
    double time;    // [s] simulated
    uint64_t steps;
} RunProgress;

typedef struct RunWriter {
    char path[PATH_SIZE], frames[PATH_SIZE], solids[PATH_SIZE], surface[PATH_SIZE], checkpoint[PATH_SIZE];
    const mn_Scene* scene; // not owned; outlives the writer
    char* identity;        // what a checkpoint must match, see run_identity.h
    RunNames names;
    bool moving;   // solids that move are written in place, a file per frame
    Pool* pool;    // that surfaces are made with; NULL if none are
    Memory memory; // that they are made in: kept from frame to frame
    Table stats, bodies, probes, log;
    ProbeTables samples;
    RunProgress progress;
    int64_t synced_frame; // frames up to this one are known to be on the disk
} RunWriter;

// A new run. `replace` allows to remove the files of an earlier run (never anything else); without it a run that is there already
// is an error that says what can be done. Writes scene.json, the tables' headers and the solids' meshes, but no frame yet.
mn_Result run_writer_create(RunWriter* writer, const char* path, const mn_Scene* scene, const mn_World* world, bool replace,
                            mn_Error* error);

// The error for a place that run_writer_create would not take without `replace`.
mn_Result run_writer_refuse(RunPlace place, const char* path, mn_Error* error);

// Goes on with a run: loads the checkpoint's state into `world` (throw it away on failure) and cuts off what was written
// after it. MN_BAD_INPUT if there is no checkpoint, it is damaged, or belongs to another scene.
mn_Result run_writer_resume(RunWriter* writer, const char* path, const mn_Scene* scene, mn_World* world, mn_Error* error);

// Frame progress.frame + 1, which the world has just reached. `seconds` of computing so far.
mn_Result run_writer_frame(RunWriter* writer, const mn_World* world, double seconds, mn_Error* error);
// Samples of probes up to where the world is, which ended between two frames. They stay untaken: a resumed run writes them again.
mn_Result run_writer_samples(RunWriter* writer, const mn_World* world, mn_Error* error);
mn_Result run_writer_checkpoint(RunWriter* writer, const mn_World* world, double seconds, mn_Error* error);

// One line for run.log, without newline. What the log cannot take is no reason to stop: errors show elsewhere.
void run_writer_log(RunWriter* writer, const char* text);
mn_Result run_writer_close(RunWriter* writer, mn_Error* error); // may be called after any failure, also of create

// The state of a checkpoint for a world that was just built from its run's scene; throw it away on failure.
mn_Result run_checkpoint_load(const char* path, const mn_Scene* scene, mn_World* world, mn_Error* error);

// The progress stored in a checkpoint.
mn_Result run_progress_read(const Checkpoint* checkpoint, const char* path, RunProgress* progress, mn_Error* error);

#endif
