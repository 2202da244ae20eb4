// SPDX-License-Identifier: MIT
// A step is a table of named stages that step.c runs and times. What is the fluid of a world brings its table with it
// (fluid_kind.h).
#ifndef WORLD_STAGE_H
#define WORLD_STAGE_H

#include <meniscus/world.h>

// The step under way.
typedef struct Step {
    double dt;    // [s]
    double until; // [s] it must not go beyond, and
    double left;  // [s] until then
    double usual; // [s] what the limits allowed when it began: a try may be shorter
    mn_Result result;
    mn_Error* error;
} Step;

typedef enum StageResult {
    STAGE_DONE,
    STAGE_REPEAT, // the step went wrong: what it has done is taken back, and it begins again with half its length
    STAGE_FAILED, // Step.result and Step.error say why
} StageResult;

typedef struct Stage {
    const char* name; // several stages may share one: their times add up
    StageResult (*run)(mn_World* world, Step* step);
} Stage;

// stages.c: what stages of any fluid are made of
StageResult stage_fail(Step* step, mn_Result result);
StageResult stage_done_or_no_memory(const mn_World* world, Step* step, bool ok);
StageResult stage_solids_failed(const mn_World* world, Step* step, const char* message);
double stage_end(const mn_World* world, const Step* step);  // [s] when it will be over
void stage_advance_time(mn_World* world, const Step* step); // particles have moved

// Stages that no fluid does otherwise. They come in this order, after particles have moved, and `stage_guard` wants to know where
// they were: in the scratch of their set, borrowed.
StageResult stage_solids(mn_World* world, Step* step);   // solids take their own step
StageResult stage_guard(mn_World* world, Step* step);    // paths of particles are swept against solids; gives scratch back
StageResult stage_boundary(mn_World* world, Step* step); // events happen, boundary particles follow solids
StageResult stage_sources(mn_World* world, Step* step);  // particles come and go
StageResult stage_sort(mn_World* world, Step* step);     // particles are sorted by cell
StageResult stage_foam(mn_World* world, Step* step);     // last: spray, foam and bubbles, if the scene asks for them

#endif
