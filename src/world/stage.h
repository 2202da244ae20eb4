// SPDX-License-Identifier: MIT
// A step is a table of named stages that step.c runs and times. What is the fluid of a world brings its table with it.
#ifndef WORLD_STAGE_H
#define WORLD_STAGE_H

#include "fluid/integrate.h"
#include "fluid/pressure/method.h"
#include <meniscus/world.h>

// The step under way.
typedef struct Step {
    double dt;    // [s]
    double until; // [s] it must not go beyond, and
    double left;  // [s] until then
    double usual; // [s] what the limits allowed when it began: a try may be shorter
    PressureReport report;
    Gain gain;
    bool corrected; // velocities were made free of divergence
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

// A kind of fluid: SPH is one.
typedef struct FluidKind {
    const char* name;
    const Stage* stage;
    size_t stage_count;
    mn_Result (*seed)(mn_World* world, mn_Error* error); // the particles that the scene's fluids start with
    double (*longest_step)(mn_World* world);             // [s] what the limits of its motion allow now
    bool (*sources)(mn_World* world);                    // particles come and go; false: out of memory
    bool (*search)(mn_World* world);                     // what depends on where particles are; false: out of memory
} FluidKind;

extern const FluidKind fluid_sph;

#endif
