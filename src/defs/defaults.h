// SPDX-License-Identifier: MIT
// What each section holds before its keys are read: the public mn_default_*(), behind a pointer.
#ifndef DEFS_DEFAULTS_H
#define DEFS_DEFAULTS_H

#include <meniscus/defs.h>

// What auto means, which depends on solver.accuracy.
double def_support_radius(const mn_WorldDef* world); // [m]
// Whether a fluid's tension is found from the shape of its surface; it wants a support radius of WIDE_SUPPORT particle radii, and
// needs NARROWEST_SUPPORT: with less its band is a single layer, and surfaces break up.
bool def_wants_wide_support(const mn_TensionDef* tension);
#define WIDE_SUPPORT 6.04
#define NARROWEST_SUPPORT 4.4
mn_Kernel def_kernel(const mn_WorldDef* world);

void solver_go_live(void* object); // where solver.accuracy is live: the defaults of mn_live_solver_def()

void scene_defaults(void* object);
void fluid_defaults(void* object);
void block_defaults(void* object);
void ball_defaults(void* object);
void fill_defaults(void* object);
void emitter_defaults(void* object);
void solid_defaults(void* object);
void keyframe_defaults(void* object);
void pin_defaults(void* object);
void drain_defaults(void* object);
void sponge_defaults(void* object);
void speed_key_defaults(void* object);
void fluid_shape_defaults(void* object);
void joint_defaults(void* object);
void drive_defaults(void* object);
void event_defaults(void* object);
void push_defaults(void* object);
void force_defaults(void* object);
void move_defaults(void* object);
void fluid_particle_defaults(void* object);
void pour_defaults(void* object);
void scoop_defaults(void* object);
void nozzle_defaults(void* object);
void pull_defaults(void* object);
void fluid_change_defaults(void* object);
void solid_change_defaults(void* object);
void ragdoll_defaults(void* object);
void chain_defaults(void* object);
void probe_defaults(void* object);
void caption_defaults(void* object);
void light_defaults(void* object);
void solid_look_defaults(void* object);
void fluid_look_defaults(void* object);

#endif
