// SPDX-License-Identifier: MIT
// What a scene will need, before anything of it is built.
#ifndef CLI_ESTIMATE_H
#define CLI_ESTIMATE_H

#include <meniscus/scene.h>

// [m3] (2D: [m2]) that the solid which a fluid fills holds up to the level.
double estimate_fill(const mn_World* world, const mn_FluidDef* fluid);
double estimate_emitted(const mn_Scene* scene, const mn_Emitter* emitter); // particles over the whole run, at most
double estimate_memory(double particles, double boundary);                 // [bytes] of a run with so many particles
double estimate_volume(const mn_Scene* scene, const mn_FluidDef* fluid);   // [m3] (2D: [m2]) that it is asked to fill at the start

// Reads what --memory was given ("4G", "500M", "2e9") into bytes; NULL: not given, infinite `*out`. -1, or the status to leave
// with.
int estimate_limit(const char* command, const char* text, double* out);

// Refuses a scene that needs more than the machine has, or than --memory allows (`limit`, infinite: not given), as it starts: -1,
// or the status to leave with, which has been explained.
int estimate_refuse(const mn_Scene* scene, double limit);

#endif
